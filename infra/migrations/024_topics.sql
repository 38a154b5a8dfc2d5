-- Topics: readers' questions grouped by their embeddings.

-- Embeddings of masked questions and of the chunks they found, kept while a stored question needs them.
CREATE TABLE question_vectors (
    model text NOT NULL,
    hash bytea NOT NULL,
    dimensions integer NOT NULL,
    vector bytea NOT NULL CHECK (length(vector) = dimensions),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (model, hash)
);
COMMENT ON COLUMN question_vectors.vector IS 'a signed byte a number, its length lost';

CREATE TABLE topics (
    topic_id uuid PRIMARY KEY,
    model text NOT NULL,
    name text NOT NULL,
    terms text[] NOT NULL,
    section jsonb,
    found boolean NOT NULL,
    centroid bytea NOT NULL,
    first_seen timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN topics.found IS 'its questions found something in the book';
COMMENT ON COLUMN topics.centroid IS 'float32, little-endian, of length 1';
COMMENT ON COLUMN topics.last_seen IS 'a topic that comes back is the same topic';

CREATE TABLE question_topics (
    key uuid PRIMARY KEY,
    topic_id uuid NOT NULL REFERENCES topics ON DELETE CASCADE
);
CREATE INDEX question_topics_of_topic ON question_topics (topic_id);

CREATE TABLE topic_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    refreshed_at timestamptz NOT NULL,
    questions bigint NOT NULL,
    grouped bigint NOT NULL
);
COMMENT ON COLUMN topic_state.grouped IS 'of so many distinct questions';

-- The chunk a question is about: the most relevant one; none for a refusal.
CREATE FUNCTION topic_chunk(status text, chunk_ids text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN status = 'refused' THEN '' ELSE coalesce(chunk_ids[1], '') END $$;

CREATE FUNCTION topic_key(question text, chunk text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT md5(lower(btrim(question)) || E'\x1f' || chunk)::uuid $$;

-- Stored with the facts of an answer, so that topics are counted without reading questions. Null: not
-- grouped.
ALTER TABLE answer_facts ADD COLUMN topic_key uuid;

CREATE FUNCTION note_topic_key() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    SELECT topic_key(question, topic_chunk(NEW.status, retrieved_chunk_ids)) INTO NEW.topic_key
    FROM queries WHERE query_id = NEW.query_id AND btrim(question) <> ''
        AND NEW.refusal_reason IS DISTINCT FROM 'inappropriate';
    RETURN NEW;
END
$$;
CREATE TRIGGER note_topic_key BEFORE INSERT ON answer_facts
    FOR EACH ROW EXECUTE FUNCTION note_topic_key();

GRANT SELECT, INSERT, UPDATE, DELETE ON question_vectors, topics, question_topics, topic_state
    TO quoth_analytics;
REVOKE ALL ON FUNCTION topic_chunk(text, text[]), topic_key(text, text),
    note_topic_key() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION topic_chunk(text, text[]) TO quoth_analytics;
