"""What of a Markdown page is no Markdown: components, admonitions, comments; line for line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
