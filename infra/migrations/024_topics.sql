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

GRANT SELECT, INSERT, UPDATE, DELETE ON question_vectors, question_groups, question_groups_state
    TO quoth_analytics;
REVOKE ALL ON FUNCTION note_question_key() FROM PUBLIC;
