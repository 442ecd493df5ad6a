"""Work that is spread over processes gives what it gives in one."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from guardian.errors import ReadError
from guardian.spread import forget_ended, spread

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux only")


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_parts(jobs: int) -> None:
    """However many processes there are, and however long each part takes."""

    def work(part: int) -> int:
        time.sleep(0.02 if part % 3 == 0 else 0)
        return part * part

    assert spread(work, range(20), jobs) == [each * each for each in range(20)]
    assert spread(work, [], jobs) == []


@LINUX
def test_several_processes_take_part(tmp_path: Path) -> None:
    """And see what this one has computed before."""
    seen = {"base": 7}

    def work(part: int) -> tuple[int, int]:
        (tmp_path / str(os.getpid())).touch()
        for _ in range(6000):  # until the other one is there as well
            if len(list(tmp_path.iterdir())) == 2:
                break
            time.sleep(0.01)
        return os.getpid(), seen["base"] + part

    found = spread(work, range(8), 2)
    assert len({process for process, _ in found}) == 2
    assert [value for _, value in found] == [7 + each for each in range(8)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_error_of_the_first_part_that_fails_is_raised(jobs: int) -> None:
    """As one process would have met it, with all that it says."""

    def work(part: int) -> int:
        time.sleep(0.03 if part == 2 else 0)
        if part >= 2:
            raise ReadError(f"part {part}", file="a.yaml", line=part, hint="mend it")
        return part

    with pytest.raises(ReadError) as raised:
        spread(work, range(6), jobs)
    assert (raised.value.message, raised.value.file, raised.value.line, raised.value.hint) == (
        "part 2",
        "a.yaml",
        2,
        "mend it",
    )


@LINUX
def test_what_a_dead_process_took_is_done_here() -> None:
    """One that is killed for want of memory loses nothing but time."""
    parent = os.getpid()

    def work(part: int) -> int:
        if os.getpid() != parent:
            os._exit(137)
        time.sleep(0.05)
        return part

    assert spread(work, range(4), 2) == [0, 1, 2, 3]


@LINUX
def test_no_process_and_no_pipe_is_left_behind() -> None:
    """After success and after failure; nobody waits for a process to give its memory back, but then it is gone."""

    def files() -> set[str]:
        return set(os.listdir("/proc/self/fd"))

    def processes() -> set[str]:
        return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())

    files_before, processes_before = files(), processes()

    def work(part: int) -> int:
        if part == 3:
            raise ValueError(part)
        return part

    spread(work, range(3), 3)
    with pytest.raises(ValueError, match="3"):
        spread(work, range(6), 3)
    assert files() == files_before
    for _ in range(1000):
        forget_ended()
        if processes() <= processes_before:
            break
        time.sleep(0.01)
    assert processes() <= processes_before


@LINUX
def test_a_fork_knows_nothing_of_the_processes_of_another() -> None:
    """One that does parts may spread parts of its own."""

    def work(part: int) -> list[int]:
        time.sleep(0.01)
        return spread(lambda each: each + part, range(3), 2)

    assert [spread(work, range(4), 2) for _ in range(2)] == [
        [[part + each for each in range(3)] for part in range(4)]
    ] * 2


@LINUX
def test_beside_another_thread_nothing_is_forked() -> None:
    """It might hold a lock."""
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        assert set(spread(lambda _: os.getpid(), range(4), 2)) == {os.getpid()}
    finally:
        stop.set()
        other.join()
