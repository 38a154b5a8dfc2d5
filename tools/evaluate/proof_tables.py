"""How many true and false claims have each proof, for the page of measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tools.tables import markdown_table

Kinds = Mapping[str, Mapping[str, int]]
"""By kind of claim, how many rows there are and how many have each proof."""
PROOFS = ("verbatim", "close", "to_judge", "objected")
COLUMNS = ("verbatim", "close", "to the judge", "objected to")
INTRODUCTION = """
### Wrong statements by proof

Supported / unsupported claims of each set by their proof. Verbatim and close are shown. What goes
to the judge is shown only if it says yes; the rest is quoted.
"""


def proof_tables(sets: Mapping[str, Kinds]) -> Iterator[str]:
    """A table by set and, of the held-out sets together, one by kind. Sets without kinds are left
    out."""
    kinds_of = {name: kinds for name, kinds in sets.items() if set(kinds) - {"all"}}
    if not kinds_of:
        return
    yield INTRODUCTION
    rows = [[name, *_by_proof(kinds)] for name, kinds in kinds_of.items()]
    yield from markdown_table(["set", *COLUMNS], rows)
    total: dict[str, Counter[str]] = {}
    for name, kinds in kinds_of.items():
        for kind, counts in kinds.items() if "held out" in name else ():
            total.setdefault(kind, Counter()).update(counts)
    if total:
        yield "\nHeld-out sets together, by kind (S: supported, U: unsupported):\n"
        by_kind = [
            [kind, *(str(counts[each]) for each in ("n", *PROOFS))]
            for kind, counts in sorted(total.items())
        ]
        yield from markdown_table(["kind", "claims", *COLUMNS], by_kind)


def _by_proof(kinds: Kinds) -> Iterator[str]:
    for proof in PROOFS:
        supported, unsupported = (
            sum(counts[proof] for kind, counts in kinds.items() if kind.startswith(side))
            for side in ("S_", "U_")
        )
        yield f"{supported} / {unsupported}"
