"""What a question is about: its subject, in the question's own words. Pure, English, by rules."""

from __future__ import annotations

import re

from functions.answer.text.words import LazyPattern, is_common

WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
AUX = (
    r"(?:is|are|was|were|am|be|been|do|does|did|can|could|will|would|shall|should|may|might|must|"
    r"has|have|had)"
)
JOIN = LazyPattern(r"^(?:(?:and|but|so|also|then|ok(?:ay)?|well|or|now|yes|no|hmm|i see)[,.]? )+")
STOPS = frozenset(
    """a about after all also am an and any are as at be because been being both but by can could
    did do does doing during each for from had has have how i if in into is just may me might
    more most much must my need not of on only or other our over same shall should so some
    such than the then there through to too under up us used use very was we were what when
    where which while who why will with without would you your again now mean means called
    work works exactly really else often long many far fast big large good bad else always
    never it its they them their this that these those he she him his her one ones itself
    themselves happen happens make makes made take takes get gets go goes come comes help
    helps look looks say says differ differs matter matters compare compares different
    important useful necessary possible needed happening first last keep keeps give gives
    given apply apply applied show shows shown know known see seen""".split()
)
_FRAME_WORDS = frozenset(
    """purpose role meaning definition function importance difference advantage advantages
    benefit benefits drawback drawbacks disadvantages use uses value size number amount kind
    kinds type types part parts name cause causes effect effects result reason idea concept
    point goal formula example examples unit units history origin main key limit limits""".split()
)

VERBS = frozenset(
    """keep work help cause move use make need do differ affect happen measure know get give take
    become run fall walk act respond react learn change mean compute contain include provide
    require allow let turn grow reach stay stop start begin end come go look play show sense
    see feel hold lift carry push pull follow lead support control prevent protect reduce
    increase improve describe define explain belong depend differ relate compare matter lie
    stand sit rise cost last fail try tend decide choose find form create produce store send
    receive read write say tell call think believe consist apply perform handle solve serve
    speak have exist appear want like prefer avoid deal cope communicate interact behave
    represent correspond correct cover explain detect convert drive turn store save load build
    model plan track map join share combine add remove replace contribute occur arise result
    influence shape determine define protect resist oppose enter leave meet win lose pass
    cross open close break bend rotate balance stabilise stabilize swing oscillate depend
    scale fit match recover adapt adjust respond operate function process run spin""".split()
)
_BE = frozenset("is are was were am be been".split())
_PREDICATE = LazyPattern(r"(?:able|ible|ful|less|ous)$")
PRONOUN = LazyPattern(
    r"\b(?P<word>it|its|they|them|their|theirs|itself|themselves|he|she|him|his|her|hers)\b|"
    r"\b(?P<pointing>this|that|these|those)\b(?!,| (?:is|was|are|were) (?:a|an|the|not)\b)"
)


def subject_of(question: str) -> str | None:
    """What a question is about, in its own words; None when it names nothing."""
    original = " ".join(question.replace("’", "'").split()).strip(" .!?…")
    text = JOIN.sub("", original.lower())
    text = original[len(original) - len(text) :]
    lowered = text.lower()
    framed = re.match(
        r"(?:tell me(?: more)? about|explain|describe|define|what about|how about|summari[sz]e|"
        r"(?:give me )?an? (?:overview|summary|example) of|what is an example of) "
        r"(?P<rest>.+)", lowered
    )  # fmt: skip
    if framed and not re.match(rf"(?:{WH}|the difference)\b", framed.group("rest")):
        return _trimmed(text[framed.start("rest") :])
    asked = re.match(
        rf"(?:(?:in|for|to|at|on|from|by|under|with) )?{WH}(?: (?:\w+ ){{0,3}}?)?(?:'s|"
        rf"{AUX})(?:n't)? "
        rf"|{AUX} |(?:which|what) ",
        lowered,
    )
    rest = text[asked.end() :] if asked else text
    opening = asked.group().split() if asked else []
    is_passive = bool(opening) and (opening[-1] in _BE or opening[-1].endswith("'s"))
    return _trimmed(_noun_phrase(rest, not is_passive)) or _last_phrase(rest)


def _noun_phrase(rest: str, takes_base_verb: bool) -> str:
    """The words up to the verb or to a preposition; what follows "of" belongs to it."""
    words = rest.split()
    if (
        len(words) > 2
        and words[0].lower() in ("a", "an", "the")
        and words[1].lower() in _FRAME_WORDS
    ):
        for at in range(2, min(5, len(words) - 1)):
            if words[at].lower() in ("of", "for", "to", "behind", "between"):
                return _noun_phrase(" ".join(words[at + 1 :]), False)
    kept: list[str] = []
    for word in words:
        low = word.lower().strip(",;:()\"'")
        if kept and kept[-1].lower() not in ("a", "an", "the", "of", "and"):
            if takes_base_verb and (low in VERBS or re.search(r"(?:ify|i[sz]e|ate)$", low)):
                break
            if low in ("of", "and") and kept:
                kept.append(word)
                continue
            if low in STOPS or (
                not takes_base_verb
                and re.search(r"(?:ed|ured|lt|ept|own|iven)$", low)
                and is_common(low)
            ):
                break
        kept.append(word)
        if word.endswith((",", ";", ":")):
            break
    while kept and (
        kept[-1].lower() in ("of", "and", "the", "a", "an")
        or (len(kept) > 1 and not takes_base_verb and _PREDICATE.search(kept[-1].lower()))
    ):
        kept.pop()
    return " ".join(kept)


def _last_phrase(text: str) -> str | None:
    """The last run of content words."""
    runs: list[list[str]] = [[]]
    for word in text.split():
        if word.lower().strip(",;:()\"'") in STOPS:
            runs.append([])
        else:
            runs[-1].append(word)
    last = [run for run in runs if run]
    return _trimmed(" ".join(last[-1])) if last else None


def _trimmed(phrase: str) -> str | None:
    phrase = re.sub(
        r"^(?:the book's |the )?(?:concept|idea|notion|meaning|term) (?:of )?",
        "",
        phrase.strip(" ,;:"),
    )
    words = phrase.split()
    told = [word for word in words if word.lower().strip("'\",") not in STOPS]
    if not told or len(words) > 9 or PRONOUN.fullmatch(phrase.lower()):
        return None
    return phrase
