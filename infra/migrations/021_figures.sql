-- Aggregates of readers' questions for administrators.

-- A day's answers grouped by everything a figure depends on, with the times of their checks.
CREATE TYPE answer_kind AS (
    mode text,
    status text,
    claiming boolean,
    check_passed boolean,
    confidence_step integer,
    verdict text,
    was_helpful boolean,
    was_unhelpful boolean,
    queries integer,
    with_similarity integer,
    similarity double precision,
    with_overlap integer,
    overlap double precision
);
CREATE TYPE check_time AS (mode text, step integer, n integer);

-- The number of thresholds in functions/analytics/metrics/validation.py that a confidence reaches.
CREATE FUNCTION confidence_step(confidence double precision) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN width_bucket(confidence,
    '{0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95}'::double precision[]);

-- Aggregates per day of a time zone and per UTC week. They hold no data of individual readers.
CREATE TABLE figure_days (
    time_zone text NOT NULL,
    day date NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    made_at timestamptz NOT NULL,
    queries integer NOT NULL,
    answered integer NOT NULL,
    partial integer NOT NULL,
    refused integer NOT NULL,
    modes jsonb NOT NULL,
    reasons jsonb NOT NULL,
    repeated integer NOT NULL,
    cached integer NOT NULL,
    limited integer NOT NULL,
    checked integer NOT NULL,
    verbatim integer NOT NULL,
    close integer NOT NULL,
    paraphrase integer NOT NULL,
    with_paraphrase integer NOT NULL,
    with_confidence integer NOT NULL,
    rated integer NOT NULL,
    helpful integer NOT NULL,
    counted integer NOT NULL,
    confirmed integer NOT NULL,
    refusals_reviewed integer NOT NULL,
    refusals_false integer NOT NULL,
    sessions integer NOT NULL,
    timed integer NOT NULL,
    milliseconds double precision NOT NULL,
    p95_ms integer,
    steps integer[] NOT NULL,
    step_counts integer[] NOT NULL,
    cost_usd numeric(14, 8) NOT NULL,
    kinds answer_kind[] NOT NULL,
    check_times check_time[] NOT NULL,
    PRIMARY KEY (time_zone, day)
);
COMMENT ON COLUMN figure_days.verbatim IS 'claims with this proof, as are close and paraphrase';
COMMENT ON COLUMN figure_days.with_paraphrase IS 'answers with a claim that the judge alone confirmed';
COMMENT ON COLUMN figure_days.steps IS 'response times, rounded up to 10 ms, in ascending order';
COMMENT ON COLUMN figure_days.check_times IS 'steps of 0.1 ms, rounded up';
CREATE TABLE figure_weeks (
    monday date PRIMARY KEY,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    queries integer NOT NULL,
    readers integer NOT NULL
);
CREATE TABLE figures_seen (
    time_zone text PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
COMMENT ON TABLE figures_seen IS 'until when changes of answers are in the sums';

-- The start of a day. Where clocks go back over midnight (Cuba, the Azores) midnight occurs twice and
-- PostgreSQL takes the second; the last second of the previous day occurs once.
CREATE FUNCTION day_start(day date, zone text) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (day::timestamp - interval '1 second') AT TIME ZONE zone + interval '1 second';

-- Aggregates one day: one scan of the facts groups the answers, and the aggregates are computed from
-- the groups; times and sessions come from the index alone. The answer to a greeting makes no claim:
-- it counts as an answer, but has neither checks nor a confidence.
CREATE FUNCTION measure_day(zone text, measured date) RETURNS SETOF figure_days
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH alike AS MATERIALIZED (
        SELECT mode, status, refusal_reason, claims > 0 AS claiming, check_passed,
            confidence_step(confidence) AS step, verdict, helpful > 0 AS was_helpful,
            not_helpful > 0 AS was_unhelpful, status IN ('answered', 'partial') AS is_answer,
            count(*) AS n, count(*) FILTER (WHERE repeated) AS repeated,
            count(*) FILTER (WHERE cached) AS cached, count(*) FILTER (WHERE limited) AS limited,
            sum(helpful) AS helpful, sum(not_helpful) AS not_helpful, sum(cost_usd) AS cost_usd,
            count(similarity) AS with_similarity, sum(similarity) AS similarity,
            count(overlap) AS with_overlap, sum(overlap) AS overlap,
            sum(verbatim) AS verbatim, sum(close) AS close, sum(paraphrase) AS paraphrase,
            count(*) FILTER (WHERE paraphrase > 0) AS with_paraphrase
        FROM answer_facts
        WHERE asked_at >= day_start(measured, zone)
            AND asked_at < day_start(measured + 1, zone)
        GROUP BY mode, status, refusal_reason, claims > 0, check_passed,
            confidence_step(confidence), verdict, helpful > 0, not_helpful > 0
    ), steps AS MATERIALIZED (
        SELECT *, sum(n) OVER (ORDER BY step) AS upto, sum(n) OVER () AS of
        FROM (
            SELECT (10 * ceil(milliseconds / 10))::integer AS step, count(*)::integer AS n,
                sum(milliseconds) AS milliseconds
            FROM answer_facts
            WHERE asked_at >= day_start(measured, zone)
                AND asked_at < day_start(measured + 1, zone)
                AND milliseconds IS NOT NULL
            GROUP BY 1
        ) AS timed
    )
    SELECT zone, measured, day_start(measured, zone),
        day_start(measured + 1, zone), clock_timestamp(),
        coalesce(sum(n), 0), coalesce(sum(n) FILTER (WHERE is_answer), 0),
        coalesce(sum(n) FILTER (WHERE status = 'partial'), 0),
        coalesce(sum(n) FILTER (WHERE status = 'refused'), 0),
        (SELECT coalesce(jsonb_object_agg(mode, n), '{}')
            FROM (SELECT mode, sum(n) AS n FROM alike GROUP BY mode) AS by_mode),
        (SELECT coalesce(jsonb_object_agg(reason, n), '{}') FROM (
            SELECT coalesce(refusal_reason, 'unknown') AS reason, sum(n) AS n
            FROM alike WHERE status = 'refused' GROUP BY 1) AS by_reason),
        coalesce(sum(repeated), 0), coalesce(sum(cached), 0),
        coalesce(sum(limited) FILTER (WHERE is_answer), 0),
        coalesce(sum(n) FILTER (WHERE is_answer AND claiming), 0),
        coalesce(sum(verbatim) FILTER (WHERE is_answer), 0),
        coalesce(sum(close) FILTER (WHERE is_answer), 0),
        coalesce(sum(paraphrase) FILTER (WHERE is_answer), 0),
        coalesce(sum(with_paraphrase) FILTER (WHERE is_answer), 0),
        coalesce(sum(n) FILTER (WHERE step IS NOT NULL
            AND (is_answer AND claiming OR status = 'refused')), 0),
        coalesce(sum(helpful + not_helpful), 0), coalesce(sum(helpful), 0),
        coalesce(sum(n - repeated) FILTER (WHERE is_answer AND claiming AND NOT was_unhelpful), 0),
        coalesce(sum(n - repeated) FILTER (
            WHERE is_answer AND claiming AND NOT was_unhelpful AND was_helpful), 0),
        coalesce(sum(n) FILTER (WHERE status = 'refused' AND verdict IS NOT NULL), 0),
        coalesce(sum(n) FILTER (
            WHERE status = 'refused' AND verdict IN ('should_have_answered', 'fixed')), 0),
        (SELECT count(DISTINCT session) FROM answer_facts
            WHERE asked_at >= day_start(measured, zone)
                AND asked_at < day_start(measured + 1, zone)),
        (SELECT coalesce(sum(n), 0) FROM steps),
        (SELECT coalesce(sum(milliseconds), 0) FROM steps),
        (SELECT min(step) FROM steps WHERE upto >= 0.95 * of),
        (SELECT coalesce(array_agg(step ORDER BY step), '{}') FROM steps),
        (SELECT coalesce(array_agg(n ORDER BY step), '{}') FROM steps),
        coalesce(sum(cost_usd), 0),
        coalesce(array_agg((mode, status, claiming, check_passed, step, verdict, was_helpful,
            was_unhelpful, n, with_similarity, similarity, with_overlap, overlap)::answer_kind), '{}'),
        (SELECT coalesce(array_agg((mode, step, n)::check_time), '{}') FROM (
            SELECT mode, ceil(10 * check_ms)::integer AS step, count(*) AS n
            FROM answer_facts
            WHERE asked_at >= day_start(measured, zone)
                AND asked_at < day_start(measured + 1, zone)
                AND check_ms IS NOT NULL
            GROUP BY 1, 2) AS checks)
    FROM alike
$$;

CREATE FUNCTION measure_week(measured date) RETURNS SETOF figure_weeks
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT measured, measured::timestamp AT TIME ZONE 'UTC',
        (measured + 7)::timestamp AT TIME ZONE 'UTC', count(*), count(DISTINCT reader)
    FROM answer_facts
    WHERE asked_at >= (measured::timestamp AT TIME ZONE 'UTC')
        AND asked_at < ((measured + 7)::timestamp AT TIME ZONE 'UTC')
$$;

-- Update the aggregates of these days and of the weeks that begin in them. A day is computed again
-- when it has changed, as long as none of its answers has been purged.
CREATE FUNCTION refresh_figures(zone text, first date, days_end date) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    weeks_name CONSTANT text := '(weeks)';
    moment timestamptz := clock_timestamp();
    kept_since timestamptz := moment - (SELECT raw_retention FROM limit_settings);
    last date := least(days_end - 1, (moment AT TIME ZONE zone)::date);
    monday date := date_trunc('week', (first + 6)::timestamp)::date;
    missing date[];
    seen timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('quoth figures', 0));
    -- Overlap a minute with the last run: rows written during it became visible after it.
    SELECT seen_at - interval '1 minute' INTO seen FROM figures_seen WHERE time_zone = zone;
    DELETE FROM figure_days
    USING (
        SELECT DISTINCT (asked_at AT TIME ZONE zone)::date AS day
        FROM answer_facts WHERE changed_at >= seen
    ) AS changed
    WHERE time_zone = zone AND figure_days.day = changed.day AND starts_at >= kept_since;
    SELECT seen_at - interval '1 minute' INTO seen FROM figures_seen WHERE time_zone = weeks_name;
    DELETE FROM figure_weeks
    USING (
        SELECT DISTINCT date_trunc('week', asked_at AT TIME ZONE 'UTC')::date AS monday
        FROM answer_facts WHERE changed_at >= seen
    ) AS changed
    WHERE figure_weeks.monday = changed.monday AND starts_at >= kept_since;

    -- A separate step: otherwise the planner could compute every day and then discard existing ones.
    missing := ARRAY(
        SELECT first + n FROM generate_series(0, last - first) AS n
        WHERE day_start(first + n, zone) >= kept_since
        EXCEPT SELECT day FROM figure_days WHERE time_zone = zone);
    INSERT INTO figure_days
    SELECT measured.* FROM unnest(missing) AS day, measure_day(zone, day) AS measured;
    missing := ARRAY(
        SELECT monday + 7 * n FROM generate_series(0, (days_end - 1 - monday) / 7) AS n
        WHERE monday + 7 * n < days_end AND ((monday + 7 * n)::timestamp AT TIME ZONE 'UTC') >= kept_since
            AND ((monday + 7 * n)::timestamp AT TIME ZONE 'UTC') <= moment
        EXCEPT SELECT figure_weeks.monday FROM figure_weeks);
    INSERT INTO figure_weeks SELECT measured.* FROM unnest(missing) AS week, measure_week(week) AS measured;
    INSERT INTO figures_seen VALUES (zone, moment), (weeks_name, moment)
    ON CONFLICT (time_zone) DO UPDATE SET seen_at = excluded.seen_at;
END
$$;

-- Recompute the aggregates at once after answers were deleted: tomorrow the first of these days may be
-- past retention in part. A purge does not change its days' aggregates.
CREATE FUNCTION forget_figures() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    kept_since timestamptz := clock_timestamp() - (SELECT raw_retention FROM limit_settings);
BEGIN
    IF NOT EXISTS (SELECT FROM gone WHERE asked_at >= kept_since) THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('quoth figures', 0));
    WITH changed AS (
        DELETE FROM figure_days WHERE starts_at >= kept_since AND EXISTS (
            SELECT FROM gone WHERE asked_at >= starts_at AND asked_at < ends_at)
        RETURNING time_zone, day
    )
    INSERT INTO figure_days
    SELECT measured.* FROM changed, measure_day(changed.time_zone, changed.day) AS measured;
    WITH changed AS (
        DELETE FROM figure_weeks WHERE starts_at >= kept_since AND EXISTS (
            SELECT FROM gone WHERE asked_at >= starts_at AND asked_at < ends_at)
        RETURNING monday
    )
    INSERT INTO figure_weeks
    SELECT measured.* FROM changed, measure_week(changed.monday) AS measured;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_figures AFTER DELETE ON answer_facts REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_figures();

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refresh_figures(text, date, date), day_start(date, text) TO quoth_analytics;
GRANT SELECT ON figure_days, figure_weeks TO quoth_analytics;
