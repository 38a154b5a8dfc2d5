-- The book: documents, their blocks and chunks, and the vectors of their passages.

CREATE TABLE documents (
    id uuid PRIMARY KEY,
    source_path text NOT NULL,
    version text NOT NULL DEFAULT '',
    locale text NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    chapter jsonb NOT NULL DEFAULT '{}',
    url text NOT NULL DEFAULT '',
    policy text NOT NULL DEFAULT '',
    content_hash text NOT NULL,
    object_version text NOT NULL DEFAULT '',
    generation integer NOT NULL,
    folded text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at timestamptz,
    UNIQUE (source_path, version, locale)
);
COMMENT ON COLUMN documents.folded IS 'fold_text of the blocks, in order, joined';

CREATE TABLE chunks (
    id text PRIMARY KEY,
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    generation integer NOT NULL,
    ordinal integer NOT NULL,
    hash text NOT NULL,
    body jsonb NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (
        setweight(to_tsvector('english'::regconfig, coalesce(body -> 'titles', '[]')), 'A')
        || setweight(to_tsvector('english'::regconfig, coalesce(body ->> 'text', '')), 'B')
    ) STORED
);
CREATE INDEX chunks_of_document ON chunks (document_id, ordinal);
CREATE INDEX chunks_search ON chunks USING gin (search);

CREATE TABLE blocks (
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    generation integer NOT NULL,
    index integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    first_line integer NOT NULL,
    last_line integer NOT NULL,
    folded_start integer NOT NULL,
    folded_length integer NOT NULL,
    shown_at integer NOT NULL DEFAULT 0,
    shown text[] NOT NULL DEFAULT '{}',
    skippable boolean NOT NULL DEFAULT false,
    PRIMARY KEY (document_id, index)
);
COMMENT ON COLUMN blocks.folded_start IS 'where documents.folded holds this block, from 0';
COMMENT ON COLUMN blocks.shown_at IS 'its place on the page, from 0: footnotes stand at the end';
COMMENT ON COLUMN blocks.shown IS 'folded pieces: t must be there, o may be there, m is TeX';
COMMENT ON COLUMN blocks.skippable IS 'a page may show nothing of it: another tab, a picture';

-- Cached independently of chunks, so that only new text is embedded.
CREATE TABLE passage_vectors (
    model text NOT NULL,
    hash text NOT NULL,
    dimensions integer NOT NULL,
    vector bytea NOT NULL CHECK (length(vector) = 4 * dimensions),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (model, hash)
);
COMMENT ON COLUMN passage_vectors.vector IS 'float32, little-endian';

CREATE TABLE leases (
    key text PRIMARY KEY,
    holder uuid NOT NULL,
    until timestamptz NOT NULL
);

CREATE TABLE index_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    content_version bigint NOT NULL DEFAULT 0,
    embedding_model text NOT NULL DEFAULT '',
    dimensions integer NOT NULL DEFAULT 0,
    collection text NOT NULL DEFAULT '',
    calibration jsonb,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO index_state DEFAULT VALUES;
