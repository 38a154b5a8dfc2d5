"""Fixtures every test may use, and the rule that a skip in CI is a failure."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path

import hypothesis  # imported by its plugin at the very end, CPython 3.11 can fail to parse it
import pytest

# A property holds or it does not, however busy the machine is.
hypothesis.settings.register_profile("quoth", deadline=None)
hypothesis.settings.load_profile("quoth")

pytest_plugins = (
    "tests.openai_server.fixtures",
    "tests.postgres_fixtures",
    "tests.left_connections",
)

# A commit of PostgreSQL, Qdrant or the emulator waits for the disk; none does in memory.
MEMORY, NEEDED_BYTES = Path("/dev/shm"), 1 << 30
if "TMPDIR" not in os.environ and MEMORY.is_dir():
    room = os.statvfs(MEMORY)
    if room.f_bavail * room.f_frsize > NEEDED_BYTES and not room.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Tests must never meet a person's own account.
for name in [n for n in os.environ if n.startswith(("OPENAI_", "AWS_", "QUOTH_"))]:
    if name not in ("QUOTH_REAL_OPENAI_KEY", "QUOTH_DATA"):
        del os.environ[name]

ALLOWED_SKIPS = ("QDRANT_URL", "QUOTH_REAL_OPENAI_KEY")
"""Tests against accounts that CI does not have name these variables in their reason."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(name in reason for name in ALLOWED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"skipped in CI: {reason}"
    return report


def pytest_collection_finish() -> None:
    """What was imported stays: the collector need not look at it after every test."""
    gc.collect()
    gc.freeze()
