"""A page's text as a browser hands it over when a reader selects it, with its lines in the source.

It reads Markdown with another parser than the one that ships, and knows nothing of how the book is
stored: what it says of a place can be held against the database.
"""

from __future__ import annotations

import html
import random
import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

_FENCE = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])?[ \t]*(`{3,}|~{3,})")
_ADMONITION = re.compile(r"\s*:{3,}\s*(\w+)?(?:\[(.*)\]|\s+(\S.*))?\s*$")
_COMPONENT = re.compile(r"""\s*</?([A-Z]\w*)((?:[^<>"']|"[^"]*"|'[^']*')*)/?>\s*$""")
_SUMMARY = re.compile(r"\s*<summary[^<>]*>(.*?)</summary>\s*$")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
_COMMENT = re.compile(
    r"(?P<code>^[ \t>]*(?P<mark>`{3,}|~{3,})[^\n]*\n.*?^[ \t>]*(?P=mark))"
    r"|\{/\*.*?\*/\}|<!--.*?-->",
    re.S | re.M,
)
_MODULE = re.compile(r"(?:import\s.*\bfrom\s|import\s+['\"]|export\s)")
_DIRECTIVE = re.compile(r"\s*\{\{#.*\}\}\s*$")
_HEADING_ID = re.compile(r"^(#{1,6}\s.*?)\s*\{#[^{}]*\}\s*$")
_FRONT = re.compile(r"\A---\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_TITLE = re.compile(r"^title:\s*(.*?)\s*$", re.M)


@dataclass(slots=True)
class Markup:
    """`text` has the lines of the source with everything else blanked.

    `added` are (line, text): what the site puts there. `hidden` are lines (first, last) of which
    it shows nothing before a click. `title` is that of the front matter.
    """

    text: str
    title: str = ""
    added: list[tuple[int, str]] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)


def read_markup(source: str) -> Markup:
    """Blank what is no Markdown and say what a site makes of it."""
    markup = Markup("")
    front = _FRONT.match(source)
    if front:
        titled = _TITLE.search(front.group(1))
        markup.title = titled.group(1).strip("'\"") if titled else ""
        source = "\n" * front.group().count("\n") + source[front.end() :]
    source = _COMMENT.sub(lambda found: found["code"] or "\n" * found.group().count("\n"), source)
    kept: list[str] = []
    fence = ""
    opened: list[tuple[str, dict[str, str], int]] = []
    tabs: list[list[str]] = []
    for number, line in enumerate(source.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line.strip(" \t>`~"):
                fence = ""
            kept.append(line)
        elif mark:
            fence = mark.group(1)
            kept.append(line)
        elif _is_markup(line, number, markup, opened, tabs):
            kept.append("")
        else:
            kept.append(_HEADING_ID.sub(r"\1", line))
    markup.text = "\n".join(kept)
    return markup


def _is_markup(
    line: str,
    number: int,
    markup: Markup,
    opened: list[tuple[str, dict[str, str], int]],
    tabs: list[list[str]],
) -> bool:
    if found := _ADMONITION.match(line):
        kind, one, other = found.groups()
        if kind:
            markup.added.append((number, (one or other or kind).upper()))
        return True
    if found := _SUMMARY.match(line):
        markup.added.append((number, found.group(1)))
        return True
    if line.strip() in ("<details>", "</details>"):
        if line.strip() == "<details>":
            opened.append(("details", {}, number))
        elif opened:
            markup.hidden.append((opened.pop()[2] + 2, number))
        return True
    if found := _COMPONENT.match(line):
        _turn(line.strip(), found.group(1), found.group(2), number, markup, opened, tabs)
        return True
    return bool(_MODULE.match(line) or _DIRECTIVE.match(line))


def _turn(
    line: str,
    name: str,
    attributes: str,
    number: int,
    markup: Markup,
    opened: list[tuple[str, dict[str, str], int]],
    tabs: list[list[str]],
) -> None:
    """A component on a line of its own opens or closes."""
    given = {each: one or other for each, one, other in _ATTRIBUTE.findall(attributes)}
    if not line.startswith("</"):
        if name == "Listing" and given.get("file-name"):
            markup.added.append((number, f"Filename: {given['file-name']}"))
        if name == "Tabs":
            tabs.append([])
        if name == "TabItem" and tabs:
            tabs[-1].append(given.get("label") or given.get("value", ""))
        if not line.endswith("/>"):
            opened.append((name, given, number))
        return
    while opened:
        was, had, first = opened.pop()
        if was == name:
            break
    else:
        return
    if name == "TabItem" and tabs and len(tabs[-1]) > 1:
        markup.hidden.append((first, number))
    if name == "Tabs" and tabs:
        markup.added.append((first, "\n".join(tabs.pop())))
    if name == "Listing" and had.get("number"):
        markup.added.append((number, f"Listing {had['number']}: {had.get('caption', '')}"))


ADDED = "\u2063"
"""In front of a number that the page adds and a copy may leave out; it is invisible."""
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|</?[A-Za-z!][^<>]*>", re.S | re.I)
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*(?=\n)")
_TASK = re.compile(r"^\[[ xX]\]\s+")
_LINE_END = re.compile(r"\s*\n\s*")
_HIDDEN_RUST = re.compile(r"\s*#(?:\s|$)")
_INCLUDED = re.compile(r".*\{\{#\w+[^{}]*\}\}.*")
_SINGLE_OPEN = re.compile(r"(?<![^\W_])'(?=\w)")
_DOUBLE_OPEN = re.compile(r'(?<![\w.,;:!?)])"(?=\S)')


@dataclass(frozen=True, slots=True)
class Style:
    """How a site shows its text: the mark of a heading's link, TeX with or without its dollars,
    quotation marks and dashes as printers set them, alerts as titles or as
    written, tasks with boxes or as written."""

    heading_mark: str
    tex_dollars: bool
    smart: bool
    alerts: bool
    boxes: bool

    @classmethod
    def drawn(cls, draw: random.Random) -> Style:
        return cls(
            draw.choice(("", "\u200b", "#")),
            draw.random() < 0.5,
            draw.random() < 0.5,
            draw.random() < 0.5,
            draw.random() < 0.5,
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """What a browser shows of one block, and what it puts behind it.

    Lines count from 1, the last included: the block's own, and those of the outermost block around
    it (`outer`). Not `written` is what the site added: a tab's label, a title.
    """

    text: str
    first: int
    last: int
    outer: tuple[int, int]
    after: str = "\n\n"
    written: bool = True


def page_pieces(source: str, style: Style) -> list[Piece]:
    """Everything of a page that can be selected, in order."""
    markup = read_markup(source.replace("\r\n", "\n"))
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    markdown.use(dollarmath_plugin, allow_digits=False).use(footnote_plugin)
    shown = _Page(style).read(markdown.parse(markup.text))
    shown = [
        piece
        for piece in shown
        if piece.text.strip()
        and not any(first <= piece.first <= last for first, last in markup.hidden)
    ]
    if markup.title and not markup.text.lstrip().startswith("# "):
        markup.added.append((0, markup.title))
    for line, text in markup.added:
        if any(first < line < last for first, last in markup.hidden):
            continue
        at = next((n for n, piece in enumerate(shown) if piece.first > line), len(shown))
        text = _Page(style).inline(markdown.parseInline(text)[0])
        shown.insert(at, Piece(text, line, line, (line, line), "\n", written=False))
    return shown


class _Page:
    def __init__(self, style: Style) -> None:
        self.style = style
        self.pieces: list[Piece] = []
        self._around: list[tuple[int, int] | None] = []
        self._row: list[str] | None = None

    def read(self, tokens: list[Token]) -> list[Piece]:
        heading = False
        for token in tokens:
            lines = (token.map[0] + 1, token.map[1]) if token.map else None
            if token.nesting == 1:
                self._around.append(lines)
                heading = token.type == "heading_open"
                if token.type == "tr_open":
                    self._row = []
            elif token.nesting == -1:
                if token.type == "tr_close":
                    self._put("\t".join(self._row or ()), self._around[-1], "\n")
                    self._row = None
                self._around.pop()
            elif token.type == "inline":
                text = self.inline(token)
                if self._row is not None:
                    self._row.append(text)
                else:
                    mark = self.style.heading_mark if heading else ""
                    tight = "\n" if len(self._around) > 1 else "\n\n"
                    self._put(text + mark if text.strip() else "", lines, tight)
            else:
                self._put(self._block(token), lines, "\n\n")
        return self.pieces

    def _put(self, text: str, lines: tuple[int, int] | None, after: str) -> None:
        if lines is None:
            return
        outer = next((each for each in self._around if each), lines)
        first, last = lines
        if alert := _ALERT.match(text):
            name = alert.group(1).capitalize() if self.style.alerts else alert.group().strip()
            self.pieces.append(Piece(name, first, first, outer, "\n", written=False))
            text, first = text[alert.end() :], first + 1
        self.pieces.append(Piece(text, first, last, outer, after))

    def _block(self, token: Token) -> str:
        if token.type in ("fence", "code_block"):
            if token.info.startswith("mermaid"):
                return ""
            lines = [line for line in token.content.split("\n") if not _INCLUDED.fullmatch(line)]
            if token.info.startswith("rust"):
                lines = [line for line in lines if not _HIDDEN_RUST.match(line)]
            return "\n".join(lines)
        if token.type.startswith("math_block"):
            tex = token.content.strip()
            return f"$${tex}$$" if self.style.tex_dollars else tex
        if token.type == "html_block":
            return html.unescape(_TAG.sub(" ", token.content))
        return ""

    def inline(self, token: Token) -> str:
        parts: list[str] = []
        for child in token.children or []:
            if child.type == "text":
                parts.append(_set_smartly(child.content) if self.style.smart else child.content)
            elif child.type == "code_inline":
                parts.append(child.content)
            elif child.type in ("softbreak", "hardbreak") or child.content.startswith("<br"):
                parts.append("\n")
            elif child.type.startswith("math_inline"):
                tex = child.content
                parts.append(f"${tex}$" if self.style.tex_dollars else tex)
            elif child.type == "footnote_ref":
                parts.append(f"{ADDED}{child.meta['id'] + 1}")
        text = "".join(parts)
        if self.style.boxes:
            text = _TASK.sub("", text)
        if alert := _ALERT.match(text):
            return alert.group().strip() + "\n" + _LINE_END.sub(" ", text[alert.end() :])
        return _LINE_END.sub(" ", text)


def _set_smartly(text: str) -> str:
    text = text.replace("---", "—").replace("--", "–").replace("...", "…")
    text = _DOUBLE_OPEN.sub("“", text).replace('"', "”")
    return _SINGLE_OPEN.sub("‘", text).replace("'", "’")
