"""A topic without a question ("Tell me about robots"): a quote from each of the best sections, and
a question to ask next for each. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from functions.answer.context import PROSE_KINDS, Context
from functions.answer.question import read_question
from functions.answer.relevance import score_sentences, sets_a_task
from functions.answer.text.words import LazyPattern, matches, terms_of
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, DraftClaim
from functions.book.chunks.chunk import StoredChunk
from functions.query.overviews.compose import LEFT_OUT, MOST_QUESTIONS

_OPEN = LazyPattern(
    r"(?:(?:please|can you|could you|would you|i(?:'d| would) like you to|i want you to) )*"
    r"(?:(?:tell|teach|show|inform) me(?: (?:more|something|a bit|a little|all|everything))?"
    r"(?: about| on)|explain(?: to me)?(?: more about)?|describe|discuss|talk(?: to me)? about|"
    r"what(?: do you|can you tell me| can you say|'s there to know| is there to know| do we|"
    r" should i)"
    r"(?: know)? about|what does (?:the|this) book (?:say|tell(?: me| us)?|teach(?: me| us)?)"
    r" (?:about|on)|what can you tell me about|what about|how about|anything (?:about|on)|"
    r"(?:give me )?(?:some |any |more )?(?:info|information|details|facts) (?:about|on)|"
    r"i(?:'d| would) (?:like|love) to (?:know|learn|read|hear)(?: more| something)? about|"
    r"i want to (?:know|learn|read|hear)(?: more| something)? about|let'?s talk about|"
    r"(?:give me )?an? (?:introduction|intro) to)"
    r" (?P<topic>.+)"
)
_NO_TOPIC = LazyPattern(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|if|whether|that|than|is|are|was|were|"
    r"does|do|"
    r"did|can|could|should|would|will|versus|vs|difference|differences|between|steps|relation|"
    r"relationship|effects?|role|causes?|me|you|i|my|your)\b|[\d`_(){}\[\]=<>]"
)
TITLED = 0.3
"""What a sentence gains when the headings above it name the topic."""
_MOST_WORDS = 4
_MOST_TERMS = 2
CLOSE = 0.4
"""The best sentence of a section is quoted when it scores this share of the best one of all."""


def vague_topic(question: str) -> str | None:
    """The topic of a question that asks nothing certain of it; None of any other question."""
    text = " ".join(question.replace("’", "'").split()).strip(" .!?…")
    found = _OPEN.fullmatch(text.lower())
    topic = text[found.start("topic") :] if found else text
    topic = re.sub(r"^(?:the|an?|your|some|this|these) ", "", topic, flags=re.IGNORECASE)
    terms = set(terms_of(topic))
    if (
        not terms
        or len(terms) > _MOST_TERMS
        or len(topic.split()) > _MOST_WORDS
        or _NO_TOPIC.search(topic.lower())
        or (found is None and (question.strip().endswith("?") or len(topic.split()) > _MOST_TERMS))
    ):
        return None
    return topic


@dataclass(frozen=True, slots=True)
class SpreadWriter(QuoteWriter):
    """Quotes one sentence of each of the best sections, for a topic that many of them treat."""

    topic: str = ""

    def pick(self, question: str, context: Context) -> Draft:
        """The draft, best section first. Pure."""
        # A sentence that says what the topic is opens best.
        asked = read_question(f"What is {self.topic}?")
        scores = score_sentences(asked, context)
        best: dict[object, int] = {}
        for at, sentence in enumerate(context.sentences):
            chunk = context.sources[sentence.source].chunk
            is_prose = sentence.kind in PROSE_KINDS
            if chunk is None or not is_prose or sets_a_task(sentence, context):
                continue
            if not _mentions(self.topic, sentence.text):
                continue
            if _mentions(self.topic, " ".join(chunk.titles)):
                scores[at] += TITLED
            section = (chunk.document_id, chunk.titles)
            if section not in best or scores[at] > scores[best[section]]:
                best[section] = at
        ranked = sorted(best.values(), key=lambda at: -scores[at])
        kept = [at for at in ranked if scores[at] >= CLOSE * scores[ranked[0]]]
        if not kept:
            # slots=True makes a new class, which a bare super() would not know.
            return QuoteWriter.pick(self, question, context)
        return Draft(
            "full",
            tuple(
                DraftClaim(context.sentences[at].text, (context.sentences[at].id,))
                for at in kept[: self.max_quotes]
            ),
        )


def clarifying_questions(topic: str, chunks: Sequence[StoredChunk]) -> list[str]:
    """One question for each section that mentions the topic, best first; none for fewer than two
    sections, where nothing is to be chosen."""
    titles: dict[str, None] = {}
    for chunk in chunks:
        if LEFT_OUT.match(chunk.titles[-1] if chunk.titles else ""):
            continue
        if chunk.titles and _mentions(topic, " ".join((*chunk.titles, chunk.text))):
            title = chunk.titles[-1]
            if len(chunk.titles) > 1 and (title in titles or len(title.split()) == 1):
                title = f"{chunk.titles[-2]}: {title}"
            titles[title] = None
    if len(titles) < 2:
        return []
    return [_about(title, topic) for title in list(titles)[:MOST_QUESTIONS]]


def mentions(topic: str, context: Context) -> bool:
    """Whether a sentence or the headings over it mention all of a topic."""
    said = (sentence.text for sentence in context.sentences)
    return any(_mentions(topic, text) for text in (*context.headings, *said))


def _about(title: str, topic: str) -> str:
    if frozenset(terms_of(title)) <= frozenset(terms_of(topic)):
        return f"What is the section “{title}” about?"
    return f"What does “{title}” say about {topic}?"


def _mentions(topic: str, text: str) -> bool:
    terms = frozenset(terms_of(text))
    return all(matches(term, terms) for term in terms_of(topic))
