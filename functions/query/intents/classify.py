"""What kind of question is asked, before anything is looked up. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from functions.query.intents.follow_up import is_follow_up
from functions.query.intents.greetings import guide_for
from functions.query.intents.vague_topic import vague_topic
from functions.query.overviews.parse import Overview, read_overview


@dataclass(frozen=True, slots=True)
class Intent:
    """At most one of these is set: a line for a greeting, an overview, a topic without a question,
    or that the question follows up on the one before it."""

    guide: str | None = None
    overview: Overview | None = None
    topic: str | None = None
    follows_up: bool = False

    @property
    def is_searched(self) -> bool:
        """Whether the question is searched for unchanged."""
        return self.guide is None and self.overview is None and not self.follows_up


def read_intent(question: str) -> Intent:
    """The kind of a question, by its words alone."""
    if guide := guide_for(question):
        return Intent(guide=guide)
    if overview := read_overview(question):
        return Intent(overview=overview)
    if is_follow_up(question):
        return Intent(follows_up=True)
    return Intent(topic=vague_topic(question))
