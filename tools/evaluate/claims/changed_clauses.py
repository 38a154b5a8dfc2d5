"""Unsupported claims: the parts of sentences exchanged, turned round or cut off."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tools.evaluate.claims.book_sentences import Book, BookSentence
from tools.evaluate.claims.claim import Claim, claim
from tools.evaluate.claims.inflection import agreed, bare_verb
from tools.evaluate.claims.lexicon import ASYMMETRIC
from tools.evaluate.claims.phrases import (
    Clause,
    Phrase,
    clause_at,
    is_plural,
    is_pronoun,
    main_clause,
    noun_phrase,
)
from tools.evaluate.claims.tagged_sentence import TaggedSentence

_CAUSES = frozenset("cause lead result produce trigger enable elicit stimulate influence".split())
_BELIEF = re.compile(
    r"(?:^|, (?:and|but|so) )(?P<who>(?:[\w'’-]+ ){1,6}?)(?:(?:may|might|could|would|will) )?"
    r"(?:also |often |even |then )?(?:believes?|believed|thinks?|thought|argues?|argued|claims?"
    r"|claimed|suggests?|suggested|assumes?|assumed|expects?|hypothesi[sz]ed?s?|proposes?|proposed|suspects?"
    r"|speculated?s?|hopes?|feels?|felt|predicts?|predicted) that (?P<what>.+)$"
)
_HELD = re.compile(
    r"^(?:It (?:is|was|has been) (?:(?:often|commonly|generally|widely|also) )?(?:believed|thought"
    r"|claimed|argued|suggested|assumed|possible|likely|hoped|expected|said) that"
    r"|According to [^,]{3,60},|In (?:his|her|their) view,"
    r"|(?:Some|Many|Most|Critics|Proponents|Supporters)(?: [\w-]+){0,3} (?:say|believe|argue|think"
    r"|feel|claim|suggest)(?: that)?) "
)
_AIM = frozenset("aim try attempt intend seek hope plan".split())
_WISH = re.compile(
    r"(?i)\b(?:want|wants|would like|['’]d like|need|prefer|wish|curious|familiar|wonder|look|think"
    r"|recall|remember|see|know|unsure|stuck|interested|new to|feel|like to|reading|care)\b"
)
_INTRANSITIVE = frozenset(
    "restart stop start move run work fail panic compile end return happen occur change apply "
    "exist block expire persist".split()
)
_OPEN_ENDS = frozenset("even as see check determine not test".split())
_CONDITION = re.compile(r"^(?:If|Unless|As long as|Provided that|Until|Only if|Only when)\b")
_LATE_CONDITION = re.compile(
    r",? (?P<word>only if|only when|if|unless|as long as|provided that|except when|except if"
    r"|except for|except in|only in|only for|only with|only on|only by|only after|until) "
)
_LIMITS = re.compile(
    r"^(?:In (?:early|older|strict|display|debug|release|unsafe|text|some|certain|many|most|rare"
    r"|[\w-]+ mode)[^,]{0,50}|By default|Without [^,]{3,40}|Under [^,]{3,40}|Except [^,]{3,40}"
    r"|In theory|In principle|At (?:first|best|least)|For (?:some|many|most|certain)[^,]{3,40}), "
)


def roles_swapped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """Subject and object exchanged."""
    sentence = source.tagged
    for found in filter(None, [main_clause(sentence)]):
        base = bare_verb(sentence.words[found.verb], sentence.tokens[found.verb].tag)
        if not _has_roles(sentence, found) or base not in ASYMMETRIC - _CAUSES:
            continue
        if text := _exchanged(sentence, found, book, base):
            yield claim(text, source)
    for text in _agents_exchanged(sentence, book):
        yield claim(text, source)


def cause_turned(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """The effect said to be the cause."""
    sentence = source.tagged
    for found in filter(None, [main_clause(sentence)]):
        base = bare_verb(sentence.words[found.verb], sentence.tokens[found.verb].tag)
        if (
            base in ("cause", "produce", "trigger", "enable")
            and _has_roles(sentence, found)
            and (text := _exchanged(sentence, found, book, base))
        ):
            yield claim(text, source)
        link = sentence.words[found.after : found.after + 1]
        if base in ("lead", "result") and found.is_simple() and link in (("to",), ("in",)):
            other = noun_phrase(sentence, found.after + 1)
            if other and other.last == sentence.stop and not is_pronoun(sentence, found.subject):
                form = f"{agreed(base, is_plural(sentence, other))} {link[0]}"
                subject = _text(sentence, found.subject)
                text = f"{_text(sentence, other)} {form} {book.lowered(subject)}"
                yield claim(text, source)
    yield from _reasons_turned(source, book)


def _reasons_turned(source: BookSentence, book: Book) -> Iterator[Claim]:
    sentence = source.tagged
    words = sentence.words
    for at, word in enumerate(words):
        if word not in ("because", "so") or at == 0:
            continue
        follows = words[at + 1 : at + 2]
        if follows in (("of",), ("that",), ("far",), ("many",), ("much",), (",",)) or (
            word == "so" and words[at - 1] != ","
        ):
            continue
        first, second = clause_at(sentence, 0, at), clause_at(sentence, at + 1, sentence.stop)
        if not first or not second or "," in words[at + 1 : sentence.stop]:
            continue
        if _same_pronouns(sentence, first, second) or "," in words[: at - 1]:
            continue
        left = sentence.between(0, at).rstrip(" ,")
        right = sentence.between(at + 1, sentence.stop)
        yield claim(f"{right}{', so' if word == 'so' else ' because'} {book.lowered(left)}", source)
    if words[0] == "because" and "," in words:
        comma = words.index(",")
        first = clause_at(sentence, 1, comma)
        second = clause_at(sentence, comma + 1, sentence.stop)
        if first and second and not _same_pronouns(sentence, first, second):
            reason, effect = sentence.between(1, comma), sentence.between(comma + 1, sentence.stop)
            yield claim(f"Because {effect}, {reason}", source)


def cause_invented(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """Two facts that the text only sets side by side, one given as the reason for the other."""
    sentence = source.tagged
    for at in range(2, sentence.stop):
        if sentence.words[at] == "and" and sentence.words[at - 1] == ",":
            first, second = (
                clause_at(sentence, 0, at - 1),
                clause_at(sentence, at + 1, sentence.stop),
            )
            if first and second and not _same_pronouns(sentence, first, second):
                left, right = sentence.between(0, at - 1), sentence.between(at + 1, sentence.stop)
                yield claim(f"{left} because {right}", source)
    for other in source.neighbours:
        if abs(other.position - source.position) < 2 or len(other.text.split()) > 16:
            continue
        if not (other.is_statement and other.stands_alone) or len(source.text.split()) > 16:
            continue
        if main_clause(sentence) and (reason := main_clause(other.tagged)):
            same = _stems(other.tagged, reason.subject.first, reason.subject.last) & _stems(
                sentence, 0, sentence.stop
            )
            plain = not is_pronoun(other.tagged, reason.subject) and not same
            if plain and "," not in other.text + source.text:
                text = f"{source.text.rstrip('.')} because {book.lowered(other.text)}"
                yield claim(text, source, other)
                return


def crossed(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """The subject of one sentence with the predicate of another."""
    sentence, found = source.tagged, main_clause(source.tagged)
    if found is None or is_pronoun(sentence, found.subject):
        return
    own = _stems(sentence, 0, sentence.stop)
    for other in source.neighbours[:6]:
        if not (other.is_statement and other.stands_alone):
            continue
        there = main_clause(other.tagged)
        if there is None or is_pronoun(other.tagged, there.subject):
            continue
        theirs = _stems(other.tagged, there.subject.first, there.subject.last)
        everything = _stems(other.tagged, 0, other.tagged.stop)
        subject = _stems(sentence, found.subject.first, found.subject.last)
        if subject & everything or theirs & own or not theirs or not subject:
            continue
        if is_plural(sentence, found.subject) != is_plural(other.tagged, there.subject):
            continue
        predicate = other.tagged.between(there.subject.last, other.tagged.stop)
        yield claim(f"{_text(sentence, found.subject)} {predicate}", source, other)
        return


def conjuncts_swapped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What is said of two things, each said of the other."""
    sentence = source.tagged
    words = sentence.words
    for at in range(2, sentence.stop):
        if words[at] not in ("and", "but", "while", "whereas", ";"):
            continue
        end = at - 1 if words[at - 1] == "," else at
        first, second = clause_at(sentence, 0, end), clause_at(sentence, at + 1, sentence.stop)
        if first and second and _can_cross(sentence, first, second):
            one, two = _text(sentence, first.subject), _text(sentence, second.subject)
            does = sentence.between(first.subject.last, end)
            other = sentence.between(second.subject.last, sentence.stop)
            join = sentence.between(end, at + 1)
            yield claim(f"{two} {does}{join if join[0] in ',;' else ' ' + join} "
                        f"{book.lowered(one)} {other}", source)  # fmt: skip
    for text in _objects_swapped(sentence):
        yield claim(text, source)


def _objects_swapped(sentence: TaggedSentence) -> Iterator[str]:
    """The objects of two verbs joined by "and"."""
    tokens, words = sentence.tokens, sentence.words
    for at in range(1, sentence.stop):
        if words[at] != "and" or tokens[at + 1].tag not in ("VVI", "VVZ", "VVB", "VVG", "VVD"):
            continue
        second = noun_phrase(sentence, at + 2)
        for start in range(max(1, at - 8), at):
            first = noun_phrase(sentence, start)
            if first is None or first.last != at or second is None:
                continue
            same = tokens[start - 1].tag == tokens[at + 1].tag
            shared = _stems(sentence, first.first, first.last) & _stems(
                sentence, second.first, second.last
            )
            if same and not shared and tokens[start - 1].tag.startswith("VV"):
                one, two = _text(sentence, first), _text(sentence, second)
                middle = sentence.between(at, at + 2)
                yield sentence.replaced(first.first, second.last, f"{two} {middle} {one}")
            break


def condition_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A condition, an exception or a limit cut off."""
    sentence, text = source.tagged, source.text
    if _CONDITION.match(text):
        if "," in sentence.words and not _WISH.search(text.split(",")[0]):
            start = sentence.words.index(",") + 1
            unclear = sentence.words[start] in ("it", "they", "this", "that", "we")
            offers = sentence.words[start : start + 2] == ("you", "can")
            if clause_at(sentence, start, sentence.stop) and not unclear and not offers:
                yield claim(sentence.between(start, sentence.stop), source)
    elif late := _LATE_CONDITION.search(text):
        before = TaggedSentence(text[: late.start()] + ".")
        if not _WISH.search(text[late.start() :]) and _can_end_here(before, late, text):
            yield claim(before.text, source)
    elif (limit := _LIMITS.match(text)) and main_clause(TaggedSentence(text[limit.end() :])):
        yield claim(text[limit.end() :], source)


def _can_end_here(before: TaggedSentence, late: re.Match[str], text: str) -> bool:
    """Whether what stands before a condition is a sentence, and says more without it."""
    whole = main_clause(before)
    if whole is None or text[late.end() :].startswith("let "):
        return False
    last, word = before.tokens[-2], before.words[whole.verb]
    if last.tag in ("AT0", "PRP", "CJT", "DPS", "TO0", "CJC", "CJS") or last.lower in _OPEN_ENDS:
        return False
    if late["word"].startswith("only ") and word in ("can", "could", "may", "might", "want"):
        return False
    if whole.main + 1 < before.stop or before.tokens[whole.main].tag == "VVN":
        return True
    base = bare_verb(last.lower, last.tag)
    return base in _INTRANSITIVE


def attitude_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What somebody believes, or aims at, said as a fact."""
    sentence = source.tagged
    if (belief := _BELIEF.search(source.text)) and not re.search(
        r"(?i)\bnot?\b|n['’]t\b", belief["who"]
    ):
        if "suggest" in belief[0] and re.match(r"(?:we|you|they) ", belief["what"]):
            return
        if clause_at(TaggedSentence(belief["what"]), 0, len(TaggedSentence(belief["what"]).tokens)):
            yield claim(belief["what"], source)
    if held := _HELD.match(source.text):
        rest = TaggedSentence(source.text[held.end() :])
        if clause_at(rest, 0, rest.stop):
            yield claim(rest.text, source)
    for found in filter(None, [main_clause(sentence)]):
        base = bare_verb(sentence.words[found.verb], sentence.tokens[found.verb].tag)
        at = found.after
        if (
            base in _AIM
            and sentence.words[at : at + 1] == ("to",)
            and found.is_simple()
            and sentence.tokens[at + 1].tag in ("VVI", "VBI")
        ):
            plural = is_plural(sentence, found.subject) or is_pronoun(sentence, found.subject)
            form = agreed(sentence.words[at + 1], plural)
            yield claim(sentence.replaced(found.verb, at + 2, form), source)


def order_turned(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What comes first said to come second."""
    sentence = source.tagged
    words = sentence.words
    for at, word in enumerate(words[: sentence.stop]):
        if word not in ("before", "after") or words[at + 1] in ("all", "that", "this", ",", "we"):
            continue
        if {"before", "after"} <= set(words) or words[at - 1] in ("just", "long", "come", "the"):
            continue
        other = "after" if word == "before" else "before"
        text = other.capitalize() if at == 0 else other
        yield claim(sentence.replaced(at, at + 1, text), source)
    if words[0] in ("once", "after", "when") and "," in words:
        comma = words.index(",")
        first = clause_at(sentence, 1, comma)
        second = clause_at(sentence, comma + 1, sentence.stop)
        if first and second and words[0] != "when" and not _same_pronouns(sentence, first, second):
            opening = sentence.between(1, comma)
            then = sentence.between(comma + 1, sentence.stop)
            yield claim(f"{sentence.text[: len(words[0])]} {then}, {opening}", source)


def entries_crossed(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """The name of one entry of a list with what is said of another."""
    mine = entry(source)
    if mine is None:
        return
    others = [(other, found) for other in source.neighbours if (found := entry(other))]
    if others:
        other, (_, what) = draw.choice(others)
        if not set(re.findall(r"\w{5,}", what.lower())) & set(
            re.findall(r"\w{5,}", mine[1].lower())
        ):
            yield claim(f"{mine[0]} {involve(mine[0])} {what}", source, other)


ENTRY = re.compile(r"(?P<name>[A-Z][\w /-]{3,40}): (?P<what>[A-Z][a-z]+ing \w[^:;]{12,120})\.?\Z")


def entry(source: BookSentence) -> tuple[str, str] | None:
    """The name and the meaning of an entry of a list: "Speech Recognition: Understanding …"."""
    found = ENTRY.fullmatch(source.text) if source.paragraph.kind == "list" else None
    if found is None:
        return None
    what = found["what"]
    return found["name"], what[0].lower() + what[1:]


def involve(name: str) -> str:
    return (
        "involve"
        if name.endswith("s") and not name.endswith(("ss", "is", "ics", "as", "us"))
        else "involves"
    )


def _has_roles(sentence: TaggedSentence, found: Clause) -> bool:
    if found.object is None or not found.is_simple() or is_pronoun(sentence, found.subject):
        return False
    end = found.object.last
    after = sentence.words[end] if end < len(sentence.words) else "."
    before = sentence.words[found.object.first]
    shared = _stems(sentence, found.subject.first, found.subject.last) & _stems(
        sentence, found.object.first, found.object.last
    )
    fine = after in (
        ".",
        ",",
        "in",
        "from",
        "with",
        "for",
        "by",
        "at",
        "on",
        "when",
        "as",
        "during",
    )
    return fine and not shared and before not in ("itself", "each", "any", "no", "only")


def _exchanged(sentence: TaggedSentence, found: Clause, book: Book, base: str | None) -> str | None:
    if base is None or found.object is None:
        return None
    subject, other = _text(sentence, found.subject), _text(sentence, found.object)
    past = sentence.tokens[found.verb].tag == "VVD"
    form = sentence.words[found.verb] if past else agreed(base, is_plural(sentence, found.object))
    rest = sentence.between(found.object.last, sentence.stop)
    if "," in rest or "which" in rest:
        rest = rest.split(",")[0]
    return f"{other} {form} {book.lowered(subject)} {rest}"


def _agents_exchanged(sentence: TaggedSentence, book: Book) -> Iterator[str]:
    """ "X is built by Y" with X and Y exchanged."""
    found = main_clause(sentence)
    if found is None or is_pronoun(sentence, found.subject) or found.is_simple():
        return
    words = sentence.words
    if words[found.verb] in ("is", "are", "was", "were") and words[found.after] == "by":
        agent = noun_phrase(sentence, found.after + 1)
        if agent is None or sentence.tokens[found.main].tag not in ("VVN", "VVD"):
            return
        plural = is_plural(sentence, agent)
        past = words[found.verb] in ("was", "were")
        form = ("were" if plural else "was") if past else ("are" if plural else "is")
        middle = sentence.between(found.verb + 1, found.after + 1)
        subject = book.lowered(_text(sentence, found.subject))
        rest = sentence.between(agent.last, sentence.stop)
        if "," not in rest:
            yield f"{_text(sentence, agent)} {form} {middle} {subject} {rest}"


def _can_cross(sentence: TaggedSentence, first: Clause, second: Clause) -> bool:
    if is_pronoun(sentence, first.subject) or is_pronoun(sentence, second.subject):
        return False
    if is_plural(sentence, first.subject) != is_plural(sentence, second.subject):
        return False
    one = _stems(sentence, first.subject.first, first.subject.last)
    two = _stems(sentence, second.subject.first, second.subject.last)
    return bool(one and two) and one != two


def _same_pronouns(sentence: TaggedSentence, first: Clause, second: Clause) -> bool:
    """Whether one of two clauses cannot be read without the other."""
    heads = {sentence.words[first.subject.head], sentence.words[second.subject.head]}
    return bool(heads & {"it", "they", "he", "she", "this", "that", "these", "those"})


def _stems(sentence: TaggedSentence, first: int, last: int) -> frozenset[str]:
    return frozenset(
        token.lower.rstrip("s")[:7]
        for token in sentence.tokens[first:last]
        if token.is_noun or (token.tag == "AJ0" and len(token.text) > 3)
    )


def _text(sentence: TaggedSentence, phrase: Phrase) -> str:
    return sentence.between(phrase.first, phrase.last)
