"""`python -m tools.bench [FOLDER]`: chunking, search and answers beside other libraries."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from quoth.json_lines import BadRow

_BOOKS = (Path("../shared/books"), Path("examples/book"))
_MISSING = "a library to compare with is missing ({}): install the dependency group bench"


def main(arguments: list[str] | None = None) -> int:
    """Returns 1 when there is nothing to measure or the other libraries are not installed."""
    parser = argparse.ArgumentParser(prog="tools.bench", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder of books, or one book")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=300, help="maximum words per chunk")
    parser.add_argument("--only", choices=["cutting", "answering"])
    parser.add_argument("--chunks", type=int, default=3000, help="number of chunks to search")
    parser.add_argument("--sentences", type=int, default=8, help="sentences per such chunk")
    parser.add_argument("--markdown", type=Path, help="file for the tables, as Markdown")
    asked = parser.parse_args(arguments)
    folder = asked.folder or next((each for each in _BOOKS if each.is_dir()), _BOOKS[-1])
    try:
        from tools.bench.answers import answering_markdown, measure_answering
        from tools.bench.run import run_bench
    except ImportError as error:
        print(_MISSING.format(error.name), file=sys.stderr)
        return 1
    try:
        text = ""
        if asked.only != "answering":
            text = run_bench(folder, asked.rounds, asked.words)
        if asked.only != "cutting":
            measured = measure_answering(folder, asked.chunks, asked.sentences, asked.rounds)
            text += ("\n" if text else "") + answering_markdown(asyncio.run(measured))
    except BadRow as error:
        print(f"quoth bench: {error}", file=sys.stderr)
        return 1
    print(text, end="")
    if asked.markdown:
        asked.markdown.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
