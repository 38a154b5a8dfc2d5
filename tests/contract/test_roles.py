"""What each function's role may do, asked of Postgres table by table and function by function."""

from __future__ import annotations

import uuid

import psycopg
import pytest

from quoth.postgres.migrate import ROLES
from tests.postgres_fixtures import BookDatabase

TOPICS = {"question_groups", "question_groups_state", "question_vectors"}
BOOK = {"documents", "chunks", "blocks", "passage_vectors", "index_state"}
READS = {
    "quoth_selected": set(),
    "quoth_query": {"documents", "chunks", "blocks", "index_state"},
    "quoth_ingest": BOOK | {"leases", "past_chunks"},
    "quoth_analytics": {
        *("queries", "responses", "feedback", "request_errors", "spend_days", "part_states"),
        *("admissions", "limit_settings", "documents", "chunks", "index_state"),
        *("answer_facts", "figure_days", "figure_weeks", "topic_sums", "reviews"),
        "golden_questions",
        *("analytics_settings", "audits", "past_chunks", "migrations", "ended_sessions"),
        *TOPICS,
    },
}
WRITES = {
    "quoth_selected": set(),
    "quoth_query": set(),
    "quoth_ingest": BOOK | {"leases", "past_chunks"},
    "quoth_analytics": TOPICS,
}
CALLS = {
    "quoth_selected": {
        *("begin_query", "finish_query", "ticket_state", "record_errors", "verify_selection"),
        *("defer_query", "take_deferred", "count_deferred"),
    },
    "quoth_query": {
        *("begin_query", "finish_query", "ticket_state", "record_errors", "verify_selection"),
        *("defer_query", "take_deferred", "count_deferred", "search_chunks"),
    },
    "quoth_ingest": {"record_errors"},
    "quoth_analytics": {
        *("record_errors", "record_feedback", "purge_expired", "forget_session", "refresh_figures"),
        *("mark_response", "keep_golden", "drop_golden", "save_analytics_settings"),
        *("record_audits", "record_spending", "may_judge", "purge_figures"),
        *("day_start", "end_session", "measure_topics", "refresh_topics"),
    },
}


def relations_of(book: BookDatabase) -> list[str]:
    rows = book.run(
        "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
        " WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND nspname !~ '^pg_'"
        " AND relkind IN ('r', 'v', 'm', 'p', 'f') ORDER BY 1"
    )
    return [str(row[0]) for row in rows]


def refused(connection: psycopg.Connection, statement: str) -> bool:
    """Whether Postgres refuses the statement for want of a right. It is never carried out."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement.encode())
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


@pytest.mark.parametrize("role", ROLES)
def test_reads_the_tables_it_needs_and_no_other(module_database: BookDatabase, role: str) -> None:
    with psycopg.connect(module_database.dsn(role), autocommit=True) as connection:
        readable = {
            table
            for table in relations_of(module_database)
            if not refused(connection, f"SELECT FROM {table} LIMIT 1")
        }
    assert readable == READS[role]


@pytest.mark.parametrize("role", ROLES)
def test_writes_the_tables_it_needs_and_no_other(module_database: BookDatabase, role: str) -> None:
    writable = set()
    with psycopg.connect(module_database.dsn(role), autocommit=True) as connection:
        for table in relations_of(module_database):
            column = module_database.run(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND attgenerated = '' AND attidentity = '' ORDER BY attnum LIMIT 1",
                (table,),
            )[0][0]
            writes = (
                f"INSERT INTO {table} ({column}) OVERRIDING SYSTEM VALUE SELECT NULL WHERE false",
                f"UPDATE {table} SET {column} = NULL WHERE false",
                f"DELETE FROM {table} WHERE false",
                f"TRUNCATE {table}",
            )
            if not all(refused(connection, statement) for statement in writes):
                writable.add(table)
    assert writable == WRITES[role]


@pytest.mark.parametrize("role", ROLES)
def test_calls_the_functions_it_needs_and_no_other(
    module_database: BookDatabase, role: str
) -> None:
    rows = module_database.run(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        " AND has_function_privilege(%s, oid, 'EXECUTE')",
        (role,),
    )
    assert {row[0] for row in rows} == CALLS[role]


@pytest.mark.parametrize("role", ROLES)
def test_has_no_power_over_the_server(module_database: BookDatabase, role: str) -> None:
    rows = module_database.run(
        "SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,"
        " (SELECT count(*) FROM pg_auth_members WHERE member = pg_roles.oid),"
        " has_schema_privilege(rolname, 'public', 'CREATE')"
        " FROM pg_roles WHERE rolname = %s",
        (role,),
    )
    assert rows == [(False, False, False, False, False, 0, False)]


def test_every_function_with_its_owners_rights_fixes_where_it_looks_names_up(
    module_database: BookDatabase,
) -> None:
    rows = module_database.run(
        "SELECT proname, array_to_string(proconfig, ',') FROM pg_proc"
        " WHERE pronamespace = 'public'::regnamespace AND prosecdef"
    )
    assert {"begin_query", "finish_query"} <= {name for name, _ in rows}
    assert {path for _, path in rows} == {"search_path=pg_catalog, public, pg_temp"}


@pytest.mark.parametrize("mode", ["book-wide", "highlight"])
def test_the_role_of_selections_cannot_begin_or_finish_in_another_mode(
    module_database: BookDatabase, mode: str
) -> None:
    query = f'{{"query_id": "{uuid.uuid4()}", "session_id": "s", "mode": "{mode}"}}'
    with psycopg.connect(module_database.dsn("quoth_selected"), autocommit=True) as connection:
        assert refused(connection, f"SELECT begin_query('{query}')")
        assert refused(connection, f"SELECT finish_query('{query}')")


def test_ingest_does_its_whole_work_under_its_role(module_database: BookDatabase) -> None:
    with psycopg.connect(module_database.dsn("quoth_ingest"), autocommit=True) as connection:
        assert not refused(connection, "UPDATE index_state SET content_version = 1")
        assert refused(connection, "SELECT * FROM salts")
