"""Print the table of ``docs/fixes.md``: which strategy mends which kind of change, and why the others do not.

``python docs/fix_strategies.py --write`` puts it into the page.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from guardian.fixes.strategies import FAMILIES, UNMENDED  # noqa: E402
from guardian.model import Strategy  # noqa: E402

PAGE = ROOT / "docs" / "fixes.md"
_REGION = re.compile(r"(<!-- generated: fix-strategies -->\n).*?(<!-- /generated -->)", re.DOTALL)


def table() -> str:
    """The families of rules with the strategies that mend them, and the rules that need none."""
    names = [strategy.value for strategy in Strategy]
    lines = [f"| what changed | {' | '.join(f'`{name}`' for name in names)} |", f"| --- |{' --- |' * len(names)}"]
    reasons: dict[str, int] = {}
    for family in FAMILIES:
        cells = []
        for strategy in Strategy:
            maker = family.makers[strategy]
            cells.append(f"no ({reasons.setdefault(maker, len(reasons) + 1)})" if isinstance(maker, str) else "yes")
        rules = ", ".join(f"`{rule}`" for rule in family.rules)
        lines.append(f"| **{family.name}**: {rules} | {' | '.join(cells)} |")
    lines += ["", "Why not:", ""]
    lines += [f"{number}. {reason}" for reason, number in reasons.items()]
    lines += ["", "Rules whose changes have no fix of their own:", ""]
    grouped: dict[str, list[str]] = defaultdict(list)
    for rule, reason in sorted(UNMENDED.items()):
        grouped[reason].append(f"`{rule}`")
    lines += [f"- {', '.join(rules)}: {reason}" for reason, rules in grouped.items()]
    return "\n".join(lines) + "\n"


def filled(page: str) -> str:
    """The page with its table as it is today."""
    return _REGION.sub(lambda region: region[1] + table() + region[2], page)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(table(), end="")
