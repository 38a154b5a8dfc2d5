"""Answers of the book as tools return them: Markdown with links, and the same as data."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from pydantic import BaseModel

from functions.answer.answers import SectionLink


class Source(BaseModel):
    """Where statements come from: `quotes` are the book's own words there."""

    n: int
    title: str
    url: str
    quotes: list[str]


class Statement(BaseModel):
    """A statement of the answer and the `n` of its sources.

    `proof`: `verbatim` and `close` are shown by the book's words; `paraphrase` was confirmed by a
    language model alone.
    """

    text: str
    proof: str
    sources: list[int]


class Place(BaseModel):
    """A section of the book."""

    title: str
    url: str
    text: str = ""


class BookAnswer(BaseModel):
    """An answer with its sources, or a refusal with the closest sections."""

    status: str
    text: str
    statements: list[Statement] = []
    sources: list[Source] = []
    closest: list[Place] = []


class SectionList(BaseModel):
    """Sections of the book, best first."""

    sections: list[Place]


def read_answer(answer: dict[str, Any], site: str) -> BookAnswer:
    """A response of the API, with links that lead to the site. KeyError for none of Quoth."""
    refusal = answer.get("refusal") or {}
    return BookAnswer(
        status=answer["status"],
        text=answer["response"],
        statements=[
            Statement(
                text=each["text"], proof=each["verification"], sources=list(each["citations"])
            )
            for each in answer.get("claims", [])
        ],
        sources=[
            Source(
                n=each["n"],
                title=each["label"],
                url=_absolute(site, each["url"]),
                quotes=[quote["exact"] for quote in each["quotes"]],
            )
            for each in answer.get("citations", [])
        ],
        closest=[
            _place(each["title"], each["url"], each.get("text", ""), site)
            for each in refusal.get("closest", [])
        ],
    )


def read_sections(sections: list[SectionLink], site: str) -> SectionList:
    """Sections with links that lead to the site."""
    return SectionList(
        sections=[_place(each.title, each.url, each.text, site) for each in sections]
    )


def as_markdown(answer: BookAnswer) -> str:
    """The answer for reading."""
    lines = [answer.text]
    if answer.sources:
        lines += ["", "Sources, in the book's words:"]
    for source in answer.sources:
        lines.append(f"- [{source.n}] {_link(source.title, source.url)}")
        lines += [f"  > {' '.join(quote.split())}" for quote in source.quotes]
    doubtful = [each.text for each in answer.statements if each.proof == "paraphrase"]
    if doubtful:
        lines += ["", "Confirmed by a language model alone; compare with the source:"]
        lines += [f"- {' '.join(text.split())}" for text in doubtful]
    if answer.closest:
        lines += ["", "Closest sections:", *map(_line, answer.closest)]
    return "\n".join(lines)


def list_as_markdown(found: SectionList) -> str:
    """The sections as a list of links."""
    return "\n".join(map(_line, found.sections)) or "No section matches."


def _place(title: str, url: str, text: str, site: str) -> Place:
    return Place(title=title, url=_absolute(site, url), text=text)


def _line(place: Place) -> str:
    text = f": {' '.join(place.text.split())}" if place.text else ""
    return f"- {_link(place.title, place.url)}{text}"


def _link(title: str, url: str) -> str:
    shown = title.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"[{shown}](<{url}>)" if set("() ") & set(url) else f"[{shown}]({url})"


def _absolute(site: str, url: str) -> str:
    return urljoin(f"{site.rstrip('/')}/", url)
