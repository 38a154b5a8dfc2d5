"""Rewrites a follow-up question ("and how is it measured?") so that it can be searched for. Pure.

English, by rules. A question that names its subject is never changed.
"""

from __future__ import annotations

import re

from functions.answer.text.words import LazyPattern
from functions.query.intents.question_subject import (
    AUX,
    JOIN,
    PRONOUN,
    STOPS,
    VERBS,
    WH,
    subject_of,
)

_BARE_WORD = LazyPattern(
    r"(?P<wh>why|how|when|where|who|how so|how come|why not|why so|why is that|how is that|"
    r"how exactly|why exactly|how often|how long|how much|how many|since when|in what way|"
    r"for what|what for|to what end|under what conditions)"
)
_MORE = LazyPattern(
    r"(?:(?:can|could|would) you |please )*(?:tell me more|(?:explain|say|show me|give me) more"
    r"(?: details?)?|more(?: details?| please| information| info)?|go on|continue|elaborate"
    r"(?: on (?:that|this|it))?|explain (?:that|this|it)(?: (?:further|again|better|more|"
    r"in detail|in "
    r"more detail|more simply|in simple(?:r)? (?:terms|words)))*|what else(?: is there)?|"
    r"anything else|what do you mean(?: by (?:that|this|it))?|what does (?:that|this|it) mean|"
    r"in more detail|in simpler (?:words|terms)|expand on (?:that|this|it)|and)"
)
_EXAMPLE = LazyPattern(
    r"(?:(?:can|could) you )?(?:give|show|name|provide)?(?: me)? ?(?:an? |some |any |one |"
    r"another )?"
    r"(?:examples?|instances?)(?: of (?:that|this|it))?|(?:for|such as|like) (?:example|"
    r"instance|what)"
    r"|such as|like what|is there an example|are there (?:any )?examples"
)
_ABOUT = LazyPattern(r"(?:what|how) about (?P<new>.{2,80})")
_AND_ALONE = LazyPattern(
    r"(?:and|or) (?:for |in |with |on |of |at )?(?P<new>(?:the |an? )?[\w'-]+(?: [\w'-]+){0,3})"
)
_OWN = frozenset({"its", "their", "his", "her", "theirs", "hers"})
# "It" that refers to nothing, and words that refer to what the reader has open.
_EMPTY_IT = LazyPattern(
    r"\b(?:(?:is|was|be|isn't|wasn't|makes?|made|find|found|"
    r"consider(?:ed)?) it (?:\w+ly )?(?:\w+ )?"
    r"(?:to|that|for|when|if|called|said|known|believed|thought)\b"
    r"|it (?:be|have been|become|is|was|takes?|took|seems?|appears?|means|rains?|snows?|gets?|"
    r"would|could|might|may|can)"
    r"(?: not)?(?: \w+){0,2} (?:to|that|for|when|if)\b"
    r"|(?:does|did|do|would|will|can|could) it (?:take|mean|make sense|cost|matter|feel|rain|"
    r"look like|"
    r"happen|help|hurt)\b(?=.* (?:to|that|for|when|if)\b)"
    r"|is it (?:possible|important|necessary|true|common|better|good|bad|easier|hard|safe|"
    r"legal|ok|okay|"
    r"useful|worth|difficult|enough)\b)"
)
_HERE = LazyPattern(
    r"\b(?:this|that|these|those) (?:\w+ )?(?:book|chapter|page|section|text|passage|lesson|part|"
    r"code|figure|table|diagram|example|exercise|article|document|paragraph|unit|module|course|"
    r"way)s?\b"
)
_SAYING = frozenset(
    "say think know believe mean see show suppose assume claim such so said".split()
)
_MEAN_WHY = frozenset(("why not", "how come", "what for", "for what", "to what end", "why so"))
_MOST_WORDS = 14


def is_follow_up(question: str) -> bool:
    """Whether the question cannot be understood without the one before it."""
    text = _plain(question)
    if not text or len(text.split()) > _MOST_WORDS:
        return False
    joined = JOIN.sub("", text)
    if any(pattern.fullmatch(joined) for pattern in (_BARE_WORD, _MORE, _EXAMPLE)):
        return True
    return _other_named(text, joined) is not None or _unbound(joined) is not None


def rewrite_follow_up(question: str, previous: str) -> str | None:
    """The question with its anaphora resolved from the previous one; None when it has none, or
    none that can be resolved."""
    text, before = _plain(question), _plain(previous)
    if not is_follow_up(question) or not before:
        return None
    joined = JOIN.sub("", text)
    subject = subject_of(previous)
    if _BARE_WORD.fullmatch(joined):
        return _asked_anew(joined, _bare(previous), subject)
    if subject is None:
        return None
    if _MORE.fullmatch(joined):
        return f"Tell me more about {subject}"
    if _EXAMPLE.fullmatch(joined):
        return f"What is an example of {subject}?"
    if new := _other_named(text, joined):
        return _about_another(new, previous, subject)
    found = _unbound(joined)
    if found is None:
        return None
    word = found.group()
    put_in = f"{subject}'s" if word in _OWN and not subject.endswith("s") else subject
    if word in _OWN and subject.endswith("s"):
        put_in = f"{subject}'"
    start, end = found.span()
    after = joined[end:]
    if (
        found.group("pointing")
        and re.match(r" [a-z]+", after)
        and not re.match(rf" {AUX}\b", after)
    ):
        # "that force": the word that follows says what is meant, the subject says of what.
        noun = re.match(r" ([a-z]+)", after)
        if noun and noun.group(1) not in STOPS and noun.group(1) not in VERBS:
            return _sentence(f"{joined} ({subject})")
    return _sentence(joined[:start] + put_in + after)


def _other_named(text: str, joined: str) -> str | None:
    """What "what about …?" or "and …?" puts in place of the previous subject."""
    found = _ABOUT.fullmatch(joined)
    if found is None and not re.search(rf"\b(?:{WH}|{AUX})\b", joined):
        found = _AND_ALONE.fullmatch(text)
    return found.group("new") if found else None


def _unbound(text: str) -> re.Match[str] | None:
    """The first pronoun without an antecedent in the question."""
    hidden = text
    for pattern in (_HERE, _EMPTY_IT):
        hidden = pattern.sub(lambda found: "_" * len(found.group()), hidden)
    for found in PRONOUN.finditer(hidden):
        before = hidden[: found.start()]
        if found.group("pointing") == "that" and _joins(before, hidden[found.end() :]):
            continue
        told = re.findall(r"[a-z0-9'-]+|_+", before)
        if any(word not in STOPS and word not in VERBS for word in told):
            return None
        return found
    return None


def _joins(before: str, after: str) -> bool:
    """Whether a "that" joins two clauses and refers to nothing."""
    last = before.split()[-1] if before.split() else ""
    return bool(after.strip()) and (last in _SAYING or (bool(last) and last not in STOPS))


def _asked_anew(asked: str, before: str, subject: str | None) -> str:
    """The previous question with another question word: "why?" after "How does a robot fall?"."""
    words = asked.split()
    word = words[0]
    if asked in _MEAN_WHY:
        word = "why"
    elif len(words) > 1 and words[1] in ("often", "long", "much", "many", "when", "what"):
        word = asked
    low = before.lower()
    if subject and low.endswith(subject.lower()) and not re.match(r"(?:how|why|when|where)\b", low):
        return _sentence(f"{word} {subject}")
    if found := re.match(rf"{WH}(?='s|n't|\b)(?: (?={AUX}\b))?", low):
        return _sentence(f"{word} {before[found.end() :].strip()}")
    return _sentence(f"{word} {before}" if re.match(rf"{AUX}\b", low) or not subject
                     else f"{word} {subject}")  # fmt: skip


def _about_another(new: str, previous: str, subject: str) -> str:
    """The previous question asked of something else."""
    before = _bare(previous)
    new = re.sub(r"^(?:for|in|with|on|of|at) ", "", new)
    if place := re.search(rf"\b{re.escape(subject.lower())}", before.lower()):
        return _sentence(before[: place.start()] + new + before[place.end() :])
    return _sentence(f"{before}, {new}")


def _bare(question: str) -> str:
    """A question without its mark and with a small first letter."""
    text = " ".join(question.replace("’", "'").split()).strip(" .!?…")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _plain(question: str) -> str:
    return " ".join(question.replace("’", "'").split()).lower().strip(" .!?…")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[:1].upper()}{text[1:]}?"
