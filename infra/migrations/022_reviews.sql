-- Reviews of answers, golden questions taken from them, and administrators' settings.

CREATE TABLE reviews (
    response_id uuid PRIMARY KEY REFERENCES responses ON DELETE CASCADE,
    verdict text CHECK (verdict IN (
        'good_refusal', 'should_have_answered', 'right_answer', 'wrong_answer', 'fixed')),
    note text NOT NULL DEFAULT ''
);
COMMENT ON COLUMN reviews.verdict IS 'null: taken back';

-- An administrator's copy of a question: it is kept when the query is deleted.
CREATE TABLE golden_questions (
    response_id uuid PRIMARY KEY,
    question text NOT NULL,
    refuse boolean NOT NULL,
    section text NOT NULL DEFAULT '',
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (refuse OR section <> '')
);

CREATE TABLE analytics_settings (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    minutes_low double precision NOT NULL DEFAULT 1 CHECK (minutes_low >= 0),
    minutes double precision NOT NULL DEFAULT 2.5 CHECK (minutes >= minutes_low),
    minutes_high double precision NOT NULL DEFAULT 4 CHECK (minutes_high >= minutes),
    hourly_rate double precision CHECK (hourly_rate >= 0),
    currency text NOT NULL DEFAULT 'USD',
    survey_hours_before double precision CHECK (survey_hours_before > 0),
    survey_hours_after double precision CHECK (survey_hours_after >= 0),
    survey_note text NOT NULL DEFAULT '',
    time_zone text NOT NULL DEFAULT 'UTC'
);
INSERT INTO analytics_settings DEFAULT VALUES;

CREATE FUNCTION note_review() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE answer_facts SET verdict = NEW.verdict, changed_at = clock_timestamp()
    WHERE answer_facts.response_id = NEW.response_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_review AFTER INSERT OR UPDATE ON reviews
    FOR EACH ROW EXECUTE FUNCTION note_review();

-- Store a reviewer's verdict on an answer: 'marked'; 'unknown' for an unknown answer; 'unfit' for a
-- verdict on refusals given to an answer, or the reverse.
CREATE FUNCTION mark_response(response uuid, given_verdict text, given_note text) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    stored_status text := (SELECT status FROM responses WHERE response_id = response);
BEGIN
    IF stored_status IS NULL THEN
        RETURN 'unknown';
    END IF;
    IF given_verdict IN ('good_refusal', 'should_have_answered') AND stored_status <> 'refused'
        OR given_verdict IN ('right_answer', 'wrong_answer') AND stored_status = 'refused' THEN
        RETURN 'unfit';
    END IF;
    INSERT INTO reviews (response_id, verdict, note) VALUES (response, given_verdict, given_note)
    ON CONFLICT (response_id) DO UPDATE SET
        verdict = excluded.verdict, note = excluded.note;
    RETURN 'marked';
END
$$;

-- Save an answer's question, as it was searched for, as a golden question. False for an unknown answer.
CREATE FUNCTION keep_golden(response uuid, must_refuse boolean, in_section text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO golden_questions (response_id, question, refuse, section)
    SELECT response_id, coalesce(queries.rewritten_question, queries.question), must_refuse, in_section
    FROM responses JOIN queries USING (query_id) WHERE response_id = response
    ON CONFLICT (response_id) DO UPDATE SET
        question = excluded.question, refuse = excluded.refuse, section = excluded.section,
        made_at = clock_timestamp();
    RETURN FOUND;
END
$$;

CREATE FUNCTION drop_golden(response uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    DELETE FROM golden_questions WHERE response_id = response;
    RETURN FOUND;
END
$$;

-- Store all settings at once. The table's constraints reject invalid values.
CREATE FUNCTION save_analytics_settings(given jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    PERFORM clock_timestamp() AT TIME ZONE (given ->> 'time_zone');
    UPDATE analytics_settings SET
        minutes_low = wanted.minutes_low, minutes = wanted.minutes,
        minutes_high = wanted.minutes_high, hourly_rate = wanted.hourly_rate,
        currency = wanted.currency, survey_hours_before = wanted.survey_hours_before,
        survey_hours_after = wanted.survey_hours_after, survey_note = wanted.survey_note,
        time_zone = wanted.time_zone
    FROM jsonb_populate_record(NULL::analytics_settings, given) AS wanted;
END
$$;

GRANT SELECT ON reviews, golden_questions, analytics_settings, past_chunks TO quoth_analytics;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON FUNCTION mark_response(uuid, text, text), keep_golden(uuid, boolean, text),
    drop_golden(uuid), save_analytics_settings(jsonb) TO quoth_analytics;
