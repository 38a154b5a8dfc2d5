"""Sentences shown to readers. Prompt, code and tests share these constants."""

from __future__ import annotations

from typing import Literal

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
SELECTION_TOO_SHORT = (
    "Please select at least {minimum} words for more accurate answers, "
    "or switch to Book-Wide mode to search entire book."
)
SELECTION_TOO_LONG = "Please select at most 5,000 words."
NOT_IN_BOOK = (
    "The selected text was not found in this book. Please select text on one of its pages, "
    "or ask the whole book."
)
SELECTION_CUT = "Selected text truncated to 10,000 characters."
INAPPROPRIATE = "Please keep questions respectful and focused on educational content."
TOO_MANY = "You can ask 10 questions a minute. Please try again in {seconds} seconds."
QUEUED = "High traffic detected. Your question is queued (position {position}, ~{eta_s} seconds)."
FULL = "System at capacity. Please try again in a few minutes."
VECTORS_DOWN = "Vector search unavailable"
KEYWORD_SEARCH = "Limited mode: Using keyword search. Results may be less accurate."
MODEL_DOWN = "AI generation unavailable. Please try again."
UNAVAILABLE = "AI assistant is temporarily unavailable. Please try again in a few moments."
CANNOT_PROCESS = "Unable to process query. Please rephrase and try again."
ASKED_BEFORE = "You asked this before; here is the same answer, with related sections."
DIFFERING_VIEWS = "The book takes different sides on this: compare {places}."
UPDATED = "Note: This chapter was updated on {date}. Responses reflect latest version."
BUDGET_SPENT = "Limited mode: answers are quotes from the book until the budget renews."
MORE_THAN_QUOTES = (
    "These sentences bear on your question; what it asks for has to be worked out from them."
)
QUOTE_MODE = "Quote mode: set OPENAI_API_KEY for written answers"

TICKET_EXPIRED = "This ticket has expired. Please ask again."
INVALID_TICKET = "ticket: this is not a ticket's id"
QUEUE_UNAVAILABLE = "The queue cannot be read right now. Please try again."
UNKNOWN_PASSAGE = "This passage could not be found in the book. Ask about only this text instead."

REFUSALS: dict[RefusalReason, str] = {
    "out_of_scope": OUT_OF_SCOPE,
    "insufficient_selection": INSUFFICIENT_SELECTION,
    "not_grounded": NOT_IN_SELECTION,
    "not_in_book": NOT_IN_BOOK,
    "inappropriate": INAPPROPRIATE,
    "unavailable": UNAVAILABLE,
}
