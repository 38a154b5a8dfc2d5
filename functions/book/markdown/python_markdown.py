"""Boxes of Python-Markdown, which MkDocs uses: `!!! note "Title"`, `??? note`, `=== "Tab"`."""

from __future__ import annotations

import re

from functions.book.markdown.stripped import Label

BOX_INDENT = 4
_BOX = re.compile(
    r"(?:(?:!!!|\?\?\?\+?)[ ]+(?P<kind>[\w-]+)(?:[ ]+[\w-]+)*|(?:!!!|\?\?\?\+?|===[!+]?))"
    r"(?:[ ]+(?P<mark>[\"'])(?P<title>.*?)(?P=mark))?[ \t]*(?=[\r\n]|\Z)"
)
_NEXT_LINE = re.compile(r"(?:\r\n|\n|\r)([ \t]*)([^\r\n]*)")


def find_box(source: str, at: int, prefix: str) -> Label | None:
    """The box that opens at `at`, after `prefix` on its line: the lines in it, and its title.

    None for a line without indented ones below it: that is text.
    """
    opening = _BOX.match(source, at)
    if not opening or prefix.strip():
        return None
    wanted = len(prefix.expandtabs(BOX_INDENT)) + BOX_INDENT
    end = opening.end()
    inside = end
    while line := _NEXT_LINE.match(source, inside):
        if line[2] and len(line[1].expandtabs(BOX_INDENT)) < wanted:
            break
        inside = line.end()
        end = inside if line[2] else end
    if end == opening.end():
        return None
    first, last = opening.span("title") if opening["title"] else (0, 0)
    title = opening["title"] or (opening["kind"] or "").capitalize()
    return Label(opening.end(), min(end + 1, len(source)), first, last, title)
