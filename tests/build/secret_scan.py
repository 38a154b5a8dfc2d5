"""Looks for keys in files, by the forms in which services issue them (detect-secrets).

Its detectors of random-looking words stay off: a minified bundle and lists of words are full of
them, and a list of exceptions that grows is a scan nobody reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings

PLUGINS = (
    *("ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector"),
    *("DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "JwtTokenDetector"),
    *("MailchimpDetector", "NpmDetector", "OpenAIDetector", "PrivateKeyDetector"),
    *("PypiTokenDetector", "SendGridDetector", "SlackDetector", "SquareOAuthDetector"),
    *("StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector"),
)
CLUE = re.compile(r"PRIVATE KEY|(?<!\S)(?=\S*[0-9])\S{16,}")
"""A long word with a digit in it: other lines hold no key, and need not be looked at closer."""
MOST_BYTES = 2_000_000


def find_secrets(files: Iterable[Path]) -> list[str]:
    """`file:line: kind` of all that is found, without the secret. Not text: passed over."""
    found: list[str] = []
    with transient_settings({"plugins_used": [{"name": name} for name in PLUGINS]}):
        for file in files:
            if not file.is_file() or file.stat().st_size > MOST_BYTES:
                continue
            try:
                text = file.read_text("utf-8")
            except UnicodeDecodeError:
                continue
            found += [f"{file}:{line}: {kind}" for line, kind in _in_text(text)]
    return found


def secrets_in(text: str) -> list[str]:
    """The kinds of what is found in a text."""
    with transient_settings({"plugins_used": [{"name": name} for name in PLUGINS]}):
        return [kind for _, kind in _in_text(text)]


def _in_text(text: str) -> list[tuple[int, str]]:
    return [
        (number, secret.type)
        for number, line in enumerate(text.splitlines(), 1)
        if CLUE.search(line)
        for secret in scan_line(line)
    ]
