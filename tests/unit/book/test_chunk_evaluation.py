from __future__ import annotations

import json
from pathlib import Path

import pytest

from functions.book.document import Span
from quoth.json_lines import BadRow, read_rows
from tools.evaluate.chunk_recall import Indexed, read_questions, score
from tools.evaluate.chunking import evaluate_chunking

FIELDS = [
    *("files", "failed", "words", "chunks", "chunk_words_p50", "chunk_words_p95"),
    *("chunk_words_max", "blocks", "split_blocks", "oversized_blocks", "bad_spans"),
    *("words_missing", "markup_leaks", "words_per_s", "words_per_s_with_passages"),
    "peak_rss_mb",
]
PAGE = """---
title: Page
---
import A from 'a';

# Page

Some prose <b>here</b>.

<A>

```py
import a
```

</A>

| a |
|---|
| 1 |

$$
x
$$
"""


def test_a_book_is_counted_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    (tmp_path / "b.mdx").write_text("# B\n\nText.\n")
    (tmp_path / "c.md").write_bytes(b"\xff\xfe")

    figures = evaluate_chunking(tmp_path)

    assert list(figures) == FIELDS
    assert (figures["files"], figures["failed"], figures["blocks"]) == (3, 1, 3)
    zeros = ("split_blocks", "oversized_blocks", "bad_spans", "words_missing", "markup_leaks")
    assert [figures[name] for name in zeros] == [0] * 5


def test_blocks_that_are_cut_are_counted_apart_when_they_are_too_large(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("```\n" + "word word word\n" * 400 + "```\n")

    figures = evaluate_chunking(tmp_path, max_words=100)

    assert (figures["oversized_blocks"], figures["split_blocks"]) == (1, 0)
    assert figures["chunk_words_max"] <= 100


@pytest.mark.parametrize("missing", ["nowhere", ""])
def test_a_folder_without_a_book_is_named(tmp_path: Path, missing: str) -> None:
    with pytest.raises(BadRow, match=str(tmp_path)):
        evaluate_chunking(tmp_path / missing)


def test_rows_are_read_with_their_types_checked(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": "x", "n": 1}\n\n{"a": "y", "n": 2}\n')

    assert read_rows(path, {"a": str, "n": int}) == [{"a": "x", "n": 1}, {"a": "y", "n": 2}]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('{"a": "x"}\nnot json\n', 2, "not JSON"),
        ('{"a": "x"}\n[1]\n', 2, "not an object"),
        ('{"a": "x"}\n{"b": 1}\n', 2, "has no 'a'"),
        ('\n{"a": 1}\n', 2, "not of type str"),
        ("\n\n", 0, "no rows"),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(content)

    with pytest.raises(BadRow, match=reason) as caught:
        read_rows(path, {"a": str})

    assert (caught.value.file, caught.value.line) == (path, line)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRow, match=r"none\.jsonl"):
        read_rows(tmp_path / "none.jsonl", {})


def test_a_reference_without_its_range_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    row = {"question": "?", "corpus": "c", "references": [{"start_index": 1}]}
    path.write_text(json.dumps(row) + "\n")

    with pytest.raises(BadRow, match="start_index and end_index"):
        read_questions(path)


def test_recall_precision_and_iou_compare_ranges_of_characters() -> None:
    row = {"corpus": "c", "references": [{"start_index": 0, "end_index": 10}]}
    ranked = [
        Indexed("c", (Span(5, 15),), 10),
        Indexed("other", (Span(0, 10),), 10),
        Indexed("c", (Span(0, 5),), 5),
    ]

    assert score(row, ranked, 1, None) == (0.5, 0.5, 5 / 15)
    assert score(row, ranked, 2, None) == (0.5, 0.25, 5 / 25)
    assert score(row, ranked, None, 3) == (0.3, 1.0, 0.3)
    assert score(row, ranked, 3, None) == (1.0, 0.4, 0.4)
