"""Recognises questions that ask for an overview: of the book, of a chapter, of the open page. Pure.

English, by patterns over the whole question, so that a question which merely mentions a chapter
("What does chapter 4 say about gears?") goes to the search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from functions.query.overviews.book_facts import Fact, read_fact
from functions.query.overviews.patterns import (
    BARE,
    BREAKS_OFF,
    CARDINALS,
    CLOSING,
    FRAMES,
    LISTS,
    MAY_BE_TITLE,
    MAY_BE_TOPIC,
    ORDINALS,
    PLACES,
    POLITE,
    POSSESSIVE,
    PRESENCE,
    ROMANS,
    STARTS_A_QUESTION,
    STEPS,
    TITLE_ENDS,
    UNITS,
    WRAPPED,
)

Unit = Literal["", "chapter", "section", "page"]
TargetKind = Literal["book", "here", "numbered", "beside", "named", "topic"]

LAST = -1
"""The number of the last chapter or section, whatever it is."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an overview is asked of, as the reader's words say it.

    `here` is what the reader has open; `numbered` has `numbers`, from the chapter inwards;
    `beside` is `numbers[0]` chapters further or back; `named` has `words`; `topic` has words that
    may name a section or anything else.
    """

    kind: TargetKind
    unit: Unit = ""
    numbers: tuple[int, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """An overview that was asked for. `wants`: what is said, or the headings alone; `fact`: only
    this about the book.

    `instead`: the question to search for when the book has no such part; empty for the same one.
    `absent`: what is said when that search finds nothing; empty for a refusal.
    """

    target: Target
    wants: Literal["summary", "chapters", "contents"] = "summary"
    fact: Fact | None = None
    instead: str = ""
    absent: str = ""


TOPIC = "Tell me about {topic}"
ABSENT = "No, I found nothing on {topic} in this book."


def read_overview(question: str) -> Overview | None:
    """What the question asks an overview of; None when it asks something else."""
    text = plain(question)
    if not text or len(text) > 200:
        return None
    if BARE.fullmatch(text):
        return Overview(Target("here"))
    for pattern in LISTS:
        if (found := pattern.fullmatch(text)) and (listed := _listed(found)):
            return listed
    for at, frame in enumerate(FRAMES):
        if found := frame.fullmatch(text):
            words = found.group("place").strip(" ,:")
            if target := read_target(words):
                instead = TOPIC.format(topic=target.words) if target.kind == "named" else ""
                return Overview(target, instead=instead)
            if at in MAY_BE_TOPIC and _names_a_topic(words, text):
                return Overview(Target("topic", words=words), instead=TOPIC.format(topic=words))
            if at in MAY_BE_TITLE and TITLE_ENDS.search(text) and len(words.split()) <= 8:
                return Overview(Target("topic", words=words))
    if fact := read_fact(question):
        return Overview(Target("book"), fact=fact)
    return _presence(text)


def _presence(text: str) -> Overview | None:
    """Whether the book has something on a topic: "Is there a chapter on …?"."""
    found = PRESENCE.fullmatch(text)
    if found is None:
        return None
    named = found.group("words") or found.group("topic") or found.group("about")
    words = re.sub(r"^(?:the|an?) ", "", named.strip(" \"'“”‘’«».,"))
    unit = cast(Unit, UNITS.get(found.group("unit") or found.group("place") or "", ""))
    return Overview(
        Target("named", unit, words=words),
        instead=TOPIC.format(topic=words),
        absent=ABSENT.format(topic=words),
    )


def plain(question: str) -> str:
    """The question in lower case, without polite words around it and marks at its end."""
    text = " ".join(question.replace("’", "'").split()).lower().strip(" .!?…")
    while True:
        shorter = CLOSING.sub("", POLITE.sub("", text)).strip(" .!?,…")
        if shorter == text:
            break
        text = shorter
    return POSSESSIVE.sub(r"the \g<what> of \g<place>", text)


def read_target(words: str) -> Target | None:
    """What words refer to: "chapter 4", "this page", "the section on gears"."""
    for name_of_kind, pattern in PLACES:
        kind = cast(TargetKind, name_of_kind)
        found = pattern.fullmatch(words)
        if found is None:
            continue
        groups = found.groupdict()
        unit = cast(Unit, UNITS.get((groups.get("unit") or "").rstrip("."), ""))
        if kind == "numbered":
            numbers = _numbers(groups["number"])
            return Target(kind, unit, numbers) if numbers else None
        if kind == "beside":
            return Target(kind, unit, (STEPS.get(groups["step"], -1),))
        name = (groups.get("words") or "").strip(" \"'“”‘’«».,")
        if kind in ("named", "topic") and (
            STARTS_A_QUESTION.match(name) or BREAKS_OFF.search(name)
        ):
            continue
        return Target(kind, unit, words=name)
    for wrapped in WRAPPED:
        if found := wrapped.fullmatch(words):
            return read_target(found.group(1))
    return None


def _listed(found: re.Match[str]) -> Overview | None:
    parts, words = found.group("parts"), found.group("place")
    bare = found.group() == parts
    target = read_target(words) if words else Target("book")
    if target is None or (
        bare and parts not in ("chapters", "table of contents", "contents", "toc", "outline")
    ):
        return None
    if words is None and parts in ("sections", "section", "headings", "pages", "part", "topics"):
        return (
            Overview(Target("here"), "contents")
            if parts != "topics"
            else Overview(target, "contents")
        )
    if words is None and parts == "chapter":
        return None
    return Overview(target, "chapters" if parts.startswith("chapter") else "contents")


def _numbers(text: str) -> tuple[int, ...]:
    if text in ("last", "final"):
        return (LAST,)
    if text[0].isdigit():
        return tuple(int(part) for part in text.rstrip("stndrh").split("."))
    for names, first in ((ORDINALS, 1), (CARDINALS, 0), (ROMANS, 0)):
        if text in names:
            return (names.index(text) + first,)
    return ()


def _names_a_topic(words: str, text: str) -> bool:
    """Whether words after "Summarise …" are few enough to be a heading's."""
    asks = text.startswith(
        ("describe", "introduce", "walk", "take", "run", "go ", "what", "is there")
    )
    return not asks and len(words.split()) <= 8 and not STARTS_A_QUESTION.match(words)
