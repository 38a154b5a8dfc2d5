"""Limits as readers meet them: a school behind one address, one reader who pretends to be many."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import functions.query.app
from functions.runtime.plural import plural
from functions.web.sentences import NETWORK_TOO_MANY, NETWORK_TOO_MANY_READERS, TOO_MANY
from tests.analytics_app import analytics_client
from tests.integration.events import Function, Reply, opened
from tests.integration.sample_stage import Stage

KEY = "a-key-of-thirty-two-characters-or-more"
USER_KEY = "the-sites-key-of-thirty-two-characters"
SCHOOL = "203.0.113.77"
QUESTION = "Hello!"
"""Answered without a search: it is admission that these tests are about."""


@pytest.fixture(scope="module")
def limited(stage: Stage) -> Iterator[Function]:
    """The function `query` with sessions, and the limits as they ship."""
    changes: dict[str, Any] = {
        "sessions": "required",
        "session_key": KEY,
        "user_key": USER_KEY,
        "networks": "203.0.113.0/24=300",
        "database_pool_size": 4,
    }
    kept = stage.database.run("SELECT network_readers FROM limit_settings")[0]
    stage.database.run("UPDATE limit_settings SET network_readers = DEFAULT")
    with opened(functions.query.app, stage.settings("query", **changes)) as function:
        yield function
    stage.database.run("UPDATE limit_settings SET network_readers = %s", kept)


def token(function: Function, address: str, session: str, **user: str) -> dict[str, str]:
    begun = function.call("POST", "/session", {"session_id": session} | user, source_ip=address)
    return {"authorization": f"Bearer {begun.answer['token']}"}


def ask(
    function: Function, address: str, session: str, headers: dict[str, str], **more: Any
) -> Reply:
    body = {"question": QUESTION, "session_id": session, **more}
    return function.call("POST", "/query", body, headers=headers, source_ip=address)


def ask_anew(function: Function, address: str, **more: Any) -> Reply:
    """A question in a session of its own."""
    session = str(uuid.uuid4())
    return ask(function, address, session, token(function, address, session), **more)


def answered(replies: list[Reply]) -> int:
    return [reply.status for reply in replies].count(200)


def sign(user: str, key: str = USER_KEY) -> str:
    return hmac.new(key.encode(), user.encode(), hashlib.sha256).hexdigest()


def test_answers_300_pupils_behind_the_address_of_their_school(limited: Function) -> None:
    replies = [ask_anew(limited, SCHOOL) for _ in range(300)]
    assert answered(replies) == 300
    told = ask_anew(limited, "203.0.113.78")
    seconds = int(told.headers["retry-after"])
    assert 1 <= seconds <= 61
    assert told.error(429, "network_too_many_readers") == NETWORK_TOO_MANY_READERS.format(
        most=300, wait=plural(seconds, "second")
    )


def test_one_reader_who_changes_the_users_name_is_answered_ten_times(limited: Function) -> None:
    address, session = "198.51.100.1", str(uuid.uuid4())
    headers = token(limited, address, session)
    replies = [
        ask(limited, address, session, headers, user_id=f"user-{n}", user_hash=sign(f"user-{n}"))
        for n in range(85)
    ]
    assert answered(replies) == 10
    seconds = int(replies[-1].headers["retry-after"])
    message = replies[-1].error(429, "too_many_questions")
    assert message == TOO_MANY.format(most=10, wait=plural(seconds, "second"))


def test_one_reader_who_forges_users_in_new_sessions_is_answered_ten_times(
    limited: Function,
) -> None:
    address, replies = "198.51.100.2", []
    for n in range(85):
        session, user = str(uuid.uuid4()), f"user-{n}"
        forged = {"user_id": user, "user_hash": sign(user, "guessed")}
        headers = token(limited, address, session, **forged)
        replies.append(ask(limited, address, session, headers))
    assert answered(replies) == 10


@pytest.mark.parametrize("same_session", [True, False])
def test_one_reader_who_changes_the_address_within_a_64_is_answered_ten_times(
    limited: Function, same_session: bool
) -> None:
    network, session = f"2001:db8:{int(same_session)}:1", str(uuid.uuid4())
    addresses = [f"{network}:{n:x}::{n:x}" for n in range(150)]
    headers = token(limited, addresses[0], session)
    replies = [
        ask(limited, each, session, headers) if same_session else ask_anew(limited, each)
        for each in addresses
    ]
    assert answered(replies) == 10


def test_ten_sessions_of_an_address_ask_a_hundred_questions_and_hear_whose_limit_it_is(
    limited: Function,
) -> None:
    address, sessions = "198.51.100.3", [str(uuid.uuid4()) for _ in range(10)]
    headers = {each: token(limited, address, each) for each in sessions}
    replies = [ask(limited, address, each, headers[each]) for each in sessions * 10]
    assert answered(replies) == 100
    told = ask_anew(limited, address)
    seconds = int(told.headers["retry-after"])
    assert told.error(429, "network_too_many_questions") == NETWORK_TOO_MANY.format(
        most=100, wait=plural(seconds, "second")
    )


def test_a_signed_user_is_one_reader_wherever_and_is_not_counted_for_the_network(
    limited: Function, stage: Stage
) -> None:
    address = "198.51.100.4"
    assert answered([ask_anew(limited, address) for _ in range(11)]) == 10
    user = {"user_id": "lea-4711", "user_hash": sign("lea-4711").upper()}
    replies = []
    for _ in range(11):
        session = str(uuid.uuid4())
        replies.append(ask(limited, address, session, token(limited, address, session, **user)))
    assert [reply.status for reply in replies] == [200] * 10 + [429]
    replies[-1].error(429, "too_many_questions")
    readers = stage.database.run(
        "SELECT count(DISTINCT reader) FROM queries WHERE query_id = ANY(%s::uuid[])",
        ([reply.answer["query_id"] for reply in replies[:10]],),
    )
    assert readers == [(1,)]
    tables = ("queries", "responses", "admissions", "reader_windows")
    stored = [stage.database.run(f"SELECT t::text FROM {table} t") for table in tables]
    assert "lea-4711" not in str(stored)


async def test_only_who_asked_may_rate_and_once(limited: Function, stage: Stage) -> None:
    address, session = SCHOOL.replace("113", "114"), str(uuid.uuid4())
    user = {"user_id": "tom", "user_hash": sign("tom")}
    asked = ask(limited, address, session, token(limited, address, session, **user)).answer
    settings = stage.settings("analytics", sessions="required", session_key=KEY)
    async with analytics_client(settings) as client:

        async def rate(session: str, headers: dict[str, str]) -> int:
            body = {"response_id": asked["response_id"], "session_id": session}
            reply = await client.post(
                "/feedback", json=body | {"rating": "helpful"}, headers=headers
            )
            return reply.status_code

        strangers: Counter[int] = Counter()
        for n in range(120):
            stranger = str(uuid.uuid4())
            more = {"user_id": "eve", "user_hash": sign("eve")} if n % 2 else {}
            strangers[await rate(stranger, token(limited, address, stranger, **more))] += 1
        assert strangers == {404: 120}
        assert await rate(session, token(limited, address, str(uuid.uuid4()))) == 401
        # The session that asked, and the same user in another one.
        assert await rate(session, token(limited, address, session)) == 200
        other = str(uuid.uuid4())
        assert await rate(other, token(limited, address, other, **user)) == 200
    rows = stage.database.run(
        "SELECT session_id FROM feedback WHERE response_id = %s::uuid", (asked["response_id"],)
    )
    assert rows == [(session,)]
