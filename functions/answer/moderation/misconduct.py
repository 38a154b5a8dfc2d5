"""Is a question fit to be answered? Profanity and abuse are not; the subjects of books are.

A listed word decides by its level and by the sentence around it: "What is the breast tissue made
of?" passes, and so does "Who wrote Moby Dick?"; the same words turned against somebody do not.
English only, by rules; a moderation service may look beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from functions.answer.moderation.obscenities import Finding, find_obscenities, plain
from functions.answer.text.words import STOP_WORDS, terms_of

ENOUGH = 7
"""Other content words that make a sentence more than a frame for a coarse word."""
SHORT = 12
"""Words up to which a sentence can be a mere frame for an insult."""
WORD, INSULT = "\ue000", "\ue001"
X = f"[{WORD}{INSULT}]"

_COLLOCATIONS = re.compile(
    r"\b(?:moby[- ]dick|(?:philip k|dick van|van) dyke?|dick (?:cheney|tracy|test)|tit for tat|"
    r"(?:blue|great|coal|marsh|willow) tits?|homo (?:sapiens|erectus|habilis|naturalis)|"
    r"(?:summa|magna)? ?cum laude|pussy (?:riot|willow)|cock(?:-and-bull| pheasant)|"
    r"(?:butt|lap) (?:joint|weld)|ball[- ]peen|substantia nigra|master[- ]slave|"
    r"wild ass(?:es)?|hell's kitchen|"
    r"chink in|bang[- ]bang|finger(?:ing)? technique|scat singing|snatch block|van dyke)\b",
    re.IGNORECASE,
)
_FILL = (
    r"(?: (?:all|both|just|really|very|such|so|too|as|a|an|the|one|of|like|full of|bunch of|"
    r"piece of|pieces of|pile of|load of|son of|sons of|big|little|dirty|filthy|old|damn|damned|"
    r"bloody|goddamn|absolute|total|complete|utter|lazy|pathetic|useless|crazy|sick|"
    r"freaking|total|nothing but|being|acting|and))*"
)
_SOMEBODY = (
    r"(?:book|author|writer|text|chapter|page|site|website|answers?|questions?|bot|robots?|chatbot|"
    r"ai|assistant|model|app|program|teacher|professor|lecturer|school|class|course|lesson|"
    r"everyone|everybody|mom|mother|mum|dad|father|sister|brother|friend)"
)
_BE = r"(?:['’]s|['’]re| is| are| was| were| isn['’]t| aren['’]t| looks?| sounds?| seems?)(?: not)?"
_AUXILIARY = r"(?:is|are|was|were|am|do|does|did|can|could|would|should|has|have|will|['’]s)"

_TURNED_AGAINST = [
    # Somebody is called it.
    rf"\b(?:you|u|ya)(?:['’]?re| are| r)(?: not)?{_FILL} {X}"
    r"(?:\W*$|[.!?,;:]| (?:and|but|or|who|because)\b)",
    rf"\b(?:are|r|aren['’]t) (?:you|u|ya){_FILL} {X}\W*$",
    rf"(?:^|[.!?,;:]|\b(?:shut up|hey|oi|hi|hello|thanks|ok)) *(?:you|u){_FILL} {X}(?:\W*$|[.!,;])",
    rf"\b(?:you|u|ya|ur){_FILL} {X}\W*$",
    rf"^\W*(?:shut up|shut it|hey|oi|hi|hello|dear|listen|thanks|thank you|bye)\W+"
    rf"(?:my |little )?{X}\W*$",
    rf"\b{_SOMEBODY}{_BE}{_FILL} {X}\W*$",
    rf"\b(?:is|are|was|were|isn['’]t|aren['’]t)(?: (?:the|this|that|these|your|my))? {_SOMEBODY}"
    rf"{_FILL} {X}\W*$",
    rf"\b(?:this|that|it){_BE} (?:so|such|just|really|full of|bunch of|total|complete|nothing but)"
    rf"{_FILL} {X}\W*$",
    rf"\b(?:so|such an?|too) {X}\W*$",
    rf"\b(?:piece|pieces|bunch|pile|load|son|sons|full) of(?: a| an| the)? {X}\W*$",
    rf"(?:^\W*(?:(?:what|such) an? )?|"
    rf"\b(?:this|that|your?|(?:you(?:['’]re| are)|are you)(?: such)?(?: an?)?) )"
    rf"{INSULT} {_SOMEBODY}\b",
    # An oath.
    rf"^\W*(?:(?:so|but|and|ok|okay|wait|hey|oh|well|seriously)\W+)*(?:what|who|why|how|where|when|which)"
    rf"(?: in)?(?: the)? {X}(?: {_AUXILIARY}\b|\W*$)",
    rf"^\W*(?:oh |holy |bloody ){{1,2}}{X}\b",
    # A demand.
    rf"\b(?:suck|lick|kiss|blow|eat|bite|smell)(?: on)?"
    rf"(?: (?:my|your|a|his|her|this|some))* {X}\W*$",
    rf"\b(?:show|send|give|touch|grab|see)(?: (?:me|us))? (?:my|your) {X}\W*$",
    rf"\b(?:i|we)(?: (?:want|wanna|need|love|hate|like|will|would like|['’]d like|am going)){{1,2}}"
    rf"(?: (?:to|some|a|an|your|have|do|the|you|with))* {X}(?: (?:you|u|him|her|them|now))?\W*$",
    rf"\b(?:let['’]?s|let us|wanna|want to|go|can (?:i|we|you)|will you|would you)"
    rf"(?: (?:have|do|some|to|and|get|a))* {X}"
    r" (?:me|you|u|him|her|them|off|now|yourself|with (?:me|you))\W*$",
    rf"^\W*(?:go )?{X} (?:you|u|yourself|off|him|her|them|(?:my|your|this) \w+)\W*$",
    rf"(?:{X}[ !]+){{2,}}{X}",
]  # fmt: skip
_OUTRIGHT = re.compile(
    r"^\W*(?:just |please )?shut (?:up|it)\b|\bi hate you\b|\bscrew you\b|\bkill yourself\b",
    re.IGNORECASE,
)
_SHOUTED = frozenset("wtf omg stfu gtfo lmao lmfao ffs".split())
_ADDRESS = re.compile(r"\b(?:you|your|you['’]re|u|ur|ya)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Misconduct:
    """Why a question is not answered: the word, and what made it count."""

    term: str
    reason: str


def find_misconduct(question: str) -> Misconduct | None:
    """The profanity or abuse in a question, or None. Works on any text a reader may send."""
    text = plain(question)
    kept = [
        found
        for found in find_obscenities(text)
        if not any(m.start() < found.end and found.start < m.end()
                   for m in _COLLOCATIONS.finditer(text))
    ]  # fmt: skip
    for found in kept:
        if found.level == "obscene" and not _is_acronym(text, found):
            return Misconduct(found.term, "obscene")
    if kept and _is_turned_against(text, kept):
        return Misconduct(kept[0].term, "abuse")
    if outright := _OUTRIGHT.search(text):
        return Misconduct(outright.group().strip().lower(), "abuse")
    for found in kept:
        if found.level in ("obscene", "coarse") and not _has_its_place(text, found):
            return Misconduct(found.term, "coarse")
    return None


def _is_turned_against(text: str, found: list[Finding]) -> bool:
    """Whether listed words are used as an insult, an oath or a demand."""
    if len(text.split()) > SHORT:
        clauses = [clause for clause in re.split(r"(?<=[.!?;])\s+", text) if clause]
        if len(clauses) < 2:
            return False
        return any(
            _is_turned_against(clause, inside)
            for clause in clauses
            if len(clause.split()) <= SHORT and (inside := find_obscenities(clause))
        )
    marked = text
    for one in sorted(found, key=lambda one: -one.start):
        if not {WORD, INSULT} & set(marked[one.start : one.end]):
            mark = INSULT if one.level == "insult" else WORD
            marked = f"{marked[: one.start]}{mark}{marked[one.end :]}"
    marked = " ".join(marked.lower().split())
    return any(pattern.search(marked) for pattern in _abuse())


def _has_its_place(text: str, found: Finding) -> bool:
    """Whether a coarse word is a name here, or a small part of what the sentence says."""
    if _is_name(text, found) or _is_acronym(text, found):
        return True
    rest = f"{text[: found.start]} {text[found.end :]}"
    spoken_to = len(text.split()) <= SHORT and _ADDRESS.search(rest)
    return len(set(terms_of(rest))) >= ENOUGH and not spoken_to


def _is_name(text: str, found: Finding) -> bool:
    """Whether a word has a capital of its own: not that of a title, nor one alone."""
    word, before, after = text[found.start : found.end], text[: found.start], text[found.end :]
    if not word[0].isupper() or word.isupper():
        return False
    small = [w for w in re.findall(r"[^\W\d_]{2,}", f"{before} {after}") if w.lower() in STOP_WORDS]
    if sum(w[0].isupper() for w in small[1:]) > 1:
        return False
    alone = not any(c.isalnum() for c in before) and len(after.split()) < 3
    return not alone or after.startswith(", ")


def _is_acronym(text: str, found: Finding) -> bool:
    """Whether a word is short and in capitals among words that are not."""
    word = text[found.start : found.end]
    rest = f"{text[: found.start]} {text[found.end :]}"
    return (
        word.isupper()
        and word.lower() not in _SHOUTED
        and 1 < len(word) <= 4
        and any(c.islower() for c in rest)
    )


@cache
def _abuse() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _TURNED_AGAINST))
