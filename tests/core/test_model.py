"""The values that rooms share, as they go from one process to another."""

from __future__ import annotations

import copy
import pickle

from guardian.model import Impact, Location, Witness
from tests.report.samples import change


def test_a_change_is_the_same_in_another_process() -> None:
    """Everything it says arrives, what it says by default included, and one place of many changes stays one."""
    place = Location("api.yaml", "/paths", line=3, column=1)
    one = change("property-removed", "GET /users", "email", base=place, head=place, strict_impact=Impact.BROKEN)
    several = [one, one._replace(field="name", witness=Witness({"name": 1}, True, False), aliases={"oasdiff": "x"})]
    arrived = pickle.loads(pickle.dumps(several))
    assert arrived == several
    assert arrived[0].base is arrived[1].head
    assert copy.deepcopy(one) == one
