"""Strips what is not text from Markdown and MDX: tags, comments, imports, admonition fences.

It is stripped before parsing, outside code and mathematics. Line ends stay, so that the stripped
text has the same lines as the source.
"""

from __future__ import annotations

import re
from dataclasses import replace

from functions.book.document import letters_of
from functions.book.markdown.literals import Literals, find_marks
from functions.book.markdown.python_markdown import BOX_INDENT, find_box
from functions.book.markdown.stripped import Label, StrippedSource, assemble
from functions.book.markdown.tags import Braces, Tag, find_tag

_CODE = re.compile(r"`[^`|\r\n]+`(?!`)")
"""Code within a line, the most frequent form."""
_LINE_REST = re.compile(r"[^\r\n]*")
_ADMONITION = re.compile(r":{3,}[ \t]*(?:([A-Za-z][\w-]*)([^\r\n]*))?(?=[\r\n]|\Z)")
_ADMONITION_TITLE = re.compile(
    r"\[(.*?)\][ \t]*+(?:$|\{(?=[^\r\n]*+(?<=\})).*$)"
    r"|\{(?=.*+(?<=\})).*?title=[\"'](.*?)[\"'].*$|[ \t]+(\S.*)$"
)
_LONGEST_TITLE = 1_000
_IMPORT = re.compile(
    r"import\b(?:[^'\";{\r\n]|\{[^{}'\"]{0,2000}\})*?(?:\bfrom[ \t]*)?([\"'])[^\"'\r\n]+\1[ \t]*;?"
    r"[ \t]*(?=[\r\n]|\Z)"
)
_EXPORT = re.compile(
    r"export[ \t]+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|[{*])"
)
_COMMENT_ID = re.compile(r"\{/\*\s*#(\S+?)\s*\*/\}")
_EXPLICIT_ID = re.compile(
    r"\{:?[ \t]*(?:\.[\w-]+[ \t]+)*#([^{}\s]+)(?:[ \t][^{}\r\n]*)?\}[ \t]*(?=[\r\n]|\Z)"
)
_ATTRIBUTES = re.compile(r"\{(?::[ \t]*[^{}\r\n]{1,200}|[ \t]*\.[\w-][^{}\r\n]{0,200})\}")
"""Python-Markdown's attribute lists: `{: width=300 }`, `{ .wide }`."""
_INCLUDE = re.compile(r"\{\{#\w+[^{}\r\n]*\}\}")
_SPACE_EXPRESSION = re.compile(r"\{[ \t]*([\"'`])\s*\1[ \t]*\}")
_DECLARATION = re.compile(r"<![A-Za-z][^<>\r\n]*>")
_ATX = re.compile(r"[ \t>]*#{1,6}[ \t]")
_UNDERLINED = re.compile(r"[^\r\n]{0,1000}(?:\r\n|\n|\r)[ \t>]*(?:=+|-+)[ \t]*(?=[\r\n]|\Z)")
_CONTENT_INDENT = re.compile(r"\s*[\r\n]([ \t]*)(?=\S)")
_MAX_DEPTH = 60
"""A closing tag is matched with one of so many open tags."""


def strip_mdx(source: str, start: int = 0, is_mdx: bool = False) -> StrippedSource:
    """Strip a source from `start` on; everything before `start` is stripped too."""
    scanner = _Scanner(source, is_mdx)
    if start:
        scanner.remove(0, start)
    scanner.run(start)
    return assemble(
        source,
        scanner.letters,
        scanner.removed,
        scanner.literals.fences,
        scanner.labels,
        scanner.ids,
        scanner.indented,
        scanner.literals.warnings,
    )


class _Scanner:
    def __init__(self, source: str, is_mdx: bool) -> None:
        self.source = source
        self.letters = letters_of(source)
        self.is_mdx = is_mdx
        self.literals = Literals(source)
        self.removed: list[tuple[int, int, bool]] = []  # start, end, separates words
        self.labels: list[Label] = []
        self.ids: dict[int, str] = {}  # start of the heading's line: explicit id
        self.indented: list[tuple[int, int, int]] = []  # start, end, columns to take off
        self._braces = Braces(source)
        self._open: list[tuple[Tag | None, Label | None]] = []  # no tag: an admonition

    def run(self, at: int) -> None:
        source, end, literals = self.source, len(self.source), self.literals
        if source.startswith(("import", "export"), at):
            at = self._module_line(at)
        find = find_marks(source, self.letters).find
        at = find(1, at)
        while at >= 0:
            mark = source[at]
            if mark == "`":
                if code := _CODE.match(source, at):
                    at = code.end()
                else:
                    at = literals.fence_end(at) or literals.inline_code_end(at)
            elif mark == "<":
                at = self._angle(at)
            elif mark == "$":
                at = literals.math_end(at)
            elif mark == "\\":  # the next character is escaped
                at += 1 if source.startswith("\n", at + 1) else 2
            elif mark == "{":
                at = self._brace(at)
            elif mark == ":":
                at = self._admonition(at)
            elif mark in "!?=":
                at = self._box(at)
            elif mark == "~":
                at = literals.fence_end(at) or at + 3
            else:
                at = self._module_line(at + 1)
            at = find(1, at)
        for tag, label in self._open:
            if tag is None and label:  # never closed: up to the end
                self._keep_label(label, end)

    def remove(self, start: int, end: int, separates_words: bool = False) -> int:
        self.removed.append((start, end, separates_words))
        return end

    def _keep_label(self, label: Label, end: int) -> None:
        self.labels.append(replace(label, end=end))

    # tags

    def _angle(self, at: int) -> int:
        source, literals = self.source, self.literals
        if source.startswith("<!--", at):
            end = literals.find("-->", at + 2)
            if end >= 0:
                return self.remove(at, end + 3)
            literals.warn(at, "a comment is never closed")
            return at + 4
        if source.startswith("<!", at):
            declaration = _DECLARATION.match(source, at)
            return self.remove(at, declaration.end()) if declaration else at + 2
        tag = find_tag(source, at, self._braces)
        if tag is None:
            return at + 1
        if tag.closes:
            self._close(tag)
        elif not tag.empty:
            end = self._opens(tag)
            if end:
                return end
        return self.remove(at, tag.end, tag.separates_words)

    def _opens(self, tag: Tag) -> int:
        """Record what a tag opens. Returns where to continue if more than the tag was stripped."""
        name = tag.name.lower()
        if name in ("script", "style"):
            closing = self.literals.find(f"</{name}", tag.end)
            end = self.literals.find(">", closing) + 1 if closing >= 0 else 0
            return self.remove(tag.start, end) if end else 0
        if name == "summary":
            closing = self.literals.find("</summary>", tag.end)
            if 0 <= closing < tag.end + 2000:
                self._summary(tag, closing)
                return self.remove(tag.start, closing + len("</summary>"), True)
            return 0
        if name == "pre":
            self._fence_preformatted(tag)
            return 0
        label = self._label_of(tag)
        if label or name == "details" or self._stands_alone(tag):
            self._open.append((tag, label))
        return 0

    def _fence_preformatted(self, tag: Tag) -> None:
        literals = self.literals
        closing = literals.find("</pre>", tag.end)
        last_end = literals.blank_until(closing + 6) if closing >= 0 else -1
        if last_end < 0 or literals.line_prefix(tag.start) is None:
            return
        line = _LINE_REST.match(self.source, tag.end)
        if line and line.end() < closing:
            literals.render_as_fence(tag.start, line.end(), closing, last_end, "pre")

    def _label_of(self, tag: Tag) -> Label | None:
        if not tag.is_component or tag.title is None:
            return None
        first, last = tag.title
        title = self.source[first:last].strip()
        return Label(tag.end, tag.end, first, last, title, tag.name.lower()) if title else None

    def _summary(self, tag: Tag, closing: int) -> None:
        title = re.sub(r"<[^<>]*>", "", self.source[tag.end : closing])
        label = Label(closing, closing, tag.end, closing, " ".join(title.split()), "details")
        for at in range(len(self._open) - 1, max(len(self._open) - 4, -1), -1):
            opened, _ = self._open[at]
            if opened and opened.name.lower() == "details":
                self._open[at] = (opened, label)
                return
        self._keep_label(label, closing)  # outside a details element: the words stay

    def _stands_alone(self, tag: Tag) -> bool:
        literals = self.literals
        return literals.blank_until(tag.end) >= 0 and literals.line_prefix(tag.start) is not None

    def _close(self, tag: Tag) -> None:
        for at in range(len(self._open) - 1, max(len(self._open) - _MAX_DEPTH, -1), -1):
            opened, label = self._open[at]
            if opened and opened.name == tag.name:
                del self._open[at:]
                if label:
                    self._keep_label(label, tag.start)
                self._unindent_content(opened, tag)
                return

    def _unindent_content(self, opened: Tag, closing: Tag) -> None:
        """Indentation inside a component is the author's layout, not Markdown."""
        prefix = self.literals.line_prefix(opened.start)
        if prefix is None or not self._stands_alone(opened):
            return
        content = _CONTENT_INDENT.match(self.source, opened.end, closing.start)
        extra = len(content.group(1)) - len(prefix) if content else 0
        if extra > 0:
            self.indented.append((opened.end, closing.start, extra))

    # comments, includes, expressions, ids

    def _brace(self, at: int) -> int:
        source, literals = self.source, self.literals
        if source.startswith("{/*", at):
            end = literals.find("*/}", at + 3)
            if end < 0:
                literals.warn(at, "a comment is never closed")
                return at + 3
            named = _COMMENT_ID.fullmatch(source, at, min(end + 3, at + 300))
            if named:
                self._name_heading(at, named.group(1))
            return self.remove(at, end + 3)
        if found := _INCLUDE.match(source, at):
            return self.remove(at, found.end())
        if found := _SPACE_EXPRESSION.match(source, at):
            return self.remove(at, found.end(), True)
        explicit = _EXPLICIT_ID.match(source, at)
        if explicit and self._name_heading(at, explicit.group(1)):
            return self.remove(at, explicit.end())
        if found := _ATTRIBUTES.match(source, at):
            return self.remove(at, found.end())
        if self.is_mdx and (prefix := literals.line_prefix(at)) is not None and not prefix.strip():
            closing = self._braces.closing(at)
            if closing > 0 and literals.blank_until(closing + 1) >= 0:
                return self.remove(at, closing + 1)
        return at + 1

    def _name_heading(self, at: int, name: str) -> bool:
        start = self.literals.line_start(at, 1000)
        if start < 0:
            return False
        line = self.source[start:at]
        if _ATX.match(line) or (line.strip() and _UNDERLINED.match(self.source, at)):
            self.ids[start] = name
            return True
        return False

    # admonitions; imports and exports of modules

    def _admonition(self, at: int) -> int:
        fence = _ADMONITION.match(self.source, at)
        if not fence or self.literals.line_prefix(at) is None:
            return at + 3
        kind, rest = fence.groups()
        if kind is None:
            self._close_admonition(at)
        else:
            first = last = 0
            title = kind[0].upper() + kind[1:]
            given = _ADMONITION_TITLE.match(rest.rstrip()[:_LONGEST_TITLE])
            if given and given.lastindex and given.group(given.lastindex).strip():
                title = given.group(given.lastindex).strip()
                first, last = (fence.start(2) + offset for offset in given.span(given.lastindex))
            label = Label(fence.end(), fence.end(), first, last, title, kind.lower())
            self._open.append((None, label))
        return self.remove(at, fence.end())

    def _box(self, at: int) -> int:
        """An admonition, a folded one or a tab of Python-Markdown: a title over indented lines."""
        prefix = self.literals.line_prefix(at)
        label = None if prefix is None else find_box(self.source, at, prefix)
        if label is None:
            return at + 3
        self.labels.append(label)
        self.indented.append((label.start, label.end, BOX_INDENT))
        return self.remove(at, label.start)

    def _close_admonition(self, end: int) -> None:
        for at in range(len(self._open) - 1, max(len(self._open) - _MAX_DEPTH, -1), -1):
            tag, label = self._open[at]
            if tag is None and label:
                del self._open[at:]
                self._keep_label(label, end)
                return

    def _module_line(self, at: int) -> int:
        source = self.source
        if found := _IMPORT.match(source, at):
            return self.remove(at, found.end())
        if not _EXPORT.match(source, at):
            return at + 6
        end = at
        while True:  # up to the end of the line with the last closing brace
            line = _LINE_REST.match(source, end)
            end = line.end() if line else end
            brace = source.find("{", at, end)
            closing = self._braces.closing(brace) if brace >= 0 else -1
            if closing < 0:
                return self.remove(at, end)
            at = end = self.remove(at, closing + 1)
