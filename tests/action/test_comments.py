"""The comment of a pull request: found again, kept up to date, and never a reason to fail or to hang."""

from __future__ import annotations

import pytest
from forge.api import BOT, FakeGitHub, Fault, Token

from guardian.host.comment import marker, publish
from guardian.host.github import ATTEMPTS, LONGEST_WAIT_S, GitHub, HostRefusal

MARK = marker("CI/contracts")


class Client(GitHub):
    """A client that notes its waits instead of waiting."""

    def __init__(self, api: FakeGitHub, token: str = "ghs_write") -> None:
        self.waits: list[float] = []
        super().__init__(api.url, api.repository, token, self.waits.append)


def red(client: GitHub, text: str = "red") -> str:
    return publish(client, 7, MARK, text, clean=False)


def green(client: GitHub) -> str:
    return publish(client, 7, MARK, "green", clean=True)


def test_first_finding_opens_a_comment(github: FakeGitHub):
    """The first finding opens one comment, whose first line is the marker."""
    assert red(Client(github)) == "commented"
    assert github.bodies() == [f"{MARK}\nred"]


def test_clean_pull_request_gets_no_comment(github: FakeGitHub):
    """Where nothing was ever wrong nothing is written."""
    assert green(Client(github)) == "no comment: there is nothing to say"
    assert github.bodies() == []
    assert github.writes == []


def test_red_comment_turns_green_in_place(github: FakeGitHub):
    """A comment is edited, not followed by another one."""
    red(Client(github))
    assert green(Client(github)) == "comment updated"
    assert github.bodies() == [f"{MARK}\ngreen"]
    assert [method for method, _ in github.writes] == ["POST", "PATCH"]


def test_same_text_is_not_written_again(github: FakeGitHub):
    """A comment that says it already is left alone; GitHub's line ends do not matter."""
    red(Client(github), "a\nb")
    github.comments[7][0]["body"] = github.comments[7][0]["body"].replace("\n", "\r\n")
    assert red(Client(github), "a\nb") == "comment is up to date"
    assert len(github.writes) == 1


@pytest.mark.parametrize(("before", "pages"), [(0, 1), (99, 1), (100, 2), (250, 3)])
def test_every_page_is_read(github: FakeGitHub, before: int, pages: int):
    """Our comment is found behind any number of others."""
    for number in range(before):
        github.add(7, f"comment {number}", {"login": "dana", "type": "User"})
    github.add(7, f"{MARK}\nred")
    green(Client(github))
    assert github.bodies()[before] == f"{MARK}\ngreen"
    assert len(github.bodies()) == before + 1
    assert sum(path.endswith("/7/comments") for _, path in github.requests) == pages


def test_another_key_is_another_comment(github: FakeGitHub):
    """Two checks of one pull request each have their comment."""
    red(Client(github))
    publish(Client(github), 7, marker("CI/other"), "other", clean=False)
    green(Client(github))
    assert github.bodies() == [f"{MARK}\ngreen", f"{marker('CI/other')}\nother"]


@pytest.mark.parametrize("user", [{"login": "mallory", "type": "User"}, None])
def test_marker_of_somebody_else_is_no_comment_of_ours(github: FakeGitHub, user: dict[str, str] | None):
    """Anybody can copy the marker; a comment that its author can edit afterwards is not taken over."""
    github.add(7, f"{MARK}\nall is well", BOT)["user"] = user
    red(Client(github))
    assert github.bodies() == [f"{MARK}\nall is well", f"{MARK}\nred"]
    green(Client(github))
    assert github.bodies() == [f"{MARK}\nall is well", f"{MARK}\ngreen"]


def test_quoted_marker_is_no_comment_of_ours(github: FakeGitHub):
    """The marker counts as the first line alone."""
    github.add(7, f"> {MARK}\n> red\n\nI do not agree")
    github.add(7, f"see\n{MARK}")
    red(Client(github))
    assert len(github.bodies()) == 3


def test_personal_token(github: FakeGitHub):
    """With a personal token our comments are that user's."""
    github.tokens["ghp_dana"] = Token(login="dana")
    github.add(7, f"{MARK}\nof the workflow's own token", BOT)
    red(Client(github, "ghp_dana"))
    publish(Client(github, "ghp_dana"), 7, MARK, "green", clean=True)
    assert github.bodies() == [f"{MARK}\nof the workflow's own token", f"{MARK}\ngreen"]


def test_comments_of_runs_at_once_become_one(github: FakeGitHub):
    """Two runs that raced have opened two comments; the next one leaves one, and no stale red beside it."""
    for text in ("red", "redder"):
        github.add(7, f"{MARK}\n{text}")
    green(Client(github))
    assert github.bodies() == [f"{MARK}\ngreen"]


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize("status", [500, 502, 503])
def test_server_error_is_tried_again(github: FakeGitHub, method: str, status: int):
    """A server that stumbles is asked again, each time after a longer while."""
    red(Client(github))
    github.faults += [Fault(status, method=method)] * 2
    client = Client(github)
    assert green(client) == "comment updated"
    assert client.waits == [1, 2]


def test_server_error_ends(github: FakeGitHub):
    """A server that stays down is not asked for ever."""
    github.faults += [Fault(503)] * 100
    client = Client(github)
    with pytest.raises(HostRefusal, match="503"):
        red(client)
    assert len(github.requests) == ATTEMPTS
    assert sum(client.waits) <= ATTEMPTS * LONGEST_WAIT_S


@pytest.mark.parametrize("after", [False, True])
def test_post_without_answer_makes_no_second_comment(github: FakeGitHub, after: bool):
    """A comment that was added although the answer failed is found, not added again."""
    github.faults.append(Fault(502, method="POST", after=after))
    red(Client(github))
    assert github.bodies() == [f"{MARK}\nred"]


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (Fault(429, {"Retry-After": "3"}, "too many"), 3),
        (Fault(403, {"Retry-After": "7"}, "You have exceeded a secondary rate limit."), 7),
        (Fault(403, {}, "You have exceeded a secondary rate limit."), 1),
        (Fault(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}, "API rate limit exceeded"), 0),
    ],
)
def test_rate_limit_is_waited_for(github: FakeGitHub, fault: Fault, wait: float):
    """A rate limit is no refusal: we wait as long as GitHub says, and then write."""
    github.faults.append(fault)
    client = Client(github)
    assert red(client) == "commented"
    assert client.waits == [wait]


def test_long_rate_limit_is_not_waited_for(github: FakeGitHub):
    """A job does not stand still for an hour for the sake of a comment."""
    github.faults.append(Fault(429, {"Retry-After": "3600"}, "too many"))
    client = Client(github)
    with pytest.raises(HostRefusal) as raised:
        red(client)
    assert client.waits == []
    assert not raised.value.forbidden


def test_read_only_token(github: FakeGitHub):
    """The token of a fork may read and not write: that is told apart from every other trouble."""
    client = Client(github, "ghs_read")
    with pytest.raises(HostRefusal, match="not accessible by integration") as raised:
        red(client)
    assert raised.value.forbidden
    assert client.waits == []


@pytest.mark.parametrize(("token", "number"), [("ghs_unknown", 7), ("ghs_write", 8)])
def test_forbidden(github: FakeGitHub, token: str, number: int):
    """Bad credentials and what a private repository hides are as forbidden as the rest."""
    with pytest.raises(HostRefusal) as raised:
        publish(Client(github, token), number, MARK, "red", clean=False)
    assert raised.value.forbidden


def test_body_that_github_refuses(github: FakeGitHub):
    """What GitHub calls invalid is not tried again."""
    client = Client(github)
    with pytest.raises(HostRefusal, match="too long") as raised:
        red(client, "x" * 70_000)
    assert raised.value.status == 422
    assert client.waits == []


def test_nobody_listens():
    """A server that is not there is a refusal, after a few attempts."""
    waits: list[float] = []
    with pytest.raises(HostRefusal, match="no answer"):
        red(GitHub("http://127.0.0.1:1", "a/b", "t", waits.append))
    assert waits == [1, 2, 4]


def test_redirect_is_not_followed(github: FakeGitHub):
    """The token goes to the API and nowhere else."""
    with FakeGitHub() as other:
        github.faults.append(Fault(302, {"Location": f"{other.url}/repos/fjellhus/company/issues/7/comments"}, "Found"))
        with pytest.raises(HostRefusal):
            red(Client(github))
        assert other.requests == []


def test_page_of_another_server_is_not_read(github: FakeGitHub):
    """A next page somewhere else does not get the token."""
    for number in range(101):
        github.add(7, str(number))
    client = Client(github)
    with FakeGitHub() as other:
        github.url = other.url  # which its links now lead to
        with pytest.raises(HostRefusal, match="another server"):
            red(client)
        assert other.requests == []


@pytest.mark.parametrize("key", ["CI --> <b>", "a\nb", "x" * 5_000, "CI/-->", "æøå", ""])
def test_marker_is_one_hidden_line(key: str):
    """No key ends the marker early, shows, or makes it long."""
    mark = marker(key)
    assert mark.startswith("<!-- guardian:")
    assert mark.endswith(" -->")
    assert "--" not in mark[4:-3]
    assert "\n" not in mark
    assert mark.isascii()
    assert len(mark) < 200


def test_keys_stay_apart():
    """Two keys never share a marker."""
    keys = ["a b", "a-b", "a--b", "-a-b", "a\nb", "x" * 300, "x" * 301]
    assert len({marker(key) for key in keys}) == len(keys)
