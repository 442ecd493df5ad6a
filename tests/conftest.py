"""What every test may use: the fixture company and its changes, as the module ``apply`` of fixtures/."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures"))
