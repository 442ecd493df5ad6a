"""The page in headless Chromium: an episode watched, an episode played, drift and referee seen, the curve drawn."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openenv")
uvicorn = pytest.importorskip("uvicorn")
sys.path.insert(0, str(Path(__file__).parent))

from browser import CHROMIUM, Browser  # noqa: E402

from guardian.learn.workflow.server import create_workflow_app  # noqa: E402

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
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
