"""Sentences for readers: notices, limits, errors. `answer/refusals.py` has those of refusals."""

SELECTION_TOO_SHORT = (
    "Please select at least {words} for more accurate answers, "
    "or switch to Book-Wide mode to search entire book."
)
SELECTION_TOO_LONG = "Please select at most 5,000 words in 2,000 sentences."
SELECTION_CUT = "Selected text truncated to 10,000 characters."
TOO_MANY = "You can ask {most} questions a minute. Please try again in {wait}."
NETWORK_TOO_MANY = (
    "The readers on your network can ask {most} questions a minute together, and they have. "
    "Please try again in {wait}."
)
NETWORK_TOO_MANY_READERS = (
    "{most} readers on your network can begin a minute, and they have. Please try again in {wait}."
)
QUEUED = "High traffic detected. Your question is queued (position {position}, ~{wait})."
FULL = "System at capacity. Please try again in a few minutes."
VECTORS_DOWN = "Vector search unavailable"
KEYWORD_SEARCH = "Limited mode: Using keyword search. Results may be less accurate."
MODEL_DOWN = "AI generation unavailable. Please try again."
DRAFT_REJECTED = "The written answer did not pass the check against the book."
ASKED_BEFORE = "You asked this before; here is the same answer, with related sections."
DIFFERING_VIEWS = "The book takes different sides on this: compare {places}."
UPDATED = "Note: This chapter was updated on {date}. Responses reflect latest version."
BUDGET_SPENT = "Limited mode: answers are quotes from the book until the budget renews."
MORE_THAN_QUOTES = (
    "These sentences bear on your question; what it asks for has to be worked out from them."
)
PART_SHOWN = "Shown here: {what}. The citation leads to the rest."
NEEDS_MODEL = (
    "These are the key sentences as the text has them; an explanation or a summary in other words "
    "needs a language model."
)
QUOTE_MODE = "Quote mode: set OPENAI_API_KEY for written answers"
TICKET_EXPIRED = "This ticket has expired. Please ask again."
INVALID_TICKET = "ticket: this is not a ticket's id"
QUEUE_UNAVAILABLE = "The queue cannot be read right now. Please try again."
UNKNOWN_PASSAGE = "This passage could not be found in the book. Ask about only this text instead."
NOT_HERE = "Requests are not answered at this address. Please use the address of the site."
