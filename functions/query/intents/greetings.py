"""Greetings and thanks get one line that says what to ask. Pure."""

from __future__ import annotations

import re

from functions.answer.text.words import LazyPattern

GUIDE = (
    "Hello! Ask me anything that this book covers, for example what a chapter is about or what a "
    "term means."
)

WELCOME = "You are welcome. Ask me anything else that this book covers."

_HELLO = (
    r"hi+|hello+|hey+|hiya|howdy|greetings|salutations|good (?:morning|afternoon|evening|day)|"
    r"hi there|hello there|hey there|nice to meet you|pleased to meet you|what'?s up|sup|"
    r"how are (?:you|things)(?: (?:doing|today|going))*|how'?s it going|how do you do|"
    r"is any(?:one|body) (?:there|here)|are you there|anyone there|test|testing|"
    r"help(?: me)?|who are you|what are you|what can (?:you do|i ask(?: you)?)"
    r"|what do you do|how (?:does this|do you|do i use (?:this|you)) work|how do i use (?:this|you)"
    r"|how can you help(?: me)?|what can you help(?: me)? with|can you help(?: me)?|start|begin"
)
_THANKS = (
    r"(?:many |much |ok(?:ay)? )?thanks|thank (?:you|u)|thx|ty|tysm|cheers|much appreciated|"
    r"i (?:really )?appreciate (?:it|that|this|your help)|(?:it'?s |that'?s )?appreciated|"
    r"(?:that|this|it|you) (?:really |very )?(?:helped|helps|was (?:really |very |so )?(?:helpful|"
    r"useful|great|good|clear|perfect)|is (?:really |very |so )?(?:helpful|useful|great|good|clear|"
    r"perfect)|makes sense|answers? (?:it|my question)|answered (?:it|my question))(?: me)?|"
    r"(?:very |really |so )?(?:helpful|useful)|great(?: answer| job| work)?|awesome|perfect|"
    r"excellent|brilliant|wonderful|nice(?: one| work)?|cool|good (?:job|answer|work|bot)|"
    r"well done|got it|i (?:see|understand|get it)(?: now)?|understood|all clear|clear now|"
    r"good ?bye|bye(?: bye)?|see you(?: later| soon| tomorrow)?|good night|"
    r"have a (?:nice|good|great) (?:day|evening|weekend|one)|that'?s all(?: for now)?|"
    r"no(?:pe)?|yes|yep|yeah|ok(?:ay)?|sure|alright|all right|fine|right|lol|haha+|wow"
)
_FILLING = (
    r"so much|very much|a lot|again|everyone|all|guys|folks|there|quoth|bot|assistant|friend|mate|"
    r"sir|madam|dear book|book|please|and|then|now|for (?:your|the|that|this|all your) (?:help|"
    r"answer|explanation|time|information|info)|for (?:that|this|helping|explaining)(?: me)?|"
    r"a bunch|"
    r"a million|indeed|oh|well|today|my"
)
_WORDS = LazyPattern(rf"(?:(?:{_HELLO}|{_THANKS}|{_FILLING})(?: |$))+")
_ANY = LazyPattern(rf"\b(?:{_HELLO}|{_THANKS})\b")
_THANKED = LazyPattern(rf"\b(?:{_THANKS})\b")
_LONGEST = 120


def guide_for(question: str) -> str | None:
    """The line for a greeting, thanks or a call for help; None for anything that asks more."""
    if len(question) > _LONGEST:
        return None
    text = " ".join(re.sub(r"[^\w']+", " ", question.replace("’", "'")).lower().split())
    if not text:
        return GUIDE if re.fullmatch(r"[\W_]+", question) else None
    if not _WORDS.fullmatch(text) or not _ANY.search(text):
        return None
    return WELCOME if _THANKED.search(text) else GUIDE
