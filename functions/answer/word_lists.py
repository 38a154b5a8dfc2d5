"""Loads the chain's word lists before the first question."""

from __future__ import annotations

from functions.answer.moderation.misconduct import find_misconduct
from functions.answer.moderation.prompt_injection import gives_orders
from functions.answer.text.synonyms import forms_of
from functions.answer.text.words import is_ordinary, stem, weight


def read_word_lists() -> None:
    """Load what would slow a process's first question: tables from files, and the stemmer."""
    term = stem("walking")
    weight(term)
    is_ordinary(term)
    forms_of(term)
    gives_orders("How does a robot walk?")
    find_misconduct("How does a robot walk?")
