"""What a Lambda function does last as it starts: its hooks for SnapStart, before a snapshot and
after a restore.

Every restored process is a copy of one snapshot. Connections, settings and secrets are therefore
read at the first request, never before. The hooks load word lists before the snapshot and reseed
the random numbers after a restore.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable


def finish_start(*prepare: Callable[[], object]) -> None:
    """Register `prepare` to run before the snapshot; it must not open connections.

    What is loaded by now is exempt from garbage collection from then on: a full collection of it
    would take tens of milliseconds of a request. The registry of hooks comes with the Lambda
    runtime; elsewhere there is none.
    """
    gc.freeze()
    try:
        from snapshot_restore_py import register_after_restore, register_before_snapshot
    except ImportError:
        return
    for each in prepare:
        register_before_snapshot(each)
    register_after_restore(_reseed)


def _reseed() -> None:
    """Give each copy its own random retry delays."""
    random.seed()
