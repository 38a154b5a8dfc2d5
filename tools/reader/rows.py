"""Tokenised training rows, in one file that every training process reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIELDS = ("passage", "answerable", "first", "last", "wide", "held_out")


@dataclass(frozen=True, slots=True)
class Row:
    """A question and a passage as tokens: `[CLS] question [SEP] passage [SEP]`.

    The passage begins at token `passage`; the answer is the tokens `first` to `last`, -1 if there
    is none to learn from. A `wide` span holds the answer somewhere.
    """

    ids: NDArray[np.uint16]
    passage: int
    answerable: bool
    first: int
    last: int
    wide: bool
    held_out: bool
    source: str


@dataclass(frozen=True)
class Rows:
    columns: dict[str, Any]

    @classmethod
    def save(cls, rows: Sequence[Row], path: Path) -> None:
        ends = np.cumsum([0, *(len(row.ids) for row in rows)])
        columns: dict[str, Any] = {
            name: np.array([int(getattr(row, name)) for row in rows]) for name in FIELDS
        }
        columns["source"] = np.array([row.source for row in rows])
        np.savez(path, ids=np.concatenate([row.ids for row in rows]), ends=ends, **columns)

    @classmethod
    def load(cls, path: Path) -> Rows:
        with np.load(path) as file:
            return cls({name: file[name] for name in file.files})

    def train(self) -> Iterator[Row]:
        return (row for row in self if not row.held_out)

    def held_out(self) -> Iterator[Row]:
        return (row for row in self if row.held_out)

    def __iter__(self) -> Iterator[Row]:
        ids, ends = self.columns["ids"], self.columns["ends"]
        fields = (self.columns[name].tolist() for name in (*FIELDS, "source"))
        for at, (passage, answerable, first, last, wide, held, source) in enumerate(
            zip(*fields, strict=True)
        ):
            own = ids[ends[at] : ends[at + 1]]
            yield Row(own, passage, bool(answerable), first, last, bool(wide), bool(held), source)
