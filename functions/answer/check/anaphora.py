"""Claims that make no sense without another: what leans on a dropped one is dropped too. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from functions.answer.check.check_claims import Check

STRANDED = "leans on a dropped claim"

_PRONOUN = re.compile(r"\W*(?P<word>it|its|they|their|them|he|his|him|she|her)\b", re.IGNORECASE)
_POINTER = re.compile(
    r"\W*(?:this|these|those|that|such|here|therefore|thereby|both|each of (?:them|these|those)|"
    r"the (?:former|latter|same|other|others|second|third)|then|thus|hence|however|nevertheless|"
    r"nonetheless|instead|otherwise|moreover|furthermore|besides|also|likewise|similarly|"
    r"consequently|accordingly|meanwhile|conversely|and|but|or|so|yet|even so|in fact|that is why|"
    r"(?:as a result|as such|because of (?:this|that|it)|for (?:example|instance|this reason)|"
    r"in (?:addition|contrast|turn|this (?:way|case)|that case|other words|both cases)|"
    r"on the (?:other hand|contrary)|after(?:wards| that| this)|by (?:contrast|comparison))|"
    r"(?:second|third|fourth|fifth|last|next|final)(?:ly)?(?=,| step|\W*$)|finally)\b",
    re.IGNORECASE,
)
# "It is important that …" stands for nothing; "This chapter …" points at the page, not at a claim.
_ALONE = re.compile(
    r"\W*(?:it (?:is|was|has been|seems|appears|takes|follows) (?:\w+ly )?(?:important|necessary|"
    r"possible|impossible|known|clear|likely|unlikely|useful|common|easy|hard|difficult|best|"
    r"better|worth|said|true|not true|that|to)\b"
    r"|(?:this|that|these|those) (?:chapter|section|book|part|page|guide|tutorial|selection)\b)",
    re.IGNORECASE,
)
_ONE = {"its": "it", "their": "they", "them": "they", "his": "he", "him": "he", "her": "she"}


def leans(text: str) -> bool:
    """Whether a sentence opens by pointing back at what stands before it ("It …", "However, …")."""
    return _ALONE.match(text) is None and (
        _PRONOUN.match(text) is not None or _POINTER.match(text) is not None
    )


def drop_stranded(checks: Sequence[Check]) -> list[Check]:
    """The checks, in order, those failed that lean on a claim that is dropped.

    A claim leans on the one before it. One that opens with a pronoun leans on the last claim that
    does not open with the same one: they speak of the same thing.
    """
    judged: list[Check] = []
    for check in checks:
        at = _leaned_on(check.claim.text, [before.claim.text for before in judged])
        if check.passed and at is not None and not judged[at].passed:
            check = replace(check, failed=(STRANDED,))
        judged.append(check)
    return judged


def _leaned_on(text: str, before: Sequence[str]) -> int | None:
    """Which of the texts before a text is the one it leans on."""
    if not before or not leans(text):
        return None
    at = len(before) - 1
    pronoun = _person(text)
    while pronoun and at > 0 and _person(before[at]) == pronoun:
        at -= 1
    return at


def _person(text: str) -> str:
    found = _PRONOUN.match(text)
    if not found or _ALONE.match(text):
        return ""
    pronoun = found.group("word").lower()
    return _ONE.get(pronoun, pronoun)
