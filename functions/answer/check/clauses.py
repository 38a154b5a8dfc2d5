"""The clauses of a claim: one that is nowhere in the evidence must not hide among others. Pure."""

from __future__ import annotations

import re

from functions.answer.text.words import term_set, weight

LEAST_WEIGHT = 1.5
"""What a clause must weigh to be judged alone: two rare words, or three common ones."""
_JOINT = re.compile(
    r"[;:,—–()]\s*|\s+(?:and|but|because|so|while|whereas|although|which|who|that|when|where|"
    r"after|before|since|if|to)\s+",
    re.IGNORECASE,
)


def clauses_of(text: str) -> list[str]:
    """A claim cut at its joints; what is too light to be judged alone goes with the next, the last
    with the one before. Empty when all of it is too light."""
    clauses: list[str] = []
    open_one = ""
    for piece in _JOINT.split(text):
        open_one = f"{open_one} {piece}".strip()
        if sum(map(weight, term_set(open_one))) >= LEAST_WEIGHT:
            clauses.append(open_one)
            open_one = ""
    if open_one and clauses:
        clauses[-1] += f" {open_one}"
    return clauses
