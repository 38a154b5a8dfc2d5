-- Verdicts of people and of a model on a random sample of answers. Numbers only: they are kept as long
-- as the daily aggregates, after the answers are deleted.

CREATE TABLE audits (
    response_id uuid NOT NULL,
    by text NOT NULL CHECK (by IN ('human', 'model')),
    asked_at timestamptz NOT NULL,
    audited_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    claims integer NOT NULL CHECK (claims > 0),
    traceable integer NOT NULL CHECK (traceable BETWEEN 0 AND claims),
    paraphrases integer NOT NULL CHECK (paraphrases BETWEEN 0 AND claims),
    traceable_paraphrases integer NOT NULL CHECK (
        traceable_paraphrases BETWEEN 0 AND least(paraphrases, traceable)),
    relevant boolean,
    PRIMARY KEY (response_id, by)
);
COMMENT ON COLUMN audits.traceable IS 'claims that their cited sources say';
COMMENT ON COLUMN audits.paraphrases IS 'claims that the judge alone confirmed when they were shown';
CREATE INDEX audits_by_time ON audits (asked_at);

-- [{response_id, by, traceable, relevant}]; `traceable` has a boolean for each claim, in order. Returns
-- how many were stored. A later verdict replaces one of the same kind; deleted answers are skipped.
CREATE FUNCTION record_audits(verdicts jsonb) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    kept integer;
BEGIN
    IF EXISTS (
        SELECT FROM jsonb_array_elements(verdicts) AS given
        JOIN answer_facts ON response_id = (given ->> 'response_id')::uuid
        WHERE jsonb_array_length(given -> 'traceable') <> answer_facts.claims
    ) THEN
        RAISE check_violation USING MESSAGE = 'an answer has another number of claims';
    END IF;
    INSERT INTO audits (response_id, by, asked_at, claims, traceable, paraphrases,
        traceable_paraphrases, relevant)
    SELECT answer_facts.response_id, given ->> 'by', asked_at, answer_facts.claims, said.traceable,
        paraphrase, said.traceable_paraphrases, (given ->> 'relevant')::boolean
    FROM jsonb_array_elements(verdicts) AS given
    JOIN answer_facts ON response_id = (given ->> 'response_id')::uuid
    JOIN responses ON responses.response_id = answer_facts.response_id,
    LATERAL (
        SELECT count(*) AS traceable,
            count(*) FILTER (WHERE claim ->> 'verification' = 'paraphrase') AS traceable_paraphrases
        FROM ROWS FROM (
            jsonb_array_elements(responses.claims), jsonb_array_elements(given -> 'traceable')
        ) AS judged (claim, is_traceable)
        WHERE is_traceable::boolean
    ) AS said
    ON CONFLICT (response_id, by) DO UPDATE SET
        audited_at = clock_timestamp(), traceable = excluded.traceable,
        traceable_paraphrases = excluded.traceable_paraphrases, relevant = excluded.relevant;
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;

-- The cost of a judging model counts towards the day's spending.
CREATE FUNCTION record_spending(input integer, output integer, dollars numeric) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO spend_days AS spent (day, input_tokens, output_tokens, cost_usd)
    VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date, input, output, dollars)
    ON CONFLICT (day) DO UPDATE SET
        input_tokens = spent.input_tokens + excluded.input_tokens,
        output_tokens = spent.output_tokens + excluded.output_tokens,
        cost_usd = spent.cost_usd + excluded.cost_usd
$$;

-- Whether the daily and monthly budgets allow calls that no reader waits for.
CREATE FUNCTION may_judge() RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT budget_step(limit_settings) = 'open' FROM limit_settings $$;

-- Compute missing aggregates; delete aggregates and verdicts older than the settings allow:
-- {table: rows}. Run it every day: only whole days are aggregated.
CREATE FUNCTION purge_figures() RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    kept_since timestamptz := clock_timestamp() - (SELECT aggregate_retention FROM limit_settings);
    zone text := (SELECT time_zone FROM analytics_settings);
    today date := (clock_timestamp() AT TIME ZONE zone)::date;
    gone jsonb := '{}';
    n bigint;
BEGIN
    PERFORM refresh_figures(
        zone, (today - (SELECT raw_retention FROM limit_settings))::date, today + 1);
    DELETE FROM figure_days WHERE starts_at < kept_since;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('figure_days', n);
    DELETE FROM figure_weeks WHERE starts_at < kept_since;
    GET DIAGNOSTICS n = ROW_COUNT;
    gone := gone || jsonb_build_object('figure_weeks', n);
    DELETE FROM audits WHERE asked_at < kept_since;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN gone || jsonb_build_object('audits', n);
END
$$;

GRANT SELECT ON audits TO quoth_analytics;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_audits(jsonb), record_spending(integer, integer, numeric),
    may_judge(), purge_figures() TO quoth_analytics;
