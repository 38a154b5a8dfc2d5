-- One narrow row per answer, kept up to date by the triggers below: aggregates read it instead of the
-- answers, which are long. Pseudonyms of readers and sessions are hashed again to shorten them.
CREATE TABLE answer_facts (
    response_id uuid PRIMARY KEY REFERENCES responses ON DELETE CASCADE,
    query_id uuid NOT NULL,
    asked_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    reader bigint NOT NULL,
    session bigint NOT NULL,
    confidence double precision,
    milliseconds double precision,
    similarity double precision,
    overlap double precision,
    check_ms double precision,
    search_ms double precision,
    boost double precision,
    claims integer NOT NULL,
    verbatim integer NOT NULL,
    close integer NOT NULL,
    paraphrase integer NOT NULL,
    helpful integer NOT NULL DEFAULT 0,
    not_helpful integer NOT NULL DEFAULT 0,
    repeated boolean NOT NULL,
    cached boolean NOT NULL,
    limited boolean NOT NULL,
    check_passed boolean,
    chapter_sent boolean NOT NULL,
    mode text NOT NULL,
    status text NOT NULL,
    refusal_reason text,
    chapter_id text,
    chunk_id text,
    verdict text,
    cost_usd numeric(14, 8) NOT NULL
);
COMMENT ON COLUMN answer_facts.claims IS 'claims of the answer, each of which passed its check';
COMMENT ON COLUMN answer_facts.verbatim IS 'claims with this proof, as are close and paraphrase';
COMMENT ON COLUMN answer_facts.paraphrase IS 'claims that the judge alone confirmed';
COMMENT ON COLUMN answer_facts.limited IS 'the reader was told that these are quotes only';
COMMENT ON COLUMN answer_facts.chapter_sent IS 'with a question that was searched for';
COMMENT ON COLUMN answer_facts.boost IS 'mean factor on the chunks of the reader''s chapter or selection';
COMMENT ON COLUMN answer_facts.chunk_id IS 'the chunk that the answer rests on, else the nearest one found';
COMMENT ON COLUMN answer_facts.verdict IS 'what a reviewer said of it';
-- A covering index for the daily counts: they are read from the index alone.
CREATE INDEX answer_facts_by_time ON answer_facts (asked_at)
    INCLUDE (session, reader, milliseconds, check_ms, mode);
-- For the planner: the number of distinct steps (see measure_day), which avoids a sort.
CREATE STATISTICS answer_steps ON ((10 * ceil(milliseconds / 10))::integer) FROM answer_facts;
CREATE INDEX answer_facts_by_change ON answer_facts (changed_at);

-- The best chunk found of the section that an answer quotes most, weighted by relevance; of all where
-- nothing is cited.
CREATE FUNCTION cited_chunk(source_references jsonb, found text[]) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce((
        SELECT id FROM jsonb_array_elements(source_references) AS cited
        JOIN chunks ON id = ANY (found) AND body ->> 'url' = cited ->> 'url'
        ORDER BY (cited ->> 'relevance')::double precision * (
            SELECT sum(length(quote ->> 'exact')) FROM jsonb_array_elements(cited -> 'quotes') AS quote
        ) DESC NULLS LAST, array_position(found, id) LIMIT 1
    ), found[1])
$$;

CREATE FUNCTION note_answer() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO answer_facts (
        response_id, query_id, asked_at, reader, session, confidence, milliseconds, similarity,
        overlap, check_ms, search_ms, boost, claims, verbatim, close, paraphrase, repeated, cached, limited, check_passed,
        chapter_sent, mode, status, refusal_reason, chapter_id, chunk_id, cost_usd)
    SELECT NEW.response_id, NEW.query_id, asked.asked_at,
        hashtextextended(asked.reader, 0), hashtextextended(asked.session_id, 0),
        NEW.confidence, NEW.response_latency_ms, NEW.response_similarity_score,
        NEW.keyword_overlap_ratio, NEW.latency_validation_ms,
        CASE WHEN asked.search IS NOT NULL THEN (NEW.timings ->> 'search')::double precision END,
        (asked.search ->> 'boost')::double precision,
        jsonb_array_length(NEW.claims), proofs.verbatim, proofs.close, proofs.paraphrase, asked.repeated, asked.cached,
        coalesce((NEW.body #>> '{metadata,limited_mode}')::boolean, NEW.limited_mode),
        NEW.validation_passed,
        asked.chapter_context IS NOT NULL AND (asked.search IS NOT NULL OR asked.cached),
        asked.mode, NEW.status,
        NEW.refusal_reason, NEW.body #>> '{metadata,chapter_id}',
        cited_chunk(NEW.source_references, asked.retrieved_chunk_ids),
        NEW.cost_usd
    FROM queries AS asked, (
        SELECT count(*) FILTER (WHERE claim ->> 'verification' = 'verbatim') AS verbatim,
            count(*) FILTER (WHERE claim ->> 'verification' = 'close') AS close,
            count(*) FILTER (WHERE claim ->> 'verification' = 'paraphrase') AS paraphrase
        FROM jsonb_array_elements(NEW.claims) AS claim
    ) AS proofs
    WHERE asked.query_id = NEW.query_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_answer AFTER INSERT ON responses FOR EACH ROW EXECUTE FUNCTION note_answer();

CREATE FUNCTION note_verdicts() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    rated uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.response_id ELSE NEW.response_id END;
BEGIN
    UPDATE answer_facts SET
        helpful = (SELECT count(*) FROM feedback WHERE response_id = rated AND rating = 'helpful'),
        not_helpful = (
            SELECT count(*) FROM feedback WHERE response_id = rated AND rating = 'not_helpful'),
        changed_at = clock_timestamp()
    WHERE answer_facts.response_id = rated;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_verdicts AFTER INSERT OR UPDATE OR DELETE ON feedback
    FOR EACH ROW EXECUTE FUNCTION note_verdicts();

REVOKE ALL ON FUNCTION cited_chunk(jsonb, text[]), note_answer(), note_verdicts() FROM PUBLIC;
GRANT SELECT ON answer_facts TO quoth_analytics;
