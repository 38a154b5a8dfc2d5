"""The judge: settles the paraphrases that no rule objects to, all of an answer in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from functions.answer.check.check_claims import Check
from functions.answer.context import Context, Sentence
from functions.answer.deadline import Deadline
from functions.answer.write.excerpts import antecedents_of

LONGEST_EVIDENCE = 4_000
"""Characters of cited sentences beyond which a claim is not put to the judge, and of the evidence
with the sentences around them."""
LONGEST_CALL = 24_000
"""Characters of all claims and evidence of one call."""
AROUND = "around: "
"""In front of each line of the evidence that is not cited."""


class JudgeFailed(Exception):
    """The judge was late, unavailable or of no use: nothing is confirmed."""


class Judge(Protocol):
    """Tells which claims their evidence says."""

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        """A verdict for each (claim, evidence). Raises JudgeFailed.

        Evidence has a sentence a line; those that begin with `AROUND` only say what the others
        refer to.
        """
        ...


async def judge_paraphrases(
    checks: Sequence[Check], context: Context, judge: Judge, deadline: Deadline
) -> list[Check]:
    """The checks, with the paraphrases that the judge confirmed. Raises JudgeFailed."""
    judged = list(checks)
    pairs: dict[int, tuple[str, str]] = {}
    size = 0
    for at, check in enumerate(checks):
        if not check.is_for_judge or not (evidence := evidence_of(check, context)):
            continue
        size += len(check.claim.text) + len(evidence)
        if size <= LONGEST_CALL:
            pairs[at] = (check.claim.text, evidence)
    if not pairs:
        return judged
    verdicts = await judge.entails(list(pairs.values()), deadline)
    if len(verdicts) != len(pairs):
        raise JudgeFailed(f"{len(verdicts)} verdicts on {len(pairs)} claims")
    for at, verdict in zip(pairs, verdicts, strict=True):
        if verdict:
            judged[at] = replace(judged[at], confirmed=True)
    return judged


def evidence_of(check: Check, context: Context) -> str:
    """What a claim cites, a sentence a line, with headings and sentences around it so far as there
    is room. Empty where the cited sentences alone are too long."""
    ids = set(check.claim.sentence_ids)
    cited = [sentence for sentence in context.sentences if sentence.id in ids]
    lines = {context.position[each.id]: _line(each.text) for each in cited}
    room = LONGEST_EVIDENCE - sum(map(len, lines.values()))
    if room < 0:
        return ""
    for near in _near(cited, context):
        line = AROUND + _line(near.text)
        if near.id not in ids and len(line) <= room:
            lines[context.position[near.id]] = line
            room -= len(line)
    titles = dict.fromkeys(title for each in cited for title in context.titles(each))
    above = AROUND + _line(" – ".join(titles))
    head = [above] if titles and len(above) <= room else []
    return "\n".join([*head, *(lines[at] for at in sorted(lines))])


def _near(cited: Sequence[Sentence], context: Context) -> list[Sentence]:
    """What the cited sentences refer to, then the sentences beside them in their blocks."""
    before = [each for sentence in cited for each in antecedents_of(sentence, context)]
    beside = [
        context.sentences[at]
        for sentence in cited
        for at in (context.position[sentence.id] - 1, context.position[sentence.id] + 1)
        if 0 <= at < len(context.sentences)
        and (context.sentences[at].source, context.sentences[at].block)
        == (sentence.source, sentence.block)
    ]
    return list(dict.fromkeys([*before, *beside]))


def _line(text: str) -> str:
    return " ".join(text.split())
