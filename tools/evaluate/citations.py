"""Do the links of citations lead to what they cite, in the site as it was built?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from functions.answer.write.writer import Writer
from functions.book.site.manifest import ManifestUnreadable
from quoth.calibrate.local_index import chunks_of_book, open_stage
from quoth.json_lines import BadRow, read_rows
from quoth.site.built import BuiltSite
from quoth.site.link_check import resolves
from tools.evaluate.scope import ask_stage


async def evaluate_citations(
    book: Path,
    built: Path,
    questions: Path,
    report: Callable[[str], None] = lambda _: None,
    writer: Writer | None = None,
) -> dict[str, Any]:
    """How many citations the answers have, and how many resolve.

    A citation resolves when the folder `built` has the page of its link, the page has the link's
    element, and every quote stands in the page. Links are the manifest's, where the build wrote
    one. `report` hears of each citation that does not resolve. Raises BadRow, NotADirectoryError.
    """
    asked = read_rows(questions, {"question": str})
    site = BuiltSite(built)
    try:
        chunks = chunks_of_book(book, site.manifest)
    except ManifestUnreadable as error:
        raise BadRow(built, 0, f"has a manifest that cannot be read: {error}") from error
    citations = resolved = 0
    async with open_stage() as stage:
        await stage.add(chunks)
        for row in asked:
            answer = await ask_stage(stage, row["question"], writer)
            for citation in answer.citations:
                citations += 1
                quotes = tuple(quote.exact for quote in citation.quotes)
                if resolves(site, citation.url, quotes):
                    resolved += 1
                else:
                    report(f"unresolved: {citation.url} ({citation.source_path}): {quotes[0]}")
    return {"citations": citations, "resolved": resolved}
