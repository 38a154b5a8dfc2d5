-- Retention of readers' questions, and their deletion on request.

ALTER TABLE limit_settings
    ADD COLUMN raw_retention interval NOT NULL DEFAULT '90 days',
    ADD COLUMN aggregate_retention interval NOT NULL DEFAULT '13 months';
COMMENT ON COLUMN limit_settings.raw_retention IS 'how long questions, answers, verdicts and errors stay';
COMMENT ON COLUMN limit_settings.aggregate_retention IS 'how long sums by day stay';

-- Delete what is older than the settings allow: {table: rows}. A week's salt is deleted a day after
-- its week, once its aggregates exist; from then on hashes cannot be linked to readers.
CREATE FUNCTION purge_expired() RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    settings limit_settings;
    today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    raw_until timestamptz;
    gone jsonb := '{}';
    n bigint;
BEGIN
    SELECT * INTO settings FROM limit_settings;
    raw_until := clock_timestamp() - settings.raw_retention;
    DELETE FROM queries WHERE asked_at < raw_until;  -- with their responses and verdicts
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('queries', n);
    DELETE FROM request_errors WHERE occurred_at < raw_until;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('request_errors', n);
    DELETE FROM deferred_queries WHERE deferred_at < raw_until;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('deferred_queries', n);
    DELETE FROM admissions
    WHERE accepted_at < raw_until AND status NOT IN ('queued', 'granted', 'running');
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('admissions', n);
    DELETE FROM answer_cache WHERE created_at < raw_until
        OR content_version <> (SELECT content_version::text FROM index_state);
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('answer_cache', n);
    DELETE FROM past_chunks WHERE replaced_at < raw_until;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('past_chunks', n);
    DELETE FROM reader_windows
    WHERE coalesce(accepted[cardinality(accepted)], '-infinity')
        < clock_timestamp() - greatest(settings.rate_window, settings.session_window);
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('reader_windows', n);
    DELETE FROM network_windows WHERE seen_at < clock_timestamp() - 2 * settings.rate_window;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('network_windows', n);
    DELETE FROM salts WHERE week + 8 <= today;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('salts', n);
    DELETE FROM spend_days WHERE day < (today - settings.aggregate_retention)::date;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN gone || jsonb_build_object('spend_days', n);
END
$$;

REVOKE ALL ON FUNCTION purge_expired() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_expired() TO quoth_analytics;
