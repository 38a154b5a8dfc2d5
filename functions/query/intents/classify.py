"""What kind of question is asked, before anything is looked up. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from functions.query.intents.follow_up import leans_on_previous
from functions.query.intents.greetings import guide_for
from functions.query.intents.vague_topic import vague_topic
from functions.query.overviews.parse import Overview, read_overview


@dataclass(frozen=True, slots=True)
class Intent:
    """At most one of these is set: a line for a greeting, an overview, a topic without a question,
    or that the question leans on the one before it."""

    guide: str | None = None
    overview: Overview | None = None
    topic: str | None = None
    leans: bool = False

    @property
    def is_searched(self) -> bool:
        """Whether the question as it stands is looked for in the index."""
        return self.guide is None and self.overview is None and not self.leans


def read_intent(question: str) -> Intent:
    """The kind of a question, by its words alone."""
    if guide := guide_for(question):
        return Intent(guide=guide)
    if overview := read_overview(question):
        return Intent(overview=overview)
    if leans_on_previous(question):
        return Intent(leans=True)
    return Intent(topic=vague_topic(question))
