"""Files of the repository that the wheel carries too: the sample book, migrations, the widget."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "shipped"
_REPOSITORY = Path(__file__).parents[1]


def shipped(path: str) -> Path:
    """Where `path` of the repository is: in the installed package, else in the checkout."""
    return (_INSTALLED if _INSTALLED.is_dir() else _REPOSITORY) / path
