-- Deferred queries: stored masked until a retry answers them or they expire.

CREATE TABLE deferred_queries (
    query_id uuid PRIMARY KEY,
    mode text NOT NULL CHECK (mode IN ('book-wide', 'highlight', 'selected-text')),
    request jsonb NOT NULL,
    deferred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN deferred_queries.request IS 'the body as it was sent, personal data masked';
CREATE INDEX deferred_by_turn ON deferred_queries (next_at);

ALTER TABLE limit_settings
    ADD COLUMN deferred_retry interval NOT NULL DEFAULT '60 seconds',
    ADD COLUMN deferred_for interval NOT NULL DEFAULT '24 hours';
COMMENT ON COLUMN limit_settings.deferred_retry IS 'longer than a query may run: two retries never meet';
COMMENT ON COLUMN limit_settings.deferred_for IS 'an older one is answered with the sentence that nothing can';

-- {query_id, mode, request, session_id, user_id, personal_session, asked_at}. Idempotent; it ignores
-- a query that was answered. One that was admitted while the database was unavailable gets its row
-- in the queue now, so that its ticket is known.
CREATE FUNCTION defer_query(given jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    own_id uuid := (given ->> 'query_id')::uuid;
    own_mode text := given ->> 'mode';
BEGIN
    PERFORM refuse_other_modes(own_mode);
    IF EXISTS (SELECT FROM queries WHERE query_id = own_id) THEN
        RETURN;
    END IF;
    INSERT INTO admissions AS known (query_id, reader, mode, status, accepted_at)
    VALUES (
        own_id, reader_of(given ->> 'user_id', given ->> 'session_id', NULL), own_mode, 'deferred',
        coalesce((given ->> 'asked_at')::timestamptz, clock_timestamp()))
    ON CONFLICT (query_id) DO UPDATE SET status = 'deferred', started_at = NULL, lease_until = NULL
    WHERE known.mode = excluded.mode;
    IF FOUND THEN
        INSERT INTO deferred_queries (query_id, mode, request)
        VALUES (own_id, own_mode, (given -> 'request') || jsonb_build_object(
            'session_id', stored_session(
                given ->> 'session_id', (given ->> 'personal_session')::boolean)))
        ON CONFLICT DO NOTHING;
    END IF;
END
$$;

-- The next deferred query that is due, or null: {query_id, mode, request, expired, begun}, with the
-- `begun` of begin_query. No other caller gets it until `deferred_retry` has passed. The role
-- of selections gets only selections, any other role none.
CREATE FUNCTION take_deferred(calls jsonb) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    settings limit_settings;
    taken deferred_queries;
    asked jsonb;
BEGIN
    SELECT * INTO settings FROM limit_settings;
    UPDATE deferred_queries
    SET attempts = attempts + 1, next_at = clock_timestamp() + settings.deferred_retry
    WHERE query_id = (
        SELECT query_id FROM deferred_queries
        WHERE next_at <= clock_timestamp()
            AND (mode = 'selected-text') = (session_user = 'quoth_selected')
        ORDER BY next_at, deferred_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING * INTO taken;
    IF taken.query_id IS NULL THEN
        RETURN NULL;
    END IF;
    asked := jsonb_build_object('session_id', taken.request ->> 'session_id', 'calls', calls);
    RETURN jsonb_build_object(
        'query_id', taken.query_id, 'mode', taken.mode, 'request', taken.request,
        'expired', taken.deferred_at + settings.deferred_for < clock_timestamp(),
        'begun', jsonb_build_object('verdict', 'run', 'query_id', taken.query_id)
            || facts_of(asked, taken.mode, taken.query_id, settings));
END
$$;

-- The number of deferred queries of the calling role, including those not due yet.
CREATE FUNCTION count_deferred() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT count(*) FROM deferred_queries
    WHERE (mode = 'selected-text') = (session_user = 'quoth_selected')
$$;

REVOKE ALL ON deferred_queries FROM PUBLIC;
REVOKE ALL ON FUNCTION defer_query(jsonb), take_deferred(jsonb), count_deferred() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION defer_query(jsonb), take_deferred(jsonb), count_deferred()
    TO quoth_query, quoth_selected;
