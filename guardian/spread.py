"""Parts of one piece of work done by several processes at once, where that is worth it and safe.

The processes are forks: each has all that was read and computed before, and nothing is sent to it. That is safe where no
other thread of this process could hold a lock that a fork would copy as it is, and where the system's own libraries allow
it, which is to say on Linux. Elsewhere the parts are done one after another, with the same results.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")

#: Most parts that are handed out: each is a byte in a pipe.
MOST_PARTS = 256

# Processes that are done, and perhaps still giving their memory back: after much was read that takes them some hundredths
# of a second, for which nobody waits.
_ending: set[int] = set()


def spread(work: Callable[[Part], Result], parts: Sequence[Part], jobs: int) -> list[Result]:
    """What the work gives for each part, in their order.

    Args:
        work: what is done with a part. What it changes in this process may or may not be seen here later; its result
            and its exceptions can be pickled.
        parts: at most ``MOST_PARTS``. Whoever is free takes the next one.
        jobs: processes at most, this one included.

    Raises:
        Exception: what ``work`` raised, of several parts that of the first one.
    """
    if min(jobs, len(parts)) < 2 or sys.platform != "linux" or threading.active_count() > 1:
        return [work(part) for part in parts]
    forget_ended()
    waiting, fill = os.pipe()
    os.write(fill, bytes(range(len(parts))))
    os.close(fill)
    helpers: list[tuple[int, int]] = []
    try:
        for _ in range(min(jobs, len(parts)) - 1):
            helpers.append(_helper(work, parts, waiting))
        done = _share(work, parts, waiting)
        for _, answers in helpers:
            done.update(_answered(answers))
    finally:
        os.close(waiting)
        for process, answers in helpers:
            os.close(answers)
            with suppress(ProcessLookupError):  # one that is done stays done
                os.kill(process, signal.SIGKILL)
            _ending.add(process)
        forget_ended()
    results: list[Result] = []
    for number, part in enumerate(parts):
        if number not in done:  # its process is gone: killed for want of memory, say
            done[number] = True, work(part)
        is_result, value = done[number]
        if not is_result:
            raise value
        results.append(value)
    return results


def forget_ended() -> None:
    """Take note of the processes that have come to their end, so that the system need not remember them.

    What they have used counts as this process's children's from then on.
    """
    for process in tuple(_ending):
        with suppress(ChildProcessError):  # one of another process, which this one is a fork of
            if os.waitpid(process, os.WNOHANG) == (0, 0):
                continue
        _ending.discard(process)


def _helper(work: Callable[[Part], Any], parts: Sequence[Part], waiting: int) -> tuple[int, int]:
    """Another process that takes parts: its id, and the end of a pipe that its answers come out of."""
    answers, answer = os.pipe()
    process = os.fork()
    if process:
        os.close(answer)
        return process, answers
    try:
        import pickle  # a small check does without

        os.close(answers)
        data = pickle.dumps(_share(work, parts, waiting), pickle.HIGHEST_PROTOCOL)
        with open(answer, "wb") as stream:  # a pipe holds little, and the rest waits until somebody reads it
            stream.write(data)
    finally:
        os._exit(0)  # nothing of the other process is tidied up here, nor are its exceptions told twice


def _share(work: Callable[[Part], Any], parts: Sequence[Part], waiting: int) -> dict[int, tuple[bool, Any]]:
    """Take parts until there are none left, or one fails: whether it did, and what it gave, by number."""
    done: dict[int, tuple[bool, Any]] = {}
    while taken := os.read(waiting, 1):
        number = taken[0]
        try:
            done[number] = True, work(parts[number])
        except Exception as error:  # noqa: BLE001  # raised where all parts come together
            done[number] = False, error
            break
    return done


def _answered(answers: int) -> dict[int, tuple[bool, Any]]:
    import pickle

    with open(answers, "rb", closefd=False) as stream:
        data = stream.read()
    try:
        done = pickle.loads(data)
    except (EOFError, pickle.UnpicklingError):  # it did not come to its end
        return {}
    assert isinstance(done, dict)
    return done
