"""The writer without a model: it quotes the excerpts of the book that answer best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from functions.answer.context import (
    PROSE_KINDS,
    Context,
    Sentence,
    language_name,
    language_of_code,
)
from functions.answer.deadline import Deadline
from functions.answer.layout import items_of, source_of
from functions.answer.question import (
    Kind,
    Question,
    fits,
    names_aspect,
    names_listed,
    names_other_aspect,
    names_subject,
    read_question,
)
from functions.answer.relevance import covered, is_signpost, score_sentences, sets_a_task
from functions.answer.text.anaphora import continues, opens_with_anaphor
from functions.answer.text.words import kindred, matches, term_set, weight, words_of
from functions.answer.write.excerpts import (
    CODE_KINDS,
    LONGEST_CODE,
    LONGEST_WHOLE,
    Block,
    blocks_of,
    excerpt_of,
    is_label,
    joined,
    next_of,
)
from functions.answer.write.told import Told
from functions.answer.write.writer import Draft, DraftClaim

COVERED = 0.4
"""What the question's words in a block and its headings count beside its best sentence."""
LISTED = 0.35
CODED = 0.6
OTHER_LANGUAGE = 0.4
TITLED = 0.25
SIDE_OF_SUBJECT = 1.0
"""What a section adds that is the side of the subject that is asked."""
OTHER_ASPECT = 0.5
CANDIDATES = 6
DANGLES = 0.25
SUMMARISES = 0.25
LEADS_AWAY = 0.6
"""What a list of links to other pages loses, and what is under a heading for another thing."""
LINKED = 0.8
MISNAMED = 0.3
"""What a block loses for each code name of the question ("T3", "E0382") that it does not have."""
AGAIN = 0.75
"""Another excerpt is quoted for what the first ones lack if it scores this share of the best."""
NEARLY, NEARLY_THERE = 0.95, 0.85
"""A second short excerpt is quoted if it scores this share of the best, the latter on the same
page: the reader gets both and need not trust a guess."""
LONGEST_PAIR = 120
"""Words of two such excerpts."""
LONGEST_PROCEDURE = 80
"""Words of prose of a procedure that is quoted from one place."""
LONGEST_STEPS, STEPS_CODE = 300, 80
"""Words and lines of code of one in numbered steps, which is no help without the last ones."""
RULE = 0.6
"""What an example shows is quoted before it if it scores this share of the example."""
MOST_AFTER_LABEL = 3
LISTED_FROM = 2
"""More paragraphs of one section than these are a list in all but form."""
EXPLAINED: tuple[Kind, ...] = ("how-to", "cause", "benefit", "drawback")
LONGEST_SECTION = 140
"""Words of a section that is quoted whole where an explanation is asked for."""
SECTION_CODE = 20
"""Lines of code in such a section."""
LONGEST_LISTED = 200
"""Words of paragraphs that are a list in all but form."""
SAME = 0.7
"""The share of two excerpts' words that both have, from which one repeats the other."""
LACKS = 0.25
"""The share of the question's words, by weight, that another excerpt has to add."""
ANSWERS = 0.9
"""A sentence of an excerpt answers if it scores this share of the best one in it."""
TOGETHER = 0.7
"""Share of a comparison's words that one quote must hold to be the comparison itself."""
_SUMMARY = re.compile(
    r"\b(?:summary|recap|conclusions?|key (?:points|takeaways|terms)|in short|review|overview)\b",
    re.IGNORECASE,
)
_LINKS = re.compile(
    r"\b(?:related (?:\w+ )?(?:docs|documentation|pages|topics|guides|reading|links|resources)|"
    r"related|see also|next steps|what'?s next|further reading|references|learn more|"
    r"table of contents|in this (?:section|guide|chapter)|additional resources)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:change ?log|release notes|what['’]?s new|migrati(?:on|ng)|upgrad(?:e|ing)|unreleased)\b|"
    r"^\W*(?:version )?v?\d+(?:\.\d+)+\W*(?:\(.*|[-–—].*)?$",
    re.IGNORECASE,
)
"""Headings over what has changed since an earlier version."""
_ASKS_CHANGES = re.compile(
    r"\b(?:change\w*|release\w*|new|migrat\w+|upgrad\w+|versions?|deprecated|\d+\.\d+)\b", re.I
)
_LINK_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)]|\|)\s*\W{0,4}\[[^\]]+\]\(", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)]|\|)\s", re.MULTILINE)
_EXAMPLE = re.compile(r"\W*(?:(?:a|an|the) )?(?:worked )?examples?\W*", re.IGNORECASE)
_CODE_NAME = re.compile(r"(?<![\w.-])(?:[A-Za-z]{1,4}-?\d{1,5}|[A-Za-z]\w*_\w*\d\w*)(?![\w.-])")
_DIRECTIVE = re.compile(r"\s*\{\{\s*#|\s*!include\b|\s*--8<--")
_CONTRASTS = re.compile(
    r"\b(?:whereas|while|unlike|than|but|instead|rather|in contrast|by contrast|differ\w*)\b",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"^\W*(?:(?:please|can you|could you|now)\W+)?(?:calculate|compute|work out|add up|convert)\b"
    r"|\b(?:in total|altogether|how much (?:more|less)|how many (?:more|fewer)|"
    r"what (?:is|was) the (?:sum|average|product|ratio) of)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuoteWriter:
    """Quotes the excerpt that answers best, and others: of each side of a comparison, of what the
    first lacks, or a second that fits nearly as well."""

    max_quotes: int = 3
    told: Told | None = None

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        """A draft of whole sentences."""
        return self.pick(question, context)

    def pick(self, question: str, context: Context) -> Draft:
        """The draft, what was asked first. Pure."""
        asked = read_question(question)
        ranked = _Ranked(asked, context, self.told)
        excerpts = ranked.sides(self.max_quotes) or ranked.best(self.max_quotes)
        if not excerpts:
            return Draft("none", ())
        claims = tuple(
            DraftClaim(joined(each), tuple(s.id for s in each), ranked.answering(each))
            for each in excerpts
        )
        partial = needs_more_than_quotes(question, [claim.text for claim in claims])
        return Draft("partial" if partial else "full", claims)


class _Ranked:
    """The blocks of a context by how well they answer a question."""

    def __init__(self, asked: Question, context: Context, told: Told | None = None) -> None:
        self.asked = asked
        self.context = context
        self.told = told
        self.blocks = [block for block in blocks_of(context) if _tells(block)]
        self.scores = score_sentences(asked, context)
        self.kin: dict[str, frozenset[str]] = {}

    def best(self, most: int) -> list[tuple[Sentence, ...]]:
        """The best excerpt, and others that add what it lacks."""
        (top, first), *others = self._candidates() or [(0.0, ())]
        if top <= 0:
            return []
        chosen = [first]
        if (rule := self._rule_of(first, top)) and most > 1:
            chosen = [rule, first]
        known = self._words_of([each for excerpt in chosen for each in excerpt])
        for value, excerpt in others:
            if len(chosen) == most or value < AGAIN * top:
                break
            words = self._words_of(excerpt)
            added = covered(self.asked, known | words) - covered(self.asked, known)
            least = NEARLY_THERE if self._page(excerpt) == self._page(first) else NEARLY
            is_close = len(chosen) == 1 and value >= least * top
            fits_beside = is_close and _words((*chosen[0], *excerpt)) <= LONGEST_PAIR
            is_new = not _overlap(excerpt, chosen) and not self._repeats(excerpt, chosen)
            if (added >= LACKS or fits_beside) and is_new:
                chosen.append(excerpt)
                known |= words
        return self._explained(chosen)

    def _rule_of(self, example: Sequence[Sentence], value: float) -> tuple[Sentence, ...]:
        """Where an explanation is asked for, the best excerpt of the sections beside one titled
        "Example", which shows what they say; none where that scores much less."""
        titles = self.context.titles(example[0])
        if self.asked.kind not in EXPLAINED or not titles or not _EXAMPLE.fullmatch(titles[-1]):
            return ()
        values = self._values(self.asked, self.scores)
        beside = [
            at
            for at, block in enumerate(self.blocks)
            if self._page(block.sentences) == self._page(example)
            and self.context.titles(block.sentences[0])[:-1] == titles[:-1]
            and self.context.titles(block.sentences[0]) != titles
        ]
        best = max(beside, key=values.__getitem__, default=None)
        if best is None or values[best] < RULE * value:
            return ()
        return self._excerpt(self.blocks[best], self.scores)

    def _repeats(self, excerpt: Sequence[Sentence], chosen: Sequence[Sequence[Sentence]]) -> bool:
        """Whether an excerpt says in nearly the same words what another says."""
        words = self._words_of(excerpt, titles=False)
        return any(
            len(words & said) >= SAME * len(words | said)
            for said in (self._words_of(each, titles=False) for each in chosen)
        )

    def _explained(self, chosen: list[tuple[Sentence, ...]]) -> list[tuple[Sentence, ...]]:
        """The excerpts, the first with its whole section where an explanation is asked for."""
        first, *others = chosen
        section = self._whole_section(first) if self.asked.kind in EXPLAINED else ()
        if len(section) <= len(first):
            return chosen
        whole = self._without_other_side(section)
        return [whole, *(each for each in others if not _overlap(each, [whole]))]

    def _page(self, excerpt: Sequence[Sentence]) -> str:
        chunk = self.context.sources[excerpt[0].source].chunk
        return chunk.document_id if chunk else ""

    def _candidates(self) -> list[tuple[float, tuple[Sentence, ...]]]:
        """The excerpts of the best blocks with their values, best first."""
        values = self._values(self.asked, self.scores)
        ranked = sorted(range(len(values)), key=lambda at: -values[at])[:CANDIDATES]
        found = []
        was_told = False
        for at in ranked:
            excerpt = self._untold(self._excerpt(self.blocks[at], self.scores))
            # In the place of what was told stands only what has the new words.
            if excerpt and not (was_told and self._new_words(self._words_of(excerpt)) == 0):
                found.append((values[at] - DANGLES * _breaks_off(excerpt), excerpt))
            was_told = was_told or (self.told is not None and not excerpt)
        return sorted(found, key=lambda each: -each[0])

    def _new_words(self, words: frozenset[str]) -> float:
        """The weight of the reader's new words among these."""
        own = self.told.own if self.told else frozenset()
        return sum(weight(term) for term in own if matches(term, words))

    def _untold(self, excerpt: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        """An excerpt; of one that the session was told, the part with most of the new words or with
        the name or number that is asked for, none where that is all of it."""
        if self.told is None or not all(map(self.told.has, excerpt)):
            return excerpt
        is_fact = self.asked.kind in ("number", "person")
        held = [
            self._new_words(self._words_of([each], titles=False))
            + (fits(self.asked, each.text) if is_fact and each.kind in PROSE_KINDS else 0)
            for each in excerpt
        ]
        most = max(held)
        first, last = held.index(most), len(held) - 1 - held[::-1].index(most)
        entries = [each for each in self._entries(excerpt) if each.start <= last < each.stop]
        if entries:
            first, last = min(first, entries[0].start), entries[0].stop - 1
        while not entries and first and continues(excerpt[first].text):
            first -= 1
        while not entries and last + 1 < len(held) and continues(excerpt[last + 1].text):
            last += 1
        part = excerpt[first : last + 1]
        return part if most > 0 and len(part) < len(excerpt) else ()

    def sides(self, most: int) -> list[tuple[Sentence, ...]]:
        """An excerpt that tells of all sides of a comparison, else one for each side."""
        words = [term_set(side) for side in self.asked.sides]
        stems = tuple(frozenset().union(*words))
        kin = kindred(stems, self.context.vocabulary)
        self.kin = {stem: near | {stem} for stem, near in zip(stems, kin, strict=True)}
        own = [side.difference(*(each for each in words if each is not side)) for side in words]
        if len(own) < 2 or not all(own):
            return []
        best = self.best(1)
        if best and all(self._tells_apart(best[0], side, own) for side in own):
            return best
        chosen: list[tuple[Sentence, ...]] = []
        for side, terms in zip(self.asked.sides, own, strict=True):
            if any(self._tells_apart(each, terms, own) for each in chosen):
                continue
            question = read_question(f"What is {side}?")
            scores = score_sentences(question, self.context)
            values = self._values(question, scores)
            about = [
                at
                for at, block in enumerate(self.blocks)
                if values[at] > 0 and self._tells_apart(block.sentences, terms, own)
            ]
            if about and len(chosen) < most:
                block = self.blocks[max(about, key=values.__getitem__)]
                excerpt = self._excerpt(block, scores)
                if not _overlap(excerpt, chosen):
                    chosen.append(excerpt)
        told = (any(self._tells_apart(each, side, own) for each in chosen) for side in own)
        complete = all(told) and not any(map(_breaks_off, chosen))
        return chosen if len(chosen) > 1 or complete else []

    def _tells_apart(
        self,
        sentences: Sequence[Sentence],
        side: frozenset[str],
        sides: Sequence[frozenset[str]],
    ) -> bool:
        """Whether sentences say something of one side alone, or set it against another; what tells
        of the text says nothing of either."""
        if any(map(is_signpost, sentences)):
            return False
        others = frozenset().union(*(each for each in sides if each is not side))
        for sentence in sentences:
            words = self.context.words[self.context.position[sentence.id]]
            if self._holds(words, side) and (
                not self._holds(words, others) or _CONTRASTS.search(sentence.text)
            ):
                return True
        return False

    def _holds(self, words: frozenset[str], wanted: frozenset[str]) -> bool:
        """Whether words have half of the wanted ones or more, in any form."""
        held = sum(not words.isdisjoint(self.kin[term]) for term in wanted)
        return held >= (len(wanted) + 1) // 2

    def answering(self, excerpt: Sequence[Sentence]) -> tuple[str, ...]:
        """The sentences of an excerpt that answer; none where all of a list does."""
        is_listed = self.asked.kind == "list" and any(s.kind in ("list", "table") for s in excerpt)
        asks_all = self.asked.kind in ("list", "benefit", "drawback")
        if is_listed or (asks_all and len({sentence.block for sentence in excerpt}) > LISTED_FROM):
            return ()
        value = {s.id: self.scores[self.context.position[s.id]] for s in excerpt}
        least = ANSWERS * max(value.values())
        return tuple(id for id, score in value.items() if score >= least)

    def _excerpt(self, block: Block, scores: Sequence[float]) -> tuple[Sentence, ...]:
        if self._is_item(block) and (listed := self._listed_by(block)):
            return listed
        whole = self.asked.kind in ("list", "how-to")
        excerpt = excerpt_of(block, scores, self.context, whole=whole)
        if self._is_definition(block):
            excerpt = self._from_beginning(block, excerpt)
        if self.asked.kind == "how-to":
            excerpt = self._procedure(excerpt)
        return self._without_other_side(excerpt)

    def _entries(self, excerpt: Sequence[Sentence]) -> Iterator[range]:
        """Where the items of an excerpt's list stand in it."""
        listed = [at for at, each in enumerate(excerpt) if each.kind == "list"]
        at = listed[0] if listed else 0
        for _, sentences in items_of([excerpt[n] for n in listed], self.context) if listed else ():
            yield range(at, at + len(sentences))
            at += len(sentences)

    def _is_definition(self, block: Block) -> bool:
        """Whether a block is the first paragraph under a heading that is what is to be defined."""
        first = block.sentences[0]
        titles = self.context.titles(first)
        is_first = first.kind == "paragraph" and first.paragraph == 1
        return is_first and bool(titles) and names_subject(self.asked, titles[-1])

    def _from_beginning(self, block: Block, excerpt: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        """An excerpt with what stands before it in its paragraph, if that is short."""
        if excerpt[-1] not in block.sentences:
            return excerpt
        longer = block.sentences[: block.sentences.index(excerpt[-1]) + 1]
        while len(longer) > 1 and _words(longer) > LONGEST_WHOLE:
            longer = longer[:-1]
        return longer if set(longer) & set(excerpt) else excerpt

    def _whole_section(self, excerpt: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        """The paragraphs of an excerpt's section, none if they are long: what explains often stands
        beside what matches."""
        first = excerpt[0]
        titles = self.context.titles(first)
        if first.kind in CODE_KINDS or not titles:
            return ()
        section = tuple(
            sentence
            for sentence in self.context.sentences
            if sentence.source == first.source
            and sentence.kind != "mermaid"
            and self.context.titles(sentence) == titles
        )
        prose = [sentence for sentence in section if sentence.kind not in CODE_KINDS]
        fits_in = _words(prose) <= LONGEST_SECTION and len(section) - len(prose) <= SECTION_CODE
        is_more = len({sentence.block for sentence in section}) > 1
        return section if fits_in and is_more and set(excerpt) <= set(section) else ()

    def _procedure(self, excerpt: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        """An excerpt with the blocks after it in its section, which go on with what to do."""
        titles = self.context.titles(excerpt[-1])
        after = next_of(excerpt[-1], self.context)
        while after and self.context.titles(after) == titles:
            place = (after.source, after.block)
            block = tuple(s for s in self.context.sentences if (s.source, s.block) == place)
            block = block[block.index(after) :]
            longer = (*excerpt, *block)
            prose = [s for s in longer if s.kind not in CODE_KINDS]
            goes_on = self._is_next_step(block, excerpt)
            most = LONGEST_STEPS if goes_on else LONGEST_PROCEDURE
            most_code = STEPS_CODE if goes_on else LONGEST_CODE
            if _words(prose) > most or len(longer) - len(prose) > most_code:
                break
            if _tells(Block(block)):
                excerpt = longer
            after = next_of(block[-1], self.context)
        return excerpt

    def _is_next_step(self, block: Sequence[Sentence], excerpt: Sequence[Sentence]) -> bool:
        """Whether a block goes on with an excerpt's numbered steps, or is the code of one."""
        if block[0].kind == "code":
            return self._numbers(excerpt[-1:]) != ()
        return block[0].kind == "list" and max(self._numbers(block), default=0) > 1

    def _numbers(self, sentences: Sequence[Sentence]) -> tuple[int, ...]:
        """The numbers of a list's items that sentences belong to."""
        if sentences[0].kind != "list":
            return ()
        items = items_of(sentences, self.context)
        return tuple(item.number for item, _ in items if item.number is not None)

    def _is_item(self, block: Block) -> bool:
        """Whether a block is one of several things that are asked for, of one sentence each."""
        titles = self.context.titles(block.sentences[0])
        if not titles or not _is_short(block.sentences):
            return False
        if self.asked.kind == "list":
            return covered(self.asked, term_set(titles[-1])) >= TOGETHER
        return names_aspect(self.asked, titles[-1])

    def _listed_by(self, block: Block) -> tuple[Sentence, ...]:
        """The paragraphs of a section that are a list in all but form; none if it is alone."""
        titles = self.context.titles(block.sentences[0])
        members = [
            each.sentences
            for each in self.blocks
            if each.source == block.source and self.context.titles(each.sentences[0]) == titles
        ]
        found: list[Sentence] = []
        for sentences in members:
            fits_in = _words(found) + _words(sentences) <= LONGEST_LISTED
            if not _is_short(sentences) or not fits_in:
                break
            found += sentences
        return tuple(found) if block.sentences[0] in found and len(found) > LISTED_FROM else ()

    def _without_other_side(self, excerpt: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        """An excerpt from where it comes to the side of the subject that is asked ("There are a few
        drawbacks …"), if it begins with the other side and can begin there."""
        for at, sentence in enumerate(excerpt):
            can_begin = sentence.kind in PROSE_KINDS and not opens_with_anaphor(sentence.text)
            if can_begin and names_aspect(self.asked, sentence.text):
                return excerpt[at:]
        return excerpt

    def _words_of(self, sentences: Sequence[Sentence], titles: bool = True) -> frozenset[str]:
        words = [self.context.words[self.context.position[s.id]] for s in sentences]
        above = self.context.heading_words[sentences[0].source] if titles else frozenset()
        return frozenset().union(*words, above)

    def _values(self, asked: Question, scores: Sequence[float]) -> list[float]:
        return [self._value(asked, block, scores) for block in self.blocks]

    def _value(self, asked: Question, block: Block, scores: Sequence[float]) -> float:
        """How well a block answers."""
        members = (*block.lead, *block.sentences)
        best = max(scores[self.context.position[s.id]] for s in members)
        if all(sets_a_task(s, self.context) for s in block.sentences):
            return best
        value = best + COVERED * covered(asked, self._words_of(members))
        titles = self.context.titles(block.sentences[0])
        if asked.kind == "list" and block.kind in ("list", "table"):
            above = " ".join((*titles[-1:], *(sentence.text for sentence in block.lead)))
            value += LISTED * (1 + names_listed(asked, above))
        if asked.kind == "code":
            value += self._coded(asked, block)
        if asked.kind == "how-to" and block.kind in ("list", "code"):
            value += LISTED / 2
        if titles and names_aspect(asked, titles[-1]):
            is_of_subject = covered(asked, term_set(" ".join(titles))) >= TOGETHER
            value += SIDE_OF_SUBJECT if is_of_subject else TITLED
        if titles and names_other_aspect(asked, titles[-1]):
            value -= OTHER_ASPECT
        if titles and block.sentences[0].paragraph == 1 and names_subject(asked, titles[-1]):
            value += TITLED
        if titles and _SUMMARY.search(titles[-1]):
            value -= SUMMARISES
        is_first = len(titles) == 1 and block.sentences[0].paragraph == 1
        if is_first and block.kind == "paragraph" and asked.kind in ("how-to", "code"):
            value -= SUMMARISES  # what a page is about, and not how it is done
        if (titles and _LINKS.search(titles[-1])) or _is_of_links(block, self.context):
            value -= LEADS_AWAY
        if any(map(_CHANGES.search, titles)) and not _ASKS_CHANGES.search(asked.text):
            value -= LEADS_AWAY
        value -= MISNAMED * len(_codes(asked.text) - self._words_of(members))
        value -= LEADS_AWAY * _names_another(asked.text, " ".join(titles))
        return value

    def _coded(self, asked: Question, block: Block) -> float:
        if block.kind != "code":
            return 0.0
        named = _language_of(block, self.context)
        if asked.language and named and language_name(asked.language) != named:
            return CODED - OTHER_LANGUAGE
        return CODED


def _tells(block: Block) -> bool:
    """Whether a block has words of its own: no diagram, no directive that includes another file."""
    return block.kind != "mermaid" and any(
        re.search(r"\w{2}", s.text) and not _DIRECTIVE.match(s.text) for s in block.sentences
    )


def _is_short(paragraph: Sequence[Sentence]) -> bool:
    """Whether a paragraph has one sentence, or a heading run in and a few."""
    told = [sentence for sentence in paragraph if not is_label(sentence)]
    most = 1 if len(told) == len(paragraph) else MOST_AFTER_LABEL
    return paragraph[0].kind == "paragraph" and len(told) <= most


def _words(sentences: Sequence[Sentence]) -> int:
    return sum(len(words_of(sentence.text)) for sentence in sentences)


def _codes(question: str) -> frozenset[str]:
    """The stems of a question's code names, which stand for nothing but themselves."""
    return frozenset(term for name in _CODE_NAME.findall(question) for term in term_set(name))


def _names_another(question: str, titles: str) -> bool:
    """Whether headings have code names like the question's ("T4" for "T2") and none of its own."""
    asked, told = set(_CODE_NAME.findall(question)), set(_CODE_NAME.findall(titles))
    series = {name.rstrip("0123456789") for name in asked}
    return not asked & told and any(name.rstrip("0123456789") in series for name in told)


def _is_of_links(block: Block, context: Context) -> bool:
    """Whether nearly every item of a list or row of a table begins with a link."""
    if block.kind not in ("list", "table"):
        return False
    text = source_of(block.sentences[0], context)
    items = len(_ITEM.findall(text)) - 2 * (block.kind == "table")
    return items > 1 and len(_LINK_ITEM.findall(text)) >= LINKED * items


def _overlap(excerpt: Sequence[Sentence], chosen: Sequence[Sequence[Sentence]]) -> bool:
    taken = {sentence.id for each in chosen for sentence in each}
    return any(sentence.id in taken for sentence in excerpt)


def _breaks_off(excerpt: Sequence[Sentence]) -> bool:
    """Whether an excerpt needs what stands before or after it."""
    return opens_with_anaphor(excerpt[0].text) or excerpt[-1].text.endswith(":")


def _language_of(block: Block, context: Context) -> str:
    """The language of a code block, else empty."""
    chunk = context.sources[block.source].chunk
    wanted = block.sentences[0].block
    parts = [part for part in chunk.parts if part.block == wanted] if chunk else []
    return language_of_code(chunk, parts[0]) if chunk and parts else ""


def needs_more_than_quotes(question: str, quotes: Sequence[str]) -> bool:
    """Whether what was asked has to be worked out from the quotes, which do not say it as such.

    A sum or a conversion always has to; a comparison unless the quotes hold both sides; a reason
    unless a quote gives one.
    """
    if not quotes:
        return False
    if _WORKED_OUT.search(question):
        return True
    asked = read_question(question)
    if asked.kind == "comparison":
        return covered(asked, term_set(" ".join(quotes))) < TOGETHER
    return asked.kind == "cause" and not any(fits(asked, quote) for quote in quotes)


__all__ = ["CODE_KINDS", "QuoteWriter", "needs_more_than_quotes"]
