"""What the doctor says: one line a check, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "failed"]
MARKS: dict[Verdict, str] = {"ok": "✓", "warning": "!", "failed": "✗"}


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` is its name, `said` what was seen, `remedy` what to do. Neither holds a secret."""

    check: str
    verdict: Verdict
    said: str
    remedy: str = ""

    @property
    def lines(self) -> str:
        head = f"{MARKS[self.verdict]} {self.check:<26} {self.said}"
        return f"{head}\n{'':<29}→ {self.remedy}" if self.remedy else head


def passed(check: str, said: str) -> Finding:
    return Finding(check, "ok", said)


def warned(check: str, said: str, remedy: str) -> Finding:
    return Finding(check, "warning", said, remedy)


def failed(check: str, said: str, remedy: str) -> Finding:
    return Finding(check, "failed", said, remedy)


def exit_code(findings: Iterable[Finding], strict: bool = False) -> int:
    """1 when something failed, with `strict` also for a warning; else 0."""
    bad = {"failed", "warning"} if strict else {"failed"}
    return int(any(each.verdict in bad for each in findings))
