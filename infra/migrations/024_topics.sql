-- Topics: a question belongs to the section its answer rests on. What the book does not treat is
-- grouped around readers' own questions, by their embeddings.

-- Embeddings of masked questions that the book does not treat, kept as long as the questions are.
CREATE TABLE question_vectors (
    model text NOT NULL,
    hash bytea NOT NULL,
    dimensions integer NOT NULL,
    vector bytea NOT NULL CHECK (length(vector) = dimensions),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (model, hash)
);
COMMENT ON COLUMN question_vectors.vector IS 'a signed byte a number, its length lost';

CREATE TABLE question_groups (
    key uuid PRIMARY KEY,
    leader uuid NOT NULL,
    likeness real NOT NULL
);
COMMENT ON COLUMN question_groups.leader IS 'the key of the question that names the group';
COMMENT ON COLUMN question_groups.likeness IS 'cosine to the leader';
CREATE INDEX question_groups_of_leader ON question_groups (leader);

CREATE TABLE question_groups_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    refreshed_at timestamptz NOT NULL,
    questions bigint NOT NULL,
    grouped bigint NOT NULL
);
COMMENT ON COLUMN question_groups_state.grouped IS 'of so many distinct questions';

-- Stored with the facts of an answer, so that they are counted without reading questions.
ALTER TABLE answer_facts ADD COLUMN question_key uuid;
COMMENT ON COLUMN answer_facts.question_key IS 'of a question that the book does not treat, else null';

-- A refusal counts for the section nearest to the question if the gate nearly let it pass.
CREATE FUNCTION note_question_key() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NEW.refusal_reason = 'out_of_scope' AND (NEW.chunk_id IS NULL OR coalesce(NEW.confidence, 0) < 0.35) THEN
        SELECT md5(lower(btrim(question)))::uuid INTO NEW.question_key
        FROM queries WHERE query_id = NEW.query_id AND btrim(question) <> '';
    END IF;
    RETURN NEW;
END
$$;
CREATE INDEX answer_facts_by_question ON answer_facts (question_key) WHERE question_key IS NOT NULL;
CREATE TRIGGER note_question_key BEFORE INSERT ON answer_facts
    FOR EACH ROW EXECUTE FUNCTION note_question_key();

-- What the questions of a time are about. Those of one kind are counted by chunk, those that the book
-- does not treat by group; `sessions` are five of the group's at most, `chunk_id` is the one nearest.
CREATE FUNCTION measure_topics(
    since timestamptz, until timestamptz, sure double precision, near double precision
) RETURNS TABLE (
    kind text, chunk_id text, leader uuid, sessions bigint[], queries bigint, refused bigint,
    confidences double precision, unsure bigint, with_confidence bigint, rated bigint, helpful bigint
)
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT about.kind, about.chunk_id, NULL, NULL, count(*), count(*) FILTER (WHERE NOT is_answer),
        sum(confidence) FILTER (WHERE is_answer),
        count(*) FILTER (WHERE is_answer AND confidence < sure),
        count(confidence) FILTER (WHERE is_answer), sum(about.rated), sum(about.helpful)
    FROM (
        SELECT CASE WHEN refusal_reason = 'inappropriate' THEN 'inappropriate'
                WHEN facts.chunk_id IS NULL THEN 'general' ELSE 'section' END AS kind,
            CASE WHEN refusal_reason IS DISTINCT FROM 'inappropriate' THEN facts.chunk_id END AS chunk_id,
            status <> 'refused' AS is_answer, confidence, facts.helpful + not_helpful AS rated,
            facts.helpful
        FROM answer_facts AS facts
        WHERE asked_at >= since AND asked_at < until AND question_key IS NULL
    ) AS about GROUP BY 1, 2
    UNION ALL
    SELECT 'missing', mode() WITHIN GROUP (ORDER BY facts.chunk_id) FILTER (WHERE confidence >= near),
        grouped.leader, (array_agg(DISTINCT session))[:5], count(*), count(*), NULL, 0, 0,
        sum(facts.helpful + not_helpful), sum(facts.helpful)
    FROM answer_facts AS facts LEFT JOIN question_groups AS grouped ON key = question_key
    WHERE asked_at >= since AND asked_at < until AND question_key IS NOT NULL
    GROUP BY grouped.leader
$$;

-- The days of a period that are over, kept so that a page need not count them again.
CREATE TABLE topic_sums (
    time_zone text NOT NULL,
    first date NOT NULL,
    days_end date NOT NULL,
    made_at timestamptz NOT NULL,
    kind text NOT NULL,
    chunk_id text,
    leader uuid,
    sessions bigint[],
    queries bigint NOT NULL,
    refused bigint NOT NULL,
    confidences double precision,
    unsure bigint NOT NULL,
    with_confidence bigint NOT NULL,
    rated bigint NOT NULL,
    helpful bigint NOT NULL
);
CREATE INDEX topic_sums_by_period ON topic_sums (time_zone, first, days_end);

-- Keep the sums of a period's days that are over, again if one of them has changed. The end of these
-- days is returned.
CREATE FUNCTION refresh_topics(
    zone text, first_day date, period_end date, sure double precision, near double precision
) RETURNS date
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    over date := greatest(first_day, least(period_end, (now() AT TIME ZONE zone)::date));
    made timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('quoth topics', 0));
    SELECT made_at INTO made FROM topic_sums
    WHERE time_zone = zone AND first = first_day AND days_end = over LIMIT 1;
    -- Overlap a minute: rows written during the last run became visible after it.
    IF made IS NULL OR EXISTS (
        SELECT FROM (
            SELECT asked_at FROM answer_facts WHERE changed_at >= made - interval '1 minute' OFFSET 0
        ) AS changed
        WHERE asked_at >= day_start(first_day, zone) AND asked_at < day_start(over, zone)
    ) THEN
        DELETE FROM topic_sums WHERE made_at < moment - interval '1 day'
            OR time_zone = zone AND first = first_day AND days_end = over;
        INSERT INTO topic_sums
        SELECT zone, first_day, over, moment, measured.*
        FROM measure_topics(day_start(first_day, zone), day_start(over, zone), sure, near) AS measured;
    END IF;
    RETURN over;
END
$$;

CREATE FUNCTION forget_topics() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    DELETE FROM topic_sums;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_topics AFTER DELETE ON answer_facts
    FOR EACH STATEMENT EXECUTE FUNCTION forget_topics();
CREATE TRIGGER forget_topics AFTER INSERT OR DELETE ON question_groups
    FOR EACH STATEMENT EXECUTE FUNCTION forget_topics();

GRANT SELECT ON topic_sums TO quoth_analytics;
GRANT SELECT, INSERT, UPDATE, DELETE ON question_vectors, question_groups, question_groups_state
    TO quoth_analytics;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refresh_topics(text, date, date, double precision, double precision),
    measure_topics(timestamptz, timestamptz, double precision, double precision) TO quoth_analytics;
