"""A page of the book as HTML, as its generator shows it: admonitions, tabs, formulas, pictures.

No raw HTML passes: of an element only its text is shown. Nothing a book says can run a script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise
from typing import Any, Protocol

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from functions.book.document import Document
from functions.book.markdown.parse import strip_source
from functions.book.markdown.simple_blocks import code_kind
from functions.book.markdown.stripped import Label, StrippedSource
from quoth.site.code_colours import colour_code
from quoth.site.mdbook import hide_lines

_IMAGE = re.compile(r"<img\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(src|alt)\s*=\s*(?:\{[^{}"']*)?(?:"([^"]*)"|'([^']*)')""", re.I)
_FENCE_TITLE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")
_MARKED_LINE = re.compile(r"^.*\bhighlight-(?:next-line|start|end)\b.*\n?", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+#-]+")
_TABS = frozenset({"tabitem", "tab"})


class Links(Protocol):
    """Where the links and pictures of a page lead on this site."""

    def page(self, target: str) -> str: ...
    def picture(self, source: str) -> str: ...


def render_markdown(document: Document, links: Links) -> str:
    """A document as HTML, its headings with the ids that citations link to."""
    stripped = _strip(document)
    markdown = _parser(links)
    env: dict[str, Any] = {}
    text, ends = _with_ends(stripped)
    tokens = [
        token
        for token in markdown.parse(text, env)
        if not (token.type == "hr" and token.map and token.map[0] in ends)
    ]
    _give_ids(tokens, document)
    tokens = _with_boxes(tokens, _boxes(stripped), markdown.renderInline)
    body = str(markdown.renderer.render(tokens, markdown.options, env))
    headings = [token.tag for token in tokens if token.type == "heading_open"]
    if "h1" not in headings and (document.front.title or not headings):
        body = f"<h1>{escape(document.title)}</h1>\n{body}"
    return body


def _strip(document: Document) -> StrippedSource:
    """The source without tags and fences of admonitions, with `<img>` as Markdown."""
    _, stripped, _ = strip_source(document.source_path, document.source)
    pieces: list[str] = []
    at = 0
    for start, end, _ in stripped.removed:
        tag = document.source[start:end]
        if start < at or not _IMAGE.match(tag):
            continue
        named = {name.lower(): one or two for name, one, two in _ATTRIBUTE.findall(tag)}
        if source := re.sub(r"[<>\s\\]", "", unescape(named.get("src", ""))):
            words = " ".join(unescape(named.get("alt", "")).split())
            words = re.sub(r"([\\`*_\[\]<>$&])", r"\\\1", words)
            # Its lines stay, so that headings keep theirs.
            pieces += [document.source[at:start], f"![{words}](<{source}>)", "\n" * tag.count("\n")]
            at = end
    if not pieces:
        return stripped
    return strip_source(document.source_path, "".join([*pieces, document.source[at:]]))[1]


def _with_ends(stripped: StrippedSource) -> tuple[str, set[int]]:
    """The text with a rule where each box ends, and the lines of these rules.

    Without it, lists in two tabs would be one list.
    """
    lines = stripped.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ends = {stripped.lines.at(label.end) for label in stripped.labels}
    ends = {at for at in ends if not lines[at].strip()}
    for at in ends:
        lines[at] += "***"
    return "\n".join(lines), ends


def _give_ids(tokens: Sequence[Token], document: Document) -> None:
    anchors = {
        block.first_line: block.headings[-1].anchor
        for block in document.blocks
        if block.kind == "heading" and block.headings
    }
    for token in tokens:
        if token.type == "heading_open" and token.map and anchors.get(token.map[0] + 1):
            token.attrSet("id", anchors[token.map[0] + 1])


def _parser(links: Links) -> MarkdownIt:
    options = {"html": False, "linkify": False, "tasklists": True, "alerts": True}
    markdown = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    markdown.use(footnote_plugin, inline=False)
    markdown.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        double_inline=True,
    )
    for name, rule in (
        ("fence", _fence),
        ("math_inline", _formula_rule("span", "inline")),
        ("math_inline_double", _formula_rule("span", "block")),
        ("math_block", _formula_rule("div", "block")),
        ("link_open", _led_by("href", links.page)),
        ("image", _led_by("src", links.picture)),
    ):
        markdown.add_render_rule(name, rule)
    return markdown


def _led_by(attribute: str, lead: Callable[[str], str]) -> Callable[..., str]:
    def rule(self: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
        token = tokens[at]
        token.attrSet(attribute, lead(str(token.attrGet(attribute) or "")))
        if token.type == "image":
            return self.image(tokens, at, options, env)
        return self.renderToken(tokens, at, options, env)

    return rule


def _formula_rule(tag: str, kind: str) -> Callable[..., str]:
    return lambda self, tokens, at, options, env: _formula(tag, kind, tokens[at].content)


def _formula(tag: str, kind: str, tex: str) -> str:
    return f'<{tag} class="math {kind}">{escape(tex.strip())}</{tag}>'


def _fence(self: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
    info, code = unescape(tokens[at].info).strip(), tokens[at].content
    if code_kind(info) == "math":
        return _formula("div", "block", code) + "\n"
    named = _LANGUAGE.match(info)
    language = named.group() if named else ""
    code = hide_lines(code) if language == "rust" else _MARKED_LINE.sub("", code)
    title = _FENCE_TITLE.search(info)
    above = (
        f'<p class="title">{escape(title.group(1) or title.group(2) or "")}</p>' if title else ""
    )
    chosen = f' class="language-{escape(language)}"' if language else ""
    return f"{above}<pre><code{chosen}>{colour_code(code, language)}</code></pre>\n"


@dataclass(frozen=True, slots=True)
class _Box:
    """Lines `first` to `last` of the source, and what stands before and after them on the page.

    The page shows the title in `before` where it says `{}`.
    """

    first: int
    last: int
    title: str
    before: str
    after: str


def _boxes(stripped: StrippedSource) -> list[_Box]:
    """The admonitions, tabs and folded elements of a page, outer ones first."""
    line = stripped.lines.at
    tabs = [label for label in stripped.labels if label.kind in _TABS]
    goes_on = {two for one, two in pairwise(tabs) if _touch(stripped, one, two)}
    followed = {one for one, two in pairwise(tabs) if two in goes_on}
    boxes: list[_Box] = []
    for label in stripped.labels:
        if label.kind in _TABS:
            before = ("" if label in goes_on else '<div class="tabs">') + _TAB
            after = "</div>" if label in followed else "</div></div>"
        elif label.kind == "details":
            before, after = "<details><summary>{}</summary>", "</details>"
        else:
            kind = _LANGUAGE.match(label.kind)
            before = f'<div class="box {kind.group() if kind else ""}"><p class="title">{{}}</p>'
            after = "</div>"
        first, last = line(label.start), line(max(label.end - 1, label.start))
        boxes.append(_Box(first, last, label.title, before, after))
    return boxes


_TAB = '<div class="tab"><p class="title">{}</p>'


def _touch(stripped: StrippedSource, one: Label, two: Label) -> bool:
    """Whether a tab follows another in the same row."""
    between = stripped.source[one.end : two.start]
    return (
        one.end <= two.start
        and not re.search(r"</?Tabs\b", between)
        and (not re.sub(r"<[^<>]*>", "", between).strip())
    )


def _with_boxes(
    tokens: list[Token], boxes: Sequence[_Box], render_inline: Callable[[str], str]
) -> list[Token]:
    """The tokens with each box around those that stand on its lines."""
    for box in boxes:
        start, end = _run_in(tokens, box)
        level = tokens[start].level if start < len(tokens) else 0
        before = _html(box.before.replace("{}", render_inline(box.title)), box.first, level)
        after = _html(box.after, box.last, level)
        tokens = [*tokens[:start], before, *tokens[start:end], after, *tokens[end:]]
    return tokens


def _html(content: str, line: int, level: int) -> Token:
    return Token("html_block", "", 0, content=content + "\n", map=[line, line + 1], level=level)


def _run_in(tokens: Sequence[Token], box: _Box) -> tuple[int, int]:
    """The range of the outermost blocks that lie within a box; empty where it has none."""

    def is_inside(token: Token) -> bool:
        return bool(token.map and box.first <= token.map[0] and token.map[1] - 1 <= box.last)

    opens = [at for at, token in enumerate(tokens) if token.nesting >= 0 and is_inside(token)]
    start = next((at for at in opens if tokens[at].type != "inline"), -1)
    if start < 0:
        late = (at for at, t in enumerate(tokens) if not t.level and t.map and t.map[0] > box.last)
        start = next(late, len(tokens))
        return start, start
    level, end = tokens[start].level, start
    for at in range(start, len(tokens)):
        token = tokens[at]
        if token.level < level or (token.level == level and token.map and not is_inside(token)):
            break
        if token.type == "footnote_block_open":
            break
        end = at + 1
    return start, end
