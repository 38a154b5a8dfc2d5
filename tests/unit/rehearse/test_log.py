"""The log of a rehearsal says what was seen, and nothing of a step that failed."""

from __future__ import annotations

import pytest

from tools.rehearse.log import Log, StepFailed, require


def test_the_log_has_each_step_with_what_was_seen_and_what_was_not_shown() -> None:
    said: list[str] = []
    log = Log(said.append)
    with log.step("Upload") as seen:
        seen.append("27 files")
    log.could_not("throttles")
    text = log.markdown("here")
    assert "1. **Upload**" in text
    assert "   - 27 files" in text
    assert text.endswith("## What was not shown\n\n- throttles\n")
    assert said[:2] == ["1. Upload", "   27 files"]


def test_a_step_that_fails_is_said_and_not_counted() -> None:
    said: list[str] = []
    log = Log(said.append)

    def ask() -> None:
        with log.step("Ask") as seen:
            seen.append("503")
            require(False, "no answer")

    with pytest.raises(StepFailed, match="no answer"):
        ask()
    assert log.steps == []
    assert said == ["1. Ask", "   503"]
