"""The values that only an operator knows: from a file, or asked for at the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import yaml


class NotGiven(Exception):
    """A value is missing and the run is not interactive. The message names it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One value. `secret` is never shown; `optional` may stay empty; `default` is offered."""

    name: str
    text: str
    secret: bool = False
    optional: bool = False
    default: str = ""


SITE = (
    Question("allowed_origins", "Sites that carry the widget (https://…, with commas between)"),
    Question(
        "networks",
        "Schools behind one address, as network=readers a minute (203.0.113.0/24=300,…)",
        optional=True,
    ),
    Question("alert_email", "Who is told of alarms (an e-mail address)", optional=True),
    Question("jwt_issuer", "Who signs administrators in (an OpenID issuer)", optional=True),
    Question("jwt_audience", "The audience of administrators' tokens", optional=True),
    Question(
        "jwt_client_secret",
        "The secret of the issuer's client, if it has one",
        secret=True,
        optional=True,
    ),
)
INDEX = (
    Question("qdrant_url", "Address of the Qdrant cluster (https://…:6333)"),
    Question("qdrant_query_key", "Its read-only key, for query", secret=True),
    Question("qdrant_ingest_key", "Its key with write access, for ingest", secret=True),
)
DATABASE = (
    Question(
        "database_owner_url",
        "The owner's direct database address, for migrations and roles; not stored",
        secret=True,
        optional=True,
    ),
    Question("database_pooled_host", "The pooler's host:port (not for Neon)", optional=True),
    Question(
        "monthly_ceiling",
        "Most dollars a month for models; above it readers get quotes only",
        default="30",
    ),
)
MODELS = (Question("openai_api_key", "The OpenAI key of this stage's project", secret=True),)
QUESTIONS = (*SITE, *INDEX, *DATABASE, *MODELS)


@dataclass
class Asking:
    """Answers from `given`, else from the terminal when `interactive`.

    `known` are values in use; they are offered again, a secret by name only.
    """

    given: Mapping[str, str]
    known: Mapping[str, str]
    interactive: bool

    def check_complete(self) -> None:
        """Raise NotGiven with all missing values if the run is not interactive."""
        missing = [
            each.name
            for each in QUESTIONS
            if not (each.optional or each.default)
            and not self.given.get(each.name)
            and not self.known.get(each.name)
        ]
        if missing and not self.interactive:
            raise NotGiven(f"missing: {', '.join(missing)}")

    def ask(self, question: Question, *, again: bool = False) -> str:
        """The answer. `again`: the given value is wrong, so it is asked at the terminal."""
        if not again and question.name in self.given:
            return self.given[question.name].strip()
        known = self.known.get(question.name) or question.default
        if not self.interactive:
            return known
        stored = " [stored; Enter keeps it]" if question.secret and known else ""
        answer = click.prompt(
            question.text + stored,
            default=known if known or question.optional else None,
            hide_input=question.secret,
            show_default=not question.secret and bool(known),
        )
        return str(answer).strip()


def read_answers(path: Path) -> dict[str, str]:
    """A YAML file of names and values. NotGiven when it is malformed, or others may read it."""
    if path.stat().st_mode & 0o077:
        raise NotGiven(f"{path} holds secrets and others may read it: chmod 600 {path}")
    try:
        read: Any = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise NotGiven(f"{path} is no YAML") from error  # its own words would quote a secret
    if not isinstance(read, dict):
        raise NotGiven(f"{path} is no list of names and values")
    known = {question.name for question in QUESTIONS}
    strange = sorted(str(name) for name in read if name not in known)
    if strange:
        raise NotGiven(
            f"{path}: unknown {', '.join(strange)}; known are {', '.join(sorted(known))}"
        )
    return {str(name): "" if value is None else str(value) for name, value in read.items()}
