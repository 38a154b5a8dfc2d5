"""Refusals: their reasons, and the sentence of each. Prompt, code and tests share them."""

from __future__ import annotations

from typing import Literal

from functions.answer.languages import language_of, sentence_in

RefusalReason = Literal[
    "out_of_scope",
    "insufficient_selection",
    "not_grounded",
    "not_in_book",
    "inappropriate",
    "unavailable",
]

OUT_OF_SCOPE = (
    "I cannot answer questions outside the scope of this book. "
    "Please ask about topics covered in the table of contents."
)
INSUFFICIENT_SELECTION = (
    "The selected text does not contain sufficient information to answer this question."
)
NOT_IN_SELECTION = "The selected text does not contain the answer."
NOT_IN_BOOK = (
    "The selected text was not found in this book. Please select text on one of its pages, "
    "or ask the whole book."
)
INAPPROPRIATE = "Please keep questions respectful and focused on educational content."
UNAVAILABLE = "AI assistant is temporarily unavailable. Please try again in a few moments."
CANNOT_PROCESS = "Unable to process query. Please rephrase and try again."

REFUSALS: dict[RefusalReason, str] = {
    "out_of_scope": OUT_OF_SCOPE,
    "insufficient_selection": INSUFFICIENT_SELECTION,
    "not_grounded": NOT_IN_SELECTION,
    "not_in_book": NOT_IN_BOOK,
    "inappropriate": INAPPROPRIATE,
    "unavailable": UNAVAILABLE,
}


def refusal_sentence(reason: RefusalReason, question: str) -> str:
    """The sentence of a refusal, in the question's language if it is known."""
    kind = "out_of_scope" if reason == "out_of_scope" else "selection"
    return sentence_in(language_of(question), kind, REFUSALS[reason])
