from __future__ import annotations

import subprocess
import sys

# Two threads, each computing a property that asks for the other's on another object: a lock for a property would be
# taken in two orders.
PROGRAM = """
import threading
from guardian.lazy import cached_property

meet = threading.Barrier(2)

class Node:
    def __init__(self, below=None):
        self.below = below

    @cached_property
    def left(self):
        if self.below is None:
            return 1
        meet.wait()
        return self.below.right

    @cached_property
    def right(self):
        if self.below is None:
            return 2
        meet.wait()
        return self.below.left

found = []
threads = [
    threading.Thread(target=lambda: found.append(Node(Node()).left), daemon=True),
    threading.Thread(target=lambda: found.append(Node(Node()).right), daemon=True),
]
for each in threads:
    each.start()
for each in threads:
    each.join(20)
print(sorted(found))
"""


def test_properties_of_several_threads_do_not_wait_for_one_another() -> None:
    """Lazy values that need one another across objects are computed by any number of threads."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[1, 2]"
