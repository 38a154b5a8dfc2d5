"""The admission of a query: what the database is asked, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Json = Mapping[str, Any]
Verdict = Literal[
    "run", "limited", "queued", "full", "done", "running", "deferred", "expired"
]  # fmt: skip
LimitOf = Literal["reader", "network", "new_readers"]


@dataclass(frozen=True, slots=True)
class BeginRequest:
    """A query to admit. Ids are UUIDs as text.

    A reader is identified by `user_id`, else by session, and stored as a keyed hash; so is a
    `personal_session` (an id that holds personal data). `network` is counted as well, unless there
    is a `user_id`; `network_readers` of it may begin a minute, None for the default. `calls` are
    the external services that the query will call.

    A request that is made again with its idempotency key has the same `query_id` and another
    `attempt`. A call that is made again, because its reply was lost, has the same of both.
    """

    query_id: str
    mode: str
    session_id: str
    question_hash: str = ""
    cache_key: str | None = None
    user_id: str | None = None
    network: str | None = None
    network_readers: int | None = None
    idempotency_key: str | None = None
    ticket: str | None = None
    fresh: bool = False
    personal_session: bool = False
    calls: Sequence[str] = ()
    attempt: str | None = None


@dataclass(frozen=True, slots=True)
class PreviousQuestion:
    """The session's last question as it was understood, and its subject ("" if it named its own).

    `headings` are those that its answer cites; `shown` are quotes of the session's last answers.
    """

    question: str
    about: str = ""
    headings: Sequence[str] = ()
    shown: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """The admission of a query.

    `run`: answer it, and finish under `query_id` (the ticket's, if there was one). `limited`: the
    limit of `limit_of` is `most` in a minute; retry after `retry_after_s`, as when `full`.
    `queued`: see `ticket`, `position`, `eta_s` and `poll_after_ms`. `done`: the response is in
    `done`. `running`: the same request is being answered. `deferred`: it waits for an external
    service. `expired`: the ticket is not valid.

    The fields from `content_version` on are set for `run` only. `parts` maps the services whose
    breaker is open to the seconds left. `cached_search` are the QueryRecord fields of what
    the `cached` answer was found in. `admitted_locally`: the database was unavailable.
    """

    verdict: Verdict
    reader: str = ""
    query_id: str = ""
    accepted_at: str | None = None
    retry_after_s: int = 0
    limit_of: LimitOf = "reader"
    most: int = 0
    ticket: str | None = None
    position: int = 0
    eta_s: int = 0
    poll_after_ms: int = 0
    done: Json | None = None
    content_version: str = ""
    calibration: Json | None = None
    embedding_model: str = ""
    dimensions: int = 0
    budget: Literal["open", "smaller", "quotes"] = "open"
    parts: Mapping[str, float] = field(default_factory=dict)
    cached: Json | None = None
    cached_search: Json | None = None
    previous: PreviousQuestion | None = None
    repeated: bool = False
    admitted_locally: bool = False


_BEGUN_FIELDS = frozenset(each.name for each in fields(Begun))


def read_begun(answer: Json) -> Begun:
    """Read an admission. Fields unknown to this version are ignored."""
    known = {key: value for key, value in answer.items() if key in _BEGUN_FIELDS}
    if previous := known.get("previous"):
        known["previous"] = PreviousQuestion(**previous)
    return Begun(**known)
