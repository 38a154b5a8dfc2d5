"""What is not text in a Markdown or MDX file: tags, comments, imports, admonition fences.

They are taken out before parsing, outside code and mathematics only. Line ends stay, so that the
text for the parser has the lines of the source, one for one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict

from functions.book.masked import Label, Masked, assemble
from functions.book.tags import Braces, Tag, find_tag

_TOKEN = re.compile(r"`[^`|\r\n]+`(?!`)|[`<{\\$]|~~~|:::|^(?:import|export)\b", re.MULTILINE)
_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*")
_FENCE = re.compile(r"(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)(?=[\r\n]|\Z)")
_LINE_REST = re.compile(r"[^\r\n]*")
_INLINE_MATH = re.compile(r"\$(?![\s$])[^$\r\n]*?(?<![\s\\])\$(?!\d)")
_ADMONITION = re.compile(r":{3,}[ \t]*(?:([A-Za-z][\w-]*)(.*?))?[ \t]*(?=[\r\n]|\Z)")
_ADMONITION_TITLE = re.compile(
    r"\[(.*?)\][ \t]*(?:\{.*\})?$|\{.*?title=[\"'](.*?)[\"'].*\}$|[ \t]+(.*)$"
)
_IMPORT = re.compile(
    r"import\b(?:[^'\";\r\n]|\{[^}'\"]*\})*?(?:\bfrom[ \t]*)?([\"'])[^\"'\r\n]+\1[ \t]*;?[ \t]*(?=[\r\n]|\Z)"
)
_EXPORT = re.compile(
    r"export[ \t]+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|[{*])"
)
_COMMENT_ID = re.compile(r"[{]/\*\s*#(\S+?)\s*\*/[}]")
_EXPLICIT_ID = re.compile(r"\{#([^{}\s]+)(?:[ \t][^{}\r\n]*)?\}[ \t]*(?=[\r\n]|\Z)")
_INCLUDE = re.compile(r"\{\{#\w+[^{}\r\n]*\}\}")
_SPACE_EXPRESSION = re.compile(r"\{[ \t]*([\"'`])\s*\1[ \t]*\}")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t>]*(?=\r|\n)")
_RAW = frozenset(("script", "style"))


def mask_markdown(source: str, start: int = 0, is_mdx: bool = False) -> Masked:
    """Find what is not text from `start` on; everything before `start` counts as not text."""
    scanner = _Scanner(source, is_mdx)
    if start:
        scanner.remove(0, start)
    scanner.run(start)
    return assemble(
        source,
        scanner.removed,
        scanner.fences,
        scanner.labels,
        scanner.ids,
        scanner.indented,
        scanner.warnings,
    )


class _Scanner:
    def __init__(self, source: str, is_mdx: bool) -> None:
        self.source = source
        self.is_mdx = is_mdx
        self.removed: list[tuple[int, int, bool]] = []  # start, end, parts words
        self.fences: list[tuple[int, int, str]] = []  # line text to show the parser instead
        self.labels: list[Label] = []
        self.ids: dict[int, str] = {}  # start of the heading's line: explicit id
        self.indented: list[tuple[int, int, int]] = []  # start, end, columns to take off
        self.warnings: list[str] = []
        self._braces = Braces(source)
        self._open: list[tuple[Tag | None, Label | None]] = []
        self._ticks: dict[int, list[int]] | None = None
        self._blank_lines: list[int] | None = None
        self._absent: dict[str, int] = {}

    def run(self, at: int) -> None:
        source, end = self.source, len(self.source)
        find = _TOKEN.search
        while at < end and (found := find(source, at)):
            token = found.group()
            if len(token) > 1 and token[0] == "`":  # code within a line, the most frequent of all
                at = found.end()
                continue
            at = found.start()
            if token == "\\":
                at += 2
            elif token == "`" or token == "~~~":
                at = self._fence(at) or (self._inline_code(at) if token == "`" else at + 3)
            elif token == "<":
                at = self._angle(at)
            elif token == "{":
                at = self._brace(at)
            elif token == "$":
                at = self._dollar(at)
            elif token == ":::":
                at = self._admonition(at)
            else:
                at = self._module_line(at)
        for tag, label in self._open:
            if tag is None and label:  # an admonition never closed runs to the end
                self.labels.append(Label(label.start, end, label.first, label.last, label.title))

    def remove(self, start: int, end: int, parts_words: bool = False) -> int:
        self.removed.append((start, end, parts_words))
        return end

    # code and mathematics: left alone

    def _line_prefix(self, at: int) -> str | None:
        """What stands on the line before `at`, if it is only space and container marks."""
        low = max(0, at - 160)
        start = max(self.source.rfind("\n", low, at), self.source.rfind("\r", low, at)) + 1
        if not start and low:
            return None
        prefix = self.source[start:at]
        return prefix if _PREFIX.fullmatch(prefix) else None

    def _fence(self, at: int) -> int:
        opening = _FENCE.match(self.source, at)
        if not opening or (prefix := self._line_prefix(at)) is None:
            return 0
        mark = opening.group(1) or opening.group(2)
        closing = re.compile(rf"^[ \t>]*{mark[0]}{{{len(mark)},}}[ \t]*(?=[\r\n]|\Z)", re.MULTILINE)
        found = closing.search(self.source, opening.end())
        if found:
            return found.end()
        if ">" in prefix:
            after = re.compile(r"^(?![ \t]*>)", re.MULTILINE).search(self.source, opening.end())
            return after.start() if after else len(self.source)
        self._warn(at, "a code fence is never closed")
        return len(self.source)

    def _inline_code(self, at: int) -> int:
        if self._ticks is None:
            self._ticks = defaultdict(list)
            for found in re.finditer("`+", self.source):
                self._ticks[found.end() - found.start()].append(found.start())
        run = 1
        while self.source.startswith("`", at + run):
            run += 1
        starts = self._ticks.get(run, [])
        closing = bisect_right(starts, at)
        if closing < len(starts) and self._may_span(at, starts[closing]):
            return starts[closing] + run
        return at + run

    def _may_span(self, at: int, closing: int) -> bool:
        """Inline code may go on over lines of a paragraph, but not over rows of a table."""
        if closing >= self._paragraph_end(at):
            return False
        low = max(0, at - 1000)
        line = self.source[max(self.source.rfind("\n", low, at) + 1, low) : at]
        between = self.source[at:closing]
        if line.lstrip(" \t>").startswith("|"):
            return "|" not in between.replace("\\|", "")
        return "|" not in line or "\n" not in between

    def _paragraph_end(self, at: int) -> int:
        if self._blank_lines is None:
            self._blank_lines = [found.start() for found in _BLANK_LINE.finditer(self.source)]
        here = bisect_left(self._blank_lines, at)
        return self._blank_lines[here] if here < len(self._blank_lines) else len(self.source)

    def _dollar(self, at: int) -> int:
        source = self.source
        if not source.startswith("$$", at):
            inline = _INLINE_MATH.match(source, at)
            return inline.end() if inline else at + 1
        closing = self._find("$$", at + 2)
        if closing < 0:
            return at + 2
        line = _LINE_REST.match(source, at)
        end_line = _LINE_REST.match(source, closing + 2)
        first_end = line.end() if line else at
        last_end = end_line.end() if end_line else closing + 2
        if source[at + 2 : first_end].strip() or source[closing + 2 : last_end].strip():
            return closing + 2 if closing < self._paragraph_end(at) else at + 2
        if closing > first_end and self._line_prefix(at) is not None:
            self._show_as_fence(at, first_end, closing, last_end, "math")
        return last_end

    def _show_as_fence(self, start: int, first_end: int, inside: int, end: int, info: str) -> None:
        """Have the parser see lines as a code fence, so that nothing in them is Markdown."""
        low = max(self.source.rfind("\n", 0, inside), self.source.rfind("\r", 0, inside)) + 1
        prefix = re.compile(r"[ \t>]*").match(self.source, low)
        last_start = prefix.end() if prefix else low
        self.fences.append((start, first_end, "~~~~~~ " + info))
        self.fences.append((last_start, end, "~~~~~~"))

    # tags, comments, expressions

    def _angle(self, at: int) -> int:
        source = self.source
        if source.startswith("<!", at):
            if source.startswith("<!--", at):
                end = self._find("-->", at + 2)
                if end < 0:
                    self._warn(at, "a comment is never closed")
                    return at + 4
                return self.remove(at, end + 3)
            declaration = re.compile(r"<![A-Za-z][^<>\r\n]*>").match(source, at)
            return self.remove(at, declaration.end()) if declaration else at + 2
        tag = find_tag(source, at, self._braces)
        if tag is None:
            return at + 1
        lowered = tag.name.lower()
        if lowered in _RAW and not tag.closes and not tag.empty:
            closing = self._find(f"</{lowered}", tag.end)
            end = source.find(">", closing) + 1 if closing >= 0 else 0
            return self.remove(at, end or tag.end)
        if lowered == "pre" and not tag.closes and self._pre(tag):
            return tag.end
        if lowered == "summary" and not tag.closes:
            closing = self._find("</summary>", tag.end)
            if 0 <= closing < tag.end + 2000:
                self._summary(tag, closing)
                return self.remove(at, closing + len("</summary>"), True)
        if tag.closes:
            self._close(tag)
        elif not tag.empty:
            label = self._label_of(tag)
            if label or lowered == "details" or self._stands_alone(tag):
                self._open.append((tag, label))
        return self.remove(at, tag.end, tag.parts_words)

    def _pre(self, tag: Tag) -> bool:
        closing = self._find("</pre>", tag.end)
        line = _LINE_REST.match(self.source, tag.end)
        if closing < 0 or not line or closing < line.end() or self._line_prefix(tag.start) is None:
            return False
        rest = _LINE_REST.match(self.source, closing + 6)
        if not rest or rest.group().strip():
            return False
        self._show_as_fence(tag.start, line.end(), closing, rest.end(), "pre")
        self.remove(tag.start, tag.end)
        return True

    def _label_of(self, tag: Tag) -> Label | None:
        if not tag.is_component or tag.title is None:
            return None
        first, last = tag.title
        title = self.source[first:last].strip()
        return Label(tag.end, tag.end, first, last, title) if title else None

    def _summary(self, tag: Tag, closing: int) -> None:
        title = re.sub(r"<[^<>]*>", "", self.source[tag.end : closing])
        label = Label(closing, closing, tag.end, closing, " ".join(title.split()))
        for at in range(len(self._open) - 1, max(len(self._open) - 4, -1), -1):
            opened, _ = self._open[at]
            if opened and opened.name.lower() == "details":
                self._open[at] = (opened, label)
                return

    def _stands_alone(self, tag: Tag) -> bool:
        rest = _LINE_REST.match(self.source, tag.end)
        return bool(rest) and not rest.group().strip() and self._line_prefix(tag.start) is not None

    def _close(self, tag: Tag) -> None:
        for at in range(len(self._open) - 1, max(len(self._open) - 60, -1), -1):
            opened, label = self._open[at]
            if opened and opened.name == tag.name:
                del self._open[at:]
                if label:
                    self.labels.append(
                        Label(label.start, tag.start, label.first, label.last, label.title)
                    )
                self._note_indent(opened, tag)
                return

    def _note_indent(self, opened: Tag, closing: Tag) -> None:
        """Inside a component, the author's indentation is not Markdown's."""
        prefix = self._line_prefix(opened.start)
        if prefix is None or not self._stands_alone(opened):
            return
        content = re.compile(r"\s*[\r\n]([ \t]*)(?=\S)").match(
            self.source, opened.end, closing.start
        )
        extra = len(content.group(1)) - len(prefix) if content else 0
        if extra > 0:
            self.indented.append((opened.end, closing.start, extra))

    def _brace(self, at: int) -> int:
        source = self.source
        if source.startswith("{/*", at):
            end = self._find("*/}", at + 3)
            if end < 0:
                self._warn(at, "a comment is never closed")
                return at + 3
            named = _COMMENT_ID.fullmatch(source, at, end + 3)
            if named:
                self._name_heading(at, named.group(1))
            return self.remove(at, end + 3)
        for pattern in (_INCLUDE, _SPACE_EXPRESSION):
            if found := pattern.match(source, at):
                return self.remove(at, found.end(), pattern is _SPACE_EXPRESSION)
        explicit = _EXPLICIT_ID.match(source, at)
        if explicit and self._name_heading(at, explicit.group(1)):
            return self.remove(at, explicit.end())
        if self.is_mdx and (prefix := self._line_prefix(at)) is not None and not prefix.strip():
            closing = self._braces.closing(at)
            rest = _LINE_REST.match(source, closing + 1) if closing > 0 else None
            if rest and not rest.group().strip():
                return self.remove(at, closing + 1)
        return at + 1

    def _name_heading(self, at: int, name: str) -> bool:
        low = max(0, at - 1000)
        start = max(self.source.rfind("\n", low, at), self.source.rfind("\r", low, at)) + 1
        line = self.source[start:at]
        below = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)[ \t>]*(?:=+|-+)[ \t]*(?=[\r\n]|\Z)")
        if re.match(r"[ \t>]*#{1,6}[ \t]", line) or (line.strip() and below.match(self.source, at)):
            self.ids[start] = name
            return True
        return False

    # admonitions, imports and exports

    def _admonition(self, at: int) -> int:
        if self._line_prefix(at) is None:
            return at + 3
        fence = _ADMONITION.match(self.source, at)
        if not fence:
            return at + 3
        kind, rest = fence.groups()
        if kind is None:
            for here in range(len(self._open) - 1, max(len(self._open) - 60, -1), -1):
                tag, label = self._open[here]
                if tag is None and label:
                    del self._open[here:]
                    self.labels.append(Label(label.start, at, label.first, label.last, label.title))
                    break
        else:
            first = last = 0
            title = kind[0].upper() + kind[1:]
            given = _ADMONITION_TITLE.match(rest)
            group = given.lastindex if given else None
            if given and group and given.group(group).strip():
                title = given.group(group).strip()
                first, last = (fence.start(2) + offset for offset in given.span(group))
            self._open.append((None, Label(fence.end(), fence.end(), first, last, title)))
        return self.remove(at, fence.end())

    def _module_line(self, at: int) -> int:
        source = self.source
        found = _IMPORT.match(source, at)
        if found:
            return self.remove(at, found.end())
        if not _EXPORT.match(source, at):
            return at + 6
        end = at
        while True:
            line = _LINE_REST.match(source, end)
            end = line.end() if line else end
            brace = source.find("{", at, end)
            if brace < 0 or (closing := self._braces.closing(brace)) < end:
                return self.remove(at, end)
            at = self.remove(at, closing + 1)
            end = at

    # bounded searches

    def _find(self, text: str, start: int) -> int:
        """`str.find`, without looking again for what is known not to come any more."""
        if self._absent.get(text, len(self.source) + 1) <= start:
            return -1
        found = self.source.find(text, start)
        if found < 0:
            self._absent[text] = start
        return found

    def _warn(self, at: int, what: str) -> None:
        if len(self.warnings) < 20:
            self.warnings.append(f"line {self.source.count(chr(10), 0, at) + 1}: {what}")
