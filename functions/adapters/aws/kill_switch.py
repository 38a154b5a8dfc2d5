"""The kill switch, which takes a function out of service without a deployment.

It is off with `QUOTH_SWITCH=off`, or by an SSM parameter (`QUOTH_SWITCH_PARAMETER`), which an
operator can set at any time and which is read again after `FRESH_SECONDS`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from functions.adapters.aws.secrets import SecretUnavailable, current_value
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

FRESH_SECONDS = 25.0
"""How long a value is kept; up to a fifth less, so that processes started together spread out."""


class KillSwitch:
    """Whether a function is in service. `read` returns the settings; it is not called at import."""

    def __init__(
        self, read: Callable[[], Settings], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._clock = clock
        self._is_off = False
        self._read_at = float("-inf")
        self._fresh_s = FRESH_SECONDS

    @property
    def is_stale(self) -> bool:
        """Whether `is_off` would call SSM, which blocks."""
        settings = self._read()
        if settings.switch == "off" or not settings.switch_parameter:
            return False
        return self._clock() - self._read_at > self._fresh_s

    def is_off(self) -> bool:
        """Whether the function is out of service. Any parameter value but `on` means off; one that
        cannot be read leaves the state unchanged."""
        if self._read().switch == "off":
            return True
        if self.is_stale:
            self._read_at = self._clock()
            self._fresh_s = FRESH_SECONDS * random.uniform(0.8, 1)  # noqa: S311 - no secret
            try:
                value = current_value(self._read(), "switch")
            except SecretUnavailable as error:
                logger().error("switch not read", error=type(error).__name__, detail=str(error))
            else:
                self._is_off = value.strip().casefold() != "on"
        return self._is_off
