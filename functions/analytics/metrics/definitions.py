"""What each figure of the dashboard means: one name, one definition, on every page and in every
report."""

from __future__ import annotations

from functions.analytics.metrics.drift import LEAST_RATINGS, MOST_DRIFT
from functions.analytics.metrics.roi import SPECIFIED_MINUTES
from functions.answer.gate.thresholds import GATE, REVIEW

DEFINITIONS: dict[str, str] = {
    "Questions": "Everything that readers sent in the period and that was answered or refused,"
    " greetings and repeats included.",
    "Answered": "Questions with an answer, whole or partial, of all questions.",
    "Average response time": "The mean time from the request's arrival at the function to its"
    " response, over all questions of the period, refused and cached ones included.",
    "Helpful": "Ratings “helpful” of all ratings of readers, the last of each reader for an answer;"
    " the range is the 95 % interval of Wilson. The requirements call this accuracy.",
    "Time saved, as specified": f"Every question × {SPECIFIED_MINUTES:g} minutes of a teacher.",
    "Time saved, defensible": "Only answers that were checked, not repeated within ten minutes and"
    " not voted down, times the minutes set by the administrator. Those rated helpful count in"
    " full, the others by the share of helpful ratings: from its lower bound at the fewest minutes"
    " to its upper bound at the most.",
    "Worth, as specified": "Time saved, as specified, × the hourly rate.",
    "Worth, defensible": "Time saved, defensible, × the hourly rate.",
    "Refusals": "Refused questions of all questions, for whatever reason.",
    "Wrong refusals": "Refusals that should have been answers: the share among those that people"
    " reviewed, × all refusals of the period, with its 95 % interval.",
    "Wrong answers": "Answers with a statement that people found no source for in an audit: the"
    " share in the sample, × all checked answers of the period.",
    "Unsure answers": f"Answers with statements and a confidence between {GATE:g}, below which a"
    f" question is refused, and {REVIEW:g}.",
    "High confidence": f"Questions with a confidence of {REVIEW:g} or more, of all with one.",
    "Quotes only": "Answers made of the book's sentences without a language model.",
    "Cost of the model": "What the tokens of all calls cost at the listed prices, judge and audits"
    " included.",
    "Questions per session": "Questions divided by sessions: a browser tab, or until a reader"
    " begins a new conversation.",
    "Questions per student and week": "Questions divided by the readers who asked, by week of UTC."
    " Readers' names change weekly, so that nobody is followed for longer.",
    "Students a week": "Readers who asked in a week of UTC, the mean of the weeks that begin in the"
    " period, are over and have questions.",
    "Asked again": "Questions that the same session asked within ten minutes in the same words.",
    "Drift of confidence": "How far the last week's gap between the share of high confidence and"
    " the share of helpful ratings is from the mean of the weeks before, in points. Weeks of fewer"
    f" than {LEAST_RATINGS} ratings do not count; {MOST_DRIFT * 100:.0f} points are the limit.",
    "Validation success": "Answers all of whose statements passed the check, of all that were"
    " checked; one repeated from the cache was checked before.",
    "Mean similarity": "The mean cosine of a statement to the sentences that it cites.",
    "Traceable, judged by people": "Audited answers in which people found a source for every"
    " statement, weighted by what readers got.",
    "Traceable, judged by a model": "The same, judged by a language model.",
    "Confirmed by the judge alone": "Statements that a language model confirmed and no comparison"
    " with the cited sentence proved, of all statements shown.",
    "Answers with such a statement": "Checked answers with at least one of these.",
    "Of these statements, wrong": "Of those that people judged, the share without a source.",
    "Of the others, wrong": "Of the other statements that people judged, the share without one.",
    "Average confidence": "The mean confidence of the answers of a topic, refusals left out.",
    "Refused": "Refused questions of a topic, of all of its questions.",
    "Workload, by survey": "How much less time teachers say they spend on repeated questions, from"
    " the survey's hours before and after.",
    "Detected": "Questions whose chapter was recognised, of those whose page named one.",
    "Asked from a chapter": "Questions that came with a chapter, of all that were searched for.",
    "Boosted": "Questions for which chunks of the reader's chapter were ranked higher.",
    "Search with a chapter": "The mean time of the search for questions with a chapter.",
    "Errors": "Requests with an error, of all questions.",
}


def definition_id(name: str) -> str:
    """The fragment of a definition on its page. KeyError for a figure without a definition."""
    if name not in DEFINITIONS:
        raise KeyError(name)
    return "".join(char if char.isalnum() else "-" for char in name.lower())
