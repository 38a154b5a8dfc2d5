"""Answers drawn by lot, judged by people in a table and by a model."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from functions.adapters.postgres.analytics_audits import (
    AuditVerdict,
    SampledAnswer,
    SampledClaim,
    draw_sample,
    record_audits,
)
from functions.adapters.postgres.database import Database, DatabaseRejected
from functions.analytics.jobs import SAMPLE_SIZE, judge_answers, judge_yesterday, run_task
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.reviews import read_audits
from functions.analytics.metrics.validation import read_validation
from functions.answer.deadline import Deadline
from functions.runtime.settings import Settings
from quoth.cli import main
from quoth.commands.audit import BadSheet, read_sheet, write_sheet
from tests.fact_rows import CLAIM, Asked, asked_at, store, zone_at_midday
from tests.openai_server.replies import Failure, Reply, Verdicts
from tests.openai_server.service import OpenAIServer, Recorded
from tests.postgres_fixtures import BookDatabase

NOW = datetime.now(UTC)
TODAY = NOW.date()
WEEK = Period.of_last_days(7, TODAY)
LIE = {"text": "=HYPERLINK(1)", "citations": [1], "verification": "paraphrase"}


def answers_at(moment: datetime, count: int) -> list[Asked]:
    return [asked_at(moment, claims=[CLAIM, LIE], question=f"@{n}") for n in range(count)]


def fill(text: str, column: str, said: Callable[[dict[str, str]], str]) -> str:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(row | {column: said(row)} for row in rows)
    return out.getvalue()


def test_a_sample_is_judged_in_a_table_and_read_back(
    fresh_database: BookDatabase, connect: Callable[..., Database], tmp_path: Path
) -> None:
    greeting = asked_at(NOW, claims=[])
    refusal = asked_at(NOW, status="refused", confidence=0.2)
    store(fresh_database, [*answers_at(NOW, 12), greeting, refusal])
    sheet = tmp_path / "audit.csv"

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, ["audit", *words, "--database-url", fresh_database.dsn()])

    drawn = run("sample", "--n", "10", "--seed", "a", "--output", str(sheet))
    assert drawn.output.startswith(f"Wrote 10 answers with 20 statements to {sheet}")
    assert "exists and may hold verdicts" in run("sample", "--output", str(sheet)).output
    text = sheet.read_text("utf-8")
    assert "'=HYPERLINK(1)" in text
    assert not re.search(r"(?m)(^|,)[=@]", text)

    lies: list[str] = []

    def judge(row: dict[str, str]) -> str:
        if row["statement"] == "2":
            lies.append(row["response_id"])
            return "No" if len(lies) <= 3 else " yes "
        return "yes"

    sheet.write_text(fill(fill(text, "traceable", judge), "relevant", lambda row: "y"), "utf-8")
    for _ in range(2):
        said = run("import", str(sheet)).output
        assert said.startswith("10 answers judged, 0 not judged, 0 no longer stored.")
        assert "Of 10 answers judged in the last 90 days, 70.0%" in said
    other = tmp_path / "other.csv"
    assert run("sample", "--output", str(other)).output.startswith("Wrote 2 answers with 4")
    assert run("import", str(other)).output.startswith("0 answers judged, 2 not judged")
    broken = run("import", str(tmp_path / "none.csv"))
    assert broken.exit_code == 1
    assert "cannot be read" in broken.output


async def test_verdicts_of_people_and_of_models_are_told_apart(
    fresh_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    answers = answers_at(NOW, 6)
    store(fresh_database, answers)
    database = connect(fresh_database.dsn("quoth_analytics"))
    ids = [one.record.response_id for one in answers]
    given = [AuditVerdict(id, "human", (True, n < 3), n < 4) for n, id in enumerate(ids[:4])]
    given += [AuditVerdict(id, "model", (True, True)) for id in ids]
    assert await record_audits(database, given) == 10
    audits = await read_audits(database, WEEK)
    assert (audits.human.count, audits.human.of) == (3, 4)
    assert (audits.model.count, audits.model.of) == (6, 6)
    assert [(r.by, r.answers, r.relevant.of) for r in audits.rounds] == [
        ("human", 4, 4),
        ("model", 6, 0),
    ]
    false = (await read_validation(database, WEEK)).false_positives
    assert (false.of, false.known, false.sample.count, false.value) == (6, 4, 1, 1.5)
    for wrong in ((True,), (True, True, True)):
        with pytest.raises(DatabaseRejected):
            await record_audits(database, [AuditVerdict(ids[0], "human", wrong)])
    assert await draw_sample(database, WEEK, 5, "model") == []
    fresh_database.run("DELETE FROM queries")
    assert (await read_audits(database, WEEK)).human.of == 4


async def test_one_seed_draws_one_sample(
    fresh_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    store(fresh_database, answers_at(NOW, 30))
    database = connect(fresh_database.dsn("quoth_analytics"))
    first, again, other = [
        [one.response_id for one in await draw_sample(database, WEEK, 10, "human", seed)]
        for seed in ("a", "a", "b")
    ]
    assert first == again != other
    assert len(set(first)) == 10


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("traceable", "trust"), "line 1: missing column traceable"),
        (lambda text: fill(text, "traceable", lambda r: "maybe"), "'maybe', neither yes nor no"),
        (lambda text: fill(text, "traceable", lambda r: "y" * (r["statement"] == "1")),
         "line 4: no verdict"),
        (lambda text: fill(text, "statement", lambda r: "1"), "missing or duplicate statements"),
        (lambda text: fill(text, "of", lambda r: "two"), "must not be edited"),
        (lambda text: fill(fill(text, "traceable", lambda r: "y"), "relevant",
                           lambda r: "yn"[int(r["statement"]) - 1]), "both yes and no"),
        (lambda text: text + '"open', "not valid CSV"),
    ],
)  # fmt: skip
def test_says_which_line_of_a_table_is_wrong(change: Callable[[str], str], said: str) -> None:
    claims = tuple(
        SampledClaim(f"Claim {n}.", "close", ("Quote,\n two.",), ("/x",)) for n in (1, 2)
    )
    text = write_sheet([SampledAnswer("r", "book-wide", "Why?", claims)])
    assert read_sheet(text) == ([], 1)
    with pytest.raises(BadSheet, match=said):
        read_sheet(change(text))


def reworded_at(moment: datetime, count: int) -> list[Asked]:
    return [asked_at(moment, claims=[CLAIM, LIE]) for _ in range(count)]


@pytest.mark.parametrize(
    ("reworded", "others", "most", "drawn"),
    [(20, 20, 10, 5), (20, 20, 11, 6), (3, 20, 10, 3), (20, 3, 10, 7), (0, 20, 10, 0)],
)
async def test_half_of_a_sample_are_answers_that_the_judge_alone_confirmed(
    fresh_database: BookDatabase,
    connect: Callable[..., Database],
    reworded: int,
    others: int,
    most: int,
    drawn: int,
) -> None:
    store(fresh_database, [*reworded_at(NOW, reworded), *(asked_at(NOW) for _ in range(others))])
    database = connect(fresh_database.dsn("quoth_analytics"))
    sample = await draw_sample(database, WEEK, most, "human", "a")
    proofs = [[claim.proof for claim in answer.claims] for answer in sample]
    assert len(proofs) == most
    assert proofs.count(["verbatim", "paraphrase"]) == drawn
    assert proofs.count(["verbatim"]) == most - drawn


async def test_verdicts_on_statements_that_the_judge_alone_confirmed_are_told_apart(
    fresh_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    store(fresh_database, [*reworded_at(NOW, 20), *(asked_at(NOW) for _ in range(180))])
    database = connect(fresh_database.dsn("quoth_analytics"))
    sample = await draw_sample(database, WEEK, 20, "human", "a")
    text = write_sheet(sample)
    wrong: list[str] = []

    def judge(row: dict[str, str]) -> str:
        if row["proof"] == "paraphrase" and len(wrong) < 4:
            wrong.append(row["response_id"])
            return "no"
        return "yes"

    head, *rows = fill(text, "traceable", judge).splitlines(keepends=True)
    # As a spreadsheet may sort it.
    verdicts, unjudged = read_sheet(head + "".join(sorted(rows, reverse=True)))
    assert (len(verdicts), unjudged, len(wrong)) == (20, 0, 4)
    assert await record_audits(database, verdicts) == 20
    audits = await read_audits(database, WEEK)
    assert (audits.judge_alone_wrong.count, audits.judge_alone_wrong.of) == (4, 10)
    assert (audits.others_wrong.count, audits.others_wrong.of) == (0, 20)
    # Of the sample 16 of 20 are fully traceable; of what readers got, .1 × .6 + .9 × 1.
    assert (audits.human.count, audits.human.of) == (16, 20)
    assert audits.human.value == pytest.approx(0.96)
    assert audits.rounds[0].grounded == audits.human
    false = (await read_validation(database, WEEK)).false_positives
    assert (false.of, false.known, false.value) == (200, 20, pytest.approx(8))
    fresh_database.run("DELETE FROM queries")
    kept = await read_audits(database, WEEK)
    assert (kept.judge_alone_wrong.count, kept.judge_alone_wrong.of) == (4, 10)


def judges(supported: Sequence[bool], relevant: bool) -> Callable[[Recorded], Reply]:
    def script(request: Recorded) -> Reply:
        asks_relevance = "answers to what was asked" in str(request.body["instructions"])
        return Verdicts([relevant] if asks_relevance else supported)

    return script


async def test_a_model_judges_some_of_yesterdays_answers(
    fresh_database: BookDatabase, openai_server: OpenAIServer, connect: Callable[..., Database]
) -> None:
    fresh_database.run("UPDATE analytics_settings SET time_zone = %s", (zone_at_midday(),))
    now = datetime.now(UTC)
    yesterday = now - timedelta(days=1)
    store(fresh_database, [*answers_at(yesterday, SAMPLE_SIZE + 5), *answers_at(now, 3)])
    settings = Settings(database_url=fresh_database.dsn("quoth_analytics"))

    database = connect(settings.database_url)

    async def judged(given: Settings) -> dict[str, Any]:
        return await judge_yesterday(database, given, seconds=300)

    none = await asyncio.to_thread(run_task, "judge", settings)
    assert none == {"drift": None, "judged": 0, "reason": "no model"}
    with_model = settings.model_copy(
        update={
            "openai_api_key": openai_server.api_key,
            "openai_base_url": openai_server.base_url,
            "model": "gpt-6-luna",
        }
    )
    openai_server.answer_with(judges([True, False], True))
    done = await judged(with_model)
    assert (done["judged"], done["failed"]) == (SAMPLE_SIZE, 0)
    assert done["dollars"] > 0
    audits = await read_audits(database, WEEK)
    assert (audits.model.count, audits.model.of) == (0, SAMPLE_SIZE)
    assert audits.rounds[0].relevant.value == 1.0
    spent = fresh_database.run("SELECT sum(cost_usd)::float8 FROM spend_days")
    assert spent[0][0] == pytest.approx(done["dollars"], abs=1e-6)

    openai_server.answer_with(lambda request: Failure(500))
    failing = await judged(with_model)
    assert (failing["judged"], failing["failed"]) == (0, 5)
    fresh_database.run("UPDATE limit_settings SET daily_ceiling_usd = 0")
    assert await judged(with_model) == {"judged": 0, "reason": "budget spent"}


class BrokenJudge:
    """Fails on the third answer as nobody foresaw; the others would take an hour."""

    def __init__(self) -> None:
        self.asked = self.stopped = 0

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        self.asked += 1
        if self.asked == 3:
            raise ZeroDivisionError
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped += 1
        return [True for _ in pairs]

    answers = entails


async def test_no_judging_goes_on_after_an_unforeseen_failure() -> None:
    judge = BrokenJudge()
    claims = (SampledClaim("It walks.", "verbatim", ("It walks.",), ()),)
    sample = [
        SampledAnswer(str(n), "book-wide", "Does it walk?", claims) for n in range(SAMPLE_SIZE)
    ]
    with pytest.raises(ExceptionGroup) as raised:
        await judge_answers(judge, sample, Deadline.after(60))
    assert raised.group_contains(ZeroDivisionError)
    assert judge.stopped == judge.asked - 1
    assert judge.asked < SAMPLE_SIZE
