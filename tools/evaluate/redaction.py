"""How much personal data is masked, by kind, and how much else is masked with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from functions.runtime.privacy.personal_data import find_personal_data, mask_personal_data
from quoth.json_lines import BadRow
from quoth.statistics import share
from tools.evaluate.personal_samples import KIND_SIZE, Half, Sample, personal_samples

LEAST_LEFT = 4
"""Characters in a row of a masked value that may not be left of it."""
EXAMPLES = 40


def evaluate_redaction(books: Sequence[Path]) -> dict[str, Any]:
    """Recall over made samples, with its tuned half and the half held apart, and every text of
    books that is masked. A person looks at these: addresses that a book prints are no mistakes."""
    samples = personal_samples()
    masked = [
        {"book": book.name, "kind": each.kind, "text": text[each.start : each.end]}
        for book in books
        for text in _texts(book)
        for each in find_personal_data(text)
    ]
    words = sum(len(text.split()) for book in books for text in _texts(book))
    return {
        "n_samples": len(samples),
        "recall": _recall(samples),
        "recall_tuned": _recall(samples, half="tuned"),
        "recall_held": _recall(samples, half="held"),
        "by_kind": {
            kind: {
                "n": sum(sample.kind == kind for sample in samples),
                "recall": _recall(samples, kind=kind),
                "recall_held": _recall(samples, kind=kind, half="held"),
            }
            for kind in KIND_SIZE
        },
        "missed_tuned": [
            f"{sample.kind}, {sample.form}: {sample.text}"
            for sample in samples
            if sample.half == "tuned" and not is_masked(sample)
        ],
        "n_words": words,
        "masked_per_10000_words": round(10_000 * len(masked) / words, 3) if words else None,
        "masked": masked[:EXAMPLES],
    }


def is_masked(sample: Sample) -> bool:
    """Whether nothing is left of the value but a few characters."""
    left = mask_personal_data(sample.text)
    runs = range(max(1, len(sample.value) - LEAST_LEFT))
    return all(sample.value[at : at + LEAST_LEFT + 1] not in left for at in runs)


def _recall(samples: Sequence[Sample], kind: str = "", half: Half | None = None) -> float | None:
    asked = [s for s in samples if kind in ("", s.kind) and half in (None, s.half)]
    return share(sum(map(is_masked, asked)), len(asked))


def _texts(book: Path) -> list[str]:
    files = sorted(path for path in book.rglob("*") if path.suffix in (".md", ".mdx"))
    if not files:
        raise BadRow(book, 0, "holds no Markdown")
    return [path.read_text("utf-8", errors="replace") for path in files]
