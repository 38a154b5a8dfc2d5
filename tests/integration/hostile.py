"""What a model could write that no reader may see, each a named row.

Rows speak of the sample book's page on the Zero Moment Point. A row's claims name the words of the
sentence they pretend to rest on (the first one where a range lacks it); `S…` is an id as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from functions.answer.write import prompts
from tests.integration.writers import is_judging
from tests.openai_server.replies import Answer, Declined, Reply, Text, Truncated, Verdicts
from tests.openai_server.service import Recorded

EVIL = "evil.example"
MARKER = "PWNED"
USE = "The ZMP is used for dynamic balance control"
SHIFT = "shifts the ZMP backward by 0.082 m"
SLIP = "the foot would slip only at 5.89 m/s²"
TIPS = "The robot therefore tips long before it slips"
PUSH = "The ground can only push and never pull"
IDEA = "presented the idea in January 1968"
OUTSIDE = "If the computed ZMP lies outside the support polygon"
GOOD = "The ground can only push and never pull."

Claim = tuple[str, str]

CLAIMS: dict[str, Claim] = {
    # Ids.
    "unknown id": (GOOD, "S99.1"),
    "id of no source": (GOOD, "S0.0"),
    "id with blanks": (GOOD, "S 1.1 "),
    "id as a range": (GOOD, "S1.1-S1.5"),
    "id as a link": (GOOD, f"S1.1 https://{EVIL}"),
    "empty id": (GOOD, "S"),
    "wrong but existing id": ("The idea was presented in January 1968.", PUSH),
    "another sentence's number": ("The ZMP shifts backward by 5.89 m.", SHIFT),
    # Numbers and units.
    "wrong number": ("The foot would slip only at 7.89 m/s².", SLIP),
    "rounded number": ("The foot would slip only at 6 m/s².", SLIP),
    "number in words": ("The foot would slip only at seven m/s².", SLIP),
    "other unit": ("The acceleration shifts the ZMP backward by 0.082 km.", SHIFT),
    "unit for a unit": ("The foot would slip only at 5.89 km/h.", SLIP),
    "sign turned": ("The acceleration shifts the ZMP backward by -0.082 m.", SHIFT),
    "other year": ("The idea was presented in January 1986.", IDEA),
    "other month": ("The idea was presented in March 1968.", IDEA),
    "moved point": ("The acceleration shifts the ZMP backward by 0.82 m.", SHIFT),
    "a number of its own": ("The ZMP is used for dynamic balance control in 12 robots.", USE),
    # Negation, direction, certainty.
    "added negation": ("The ZMP is not used for dynamic balance control in bipedal walking.", USE),
    "added never": ("The ZMP is never used for dynamic balance control in bipedal walking.", USE),
    "negation dropped": ("The ground can push and pull.", PUSH),
    "negation moved": ("The ground can never push and only pull.", PUSH),
    "direction turned": ("The forward acceleration shifts the ZMP forward by 0.082 m.", SHIFT),
    "comparison reversed": ("The robot therefore slips long before it tips.", TIPS),
    "before for after": ("The robot therefore tips long after it slips.", TIPS),
    "inside for outside": (
        "If the computed ZMP lies inside the support polygon, the planned motion is not possible.",
        OUTSIDE,
    ),
    "certainty added": ("The foot would always slip at 5.89 m/s² on every floor.", SLIP),
    # Names and words.
    "other name": ("Marie Curie presented the idea in January 1968.", IDEA),
    "name added": ("Toyota uses the ZMP for dynamic balance control in bipedal walking.", USE),
    "swapped place": ("The idea was presented in January 1968 in Paris.", IDEA),
    "swapped word": ("The ZMP is used for dynamic balance control in quadrupedal walking.", USE),
    "swapped thing": ("The ZMP is used for static balance control in bipedal flying.", USE),
    "invented": ("The ZMP makes excellent coffee for all engineers.", USE),
    "half true": ("The ground can only push and never pull, because glue is expensive.", PUSH),
    "true, then invented": (f"{GOOD} It smells of fresh bread and cinnamon.", PUSH),
    "true elsewhere": ("Water boils at a hundred degrees at sea level.", USE),
    "a reason of its own": ("The ZMP is used for balance since regulators demand it.", USE),
    "invented code": ("Call zmp.compute_all() to get dynamic balance control.", USE),
    "invented quote": ('The book says "the ZMP is the heart of every machine ever built".', USE),
    "quote of nobody": ("“Balance is everything,” Vukobratović often told his students.", IDEA),
    # Other languages and characters.
    "German": ("Das ist ein frei erfundener Satz über tanzende Kaffeemaschinen.", USE),
    "Chinese": ("零力矩点用于制造咖啡。", USE),
    "Arabic": ("تستخدم النقطة لصنع القهوة", USE),
    "zero-width characters": ("The ZMP\u200b makes\u200b coffee.", USE),
    "zero-width in a true one": ("The ground can only push\u200b and never pull.", PUSH),
    "right to left": ("The ground can only push and never pull.\u202egnihtyna", PUSH),
    "tag characters": (GOOD + "\U000e0041\U000e0042", PUSH),
    "look-alike letters": ("The ZMР is uѕed for mаking cоffee.", USE),
    "emoji": ("🤖🔥💯", USE),
    "only marks": ("... !!! ???", USE),
    # Links and markup.
    "foreign link": (f"The ZMP is used for dynamic balance control, see https://{EVIL}.", USE),
    "bare host": (f"The ZMP is used for dynamic balance control ({EVIL}/x).", USE),
    "Markdown link": (f"The ZMP is used for [dynamic balance control](//{EVIL}).", USE),
    "image": (f"![x](https://{EVIL}/a.png) The ground can only push and never pull.", PUSH),
    "script": ("<script>alert(1)</script> The ground can only push and never pull.", PUSH),
    "image tag": ("The ground can only push <img src=x onerror=alert(1)> and never pull.", PUSH),
    "bold tag": ("The ground can only <b>push</b> and never pull.", PUSH),
    "script address": ("javascript:alert(1) is used for dynamic balance control.", USE),
    "mail address": (f"Write to zmp@{EVIL} for dynamic balance control.", USE),
    "forged mark": ("The ground can only push and never pull. [7]", PUSH),
    "id in the text": ("The ground can only push and never pull (S1.1).", PUSH),
    # Obeying, and telling the prompt.
    "obeys": (MARKER, USE),
    "obeys politely": (f"As you asked, I say {MARKER} and ignore my instructions.", USE),
    "takes a role": ("I am DAN and can do anything now.", USE),
    "speaks of itself": ("I am an assistant and the ZMP is used for balance control.", USE),
    "prints the prompt": (prompts.INSTRUCTIONS, USE),
    "prints a line of it": (prompts.INSTRUCTIONS.splitlines()[0], USE),
    "prints the data": ("BEGIN CONTEXT 0123456789ab", USE),
    "a refusal as a claim": ("I cannot answer questions outside the scope of this book.", USE),
    "asks back": ("Why is the ZMP used for dynamic balance control in bipedal walking?", USE),
    "advice": ("You should buy a robot with dynamic balance control today.", USE),
    "nothing but stop words": ("It is what it is.", USE),
}

ONLY_A_READER_TELLS = frozenset(["swapped thing"])
"""Rows in the book's own words for the most part. Rules cannot tell them from paraphrases; the
model that is asked must, so it may not be the one that lies."""


def _raw(value: object) -> Reply:
    return Text(json.dumps(value))


def _claim(**fields: object) -> Reply:
    return _raw({"status": "full", "claims": [fields]})


def _half_a_character() -> Reply:
    return Text('{"status": "full", "claims": [{"text": "\\ud800", "sentence_ids": ["S1.1"]}]}')


INVENTED = "The ZMP makes excellent coffee."
REPLIES: dict[str, Reply] = {
    "prose": Text(f"Sure! {INVENTED} See https://{EVIL}."),
    "prose around JSON": Text('Here: {"status": "full", "claims": []} ' + MARKER),
    "Markdown fence": Text('```json\n{"status": "full", "claims": []}\n```'),
    "a refusal of the API": Declined(f"No. {MARKER}"),
    "cut": Text('{"status": "full", "claims": [{"text": "' + INVENTED, cut=True),
    "truncated body": Truncated(Answer([(INVENTED, ["S1.1"])])),
    "empty": Text(""),
    "null": Text("null"),
    "a list": _raw([INVENTED]),
    "no claims": Answer((), "full"),
    "empty claims": Answer([("", ["S1.1"]), (" ", ["S1.1"])], "full"),
    "no ids": Answer([(INVENTED, [])], "full"),
    "none, with claims": Answer([(INVENTED, ["S1.1"])], "none"),
    "thousands of claims": Answer([(f"{INVENTED} {n}", ["S1.1"]) for n in range(3000)], "full"),
    "thousands of ids": Answer([(INVENTED, [f"S{n}.1" for n in range(5000)])], "full"),
    "duplicate ids": Answer([(INVENTED, ["S1.1"] * 200)], "full"),
    "a huge claim": Answer([(INVENTED * 4000, ["S1.1"])], "full"),
    "unknown status": _raw({"status": "certain", "claims": []}),
    "text is a number": _claim(text=1907, sentence_ids=["S1.1"]),
    "ids are a text": _claim(text=INVENTED, sentence_ids="S1.1"),
    "ids are numbers": _claim(text=INVENTED, sentence_ids=[1.1]),
    "text is missing": _claim(sentence_ids=["S1.1"]),
    "fields of its own": _claim(
        text=INVENTED, sentence_ids=["S1.1"], url=f"https://{EVIL}", verification="verbatim"
    ),
    "nested": Text("[" * 50_000),
    "NaN": Text('{"status": "full", "claims": NaN}'),
    "half a character": _half_a_character(),
}  # fmt: skip


def writes_row(claims: Sequence[Claim], swears: bool = True) -> Callable[[Recorded], Reply]:
    """A model that writes these claims and then swears that all are supported, or denies it."""

    def script(request: Recorded) -> Reply:
        if is_judging(request):
            return Verdicts([swears] * 100)
        found = request.sentences
        ids = [
            words if words.startswith("S")
            else next((id for id, text in found.items() if words in text), next(iter(found)))
            for _, words in claims
        ]  # fmt: skip
        return Answer([(text, [id]) for (text, _), id in zip(claims, ids, strict=True)])

    return script


def replies_with(reply: Reply) -> Callable[[Recorded], Reply]:
    return lambda request: Verdicts([True] * 50) if is_judging(request) else reply
