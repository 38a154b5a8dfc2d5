"""What the author allows answers to do with a page or a section. Pure.

Front matter (`ai: quote-only`) speaks for a page; a comment right under a heading, `<!-- ai:
exclude -->` or `{/* ai: exclude */}`, for its section with all sections inside it. A section may
be stricter than what it stands in, never laxer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from functions.book.chunks.chunk import Chunk
from functions.book.chunks.split_into_chunks import opens_section
from functions.book.document import Block, Document, Policy
from functions.book.markdown.front_matter import POLICIES

_COMMENT = re.compile(r"<!--(.*?)-->|\{/\*(.*?)\*/\}", re.DOTALL)
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

    `shown` is what readers may select and have recognised; `answerable`, what may be found and
    answered from, is that without the solutions that the author keeps back. Each block has the
    policy of its section.
    """

    shown: Document
    answerable: Document


def govern(document: Document) -> Governed:
    """Take out what is excluded. A policy that is none is a warning, and read as `exclude`."""
    warnings: list[str] = []
    policies = list(_policies(document, warnings))
    solves = _solutions(document)
    shown: list[Block] = []
    answerable: list[Block] = []
    for block, own, is_solution in zip(document.blocks, policies, solves, strict=True):
        if "exclude" in own:
            continue
        policy = _strictest(own)
        block = block if policy == block.policy else block._replace(policy=policy)
        shown.append(block)
        if not (is_solution and "no-solutions" in own):
            answerable.append(block)
    whole = replace(document, blocks=tuple(shown), warnings=(*document.warnings, *warnings))
    return Governed(whole, replace(whole, blocks=tuple(answerable)))


def with_policies(chunks: Iterable[Chunk], document: Document) -> tuple[Chunk, ...]:
    """The chunks with the policies of their blocks; one quote-only block makes a chunk so."""
    policies = {block.index: block.policy for block in document.blocks}
    marked: list[Chunk] = []
    for chunk in chunks:
        own = {policies.get(at, "") for at in range(chunk.first_block, chunk.last_block + 1)}
        policy = _strictest(own)
        marked.append(chunk if policy == chunk.policy else replace(chunk, policy=policy))
    return tuple(marked)


def is_solution_title(title: str) -> bool:
    """Whether a heading, or the label of a box, says that what follows solves an exercise."""
    return _SOLUTION.fullmatch(" ".join(title.split())) is not None


def _policies(document: Document, warnings: list[str]) -> Iterator[frozenset[Policy]]:
    """The policies of each block: the page's, and those of all sections it stands in."""
    page = frozenset({document.front.policy})
    stated: list[tuple[int, Policy]] = []  # of the open sections, by the level of their heading
    for block in document.blocks:
        if opens_section(block):
            level = block.headings[-1].level
            stated = [each for each in stated if each[0] < level]
            if policy := _policy_under(block, document, warnings):
                stated.append((level, policy))
        yield page.union(policy for _, policy in stated)


def _policy_under(heading: Block, document: Document, warnings: list[str]) -> Policy:
    """What the comments between a heading and its text say."""
    source, starts = document.source, document.lines.starts
    at = starts[heading.last_line] if heading.last_line < len(starts) else len(source)
    while True:
        at = _skip(_SPACE, source, at)
        comment = _COMMENT.match(source, at)
        if comment is None:
            return ""
        said = _AI.fullmatch(comment.group(1) or comment.group(2) or "")
        if said:
            name = said.group(1).strip().lower()
            if name in POLICIES:
                return cast(Policy, name)
            line = heading.last_line + 1
            warnings.append(f"line {line}: unknown policy 'ai: {name[:40]}'; read as 'exclude'")
            return "exclude"
        at = comment.end()


def _solutions(document: Document) -> Iterator[bool]:
    """Whether each block solves an exercise: by its section's heading, or the box it stands in."""
    section = 0  # the level of the open section of solutions, 0 for none
    box_end = -1
    for block in document.blocks:
        start = block.spans[0].start
        if opens_section(block):
            level = block.headings[-1].level
            section = 0 if section and level <= section else section
            if not section and is_solution_title(block.headings[-1].title):
                section = level
        is_labelled = bool(block.label) and is_solution_title(block.label)
        if is_labelled and block.kind == "heading":
            # Boxes within the box have labels of their own.
            box_end = max(box_end, _end_of_details(document.source, start))
        yield bool(section) or is_labelled or start < box_end


def _end_of_details(source: str, at: int) -> int:
    """Where the details element that `at` stands in ends; `at` when it stands in none."""
    opened = source.rfind("<details", 0, at)
    if opened < 0 or source.find("</details", opened, at) >= 0:
        return at
    depth = 1
    for tag in _DETAILS.finditer(source, at):
        depth += -1 if tag.group(1) else 1
        if not depth:
            return tag.start()
    return len(source)


def _skip(space: re.Pattern[str], source: str, at: int) -> int:
    found = space.match(source, at)
    return found.end() if found else at


def _strictest(policies: Iterable[Policy]) -> Policy:
    found = set(policies)
    return next((each for each in ("exclude", "quote-only", "no-solutions") if each in found), "")
