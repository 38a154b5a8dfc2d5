"""Golden questions, and reading them from YAML whose mistakes are named with their line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from quoth.json_lines import BadRow

Wanted = Literal["answer", "overview", "refusal"]


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the book's source: a file's lines, the first and the last included."""

    source_path: str
    first_line: int
    last_line: int
    name: str


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question and what it must get.

    `sections` and `page` are as written: each section answers the question by itself. `line` is
    where the question stands in its file, from 1.
    `kind` groups refusals: "near-scope" or "out-of-book".
    """

    question: str
    wanted: Wanted
    line: int
    sections: tuple[str, ...] = ()
    page: str = ""
    phrases: tuple[str, ...] = ()
    kind: str = ""


KEYS = {
    "question": str,
    "section": list,
    "page": str,
    "phrases": list,
    "refuse": bool,
    "overview": bool,
    "kind": str,
    "note": str,
}
ONE_OR_MORE = ("section", "phrases")
"""Keys that take one text or a list of them."""
KINDS = ("near-scope", "out-of-book")
LIST_NAME = "questions"
LONGEST_QUESTION = 1000


def read_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a file, in its order. Raises BadRow with the line of what is wrong."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadRow(path, 0, "is not UTF-8") from error
    except OSError as error:
        raise BadRow(path, 0, error.strerror or "cannot be read") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise BadRow(path, line, f"is not YAML ({error.problem or error.context})") from error
    except yaml.YAMLError as error:
        raise BadRow(path, 0, f"is not YAML ({error})") from error
    found: list[GoldenQuestion] = []
    seen: dict[tuple[str, str], int] = {}
    for node in _entries(path, root):
        each = _question(path, node)
        key = (" ".join(each.question.split()).casefold(), each.page)
        if key in seen:
            raise BadRow(path, each.line, f"asks again what line {seen[key]} asks")
        seen[key] = each.line
        found.append(each)
    if not found:
        raise BadRow(path, 0, "has no questions")
    return found


def _entries(path: Path, root: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value != LIST_NAME:
                raise BadRow(path, _line(key), f"unknown key {key.value!r}; only {LIST_NAME!r}")
            root = value
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        raise BadRow(path, _line(root), "is not a list of questions")
    for node in root.value:
        if not isinstance(node, yaml.MappingNode):
            raise BadRow(path, _line(node), "is not an entry with a question")
        yield node


def _question(path: Path, node: yaml.MappingNode) -> GoldenQuestion:
    given = _fields(path, node)
    line = _line(node)
    question = str(given.get("question", "")).strip()
    if not question:
        raise BadRow(path, line, "has no question")
    if len(question) > LONGEST_QUESTION:
        raise BadRow(path, line, f"is longer than {LONGEST_QUESTION:,} characters")
    if given.get("refuse") and given.get("overview"):
        raise BadRow(path, line, "is to be refused and to be an overview: it can be one only")
    wanted: Wanted = "answer"
    if given.get("refuse"):
        wanted = "refusal"
        for name in ("section", "phrases", "page"):
            if given.get(name):
                raise BadRow(path, line, f"is to be refused and has {name!r}")
    elif given.get("overview"):
        wanted = "overview"
    elif not given.get("section"):
        raise BadRow(path, line, "has no section (and is neither 'refuse' nor 'overview')")
    kind = given.get("kind", "")
    if kind and kind not in KINDS:
        raise BadRow(path, line, f"unknown kind {kind!r}; it is one of {', '.join(KINDS)}")
    if kind and wanted != "refusal":
        raise BadRow(path, line, "has a kind, which only refusals have")
    return GoldenQuestion(
        question=question,
        wanted=wanted,
        line=line,
        sections=tuple(given.get("section", ())),
        page=given.get("page", ""),
        phrases=tuple(given.get("phrases", ())),
        kind=kind or ("out-of-book" if wanted == "refusal" else ""),
    )


def _fields(path: Path, node: yaml.MappingNode) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, value in node.value:
        name, line = str(key.value), _line(key)
        if name not in KEYS:
            raise BadRow(path, line, f"unknown key {name!r}; known: {', '.join(KEYS)}")
        if name in given:
            raise BadRow(path, line, f"{name!r} is given twice")
        read = _value(value)
        if name in ONE_OR_MORE and isinstance(read, str):
            read = [read.strip()]
        if not isinstance(read, KEYS[name]):
            raise BadRow(path, line, f"{name!r} is not of type {KEYS[name].__name__}")
        if isinstance(read, list) and not all(isinstance(t, str) and t.strip() for t in read):
            raise BadRow(path, line, f"{name!r} is not a list of texts")
        given[name] = read.strip() if isinstance(read, str) else read
    return given


def _value(node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    except yaml.YAMLError:
        return None
    finally:
        loader.dispose()


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
