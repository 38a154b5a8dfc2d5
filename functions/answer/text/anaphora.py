"""Words by which a sentence refers to what was said before it ("It …", "However, …"). English."""

from __future__ import annotations

import re

_PRONOUNS = r"it|its|they|their|them|he|his|him|she|her"
_DEMONSTRATIVES = r"this|these|those|such|both"
_CONNECTIVES = r"that|here|then|thus|however|instead|moreover|for (?:example|instance)"
_WEAK_CONNECTIVES = (
    r"therefore|thereby|each of (?:them|these|those)|"
    r"the (?:former|latter|same|other|others|second|third)|hence|nevertheless|"
    r"nonetheless|otherwise|furthermore|besides|also|likewise|similarly|"
    r"consequently|accordingly|meanwhile|conversely|and|but|or|so|yet|even so|in fact|that is why|"
    r"(?:as a result|as such|because of (?:this|that|it)|for this reason|"
    r"in (?:addition|contrast|turn|this (?:way|case)|that case|other words|both cases)|"
    r"on the (?:other hand|contrary)|after(?:wards| that| this)|by (?:contrast|comparison))|"
    r"(?:second|third|fourth|fifth|last|next|final)(?:ly)?(?=,| step|\W*$)|finally|"
    r"(?:great|excellent|nice|perfect|congratulations|well done|good(?: job)?|yup)(?=[!,.])|"
    r"(?:as |shown )?above\b|the (?:\w+ ){1,2}above(?! (?:the|an?|its?|this|that|these|all)\b)"
)
_PRONOUN = re.compile(rf"\W*(?P<word>{_PRONOUNS})\b", re.IGNORECASE)
_REFERENCE = re.compile(rf"\W*(?:{_PRONOUNS}|{_DEMONSTRATIVES})\b", re.IGNORECASE)
_CONTINUATION = re.compile(rf"(?:{_PRONOUNS}|{_DEMONSTRATIVES}|{_CONNECTIVES})\b", re.IGNORECASE)
_ANAPHOR = re.compile(
    rf"\W*(?:{_PRONOUNS}|{_DEMONSTRATIVES}|{_CONNECTIVES}|{_WEAK_CONNECTIVES})\b", re.IGNORECASE
)
# "It is important that …" refers to nothing; "This chapter …" refers to the page.
_NO_ANAPHOR = re.compile(
    r"\W*(?:it (?:is|was|has been|seems|appears|takes|follows) (?:\w+ly )?(?:important|necessary|"
    r"possible|impossible|known|clear|likely|unlikely|useful|common|easy|hard|difficult|best|"
    r"better|worth|said|true|not true|that|to)\b"
    r"|(?:this|that|these|those) (?:chapter|section|book|part|page|guide|tutorial|selection)\b)",
    re.IGNORECASE,
)
_SUBJECT = {"its": "it", "their": "they", "them": "they", "his": "he", "him": "he", "her": "she"}


def opens_with_anaphor(text: str) -> bool:
    """Whether a sentence opens by referring to what is said before it, however loosely."""
    return _NO_ANAPHOR.match(text) is None and _ANAPHOR.match(text) is not None


def continues(text: str) -> bool:
    """Whether a sentence is hard to understand without the one before it."""
    return _CONTINUATION.match(text) is not None


def opens_with_reference(text: str) -> bool:
    """Whether a sentence opens with a word for somebody or something named before it."""
    return _REFERENCE.match(text) is not None


def opening_pronoun(text: str) -> str:
    """The subject form of the pronoun that a sentence opens with ("its": "it"); else empty."""
    found = _PRONOUN.match(text)
    if not found or _NO_ANAPHOR.match(text):
        return ""
    pronoun = found.group("word").lower()
    return _SUBJECT.get(pronoun, pronoun)
