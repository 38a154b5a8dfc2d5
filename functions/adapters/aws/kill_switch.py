"""The switch that takes a function out of service without a deployment.

`QUOTH_SWITCH=off` is one; the other is an SSM parameter (`QUOTH_SWITCH_PARAMETER`) that an operator
sets at any time and that is read anew every `FRESH_SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from functions.adapters.aws.secrets import SecretUnavailable, read_parameter
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

FRESH_SECONDS = 15.0
"""How long a read value holds; AWS's extension holds it for `SSM_PARAMETER_STORE_TTL` on top."""


class KillSwitch:
    """Whether a function may work. `read` gives the settings at the first question."""

    def __init__(
        self, read: Callable[[], Settings], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._clock = clock
        self._is_off = False
        self._read_at = float("-inf")

    @property
    def is_stale(self) -> bool:
        """Whether `is_off` would ask SSM, which may take a moment."""
        settings = self._read()
        if settings.switch == "off" or not settings.switch_parameter:
            return False
        return self._clock() - self._read_at > FRESH_SECONDS

    def is_off(self) -> bool:
        """Whether the function must not work. A parameter that says anything but `on` means off;
        one that cannot be read changes nothing."""
        if self._read().switch == "off":
            return True
        if self.is_stale:
            self._read_at = self._clock()
            try:
                value = read_parameter(self._read().switch_parameter)
            except SecretUnavailable as error:
                logger().error("switch not read", error=type(error).__name__, detail=str(error))
            else:
                self._is_off = value.strip().casefold() != "on"
        return self._is_off
