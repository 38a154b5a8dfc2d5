"""The one-time link of administrators on this machine, kept in the book's store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from functions.analytics.auth.access import OneTimeLink
from quoth.private_file import write_private


@dataclass(frozen=True, slots=True)
class DashboardLink:
    """A file with the key of the link that was made last; it goes when the link is used."""

    file: Path

    def renew(self) -> str:
        """The path of a new link; the one before opens nothing any more."""
        made = OneTimeLink()
        write_private(self.file, made.key)
        return made.path

    def open(self, key: str) -> bool:
        """Whether the key is right and unused; it is used up then."""
        try:
            if not OneTimeLink(self.file.read_text("utf-8")).open(key):
                return False
            self.file.unlink()
        except FileNotFoundError:  # none was made, or another request was first
            return False
        return True
