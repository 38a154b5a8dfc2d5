"""The author's policies, from a file in the bucket to an answer."""

from __future__ import annotations

import pytest

from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import Calibration
from functions.query.retrieval.retrieve import Found, SearchRequest, retrieve_chunks
from tests.integration.ingest_book import Book
from tests.unit.answer.contexts import Scripted

pytest_plugins = ("tests.integration.ingest_fixtures",)

OPEN = Calibration(30, 0, 0, 0, 0)
SECRET = "The prototype limped because its left knee had a cracked bearing."
QUOTED = "The designer said that balance is a conversation with the floor."
SOLUTION = "The capture point lies one half metre before the foot."
PAGE = f"""# Balance

A humanoid keeps its balance with its ankles.

## The prototype
POLICY

{SECRET}

## Exercises

Where does the capture point lie?

<details>
<summary>Solution</summary>

{SOLUTION}

</details>
"""


async def found_for(book: Book, question: str, *, has_index: bool = True) -> Found:
    """What the function `query` finds, in the index or, without it, in the database."""
    url = book.qdrant_url if has_index else "http://127.0.0.1:9"
    search = ChunkSearch(url, None, book.ingest.index.collection, timeout_s=10)
    vector = [0.1] * 1536 if has_index else None
    try:
        asked = SearchRequest(question, vector, SearchFilters(), 5, Deadline.after(10), 5)
        return await retrieve_chunks(asked, search, book.queries)
    finally:
        await search.aclose()


def texts_of(context: Context) -> str:
    return "\n".join(sentence.text for sentence in context.sentences)


async def answered(context: Context, question: str, writer: Scripted) -> Answer:
    return await answer_from(question, context, writer, OPEN, "book", Deadline.after(10))


@pytest.mark.parametrize("policy", ["<!-- ai: exclude -->", "{/* ai: exclude */}"])
@pytest.mark.parametrize("has_index", [True, False], ids=["index", "database"])
async def test_an_excluded_section_is_nowhere(book: Book, policy: str, has_index: bool) -> None:
    book.put(PAGE.replace("POLICY", "").encode())
    await book.look()
    question = "Why did the prototype limp?"
    assert SECRET in texts_of((await found_for(book, question, has_index=has_index)).context)
    assert await book.queries.verify_selection(None, None, SECRET, seconds=5)

    book.put(PAGE.replace("POLICY", policy).encode())
    assert (await book.look()).action == "updated"
    found = await found_for(book, question, has_index=has_index)
    assert "prototype" not in texts_of(found.context)
    assert "prototype" not in str(found.sections)
    assert await book.queries.verify_selection(None, None, SECRET, seconds=5) == []
    assert "cracked bearing" not in book.text_in_database()
    rows = book.database.run("SELECT text FROM blocks UNION ALL SELECT folded FROM documents")
    assert "bearing" not in str(rows)


async def test_a_quote_only_section_is_answered_with_its_own_sentences(book: Book) -> None:
    page = PAGE.replace(SECRET, QUOTED).replace("POLICY", "<!-- ai: quote-only -->")
    book.put(page.encode())
    book.put(page.replace("<!-- ai: quote-only -->", "").encode(), "docs/open.md")
    question = "What did the designer say that balance is?"
    written = ("The designer called balance a conversation.", ("S1.1",))

    await book.look("docs/open.md")
    writer = Scripted(written)
    context = (await found_for(book, question)).context
    await answered(context, question, writer)
    assert writer.asked == 1

    book.delete("docs/open.md")
    await book.look("docs/open.md")
    await book.look()
    writer = Scripted(written)
    context = (await found_for(book, question)).context
    answer = await answered(context, question, writer)
    assert (writer.asked, answer.quotes_only) == (0, True)
    assert QUOTED in answer.text
    assert all(claim.verification == "verbatim" for claim in answer.claims)


async def test_solutions_are_known_when_selected_and_never_answer(book: Book) -> None:
    page = PAGE.replace("POLICY", "")
    question = "Where does the capture point lie?"
    book.put(page.encode())
    await book.look()
    assert SOLUTION in texts_of((await found_for(book, question)).context)

    book.put(f"---\nai: no-solutions\n---\n{page}".encode())
    await book.look()
    found = await found_for(book, question)
    assert "Where does the capture point lie?" in texts_of(found.context)
    assert "half metre" not in texts_of(found.context)
    (place,) = await book.queries.verify_selection(None, None, SOLUTION, seconds=5)
    assert place.source_path.endswith("02-balance.md")


async def test_a_page_whose_every_section_is_excluded_can_be_opened_again(book: Book) -> None:
    source = f"# Balance\n<!-- ai: exclude -->\n\n{SECRET}\n"
    book.put(source.encode())
    assert (await book.look()).chunks == 0
    assert await book.found_in_index() == []
    book.put(source.replace("exclude", "quote-only").encode())
    assert (await book.look()).chunks == 1
    assert len(await book.found_in_index()) == 1
