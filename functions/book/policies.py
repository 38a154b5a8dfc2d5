"""The author's policies: what answers may use of a page or a section.

Front matter (`ai: quote-only`) sets the policy of a page; a comment right under a heading,
`<!-- ai: exclude -->` or `{/* ai: exclude */}`, that of its section and subsections. A section may
be stricter than what encloses it, never laxer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from functions.book.chunks.chunk import Chunk
from functions.book.chunks.split_into_chunks import opens_section
from functions.book.document import Block, Document, Policy
from functions.book.markdown.front_matter import POLICIES

_COMMENTS = (("<!--", "-->"), ("{/*", "*/}"))
_AI = re.compile(r"\s*ai\s*:(.*)", re.IGNORECASE | re.DOTALL)
_SPACE = re.compile(r"\s*")
_DETAILS = re.compile(r"<(/?)details\b", re.IGNORECASE)

_SHOWN = (
    r"(?:(?:show|hide|view|see|reveal|toggle|open|check|click(?: here)?(?: (?:for|to (?:\w+)))?)"
    r"(?: me)?(?: the| your| our)? )?"
)
_KIND = r"(?:(?:model|sample|suggested|worked|example|full|possible|reference|official) )?"
_OF = r"(?: (?:keys?|sheets?|guide|manual))?(?: (?:to|for|of) .*| [a-z]?[\d.]+[a-z]?)?"
_FRONT = r"(?:(?:[\d.]+|[a-z]\.) )?(?:\w+(?: \w+)?(?: [\w.]+)?\s?[:.–—-]\s?)?(?:the )?"
_SOLUTION = re.compile(
    rf"{_FRONT}{_SHOWN}{_KIND}(?:solutions?|answers?)(?: and (?:hints?|explanations?))?{_OF}\W*"
    r"|(?:exercise|problem|question|quiz|homework)s? [\w.]*\s?(?:solutions?|answers?)(?: key)?\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Governed:
    """A document under its author's policies.

    `visible` is what readers may select; `answerable`, what may be retrieved and answered from, is
    that without the solutions that the author withholds. Each block has its section's policy.
    """

    visible: Document
    answerable: Document


def govern(document: Document) -> Governed:
    """Remove what is excluded. An unknown policy is a warning, and read as `exclude`."""
    warnings: list[str] = []
    policies = list(_policies(document, warnings))
    solves = _solutions(document)
    visible: list[Block] = []
    answerable: list[Block] = []
    for block, own, is_solution in zip(document.blocks, policies, solves, strict=True):
        if "exclude" in own:
            continue
        policy = _strictest(own)
        block = block if policy == block.policy else block._replace(policy=policy)
        visible.append(block)
        if not (is_solution and "no-solutions" in own):
            answerable.append(block)
    whole = replace(document, blocks=tuple(visible), warnings=(*document.warnings, *warnings))
    return Governed(whole, replace(whole, blocks=tuple(answerable)))


def with_policies(chunks: Iterable[Chunk], document: Document) -> tuple[Chunk, ...]:
    """The chunks with the strictest policy of their blocks."""
    policies = {block.index: block.policy for block in document.blocks}
    marked: list[Chunk] = []
    for chunk in chunks:
        own = {policies.get(at, "") for at in range(chunk.first_block, chunk.last_block + 1)}
        policy = _strictest(own)
        marked.append(chunk if policy == chunk.policy else replace(chunk, policy=policy))
    return tuple(marked)


def is_solution_title(title: str) -> bool:
    """Whether a heading or a label announces the solution of an exercise."""
    return _SOLUTION.fullmatch(" ".join(title.split())) is not None


def _policies(document: Document, warnings: list[str]) -> Iterator[frozenset[Policy]]:
    """The policies of each block: the page's, and those of all enclosing sections."""
    page = frozenset({document.front.policy})
    unclosed: set[str] = set()
    stated: list[tuple[int, Policy]] = []  # of the open sections, by the level of their heading
    for block in document.blocks:
        if opens_section(block):
            level = block.headings[-1].level
            stated = [each for each in stated if each[0] < level]
            if policy := _policy_under(block, document, warnings, unclosed):
                stated.append((level, policy))
        yield page.union(policy for _, policy in stated)


def _policy_under(
    heading: Block, document: Document, warnings: list[str], unclosed: set[str]
) -> Policy:
    """The policy in the comments between a heading and its text."""
    source, starts = document.source, document.lines.starts
    at = starts[heading.last_line] if heading.last_line < len(starts) else len(source)
    while True:
        at = _skip(_SPACE, source, at)
        first, last, end = _comment_at(source, at, unclosed)
        if not end:
            return ""
        said = _AI.fullmatch(source, first, last)
        if said:
            name = said.group(1).strip().lower()
            if name in POLICIES:
                return cast(Policy, name)
            line = heading.last_line + 1
            warnings.append(f"line {line}: unknown policy 'ai: {name[:40]}'; read as 'exclude'")
            return "exclude"
        at = end


def _comment_at(source: str, at: int, unclosed: set[str]) -> tuple[int, int, int]:
    """The range of the text of the comment that begins at an offset, and the comment's end; zeros
    without one. What closes no comment any more is added to `unclosed`."""
    for opening, closing in _COMMENTS:
        if closing not in unclosed and source.startswith(opening, at):
            first = at + len(opening)
            last = source.find(closing, first)
            if last >= 0:
                return first, last, last + len(closing)
            unclosed.add(closing)
    return 0, 0, 0


def _solutions(document: Document) -> Iterator[bool]:
    """Whether each block is part of a solution, by its section's heading or its label."""
    section = 0  # the level of the open section of solutions, 0 for none
    box_end = -1
    ends = _DetailsEnds(document.source)
    for block in document.blocks:
        start = block.spans[0].start
        if opens_section(block):
            level = block.headings[-1].level
            section = 0 if section and level <= section else section
            if not section and is_solution_title(block.headings[-1].title):
                section = level
        is_labelled = bool(block.label) and is_solution_title(block.label)
        if is_labelled and block.kind == "heading":
            # Elements inside have labels of their own.
            box_end = max(box_end, ends.around(start))
        yield bool(section) or is_labelled or start < box_end


class _DetailsEnds:
    """Matches the details elements of a text, once, on first use."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._tags: list[int] | None = None
        self._ends: dict[int, int] = {}

    def around(self, at: int) -> int:
        """The end of the details element that has opened last before `at`; `at` if it has ended."""
        if self._tags is None:
            self._tags = self._match()
        before = bisect_left(self._tags, at) - 1
        return self._ends.get(self._tags[before], at) if before >= 0 else at

    def _match(self) -> list[int]:
        tags: list[int] = []
        opened: list[int] = []
        for tag in _DETAILS.finditer(self._source):
            tags.append(tag.start())
            if not tag.group(1):
                opened.append(tag.start())
                self._ends[tag.start()] = len(self._source)
            elif opened:
                self._ends[opened.pop()] = tag.start()
        return tags


def _skip(space: re.Pattern[str], source: str, at: int) -> int:
    found = space.match(source, at)
    return found.end() if found else at


def _strictest(policies: Iterable[Policy]) -> Policy:
    found = set(policies)
    return next((each for each in ("exclude", "quote-only", "no-solutions") if each in found), "")
