"""The confidences that decide something, in a file that is quick to import."""

from __future__ import annotations

GATE = 0.7
"""Confidence below which a question is refused without a model call."""
REVIEW = 0.85
"""Confidence below which an answer is listed for review."""
