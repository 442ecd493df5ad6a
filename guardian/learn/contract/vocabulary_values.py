"""Words that payloads are filled with; the same for every company, so that no industry is known by them."""

from __future__ import annotations

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "isle", "juniper", "kelp", "larch",
         "moss", "north", "opal", "pine")  # fmt: skip
TEXTS = ("Amber Lane 4", "Blue folder", "Call before noon", "Delta wing", "Eleventh floor", "Field notes", "Green door",
         "Hand over in person", "Iris Holm", "Jon Lunde", "Kari Nes", "Left at the desk")  # fmt: skip
