"""The page in headless Chromium: an episode watched, an episode played, drift and referee seen, the curve drawn."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openenv")
uvicorn = pytest.importorskip("uvicorn")

from guardian.learn.workflow.server import create_workflow_app  # noqa: E402
from tests.chromium import Browser, in_chromium  # noqa: E402

pytestmark = [
    pytest.mark.browser,
    in_chromium,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_workflow_app(), host="127.0.0.1", port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join()


@pytest.fixture
def page(address: str, tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path)
    browser.open(address)
    browser.until("document.body && document.body.dataset.ready === 'yes'")
    yield browser
    errors = browser.errors
    browser.close()
    assert errors == []


def text(page: Browser, selector: str) -> str:
    return str(page.evaluate(f"document.querySelector({selector!r}).textContent"))


def count(page: Browser, selector: str) -> int:
    return int(page.evaluate(f"document.querySelectorAll({selector!r}).length"))


def press(page: Browser, action: str) -> None:
    before = count(page, "#steps > li")
    page.evaluate(f"document.querySelector('[data-action={action}]').click()")
    page.until(f"document.querySelectorAll('#steps > li').length > {before}")


def test_an_episode_can_be_watched(page: Browser) -> None:
    """Step by step: the shipped change is shown where it happens, the referee's rulings and the reward grow."""
    page.evaluate("document.querySelector('#speed').value = '60'; document.querySelector('#watch').click()")
    page.until("document.querySelector('#note').textContent.includes('over')")
    assert "rename deal_value to contract_amount" in text(page, "#steps")
    assert "1 of 1 drifts recovered" in text(page, "#outcome")
    assert count(page, "#referee > li") == count(page, "#steps > li")
    assert count(page, "#curve polyline") == 1 and "drift" in text(page, "#curve")


def test_watching_can_be_stopped_and_stepped(page: Browser) -> None:
    """Pause holds the episode; Step takes one step."""
    page.evaluate("document.querySelector('#speed').value = '1200'; document.querySelector('#watch').click()")
    page.until("!document.querySelector('#next').disabled")
    page.evaluate("document.querySelector('#pause').click(); document.querySelector('#next').click()")
    before = count(page, "#steps > li")
    page.evaluate("document.querySelector('#next').click()")
    assert count(page, "#steps > li") == before + 1
    assert text(page, "#pause") == "Go on"


def test_an_episode_can_be_played(page: Browser) -> None:
    """By hand: L1's close is refused in sight, the drift is seen on the screen and coped with by its new name."""
    page.evaluate("document.querySelector('#play').click()")
    page.until("!document.querySelector('#acting').hidden")
    assert count(page, "#acts button") == 8
    press(page, "close_task")
    assert "that is L2's" in text(page, "#referee") and "refused" in text(page, "#referee")
    press(page, "defer")
    assert page.evaluate("document.querySelector('#drift').hidden") is True
    press(page, "reply_message")
    page.evaluate("document.querySelector('#task').value = 'T1'")
    press(page, "assign_task")
    assert text(page, "#drift") == "differs" and text(page, "#screen .new") == "contract_amount"
    assert "stale_field" in text(page, "#steps")
    page.evaluate("document.querySelector('#field').value = 'contract_amount'")
    press(page, "assign_task")
    assert "adapted" in text(page, "#steps > li")
    assert page.evaluate("document.querySelector('#drift').hidden") is True


def test_an_act_is_shown_when_all_is_known_of_it(page: Browser) -> None:
    """The referee's word comes with the step however long it takes; a second click meanwhile is no second act."""
    page.evaluate("document.querySelector('#play').click()")
    page.until("!document.querySelector('#acting').hidden")
    page.evaluate(
        "{const ask = window.fetch; window.asked = 0;"
        " window.fetch = (path, ...rest) => String(path).startsWith('state')"
        " ? new Promise(go => setTimeout(() => { window.asked += 1; go(ask(path, ...rest)); }, 700)) : ask(path, ...rest)}"
    )
    page.evaluate("for (let i = 0; i < 3; i++) document.querySelector('[data-action=close_task]').click()")
    page.until("document.querySelectorAll('#steps > li').length > 0")
    assert "that is L2's" in text(page, "#referee") and count(page, "#referee > li") == 1
    press(page, "defer")
    assert count(page, "#steps > li") == 2 and page.evaluate("window.asked") == 2


def test_a_late_answer_is_not_shown_in_the_next_episode(page: Browser) -> None:
    """Whoever begins anew while an act is under way sees nothing of it."""
    page.evaluate("document.querySelector('#play').click()")
    page.until("!document.querySelector('#acting').hidden")
    page.evaluate(
        "{const ask = window.fetch; window.late = 0;"
        " window.fetch = (path, ...rest) => String(path) === 'step' && !window.late++"
        " ? ask(path, ...rest).then(found => new Promise(go => { window.deliver = () => go(found); })) : ask(path, ...rest)}"
    )
    page.evaluate("document.querySelector('[data-action=close_task]').click()")
    page.until("!!window.deliver")
    page.evaluate("document.querySelector('#play').click()")
    page.until("!document.querySelector('#acting').hidden")
    page.evaluate("window.deliver()")
    press(page, "defer")
    assert count(page, "#steps > li") == 1 and "defer" in text(page, "#steps")


def test_many_episodes_draw_a_curve_as_they_come(page: Browser) -> None:
    """Sixty episodes of a policy, the mean of thirty drawn live."""
    page.evaluate("document.querySelector('#policy').value = 'greedy'; document.querySelector('#many').click()")
    page.until("document.querySelector('#many-text').textContent.includes('greedy, 60 episodes')")
    assert count(page, "#many-curve polyline") == 2


def test_the_page_fits_a_telephone(page: Browser) -> None:
    """Nothing sticks out sideways at 390 pixels."""
    page.evaluate("document.querySelector('#play').click()")
    page.until("!document.querySelector('#acting').hidden")
    page._ask("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 392
