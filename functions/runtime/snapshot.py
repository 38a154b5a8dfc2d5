"""What a function does around the snapshot that Lambda starts it from, where it has one.

A snapshot is one process, copied. Nothing here connects, reads a setting or a secret before it:
those are read at the first request, so a copy holds nobody's connection and no old secret. What
the hooks add: word lists are read before the snapshot, and copies get random numbers of their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable


def hook_snapshot(*prepare: Callable[[], object]) -> None:
    """Register the hooks. `prepare` is called before the snapshot; it must not connect to anything.

    The runtime brings the registry with it; where it is missing (any place but Lambda) nobody
    takes a snapshot, and there is nothing to do.
    """
    try:
        from snapshot_restore_py import register_after_restore, register_before_snapshot
    except ImportError:
        return
    for each in prepare:
        register_before_snapshot(each)
    register_after_restore(_reseed)


def _reseed() -> None:
    """Waits before a retry are random, and would be the same in every copy."""
    random.seed()
