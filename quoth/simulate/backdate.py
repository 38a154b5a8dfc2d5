"""Moves recorded queries to the times they are said to have been asked.

For the store of a simulation only, as its owner: no route takes a time, and no function's role may
do this.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime

import psycopg

_MOVED = "CREATE TEMPORARY TABLE moved (query_id uuid PRIMARY KEY, at timestamptz) ON COMMIT DROP"
_STEPS = (
    # What they cost goes with them.
    """INSERT INTO spend_days AS spent (day, queries, input_tokens, output_tokens, cost_usd)
    SELECT day, sum(sign), sum(sign * input_tokens), sum(sign * output_tokens), sum(sign * cost_usd)
    FROM moved JOIN queries USING (query_id) JOIN responses USING (query_id),
        LATERAL (VALUES ((at AT TIME ZONE 'UTC')::date, 1),
            ((created_at AT TIME ZONE 'UTC')::date, -1)) AS side (day, sign)
    GROUP BY day
    ON CONFLICT (day) DO UPDATE SET queries = spent.queries + excluded.queries,
        input_tokens = spent.input_tokens + excluded.input_tokens,
        output_tokens = spent.output_tokens + excluded.output_tokens,
        cost_usd = spent.cost_usd + excluded.cost_usd""",
    """UPDATE feedback SET created_at = at + interval '1 minute'
    FROM moved JOIN responses USING (query_id)
    WHERE feedback.response_id = responses.response_id""",
    """UPDATE admissions SET accepted_at = at, started_at = at + (started_at - accepted_at),
        finished_at = at + (finished_at - accepted_at)
    FROM moved WHERE admissions.query_id = moved.query_id""",
    """UPDATE responses SET created_at = at + (created_at - asked_at)
    FROM moved JOIN queries USING (query_id) WHERE responses.query_id = moved.query_id""",
    "UPDATE queries SET asked_at = at FROM moved WHERE queries.query_id = moved.query_id",
    """UPDATE answer_facts SET asked_at = at, changed_at = clock_timestamp()
    FROM moved WHERE answer_facts.query_id = moved.query_id""",
    "DELETE FROM figure_days",
    "DELETE FROM figure_weeks",
    "DELETE FROM figures_seen",
)


def move_to(dsn: str, moments: Mapping[str, datetime]) -> int:
    """Give each query its moment, as the owner of the database; how many there were."""
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute(_MOVED)
        with cursor.copy("COPY moved FROM STDIN") as copy:
            for query_id, at in moments.items():
                copy.write_row((str(uuid.UUID(query_id)), at))
        for step in _STEPS:
            cursor.execute(step)
        cursor.execute("SELECT count(*) FROM moved JOIN queries USING (query_id)")
        row = cursor.fetchone()
    return int(row[0]) if row else 0
