"""The log of a rehearsal: each step with its figure, and what it could not show."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class StepFailed(Exception):
    """A step did not end as it must. The message says what was seen instead."""


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    seen: tuple[str, ...]
    seconds: float


@dataclass
class Log:
    """`say` is told each line as it comes."""

    say: Callable[[str], None] = print
    steps: list[Step] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, title: str) -> Iterator[list[str]]:
        """A step: what is put into the list is what was seen. One that raises is not counted."""
        seen: list[str] = []
        began = time.perf_counter()
        self.say(f"{len(self.steps) + 1}. {title}")
        try:
            yield seen
        finally:
            for line in seen:
                self.say(f"   {line}")
        step = Step(title, tuple(seen), time.perf_counter() - began)
        self.say(f"   {step.seconds:.1f} s")
        self.steps.append(step)

    def could_not(self, *what: str) -> None:
        """Record what the local AWS cannot show."""
        self.missing.extend(what)

    def markdown(self, machine: str) -> str:
        """The whole log. `machine` says where it was run."""
        lines = ["# Rehearsal", "", f"`make rehearse`, {machine}.", ""]
        for number, step in enumerate(self.steps, 1):
            lines.append(f"{number}. **{step.title}** ({step.seconds:.1f} s)")
            lines += [f"   - {each}" for each in step.seen]
        lines += ["", "## What was not shown", ""]
        lines += [f"- {each}" for each in self.missing]
        return "\n".join(lines) + "\n"


def require(holds: object, otherwise: str) -> None:
    """Raise StepFailed unless it holds."""
    if not holds:
        raise StepFailed(otherwise)
