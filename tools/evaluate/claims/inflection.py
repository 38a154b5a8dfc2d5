"""Forms of English verbs and the articles of nouns, by rule and a list of exceptions."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """The forms of a verb."""

    base: str
    third: str
    past: str
    participle: str


_IRREGULAR = """
be is was been|have has had had|do does did done|go goes went gone|make makes made made
take takes took taken|give gives gave given|get gets got gotten|hold holds held held
keep keeps kept kept|find finds found found|build builds built built|send sends sent sent
write writes wrote written|read reads read read|know knows knew known|see sees saw seen
show shows showed shown|run runs ran run|set sets set set|put puts put put|let lets let let
cut cuts cut cut|hit hits hit hit|lead leads led led|mean means meant meant
think thinks thought thought|bring brings brought brought|buy buys bought bought
catch catches caught caught|teach teaches taught taught|begin begins began begun
break breaks broke broken|choose chooses chose chosen|drive drives drove driven
draw draws drew drawn|grow grows grew grown|throw throws threw thrown|hide hides hid hidden
speak speaks spoke spoken|lose loses lost lost|leave leaves left left|feel feels felt felt
meet meets met met|pay pays paid paid|say says said said|tell tells told told
sell sells sold sold|deal deals dealt dealt|bind binds bound bound|split splits split split
spread spreads spread spread|become becomes became become|come comes came come
understand understands understood understood|forget forgets forgot forgotten
override overrides overrode overridden|rewrite rewrites rewrote rewritten
stand stands stood stood|spend spends spent spent|win wins won won|fall falls fell fallen
rise rises rose risen|wear wears wore worn|seek seeks sought sought|shut shuts shut shut
steal steals stole stolen|shake shakes shook shaken
"""
_LISTED = {
    forms.base: forms
    for line in _IRREGULAR.replace("\n", "|").split("|")
    if line.strip()
    for forms in [Verb(*line.split())]
}
_DOUBLED = frozenset(
    "stop drop plan map wrap swap flag skip trap step slip ship shop grab refer prefer occur "
    "permit commit submit omit control transfer infer defer equip pop pin plug log tag trim "
    "strip scan spin chat fit".split()
)
_BASES: dict[str, str] = {}


def verb(base: str) -> Verb:
    """The forms of the verb with this base form."""
    if base in _LISTED:
        return _LISTED[base]
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        third = base + "es"
    elif base.endswith("y") and base[-2] not in "aeiou":
        third = base[:-1] + "ies"
    else:
        third = base + "s"
    if base.endswith("e"):
        past = base + "d"
    elif base.endswith("y") and base[-2] not in "aeiou":
        past = base[:-1] + "ied"
    else:
        past = base + (base[-1] if base in _DOUBLED else "") + "ed"
    return Verb(base, third, past, past)


def base_of_third(word: str) -> str:
    """The base form of "checks", "carries", "passes"."""
    for forms in _LISTED.values():
        if forms.third == word:
            return forms.base
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zzes", "ches", "shes", "oes")):
        return word[:-2]
    return word[:-1]


def bare_verb(word: str, tag: str) -> str | None:
    """The base form of a finite verb in the present; None of any other."""
    if tag == "VVZ" and word.endswith("s"):
        return base_of_third(word)
    return word if tag in ("VVB", "VVI") else None


def agreed(base: str, plural: bool) -> str:
    """The present form of a verb for a subject."""
    if base == "be":
        return "are" if plural else "is"
    return base if plural else verb(base).third


def with_article(noun: str) -> str:
    """A noun with "a" or "an"."""
    an = noun[:1].lower() in "aeio" or (
        noun.lower().startswith(("un", "hour"))
        and not (noun.lower().startswith(("uni", "one", "eu")))
    )
    return f"{'an' if an else 'a'} {noun}"
