"""What a reader in the queue is told to wait."""

from __future__ import annotations

from tests.postgres_fixtures import BookDatabase


def test_the_estimate_knows_how_long_the_running_have_run_and_is_not_deceived_by_a_burst(
    fresh_database: BookDatabase,
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 4")
    done = (
        "INSERT INTO admissions"
        " (query_id, reader, mode, status, accepted_at, started_at, finished_at)"
        " SELECT gen_random_uuid(), n::text, 'book-wide', 'done', at, at,"
        " at + took * interval '1 s'"
        " FROM (SELECT n, clock_timestamp() - %s * interval '1 s' AS at,"
        " CASE WHEN n %% 4 < %s THEN 0.2 ELSE 10 END AS took"
        " FROM generate_series(1, 60) AS n) AS those"
    )
    fresh_database.run(done, (3600, 1))  # a quarter is refused at once
    fresh_database.run(done, (1, 4))  # of the last second, only refusals have ended yet
    fresh_database.run(
        "INSERT INTO admissions"
        " (query_id, reader, mode, status, accepted_at, started_at, lease_until)"
        " SELECT gen_random_uuid(), n::text, 'book-wide', 'running', at, at, at + interval '40 s'"
        " FROM (SELECT n, clock_timestamp() - n * interval '2 s' AS at"
        " FROM generate_series(1, 4) AS n) AS these"
    )
    waits = fresh_database.run(
        "SELECT wait_at(place, limit_settings) FROM limit_settings, unnest(ARRAY[1, 3, 8]) AS place"
    )
    # The oldest has run for 8 s of 10; after the third in line's slot, a whole turn of four.
    for (found,), expected in zip(waits, (2, 6, 16), strict=True):
        assert abs(found - expected) < 1
