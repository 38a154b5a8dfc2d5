-- Errors, each with its request and its question (masked).

ALTER TABLE request_errors
    ADD COLUMN request_id text NOT NULL DEFAULT '',
    ADD COLUMN question text NOT NULL DEFAULT '',
    ADD COLUMN session_id text NOT NULL DEFAULT '';
COMMENT ON COLUMN request_errors.session_id IS 'stored as with queries, to forget it by';
CREATE INDEX request_errors_of_session ON request_errors (session_id) WHERE session_id <> '';

DROP FUNCTION record_error(jsonb);

-- A list of {error_type, message, stack_trace, function, affected_query_id, detail, request_id,
-- question, session_id, personal_session, error_id, occurred_at}; only the type is required.
CREATE FUNCTION record_errors(errors jsonb) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO request_errors
    SELECT stored.* FROM jsonb_array_elements(errors) AS error,
        jsonb_populate_record(NULL::request_errors, jsonb_build_object(
            'error_id', gen_random_uuid(), 'occurred_at', clock_timestamp(), 'error_type', 'unknown',
            'message', '', 'stack_trace', '', 'function', '', 'request_id', '', 'question', ''
        ) || (
            SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(error)
            WHERE value <> 'null'
        ) || jsonb_build_object('session_id', coalesce(CASE WHEN error ->> 'session_id' <> '' THEN
            stored_session(error ->> 'session_id', (error ->> 'personal_session')::boolean) END, ''))
        ) AS stored
    ON CONFLICT (error_id) DO NOTHING
$$;
REVOKE ALL ON FUNCTION record_errors(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_errors(jsonb)
    TO quoth_query, quoth_selected, quoth_ingest, quoth_analytics;

-- Delete a session's questions, answers, feedback, deferred queries and errors; returns the number of
-- questions. An id that was stored as a hash can be found as long as its week's salt exists.
CREATE FUNCTION forget_session(session text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    names text[] := session || ARRAY(SELECT name_reader(salt, NULL, session, NULL) FROM salts);
    own_ids uuid[];
BEGIN
    DELETE FROM feedback WHERE session_id = ANY (names);
    WITH gone AS (DELETE FROM queries WHERE session_id = ANY (names) RETURNING query_id)
    SELECT coalesce(array_agg(query_id), '{}') INTO own_ids FROM gone;
    WITH gone AS (
        DELETE FROM deferred_queries WHERE request ->> 'session_id' = ANY (names) RETURNING query_id)
    SELECT own_ids || coalesce(array_agg(query_id), '{}') INTO own_ids FROM gone;
    DELETE FROM admissions WHERE query_id = ANY (own_ids);
    DELETE FROM request_errors WHERE affected_query_id = ANY (own_ids)
        OR (session_id <> '' AND session_id = ANY (names));
    RETURN cardinality(own_ids);
END
$$;
REVOKE ALL ON FUNCTION forget_session(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_session(text) TO quoth_analytics;
