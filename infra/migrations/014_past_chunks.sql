-- Chunks that answers used, kept after the book has changed, so that a query can be replayed on the
-- text it was answered from. The functions for readers cannot access it.

CREATE TABLE past_chunks (
    id text NOT NULL,
    hash text NOT NULL,
    body jsonb NOT NULL,
    replaced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (id, hash)
);
CREATE INDEX past_chunks_by_time ON past_chunks (replaced_at);

-- {by: meaning|words|database, top_dense, top_bm25, hits: [{id, hash, score, dense, bm25}]}
ALTER TABLE queries ADD COLUMN search jsonb;

GRANT SELECT, INSERT, UPDATE, DELETE ON past_chunks TO quoth_ingest;
