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
    """A form of `unit` with a number of its own at each `{n}`."""
    return _grown(lambda number: unit.replace("{n}", str(number)))


def _grown(unit: Callable[[int], str]) -> Form:
    """A form of units, each made from its number."""

    def make(size: int) -> str:
        pieces: list[str] = []
        length = 0
        while length < size:
            pieces.append(unit(len(pieces)))
            length += len(pieces[-1])
        return "".join(pieces)

    return make


def _wide_table(size: int) -> str:
    """A table of 2,000 columns, in which every cell is filled."""
    row = "|" + "a|" * 2000 + "\n"
    return row + "|" + "-|" * 2000 + "\n" + row * max(1, size // len(row) - 2)


def _columns(size: int) -> str:
    """A table of as many columns as rows would fill, and rows of one cell."""
    columns = size // 6
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + "|b\n" * (columns // 2)


def _long_name(size: int) -> str:
    """A table with one column, whose name is as long as all its rows."""
    return "|" + "a " * (size // 4) + "|\n|-|\n" + "|b|\n" * (size // 8)


def _under_long_title(size: int) -> str:
    """Sections under a heading that is as long as all of them."""
    return "# " + "a " * (size // 4) + "\n\n" + "## b\n\nc\n\n" * (size // 18)


FORMS: Mapping[str, Form] = {
    # Sentences.
    "words": _repeated("The quick brown fox jumps over it. "),
    "dots": _repeated("."),
    "stops and brackets": _repeated(".)]"),
    "note marks": _repeated("[1]", "End."),
    "ideographic stops": _repeated("字。"),
    "stops and spaces": _repeated(". "),
    "lines of spaces": _repeated(" \t\n", "End.", "a"),
    "carriage returns": _repeated("a\r\n\rb\n\r"),
    "abbreviations": _repeated("e.g. "),
    "small letters": _repeated("ab. c! "),
    "digits with dots": _repeated("1.1."),
    "one long word": _repeated("a"),
    "opening quotes": _repeated("“(", "End. "),
    "combining marks": _repeated("\u0301\u0323", "a"),
    "zero-width characters": _repeated("a\u200b"),
    "expanding characters": _repeated("\ufdfa "),
    "addresses": _repeated("https://a.example/b?c=d. "),
    "e-mail addresses": _repeated("a@b.example "),
    "telephone numbers": _repeated("+49 170 1234567 "),
    "passwords": _repeated("password: "),
    # Headings, links and emphasis.
    "headings": _repeated("# a\n"),
    "sections": _numbered("###### a {n}\n\n# b\n\n"),
    "sections under a long title": _under_long_title,
    "images": _repeated("!["),
    "images in lines": _repeated("![\n"),
    "opened links": _repeated("["),
    "links to parentheses": _repeated("(", "[a]("),
    "empty links": _repeated("[](", "![a](b)"),
    "references": _numbered("[a{n}]: b\n\n[a{n}]\n\n"),
    "footnotes": _numbered("[^{n}]: b\n\nc[^{n}]\n\n"),
    "opened footnotes": _repeated("[^"),
    "emphasis": _repeated("*a **b "),
    # Blocks.
    "quotes": _repeated("> "),
    "quotes in lines": _repeated("> a\n\n"),
    "alerts": _repeated("> [!NOTE]\n"),
    "lists": _repeated("- a\n"),
    "list marks": _repeated("- "),
    "nested lists": _grown(lambda number: "  " * (number % 500) + "- a\n"),
    "fences": _repeated("```a\n"),
    "fences in quotes": _repeated("> ```a\n\n"),
    "runs of back-ticks": _grown(lambda number: "`" * (number + 1) + "a"),
    "dollars": _repeated("$a"),
    "opened formulas": _repeated("$$a\n\n"),
    "wide tables": _wide_table,
    "columns": _columns,
    "long column names": _long_name,
    "rows": _repeated("|a\n", "|a|\n|-|\n"),
    "delimiters": _repeated("|-", "|a|\n", "|x\n|b|\n"),
    # HTML and MDX.
    "comments": _repeated("<!--"),
    "elements": _repeated("<div>"),
    "spans": _repeated("<b>a. A</b>"),
    "attributes": _repeated(" a=b", "<div"),
    "components": _repeated('<Tab label="a">\n\nb\n\n</Tab>\n'),
    "summaries": _repeated("<summary>a</summary>"),
    "solutions": _repeated("<details><summary>Solution</summary>\n\na\n\n"),
    "listings": _repeated('<Listing number="1">\n\na\n\n</Listing>\n'),
    "braces": _repeated("{"),
    "imports": _repeated("import {\n"),
    "admonitions": _repeated(":::note[a]\n"),
    "titles of admonitions": _repeated("title='", ":::note {", "\n"),
    "boxes": _repeated('=== "a"\n\n    b\n\n'),
    "policies": _repeated("# a\n<!-- b --> {/*\n"),
    "entities": _repeated("&amp;"),
    # Front matter.
    "front matter": _repeated("a:\n- [b, {c: d}]\n", "---\n", "---\n\nText.\n"),
    "nested front matter": _repeated("[", "---\ntitle: ", "\n---\n\nText.\n"),
    "merged front matter": lambda size: (
        "---\na0: &a0 {k: v}\n"
        + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 30))
        + "---\n\n"
        + "Text.\n" * (size // 6)
    ),
}
"""By name. Each reaches another piece of what reads Markdown, sentences or a reader's words."""
