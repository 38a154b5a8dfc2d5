-- Stores the record of a query in one call; also feedback, errors and breaker outcomes.

-- {service: succeeded}. Failures open a service's breaker for a while; a success closes it.
CREATE FUNCTION report_parts(reports jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    settings limit_settings;
    report record;
BEGIN
    SELECT * INTO settings FROM limit_settings;
    -- In a fixed order, which prevents deadlocks.
    FOR report IN SELECT key AS part, value::boolean AS worked FROM jsonb_each_text(reports) ORDER BY key
    LOOP
        IF report.worked THEN
            UPDATE part_states SET failures = 0, open_until = NULL, updated_at = clock_timestamp()
            WHERE part = report.part AND failures > 0;
        ELSE
            INSERT INTO part_states AS known (part, failures, open_until) VALUES (
                report.part, 1,
                CASE WHEN settings.breaker_failures <= 1 THEN clock_timestamp() + settings.breaker_open END
            )
            ON CONFLICT (part) DO UPDATE SET
                failures = known.failures + 1,
                updated_at = clock_timestamp(),
                open_until = CASE
                    WHEN known.failures + 1 >= settings.breaker_failures
                    THEN clock_timestamp() + settings.breaker_open
                    ELSE known.open_until END;
        END IF;
    END LOOP;
END
$$;

-- Idempotent by query_id. A query that was admitted while the database was unavailable has no
-- admission: `asked_at`, and `reader` or the ids it derives from, are then taken from the record.
CREATE FUNCTION finish_query(record jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    given jsonb := (SELECT jsonb_object_agg(key, value) FROM jsonb_each(record) WHERE value <> 'null');
    sent jsonb := coalesce(given -> 'body', '{}');
    own_id uuid := (record ->> 'query_id')::uuid;
    admission admissions;
    stored responses;
BEGIN
    PERFORM refuse_other_modes(record ->> 'mode');
    UPDATE admissions SET status = 'done', finished_at = clock_timestamp(), lease_until = NULL
    WHERE query_id = own_id AND mode = record ->> 'mode'
    RETURNING * INTO admission;
    DELETE FROM deferred_queries WHERE query_id = own_id;

    INSERT INTO queries
    SELECT * FROM jsonb_populate_record(NULL::queries, jsonb_build_object(
        'asked_at', clock_timestamp(), 'session_id', '', 'question_hash', '', 'content_version', '',
        'retrieved_chunk_ids', '[]'::jsonb, 'chunk_hashes', '[]'::jsonb,
        'similarity_scores', '[]'::jsonb, 'repeated', false, 'cached', false
    ) || given || jsonb_build_object(
        'asked_at', coalesce(admission.accepted_at, (given ->> 'asked_at')::timestamptz, clock_timestamp()),
        'session_id', coalesce(stored_session(
            given ->> 'session_id', (given ->> 'personal_session')::boolean), ''),
        'reader', coalesce(admission.reader, given ->> 'reader', reader_of(
            given ->> 'user_id', given ->> 'session_id', NULL))))
    ON CONFLICT (query_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    INSERT INTO responses
    SELECT * FROM jsonb_populate_record(NULL::responses, jsonb_build_object(
        'created_at', clock_timestamp(), 'generated_response', coalesce(sent ->> 'response', ''),
        'claims', coalesce(sent -> 'claims', '[]'),
        'source_references', coalesce(sent -> 'citations', '[]'),
        'notices', '[]'::jsonb, 'limited_mode', false,
        'prompt_version', '', 'model_asked', '', 'model_returned', '', 'input_tokens', 0,
        'output_tokens', 0, 'cost_usd', 0, 'timings', '{}'::jsonb) || given)
    RETURNING * INTO stored;

    INSERT INTO spend_days AS spent (day, queries, input_tokens, output_tokens, cost_usd)
    VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date, 1,
        stored.input_tokens, stored.output_tokens, stored.cost_usd)
    ON CONFLICT (day) DO UPDATE SET
        queries = spent.queries + 1,
        input_tokens = spent.input_tokens + excluded.input_tokens,
        output_tokens = spent.output_tokens + excluded.output_tokens,
        cost_usd = spent.cost_usd + excluded.cost_usd;

    IF (given ->> 'cacheable')::boolean AND given ->> 'cache_key' <> '' AND stored.body IS NOT NULL
        AND given ->> 'content_version' = (SELECT content_version::text FROM index_state) THEN
        INSERT INTO answer_cache (mode, cache_key, content_version, body, search)
        VALUES (record ->> 'mode', given ->> 'cache_key', given ->> 'content_version', stored.body,
            (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(given)
            WHERE key IN ('retrieved_chunk_ids', 'chunk_hashes', 'similarity_scores')))
        ON CONFLICT (mode, cache_key) DO UPDATE SET
            content_version = excluded.content_version, body = excluded.body,
            search = excluded.search, created_at = clock_timestamp();
    END IF;

    PERFORM report_parts(coalesce(given -> 'parts', '{}'));
END
$$;

-- The feedback of the reader who asked, known by the session or by the signed user; it replaces
-- earlier feedback on the answer. False for an unknown answer, and for another reader's. Ids that are
-- stored as keyed hashes are recognised by the salts that remain.
CREATE FUNCTION record_feedback(
    response_id uuid, session_id text, user_id text, rating text, reason text, comment text
) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO feedback AS given (response_id, session_id, rating, reason, comment)
    SELECT responses.response_id, queries.session_id, record_feedback.rating,
        record_feedback.reason, record_feedback.comment
    FROM responses JOIN queries USING (query_id)
    WHERE responses.response_id = record_feedback.response_id
        AND (record_feedback.session_id <> '' AND queries.session_id = record_feedback.session_id
            OR EXISTS (
                SELECT FROM salts
                WHERE record_feedback.session_id <> '' AND queries.session_id
                        = name_reader(salt, NULL, record_feedback.session_id, NULL)
                    OR record_feedback.user_id <> '' AND queries.reader
                        = name_reader(salt, record_feedback.user_id, NULL, NULL)))
    ON CONFLICT ON CONSTRAINT feedback_pkey DO UPDATE SET
        rating = excluded.rating, reason = excluded.reason, comment = excluded.comment,
        created_at = clock_timestamp();
    RETURN FOUND;
END
$$;

-- {error_type, message, stack_trace, function, affected_query_id, detail, error_id, occurred_at}
CREATE FUNCTION record_error(error jsonb) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO request_errors
    SELECT * FROM jsonb_populate_record(NULL::request_errors, jsonb_build_object(
        'error_id', gen_random_uuid(), 'occurred_at', clock_timestamp(), 'error_type', 'unknown',
        'message', '', 'stack_trace', '', 'function', ''
    ) || (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(error) WHERE value <> 'null'))
    ON CONFLICT (error_id) DO NOTHING
$$;
