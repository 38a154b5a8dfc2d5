"""What a question asks: its words, its kind, and how a text has to look to answer that kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from functions.answer.text.words import LazyPattern, matches, stem, term_set, terms_of

Kind = Literal[
    "", "definition", "how-to", "code", "list", "comparison", "cause", "drawback", "benefit",
    "number", "person",
]  # fmt: skip

_DRAWBACK = (
    r"disadvantages?|drawbacks?|downsides?|limit(?:s|ations?)?|limited|weakness(?:es)?|"
    r"shortcomings?|pitfalls?|risks?|risky|dangers?|dangerous|problems?|trade-?offs?|costs?|"
    r"costly|prices?|penalt(?:y|ies)|challenges?|criticisms?|caveats?|struggles?|cons"
)
_BENEFIT = r"advantages?|benefits?|pros|strengths?|merits?|upsides?|gains?"
_SEARCHED: dict[Kind, str] = {
    "drawback": "disadvantages drawbacks limits limitations costs problems",
    "benefit": "advantages benefits strengths",
}
_LANGUAGES = (
    r"python|rust|c\+\+|cpp|c#|java|javascript|typescript|js|ts|go|ruby|kotlin|swift|bash|shell|"
    r"sql|html|css|xml|json|yaml|toml|urdf|latex|tex"
)
_ASKED: tuple[tuple[Kind, LazyPattern], ...] = (
    ("code", LazyPattern(
        rf"\b(?:snippets?|source code|code (?:for|of|that|to|which)|code\W*$|the code\b|"
        rf"(?:{_LANGUAGES}) (?:code|snippet|version|example)|in code|"
        r"command[- ]line(?: option| flag)?|(?:which|what) command|command to|syntax (?:of|for)|"
        r"show me how|declared?\W*$|what (?:do|should|must) i (?:put|write|type|add)|"
        rf"\bwrite .{{2,60}} in (?:{_LANGUAGES})\W*$|"
        r"(?:show|give) me .{2,60} "
        rf"(?:manifest|file|config(?:uration)?|script|query|{_LANGUAGES})\W*$)", re.I)),
    ("comparison", LazyPattern(
        r"\b(?:compare[ds]?|comparing|comparison|contrast|differ(?:s|ent)?|differences?|"
        r"distinguish(?:es|ed)?|versus|vs)\b|"
        r"\b(?:better|worse|faster|slower|larger|smaller|older|younger|cheaper|safer|easier|harder|"
        r"stronger|weaker|more \w+|less \w+) than\b|advantages? of .{1,60} over\b", re.I)),
    ("cause", LazyPattern(
        r"^\W*(?:(?:and|but|so)\W+)?why\b|\b(?:explain|tell me|know|understand) why\b|"
        r"\bhow come\b|\bwhat(?:'s| is| are| was| were)? (?:the )?(?:caus(?:e|es|ed)|reasons?)\b|"
        r"\bfor what reason\b", re.I)),
    ("drawback", LazyPattern(
        rf"\b(?:{_DRAWBACK})\b|\b(?:not able|unable) to\b|\bwhat (?:can|do|does|is|are)"
        r"(?:n't| not| .{1,40} (?:not|lack))\b|\bwhat .{1,40} (?:can(?:no|')t|lacks?)\b|"
        r"\bbad about\b|\bgo(?:es)? wrong\b|\bfails?\b", re.I)),
    ("benefit", LazyPattern(rf"\b(?:{_BENEFIT})\b|\bgood (?:about|for)\b", re.I)),
    ("number", LazyPattern(
        r"\b(?:what|which)(?:['’]s| is| are| was| were)? (?:the )?"
        r"(?:(?:default|maximum|minimum|total|usual|exact|right) )*(?:number|amount|count) of\b",
        re.I)),
    ("how-to", LazyPattern(
        r"\bhow (?:to|do|can|could|should|would|might|must)(?: (?:i|we|you|one|people|someone|"
        r"a reader|developers?|users?|authors?)\b| )|\bsteps? (?:to|for|of)\b|\bways? (?:to|of)\b|"
        r"\bwhat (?:do|should|must|can) (?:i|we|you|one) (?:have to |need to )?do\b|"
        r"\bhow (?:is|are) .{2,60} (?:done|made|built|created|computed|calculated|measured|set|"
        r"installed|configured|written|used|called)\b", re.I)),
    ("list", LazyPattern(
        r"^\W*(?:please )?(?:list|name|enumerate|give me)\b|\blist of\b|\ball (?:the )?\w+s\b|"
        r"\b(?:which|what)(?: \w+){0,3}? (?:\w{3,}s|criteria|data|people)"
        r"(?: of [\w -]{2,30})?(?: in [\w -]{2,30})?"
        r" (?:are|were|do|does|did|can|could|should|may|must|has|have|is there|exist)\b|"
        r"\bwhat (?:are|were) (?:the|some|all|its|their)?\s*(?:\w+ ){0,4}?\w{3,}s\b|"
        r"\b(?:kinds|types|sorts|ways|examples|parts|components|categories|forms|options) of\b",
        re.I)),
    ("number", LazyPattern(
        r"\b(?:how (?:many|much|long|old|far|tall|large|big|often|fast|high|heavy|deep|wide|hot)|"
        r"when (?:was|were|did|is|are|will|do|does|has|had)|^\W*when|"
        r"(?:what|which) (?:year|date|percent\w*|century|decade|number|fraction|angle|distance|"
        r"speed|temperature|frequency|rate|version|size|mass|weight|length|default))\b",
        re.I)),
    ("person", LazyPattern(r"\b(?:who|whom|whose)\b", re.I)),
)  # fmt: skip
_DEFINITION = LazyPattern(
    r"^\W*(?:(?:so|and|ok|please|can you|could you)\W+)*"
    r"(?:what(?:['’]?s| is| are| was| were)(?: exactly| actually)?(?: meant by)?|whats|define|"
    r"explain|describe|what (?:exactly |actually )?(?:is|are)|what do(?:es)?(?: (?:people|they|we|"
    r"you) mean by)?|how (?:is|are)|meaning of|definition of)\s+"
    r"(?:an? |the |exactly )*(?:(?:purpose|job|role|point|idea|task|function|meaning) of )?"
    r"(?:an? |the )*(?P<subject>[^?]{2,60}?)"
    r"(?: mean| (?:supposed to )?do| stand for| called| defined| in [\w+#-]+| when [^?]+)?\W*$",
    re.IGNORECASE,
)
_OF_CODE = LazyPattern(
    r"`|\w_\w|\w\(\)|::|\b(?:code|function|method|class|command|syntax|snippet|script|program|"
    rf"macro|library|import|implement\w*|write|declare|call|define|{_LANGUAGES})\b",
    re.IGNORECASE,
)
_LANGUAGE = LazyPattern(rf"(?<![\w+#])(?:{_LANGUAGES})(?![\w+#])", re.IGNORECASE)
_IN_LANGUAGE = LazyPattern(rf"\b(?:in|with|from|for|using) (?:{_LANGUAGES})(?![\w+#-])", re.I)
"""What most questions to a book on a language add, and most of its sentences do not say."""
_ASPECTS: dict[Kind, LazyPattern] = {
    "drawback": LazyPattern(
        rf"\b(?:{_DRAWBACK}|only|unfortunately|cannot|can['’]t|never|no|not|does(?:n['’]t| not)|"
        r"do(?:n['’]t| not)|hard|harder|difficult|expensive|fails?|wrong|lose[sd]?|loss|lacks?|"
        r"scarce|slow(?:er|s)?|errors?|harm|overheads?|unpredictable|but|however|less|too)\b",
        re.I),
    "benefit": LazyPattern(
        rf"\b(?:{_BENEFIT}|better|faster|safer|cheaper|easier|improves?|helps?|allows?|enables?|"
        r"saves?|reduces?|useful|without|more)\b", re.I),
    "cause": LazyPattern(
        r"\b(?:because|since|due to|owing to|reasons?|causes?|caused|so that|in order to|"
        r"as a result|results? (?:in|from)|leads? to|led to|therefore|thus|hence|consequently|"
        r"thanks to|makes? it|allows?|prevents?|otherwise|would|"
        r"to (?:avoid|keep|make|prevent|protect|reduce|save|ensure))\b|, (?:so|as|for)\b|:", re.I),
    "number": LazyPattern(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|"
        r"half|twice|once|every)\b", re.I),
    "person": LazyPattern(r"(?<=[a-z,;)] )[A-Z][a-z]|\b[A-Z]\w*[.]? [A-Z]\w+|@"),
    "how-to": LazyPattern(
        r"\b(?:you can|we can|you need|you should|we use|you use|use|by \w+ing|to \w+,|call|run|"
        r"set|add|must|has to|have to|install|first|then)\b|`", re.I),
    "list": LazyPattern(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|following)\b|"
        r",[^,]+, (?:and|or)\b", re.I),
}  # fmt: skip
_TITLES: dict[str, LazyPattern] = {
    "drawback": LazyPattern(rf"\b(?:{_DRAWBACK}|not|cannot|without)\b", re.I),
    "benefit": LazyPattern(rf"\b(?:{_BENEFIT})\b", re.I),
}
"""Headings over each side of a subject."""
_LISTED = tuple(
    LazyPattern(rf"\b(?:{words})\b", re.I)
    for words in (
        "kinds?|types?|sorts?|categor(?:y|ies)|forms?|class(?:es)?|variet(?:y|ies)",
        "parts?|components?|elements?|modules?|pieces?|building blocks?|architecture|structure|"
        "made (?:up )?of|make up|consists? of",
        "steps?|stages?|phases?|workflow|procedure",
        "ways?|methods?|techniques?|approach(?:es)?|strateg(?:y|ies)",
        "rules?|principles?|guidelines?|laws?|practices",
        "goals?|purposes?|uses|applications?|use cases?",
    )
)
"""Words for what a list lists, alike in each row."""
_ABBREVIATION = LazyPattern(r"\(([A-Z][A-Za-z]{1,7})s?\)")
_STATES = LazyPattern(
    r"\b(?:is|are|was|were|means?|refers? to|describes?|consists? of|denotes?|called|"
    r"defined as|happens? when|occurs? when|lets?|allows?|turns?|varies|does|do)\b|:"
)
_SIDES = tuple(
    LazyPattern(pattern, re.I)
    for pattern in (
        r"\bbetween (?P<sides>.+)",
        r"\b(?:how|what makes) (?:is|are|does|do) (?P<one>.+?) (?:different|differ)s? "
        r"(?:from|to|than) (?P<two>.+)",
        r"\bhow (?:is|are|do|does) (?P<sides>.+?) (?:differ\w*|compare[ds]?)\b",
        r"\bcompare[ds]? (?P<sides>.+)",
        r"\bcontrast (?P<sides>.+)",
        r"(?P<one>.+?) differs? from (?P<two>.+)",
        r"^(?:what(?:'s| is| about) |how about )?(?P<one>.+?) "
        r"(?:vs\.?|versus|compared (?:with|to)|as opposed to) (?P<two>.+)",
        r"\bdistinguish(?:es)? (?P<one>.+?) from (?P<two>.+)",
        r"^(?:should|shall|do|does|is|are|would|which is \w+,?|what is \w+,?)\b "
        r"(?P<sides>.+? or .+)",
        r"^(?P<sides>[^,]+ or [^,]+)(?:, ?(?:how|which|what)|.* how do they differ)",
    )
)
_ARTICLE = re.compile(r"(?:an?|the|to) ", re.IGNORECASE)
_ARTICLE_INSIDE = re.compile(r"\b(?:an?|the|to) ", re.IGNORECASE)
_AND_HOW = re.compile(r"[,:;–—-]\s*(?:and )?(?:how|which|what|when|why)\b.*$", re.IGNORECASE)
"""What a question asks of the sides that it names before."""
_AND = re.compile(r",? (?:and|or|with|to|vs\.?|versus) (?:(?:an?|the) )?|, ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as its words: content stems in order, without repeats, and what it asks for.

    `subject` are the stems of what is to be defined, `sides` the texts of what is compared. Words
    for the side of a subject that is asked ("drawbacks") are its kind and no terms: few answers
    have them.
    """

    text: str
    terms: tuple[str, ...]
    kind: Kind
    subject: frozenset[str] = frozenset()
    sides: tuple[str, ...] = ()
    of_code: bool = False
    language: str = ""


@lru_cache(maxsize=1_024)
def read_question(text: str) -> Question:
    """Read a question by patterns. English."""
    plain = " ".join(text.replace("’", "'").split())
    kind: Kind = next((kind for kind, asked in _ASKED if asked.search(plain)), "")
    subject: frozenset[str] = frozenset()
    sides = sides_of(plain)
    defines = _DEFINITION.match(plain)
    if defines and (kind == "" or (kind == "list" and not sides)):
        subject = frozenset(terms_of(defines.group("subject")))
        if 0 < len(subject) <= 4 and (kind == "" or len(subject) == 1):
            kind = "definition"
    if len(sides) > 1 and kind in ("", "definition", "list"):
        kind = "comparison"
    asked = defines.group("subject") if defines and kind == "definition" else text
    asked = _IN_LANGUAGE.sub(" ", asked)
    aspect = _aspect_of(kind, plain)
    terms = tuple(dict.fromkeys(terms_of(asked) or terms_of(text)))
    language = _LANGUAGE.search(plain)
    return Question(
        text,
        tuple(term for term in terms if term not in aspect) or terms,
        kind,
        subject,
        sides if kind == "comparison" else (),
        _OF_CODE.search(plain) is not None,
        language.group().lower() if language else "",
    )


def _aspect_of(kind: Kind, text: str) -> frozenset[str]:
    words = {"drawback": _DRAWBACK, "benefit": _BENEFIT}.get(kind)
    if words is None:
        return frozenset()
    return frozenset(terms_of(" ".join(re.findall(rf"\b(?:{words})\b", text, re.IGNORECASE))))


def _parallel(text: str) -> list[str]:
    """The two sides of one "or": the first begins with its article or "to" if the second does
    ("a stepper motor or a servo"), else it is as long as the second ("a robot react or plan")."""
    first, *others = re.split(r",? or ", text, flags=re.IGNORECASE)
    if len(others) != 1 or "," in first:
        return []
    if begun := _ARTICLE.match(others[0]):
        return [re.split(_ARTICLE_INSIDE, first)[-1], others[0][begun.end() :]]
    return [" ".join(first.split()[-len(others[0].split()) :]), others[0]]


def sides_of(text: str) -> tuple[str, ...]:
    """What a question compares, in its own words; fewer than two: nothing."""
    plain = text.strip(" .!?…")
    for pattern in _SIDES:
        if (found := pattern.search(plain)) is None:
            continue
        named = found.groupdict()
        parts = [named["sides"]] if named.get("sides") else [named["one"], named["two"]]
        parts = [_AND_HOW.sub("", part) for part in parts]
        if len(parts) == 1:
            parts = _parallel(parts[0]) or _AND.split(parts[0])
        sides = tuple(part.strip(" ,") for part in parts if part and terms_of(part))
        if len(sides) > 1:
            return sides[:4]
    return ()


def fits(question: Question, text: str, above: frozenset[str] = frozenset()) -> float:
    """How well a text has the shape of the answer asked for (0 to 1). `above` are the stems of the
    heading over it."""
    if question.kind == "definition":
        return _defines(question.subject, text, above)
    aspect = _ASPECTS.get(question.kind)
    if aspect is None or not aspect.search(text):
        return 0.0
    return 0.5 if question.kind == "person" else 1.0


def _defines(subject: frozenset[str], text: str, above: frozenset[str]) -> float:
    """1 for a sentence whose subject is what is to be defined and nothing else, less for one with
    more before its verb. The heading may have a part of it ("Extensions" over "Copy: …")."""
    verb = _STATES.search(text)
    before = frozenset(terms_of(text[: verb.start()])) if verb else frozenset()
    if _spells_out(subject, text):
        return 1.0
    given = [bool(matches(term, before)) for term in subject]
    if not any(given) or not all(
        has or matches(term, above) for has, term in zip(given, subject, strict=True)
    ):
        return 0.0
    return 1.0 if len(before) <= len(subject) + 1 else 0.4 if len(before) <= len(subject) + 4 else 0


def _spells_out(subject: frozenset[str], text: str) -> bool:
    """Whether a text has the words of an abbreviation before it: "zero moment point (ZMP)"."""
    return any(
        subject == {stem(found[1].lower())} and _is_long_form(text[: found.start()], found[1])
        for found in _ABBREVIATION.finditer(text)
    )


def _is_long_form(before: str, abbreviation: str) -> bool:
    """Whether the last words of a text have an abbreviation's letters in order, the first at the
    beginning of a word (Schwartz and Hearst, "A simple algorithm for identifying abbreviation
    definitions in biomedical text", 2003)."""
    letters = abbreviation.lower()
    words = before.lower().split()[-min(len(letters) + 5, 2 * len(letters)) :]
    long = " ".join(words)
    at = len(long)
    for letter in reversed(letters[1:]):
        at = long.rfind(letter, 0, at)
        if at < 0:
            return False
    return re.search(rf"\b{re.escape(letters[0])}", long[:at]) is not None


def in_searched_words(text: str) -> str:
    """A question for keyword search: one for a side of a subject with the usual words for it, as
    few headings ("Costs and Limits") and answers have the reader's own."""
    kind = read_question(text).kind
    is_named = kind in _SEARCHED and _TITLES[kind].search(text)
    return f"{text} {_SEARCHED[kind]}" if is_named else text


def names_subject(question: Question, title: str) -> bool:
    """Whether a heading is what is to be defined and nothing else."""
    told = term_set(title)
    return (
        bool(question.subject)
        and len(told) <= len(question.subject) + 1
        and all(matches(term, told) for term in question.subject)
    )


def names_listed(question: Question, text: str) -> bool:
    """Whether a heading or the sentence before a list names what the question wants listed, in its
    words or like ones ("Joint Types" for "which kinds of joint")."""
    told = term_set(text)
    return any(
        matches(term, told)
        for each in _LISTED
        if each.search(question.text) and each.search(text)
        for term in terms_of(each.sub(" ", question.text))
    )


def names_aspect(question: Question, title: str) -> bool:
    """Whether a heading is about the side of the subject that is asked ("Costs and Limits")."""
    named = _TITLES.get(question.kind)
    return named is not None and named.search(title) is not None


def names_other_aspect(question: Question, title: str) -> bool:
    """Whether a heading is about the other side of the subject alone ("Benefits" where drawbacks
    are asked for)."""
    other = {"drawback": "benefit", "benefit": "drawback"}.get(question.kind)
    named = _TITLES[other] if other else None
    return named is not None and bool(named.search(title)) and not names_aspect(question, title)
