"""The text that a page renders for a block, in which a reader's selection can be located.

A site adds to the text (a title, labels of tabs, the mark of a heading's link), hides some of it
(other tabs, a closed `<details>`, hidden lines of code) and renders mathematics its own way. Each
block is therefore stored as pieces, some of them optional. A browser's selection is a sequence of
pieces in which no required piece is missing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from functions.book.document import Block, Document
from functions.book.fold import fold_text
from functions.book.markdown.plain_text import plain_text, render_plain

TEXT, OPTIONAL, MATH = "t", "o", "m"
"""The first character of a piece: required; optional; TeX, in any rendering."""
DOLLAR = OPTIONAL + "$"

_MATH = re.compile(r"\$\$(.+?)\$\$|\$((?:\\[^\r\n]|[^$\\\r\n])+?)\$(?!\d)", re.DOTALL)
BOX = "\ue000"  # of the private use area: not used in text
_NOTE = re.compile(rf"\[\^([^\[\]\s]+)\]|{BOX}")
_TASK = re.compile(r"^([ \t>]*(?:[-*+]|\d+[.)])[ \t]+)\[[ xX]\](?=\s)", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^([^\[\]\s]+)\](?!:)")
_NOTE_TEXT = re.compile(r" {0,3}\[\^([^\]\s]+)\]:")
_ELEMENT = re.compile(r"[ \t>]*(?::::|<[A-Z]|<summary\b|<details\b)")
_IMAGE = re.compile(
    r"!\[(?:[^\[\]\\]++|\\.|\[[^\]]{0,300}\]){0,50}+\]"
    r"(?:\([^()]*+(?:\([^()]*\)[^()]*+)*+\)|\[[^\]]*\])?"
)
_LINK_AROUND = re.compile(r"\[\s*\]\([^()\s]*\)|<[^<>]*>")
_WORD = re.compile(r"[^\W_]")
_FENCE_TITLE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")
_INCLUDED = re.compile(r"\s*(?:(?://|#)\s*)?\{\{#\w+[^{}]*\}\}\s*")
_RUST_HIDDEN = re.compile(r"\s*#(?:\s|$)")
_HIGHLIGHT = re.compile(r"\W*highlight-(?:next-line|start|end)\W*")
_COLLAPSIBLE = re.compile(r"<(?:TabItem|Tab|summary|details)\b")
_LISTING = re.compile(r"""<Listing\b((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)=(?:"([^"]*)"|'([^']*)')""")
MOST_LABELLED = 300
"""Blocks in a row with labels among which the other tabs of a group are looked for."""
NOTES = "Footnotes"
"""The heading of the footnotes, which sites add for screen readers."""


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A block's pieces, folded, each with its kind's letter in front.

    `at` is its position on the page, from 0. `skippable`: all of it may be hidden.
    """

    at: int
    pieces: tuple[str, ...]
    skippable: bool = False


def render_blocks(
    document: Document, texts: Sequence[str], references: frozenset[str]
) -> list[RenderedText]:
    """The rendered text of a document's blocks, whose plain texts are `texts`.

    `references` are the labels of its reference links, in lower case.
    """
    lines = document.source.splitlines()
    notes = _numbers_of_notes(document.source)
    above, below = _around_listings(document, lines)
    positions = _positions(document, lines, notes)
    in_order = sorted(range(len(positions)), key=positions.__getitem__)
    order = {block: at for at, block in enumerate(in_order)}
    closed: set[str] = set()
    found: list[RenderedText] = []
    label = ""
    for at, (block, text) in enumerate(zip(document.blocks, texts, strict=True)):
        line = lines[block.first_line - 1] if block.first_line <= len(lines) else ""
        pieces = _optional(document.title) if at == 0 else []
        if block.label != label:
            label = block.label
            pieces += _labels(document.blocks[at : at + MOST_LABELLED])
            if _COLLAPSIBLE.search(line):
                closed.add(label)
        pieces += above.get(at, [])
        note = positions[at][0]
        pieces += _optional(NOTES) if note == 1 else []
        is_label = block.kind == "heading" and label and _ELEMENT.match(line)
        if block.kind == "list":
            text = _with_tasks(_raw(document, block), references) or text
        own = _optional(text) if is_label else _own_pieces(document, block, text, notes, line)
        pieces += [*own, OPTIONAL + "↩"] if note else own
        skippable = label in closed or _is_invisible(document, block)
        found.append(RenderedText(order[at], (*pieces, *below.get(at, [])), skippable))
    return found


def _own_pieces(
    document: Document, block: Block, text: str, notes: dict[str, int], line: str
) -> list[str]:
    if block.kind == "code":
        return _code_pieces(_raw(document, block), text)
    if line.lstrip().startswith("<") and "`" in (raw := _raw(document, block)):
        # Inside HTML, back-ticks may not be markup.
        return [each for part in raw.split("`") for each in (*_piece(TEXT, part), OPTIONAL + "`")]
    if block.kind == "math" and "$" not in text:
        return _piece(MATH, text)
    pieces: list[str] = []
    at = 0
    for formula in _MATH.finditer(text):
        pieces += _with_notes(text[at : formula.start()], notes)
        if formula.group(1):
            pieces += _piece(MATH, formula.group(1))
        else:
            pieces += [DOLLAR, *_piece(MATH, formula.group(2)), DOLLAR]
        at = formula.end()
    pieces += _with_notes(text[at:], notes)
    return [*pieces, OPTIONAL + "#", OPTIONAL + "¶"] if block.kind == "heading" else pieces


def _with_tasks(raw: str, references: frozenset[str]) -> str:
    """The text of a list with a mark for each task box; "" without any."""
    marked, tasks = _TASK.subn(lambda found: found.group(1) + BOX + " ", raw)
    return render_plain(marked, references).text if tasks else ""


def _with_notes(text: str, notes: dict[str, int]) -> list[str]:
    """Pieces of text with footnote marks, rendered as superscript numbers, and task boxes."""
    pieces: list[str] = []
    at = 0
    for mark in _NOTE.finditer(text):
        if mark.group() == BOX:
            pieces += [*_with_dollars(text[at : mark.start()]), OPTIONAL + "[]", OPTIONAL + "[x]"]
            at = mark.end()
        elif mark.group(1) in notes:
            number = notes[mark.group(1)]
            pieces += _with_dollars(text[at : mark.start()])
            pieces += [OPTIONAL + mark.group(), f"{OPTIONAL}[{number}]", f"{OPTIONAL}{number}"]
            at = mark.end()
    return pieces + _with_dollars(text[at:])


def _with_dollars(text: str) -> list[str]:
    """Pieces of text with optional dollar signs: sites differ in what they take for TeX."""
    first, *rest = text.split("$")
    pieces = _piece(TEXT, first)
    for part in rest:
        pieces += [DOLLAR, *_piece(TEXT, part)]
    return pieces


def _code_pieces(raw: str, text: str) -> list[str]:
    opening = raw.lstrip("> \t").split("\n", 1)[0]
    title = _FENCE_TITLE.search(opening) if opening.startswith(("```", "~~~")) else None
    pieces = _optional(title.group(1) or title.group(2) or "") if title else []
    is_rust = opening.lstrip("`~").strip().startswith("rust")
    kept: list[str] = []
    for line in text.split("\n"):
        hidden = _INCLUDED.fullmatch(line) or _HIGHLIGHT.fullmatch(line)
        if hidden or (is_rust and _RUST_HIDDEN.match(line)):
            pieces += _piece(TEXT, "\n".join(kept)) + _optional(line)
            kept = []
        else:
            kept.append(line)
    return pieces + _piece(TEXT, "\n".join(kept))


def _labels(blocks: Sequence[Block]) -> list[str]:
    """The labels before a block: its own, or those of all tabs that begin with it."""
    labels: list[str] = []
    for block in blocks:
        if not block.label:
            break
        if block.label not in labels:
            labels.append(block.label)
    return [
        piece
        for label in labels
        for form in dict.fromkeys((label, label.upper(), label.lower(), f"[!{label.upper()}]"))
        for piece in _optional(form)
    ]


def _positions(
    document: Document, lines: Sequence[str], notes: dict[str, int]
) -> list[tuple[int, int]]:
    """Sort keys of the blocks: the number of their footnote (0: none), and their own number."""
    positions: list[tuple[int, int]] = []
    note = 0
    for block in document.blocks:
        line = lines[block.first_line - 1] if block.first_line <= len(lines) else ""
        if found := _NOTE_TEXT.match(line):
            note = notes.get(found.group(1), 0)
        elif not line.startswith(("  ", "\t")):
            note = 0
        positions.append((note, block.index))
    return positions


def _around_listings(
    document: Document, lines: Sequence[str]
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """What mdBook renders above a listing's first block and below its last, by block number."""
    above: dict[int, list[str]] = {}
    below: dict[int, list[str]] = {}
    opened: tuple[int, dict[str, str]] | None = None
    by_line = sorted((block.first_line, block.index) for block in document.blocks)
    for number, line in enumerate(lines, 1):
        if listing := _LISTING.match(line.lstrip()):
            opened = number, _attributes(listing.group(1))
        elif opened and line.strip() == "</Listing>":
            start, named = opened
            opened = None
            first, last = (bisect_left(by_line, (edge, 0)) for edge in (start, number))
            inside = [at for _, at in by_line[first:last]]
            if inside and named.get("file-name"):
                above[min(inside)] = _optional(f"Filename: {named['file-name']}")
            if inside and named.get("number"):
                caption = plain_text(named.get("caption", ""))
                below[max(inside)] = _optional(f"Listing {named['number']}: {caption}")
    return above, below


def _attributes(text: str) -> dict[str, str]:
    return {name: one or other for name, one, other in _ATTRIBUTE.findall(text)}


def _is_invisible(document: Document, block: Block) -> bool:
    """Whether a page renders none of the block's text: a diagram, or only images."""
    if block.kind == "mermaid":
        return True
    raw = _raw(document, block)
    if block.kind == "code" or "![" not in raw:
        return False
    return not _WORD.search(_LINK_AROUND.sub("", _IMAGE.sub("", raw)))


def _numbers_of_notes(source: str) -> dict[str, int]:
    marks = _NOTE_MARK.findall(source) if "[^" in source else []
    return {label: number for number, label in enumerate(dict.fromkeys(marks), 1)}


def _raw(document: Document, block: Block) -> str:
    return "".join(document.source[span.start : span.end] for span in block.spans)


def _optional(text: str) -> list[str]:
    return _piece(OPTIONAL, text)


def _piece(kind: str, text: str) -> list[str]:
    folded = fold_text(text)
    return [kind + folded] if folded else []
