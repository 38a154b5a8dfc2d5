"""A table for whoever checks answers: one line for each statement, two columns to fill in. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from functions.adapters.postgres.analytics_audits import AuditVerdict, SampledAnswer

COLUMNS = (
    "response_id", "statement", "of", "question", "mode", "claim", "quotes", "links",
    "traceable", "relevant",
)  # fmt: skip
YES, NO = ("yes", "y", "true", "1", "x"), ("no", "n", "false", "0")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class BadSheet(ValueError):
    """A table cannot be read. The message names the line, from 1, the heading included."""


def write_sheet(answers: Iterable[SampledAnswer]) -> str:
    """CSV: `traceable` is asked of each statement, `relevant` once for an answer."""
    file = io.StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    for answer in answers:
        for number, claim in enumerate(answer.claims, 1):
            rows.writerow(
                (
                    answer.response_id, number, len(answer.claims),
                    _plain(answer.question), answer.mode, _plain(claim.text),
                    _plain("\n".join(claim.quotes)), _plain("\n".join(claim.links)), "", "",
                )
            )  # fmt: skip
    return file.getvalue()


def read_sheet(text: str) -> tuple[list[AuditVerdict], int]:
    """The verdicts of a table that was filled in, and how many answers nobody judged.

    An answer counts when each of its statements has its verdict. Raises BadSheet for a half-judged
    answer, a statement that is missing or twice there, and a word that is neither yes nor no.
    """
    answers: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for line, row in _lines(text):
        answers.setdefault(row["response_id"].strip(), []).append((line, row))
    verdicts = []
    unjudged = 0
    for response_id, rows in answers.items():
        _check_whole(rows)
        said = [_verdict(line, row, "traceable") for line, row in rows]
        if all(each is None for each in said):
            unjudged += 1
            continue
        if None in said:
            line = rows[said.index(None)][0]
            raise BadSheet(f"line {line}: this statement has no verdict, others of its answer have")
        relevant = {_verdict(line, row, "relevant") for line, row in rows} - {None}
        if len(relevant) > 1:
            raise BadSheet(f"line {rows[0][0]}: relevant is both yes and no for this answer")
        verdicts.append(
            AuditVerdict(
                response_id, "human", sum(bool(each) for each in said), next(iter(relevant), None)
            )
        )
    return verdicts, unjudged


def _lines(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        missing = set(COLUMNS) - {"question", "mode", "claim", "quotes", "links"}
        missing -= set(rows.fieldnames or ())
        if missing:
            raise BadSheet(f"line 1: there is no column {', '.join(sorted(missing))}")
        line = rows.line_num + 1
        for row in rows:
            yield line, {name: value or "" for name, value in row.items() if name}
            line = rows.line_num + 1
    except csv.Error as error:
        raise BadSheet(f"line {rows.line_num}: is not CSV ({error})") from error


def _check_whole(rows: Sequence[tuple[int, Mapping[str, str]]]) -> None:
    line, first = rows[0]
    try:
        numbers = sorted(int(row["statement"]) for _, row in rows)
        wanted = list(range(1, int(first["of"]) + 1))
    except ValueError as error:
        raise BadSheet(f"line {line}: statement and of must stay as they were") from error
    if numbers != wanted:
        raise BadSheet(f"line {line}: statements of this answer are missing or there twice")


def _verdict(line: int, row: Mapping[str, str], column: str) -> bool | None:
    said = row[column].strip().lower()
    if not said:
        return None
    if said not in (*YES, *NO):
        raise BadSheet(f"line {line}: {column} is {said[:40]!r}, neither yes nor no")
    return said in YES


def _plain(text: str) -> str:
    # A spreadsheet would run what a reader wrote.
    return f"'{text}" if text.startswith(_FORMULA) else text
