"""A page as a browser hands it over is found in the stored book, at its lines."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from functions.adapters.aws.object_store import StoredObject
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from functions.ingest.prepare import BookLayout, prepare_document
from functions.ingest.to_rows import stored_blocks, stored_chunks, stored_document
from tests.postgres_fixtures import BookDatabase

PAGE = """---
title: The Arm
---
The arm has **two** links -- and "one" motor.[^1]

## Speed

The speed is $v = \\omega r$ at the tip.

> [!NOTE]
> Keep your hands away.

:::warning[Hot surface]

The motor grows warm.

:::

<Tabs>
<TabItem value="py" label="Python">

```python title="arm.py"
import arm
# highlight-next-line
arm.move(3)
```

</TabItem>
<TabItem value="cpp" label="C++">

```cpp
Arm{}.move(3);
```

</TabItem>
</Tabs>

![The arm](arm.png)

- [ ] oil the joint
- [x] check the belt

| part | mass |
|---|---|
| link | 2 kg |

The load is $ m - n $ - or `$m` alone -- and costs $5.

[^1]: A stepper motor.

The end.
"""
FOUND = {
    "title and typography": ("The Arm\n\nThe arm has two links – and “one” motor.1", 4, 4),
    "note without a number": ("two links — and “one” motor.\n\nSpeed", 4, 6),
    "heading's link": ('links - and "one" motor.1\n\nSpeed\u200b\n\nThe speed is', 4, 8),
    "heading's mark": ("Speed#\n\nThe speed is v = \\omega r at", 6, 8),
    "TeX with dollars": ("speed is $v = \\omega r$ at the tip.", 8, 8),
    "KaTeX as it is": ("speed is \nv=ωr\nv = \\omega r\nv=ωr at the tip.", 8, 8),
    "half a formula": ("\\omega r at the tip.", 8, 8),
    "alert as a title": ("at the tip.\n\nNote\n\nKeep your hands", 8, 11),
    "alert as written": ("at the tip.\n\n[!NOTE]\nKeep your hands", 8, 11),
    "admonition": ("hands away.\n\nHOT SURFACE\nThe motor", 11, 15),
    "first tab": ("grows warm.\n\nPython\nC++\narm.py\nimport arm\narm.move(3)\n\noil", 15, 41),
    "second tab": ("grows warm.\n\nPython\nC++\nArm{}.move(3);\n\noil the", 15, 41),
    "tasks": ("oil the joint\ncheck the belt\npart\tmass\nlink\t2 kg", 40, 45),
    "a spaced formula": ("load is m - n - or $m alone – and", 47, 47),
    "dollars left out": ("is $ m - n $ - or m alone — and costs 5.", 47, 47),
    "notes at the end": ("costs $5.\n\nThe end.\n\nFootnotes\nA stepper motor. ↩", 47, 51),
}
LOST = {
    "another word": "The arm has three links - and",
    "a word less": "The arm has links - and",
    "words swapped": "The arm two has links - and",
    "another formula": "speed is v = \\omega t at the tip.",
    "KaTeX of something else": "speed is \nv=ωr\nv = \\omega r\nv=ωt at the tip.",
    "a heading less": 'and "one" motor.1\n\nThe speed is',
    "a made-up title": "at the tip.\n\nTip\n\nKeep your hands",
    "a row less": "check the belt\nlink\t2 kg",
    "another number of a note": 'and "one" motor.2\n\nSpeed',
    "a formula less": "load is - or $m alone",
    "words of another page": "The lighthouse was lit in 1907.",
    "nothing": " \u200b\n",
}


@pytest.fixture
async def book(fresh_database: BookDatabase, connect: Callable[..., Database]) -> QueryRecords:
    """A database that holds PAGE, under the rights of `selected`."""
    page = prepare_document("docs/arm.mdx", PAGE.encode(), BookLayout(), "")
    nothing = StoredObject(b"", "", datetime.now(UTC))
    await BookRecords(connect(fresh_database.dsn("quoth_ingest"))).swap_document(
        stored_document(page, nothing, 1),
        stored_chunks(page, nothing, 1),
        stored_blocks(page),
        expected_generation=0,
        seconds=10,
    )
    return QueryRecords(connect(fresh_database.dsn("quoth_selected")))


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("source", [None, {"source_path": "docs/arm.mdx"}, {"permalink": "/arm"}])
async def test_finds_what_a_page_shows(
    book: QueryRecords, name: str, source: dict[str, str] | None
) -> None:
    text, first, last = FOUND[name]
    (place,) = await book.verify_selection(source, None, text, seconds=5)
    assert place.source_path == "docs/arm.mdx"
    assert (place.first_line, place.last_line) == (first, last)


@pytest.mark.parametrize("name", LOST)
async def test_finds_nothing_that_the_page_does_not_say(book: QueryRecords, name: str) -> None:
    assert await book.verify_selection(None, None, LOST[name], seconds=5) == []


async def test_every_stretch_of_the_page_is_found_and_none_with_a_word_too_many(
    book: QueryRecords,
) -> None:
    words = (
        "The Arm The arm has two links – and “one” motor.1 Speed The speed is v = \\omega r at the "
        "tip. Note Keep your hands away. HOT SURFACE The motor grows warm. Python C++ arm.py "
        "import arm arm.move(3) oil the joint check the belt part mass link 2 kg The end."
    ).split()
    for start in range(0, len(words) - 4, 3):
        for end in range(start + 4, len(words), 5):
            text = " ".join(words[start:end])
            assert await book.verify_selection(None, None, text, seconds=5), text
            middle = (start + end) // 2
            other = " ".join([*words[start:middle], "herring", *words[middle:end]])
            assert not await book.verify_selection(None, None, other, seconds=5), other


async def test_a_selection_made_to_take_long_does_not(book: QueryRecords) -> None:
    for text in ("a" * 100_000, "$" * 100_000, "[x]" * 30_000, "the " * 5_000):
        assert await book.verify_selection(None, None, text, seconds=5) == []
