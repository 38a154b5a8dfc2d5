-- Estimates of waiting times in the queue.

CREATE TABLE slot_forecast (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    made_at timestamptz NOT NULL DEFAULT '2000-01-01',
    runs integer NOT NULL DEFAULT 0,
    usual_s double precision NOT NULL DEFAULT 1,
    step_s double precision NOT NULL DEFAULT 1,
    freed double precision[] NOT NULL DEFAULT '{0}'
);
COMMENT ON COLUMN slot_forecast.freed IS 'how many slots become free until the end of each step';
INSERT INTO slot_forecast DEFAULT VALUES;

-- A forecast of how many slots become free, in steps of time. The duration of a query is drawn from
-- the last hundred that began before the oldest one still running: of younger ones only the quick
-- have ended, which would bias the forecast at the start of a burst (by 11 s with a model of 15). For
-- a running query it is drawn from those that took longer. A slot that is taken becomes free again.
CREATE FUNCTION forecast_slots(settings limit_settings) RETURNS slot_forecast
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    steps CONSTANT integer := 80;
    forecast slot_forecast;
    oldest timestamptz;
    took double precision[];
    first_ends double precision[];
    takes double precision[];
    ends double precision[] := '{}';
    total double precision := 0;
    here double precision;
BEGIN
    SELECT count(*), min(started_at) INTO forecast.runs, oldest FROM admissions
    WHERE status IN ('granted', 'running') AND lease_until >= moment;
    SELECT array_agg(seconds), avg(seconds), avg(seconds * seconds) / nullif(avg(seconds), 0) / 20
    INTO took, forecast.usual_s, forecast.step_s
    FROM (
        SELECT extract(epoch FROM finished_at - started_at)::double precision AS seconds FROM admissions
        WHERE status = 'done' AND started_at < coalesce(oldest, moment)
        ORDER BY started_at DESC LIMIT 100
    ) AS recent;
    took := coalesce(took, ARRAY[settings.usual_seconds]);
    forecast.usual_s := greatest(coalesce(forecast.usual_s, settings.usual_seconds), 0.01);
    forecast.step_s := greatest(coalesce(forecast.step_s, settings.usual_seconds / 20), 0.001);

    SELECT array_agg(coalesce(share, 0) ORDER BY step) INTO takes
    FROM generate_series(0, steps - 1) AS step LEFT JOIN (
        SELECT round(seconds / forecast.step_s) AS step, count(*)::double precision / cardinality(took) AS share
        FROM unnest(took) AS seconds GROUP BY 1
    ) AS shares USING (step);

    WITH running AS (
        SELECT (floor(age / forecast.step_s) + 0.5) * forecast.step_s AS age, count(*) AS runs
        FROM (
            SELECT extract(epoch FROM moment - coalesce(started_at, moment))::double precision AS age
            FROM admissions WHERE status IN ('granted', 'running') AND lease_until >= moment
        ) AS ages GROUP BY 1
    ), remaining AS (
        SELECT seconds - age AS left_s, runs / count(*) OVER (PARTITION BY age)::double precision AS share
        FROM running CROSS JOIN unnest(took) AS seconds WHERE seconds > age
        UNION ALL
        SELECT 0, runs FROM running WHERE age >= ALL (took)
        UNION ALL
        SELECT 0, greatest(0, settings.running_cap - forecast.runs)
    )
    SELECT array_agg(coalesce(share, 0) ORDER BY step) INTO first_ends
    FROM generate_series(0, steps - 1) AS step LEFT JOIN (
        SELECT floor(left_s / forecast.step_s) AS step, sum(share) AS share FROM remaining GROUP BY 1
    ) AS shares USING (step);

    forecast.freed := '{}';
    FOR at IN 1..steps LOOP
        here := first_ends[at];
        FOR before IN 1..at - 1 LOOP
            here := here + ends[before] * takes[at - before + 1];
        END LOOP;
        -- A quick query frees its slot within the step, and so may the next one in that slot.
        ends[at] := here / (1 - least(takes[1], 0.95));
        total := total + ends[at];
        forecast.freed[at] := total;
    END LOOP;
    forecast.made_at := moment;
    RETURN forecast;
END
$$;

-- Seconds until the query at this place gets a slot. The forecast is renewed once a second by the
-- first caller that finds it old. No other waits for it: that caller may wait for the queue's lock.
CREATE FUNCTION wait_at(place integer, settings limit_settings) RETURNS double precision
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    forecast slot_forecast;
    runs_now integer;
    age_s double precision;
    wanted double precision;
    step integer;
    before double precision;
BEGIN
    SELECT * INTO forecast FROM slot_forecast;
    SELECT count(*) INTO runs_now FROM admissions
    WHERE status IN ('granted', 'running') AND lease_until >= moment;
    age_s := extract(epoch FROM moment - forecast.made_at);
    IF age_s > 1 OR abs(runs_now - forecast.runs) * 10 > settings.running_cap THEN
        PERFORM FROM slot_forecast FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            forecast := forecast_slots(settings);
            UPDATE slot_forecast SET made_at = forecast.made_at, runs = forecast.runs,
                usual_s = forecast.usual_s, step_s = forecast.step_s, freed = forecast.freed;
            age_s := 0;
        ELSIF age_s > 3 THEN
            forecast := forecast_slots(settings);
            age_s := 0;
        END IF;
    END IF;
    -- Slots forecast to be free by now went to queries ahead of this one.
    step := least(floor(age_s / forecast.step_s)::integer, cardinality(forecast.freed) - 1);
    before := CASE WHEN step > 0 THEN forecast.freed[step] ELSE 0 END;
    wanted := place - 0.1 + before
        + (forecast.freed[step + 1] - before) * least(age_s / forecast.step_s - step, 1);
    step := width_bucket(wanted, forecast.freed);
    before := CASE WHEN step > 0 THEN forecast.freed[step] ELSE 0 END;
    RETURN greatest(0, step * forecast.step_s - age_s + CASE
        WHEN step < cardinality(forecast.freed)
        THEN forecast.step_s * (wanted - before) / (forecast.freed[step + 1] - before)
        ELSE (wanted - before) * forecast.usual_s / settings.running_cap END);
END
$$;
