"""Text made to be slow to read, of any length: what a reader may send and an author may upload."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Form = Callable[[int], str]


def _repeated(unit: str, before: str = "", after: str = "") -> Form:
    """A form of `unit` again and again."""

    def make(size: int) -> str:
        room = max(size - len(before) - len(after), len(unit))
        return before + unit * (room // len(unit)) + after

    return make


def _numbered(unit: str) -> Form:
    """A form of `unit` with a number of its own at each `{}`."""

    def make(size: int) -> str:
        pieces: list[str] = []
        length = 0
        while length < size:
            pieces.append(unit.format(len(pieces), at=len(pieces)))
            length += len(pieces[-1])
        return "".join(pieces)

    return make


def _wide_table(size: int) -> str:
    """Tables of 2,000 columns."""
    row = "|" + "a|" * 2000 + "\n"
    delimiter = "|" + "-|" * 2000 + "\n"
    rows = max(1, size // len(row) - 2)
    return (row + delimiter + row * rows)[: max(size, 3 * len(row))]


def _header_of_columns(size: int) -> str:
    """One row of cells as long as the file, and nearly empty rows below."""
    columns = size // 5
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + "|b\n" * (columns // 3)


def _nested_list(size: int) -> str:
    """Items, each inside the one above it, to the greatest depth that the size allows."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append("  " * (len(lines) % 500) + "- a\n")
        length += len(lines[-1])
    return "".join(lines)


def _runs_of_ticks(size: int) -> str:
    """Runs of back-ticks, no two of one length."""
    runs: list[str] = []
    length = 0
    while length < size:
        runs.append("`" * (len(runs) + 1) + "a")
        length += len(runs[-1])
    return "".join(runs)


def _front_matter(size: int) -> str:
    return "---\n" + "a:\n- [b, {c: d}]\n" * (size // 18) + "---\n\nText.\n"


def _nested_front_matter(size: int) -> str:
    return "---\ntitle: " + "[" * (size - 20) + "\n---\n\nText.\n"


FORMS: Mapping[str, Form] = {
    "words": _repeated("the quick brown fox jumps. "),
    "dots": _repeated("."),
    "stops and quotes": _repeated('."'),
    "closing brackets": _repeated(")", "end."),
    "stops and brackets": _repeated(".)]"),
    "note marks": _repeated("[1]", "end."),
    "ideographic stops": _repeated("。"),
    "stops and spaces": _repeated(". "),
    "spaces": _repeated(" ", "end.", "a"),
    "blank lines": _repeated("\n", "end.", "a"),
    "lines of spaces": _repeated(" \t\n", "end.", "a"),
    "carriage returns": _repeated("a\r\n\rb\n\r"),
    "abbreviations": _repeated("e.g. "),
    "lower case": _repeated("a. b! "),
    "digits with dots": _repeated("1.1."),
    "one long word": _repeated("a"),
    "one long number": _repeated("7"),
    "apostrophes": _repeated("a'"),
    "capitals": _repeated("Aa"),
    "opening quotes": _repeated("“(", "end. "),
    "combining marks": _repeated("\u0301", "a"),
    "reordered marks": _repeated("\u0301\u0323", "a"),
    "zero-width characters": _repeated("a\u200b"),
    "astral characters": _repeated("𝒜. "),
    "addresses": _repeated("https://a.example/b?c=d. "),
    "e-mail addresses": _repeated("a@"),
    "telephone numbers": _repeated("+49 170 "),
    "passwords": _repeated("password: "),
    "private keys": _repeated("-----BEGIN PRIVATE KEY-----"),
    "tokens": _repeated("eyJabcdefghij."),
    "headings": _repeated("# a\n"),
    "numbered headings": _numbered("# a-{}\n"),
    "nested headings": _numbered("###### a {}\n\n# b\n\n"),
    "underlined": _repeated("a\n=\n"),
    "images": _repeated("!["),
    "images in lines": _repeated("![\n"),
    "opened links": _repeated("["),
    "links": _repeated("[a](b)"),
    "unclosed links": _repeated("[a]("),
    "links of brackets": _repeated("[a](<b"),
    "links to parentheses": _repeated("(", "[a]("),
    "nested links": _repeated("[a]["),
    "definitions": _numbered("[a{}]: b\n"),
    "references": _numbered("[a{}]: b\n\n[a{}]\n\n".replace("{}", "{at}")),
    "broken references": _repeated("[a]\n\n", "[a]: b\n\n"),
    "footnotes": _numbered("[^{at}]: b\n\nc[^{at}]\n\n"),
    "emphasis": _repeated("*a **b "),
    "emphasis runs": _repeated("*_"),
    "struck": _repeated("~~a~ "),
    "quotes": _repeated("> "),
    "quotes in lines": _repeated("> a\n\n"),
    "alerts": _repeated("> [!NOTE]\n"),
    "lists": _repeated("- a\n"),
    "loose lists": _repeated("- a\n\n"),
    "list marks": _repeated("- "),
    "nested lists": _nested_list,
    "tasks": _repeated("- [ ] "),
    "rules": _repeated("- - -\n"),
    "back-ticks": _repeated("`a``"),
    "runs of back-ticks": _runs_of_ticks,
    "fences": _repeated("```a\n"),
    "fences in items": _repeated("- ```\n"),
    "tildes": _repeated("~~~\n"),
    "indented code": _repeated("    a\n\n"),
    "dollars": _repeated("$a"),
    "formulas": _repeated("$$\na\n$$\n"),
    "opened formulas": _repeated("$$a\n\n"),
    "math spans": _repeated("$a$ "),
    "wide tables": _wide_table,
    "columns": _header_of_columns,
    "rows": _repeated("|a\n", "|a|\n|-|\n"),
    "escaped cells": _repeated("\\|", "|a|\n|-|\n|"),
    "pipes": _repeated("|"),
    "comments": _repeated("<!--"),
    "comments of dashes": _repeated("<!-- -"),
    "declarations": _repeated("<!A "),
    "instructions": _repeated("<?"),
    "sections of data": _repeated("<![CDATA["),
    "elements": _repeated("<div>"),
    "elements in lines": _repeated("<div>\n\n"),
    "closed elements": _repeated("</div>"),
    "spans": _repeated("<b>a"),
    "attributes": _repeated(" a=b", "<div"),
    "components": _repeated('<Tab label="a">\n'),
    "closed components": _repeated('<Tab label="a">\n\nb\n\n</Tab>\n'),
    "details": _repeated("<details><summary>"),
    "summaries": _repeated("<summary>a</summary>"),
    "listings": _repeated('<Listing number="1">\n\na\n\n</Listing>\n'),
    "preformatted": _repeated("<pre>\n"),
    "angles": _repeated("<"),
    "autolinks": _repeated("<a:"),
    "braces": _repeated("{"),
    "closed braces": _repeated("{}"),
    "braces of quotes": _repeated("{'"),
    "comments of MDX": _repeated("{/*"),
    "ids": _repeated("# a {#b}\n"),
    "imports": _repeated("import {\n"),
    "imports of braces": _repeated("{a}", "import "),
    "exports": _repeated("\nexport const a = {"),
    "admonitions": _repeated(":::note[a]\n"),
    "admonition titles": _repeated("title='", ":::note {", "\n"),
    "boxes": _repeated("!!! note\n    a\n"),
    "boxes in boxes": _repeated('!!! note "'),
    "tabs": _repeated('=== "a"\n\n    b\n\n'),
    "policies": _repeated("# a\n<!-- ai: quote-only -->\n"),
    "solutions": _repeated("<details><summary>Solution</summary>\n\na\n\n</details>\n"),
    "entities": _repeated("&amp;"),
    "unknown entities": _repeated("&a"),
    "backslashes": _repeated("\\"),
    "front matter": _front_matter,
    "nested front matter": _nested_front_matter,
    "aliases": _repeated("---\n"),
}  # fmt: skip
"""By name. Each reaches another piece of what reads Markdown, sentences or a reader's words."""
