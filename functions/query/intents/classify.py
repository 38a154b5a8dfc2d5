"""What kind of question is asked, before anything is looked up. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from functions.query.intents.follow_up import FollowUp, read_follow_up
from functions.query.intents.greetings import guide_for
from functions.query.intents.vague_topic import vague_topic
from functions.query.overviews.parse import Overview, read_overview


@dataclass(frozen=True, slots=True)
class Intent:
    """A line for a greeting, an overview, or else a topic without a question and what the question
    may need of the one before it."""

    guide: str | None = None
    overview: Overview | None = None
    topic: str | None = None
    follow_up: FollowUp | None = None

    @property
    def is_searched(self) -> bool:
        """Whether the question may be searched for unchanged."""
        named = self.follow_up is None or self.follow_up.alone
        return self.guide is None and self.overview is None and named


def read_intent(question: str) -> Intent:
    """The kind of a question, by its words alone."""
    if guide := guide_for(question):
        return Intent(guide=guide)
    if overview := read_overview(question):
        return Intent(overview=overview)
    return Intent(topic=vague_topic(question), follow_up=read_follow_up(question))
