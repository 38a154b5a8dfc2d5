"""Hooks for Lambda SnapStart: what runs before a snapshot and after a restore.

Every restored process is a copy of one snapshot. Connections, settings and secrets are therefore
read at the first request, never before. The hooks load word lists before the snapshot and reseed
the random numbers after a restore.
"""

from __future__ import annotations

import random
from collections.abc import Callable


def hook_snapshot(*prepare: Callable[[], object]) -> None:
    """Register `prepare` to run before the snapshot; it must not open connections.

    The registry comes with the Lambda runtime. Elsewhere it is missing, and this does nothing.
    """
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
