"""Where the functions' log goes on a laptop: to a file, so that the terminal is for people."""

from __future__ import annotations

import logging
from pathlib import Path

from functions.runtime.logs import logger
from functions.runtime.metrics import send_metrics_to


def send_logs_to(path: Path) -> None:
    """Append the functions' JSON lines, and their metrics, to a file instead of standard output."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = logger()
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(source.registered_formatter)
    target = logging.getLogger(source.service)
    for old in list(target.handlers):
        target.removeHandler(old)
    target.addHandler(handler)
    send_metrics_to(logging.FileHandler(path, encoding="utf-8"))
