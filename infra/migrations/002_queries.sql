-- Queries, responses and their costs: all that a replay of an answer needs.
-- The functions mask personal data before they store a record.

CREATE TABLE queries (
    query_id uuid PRIMARY KEY,
    asked_at timestamptz NOT NULL,
    reader text NOT NULL,
    session_id text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('book-wide', 'highlight', 'selected-text')),
    question text NOT NULL,
    question_hash text NOT NULL DEFAULT '',
    rewritten_question text,
    selected_text text,
    page jsonb,
    chapter_context jsonb,
    highlight jsonb,
    content_version text NOT NULL DEFAULT '',
    retrieved_chunk_ids text[] NOT NULL DEFAULT '{}',
    chunk_hashes text[] NOT NULL DEFAULT '{}',
    similarity_scores double precision[] NOT NULL DEFAULT '{}',
    repeated boolean NOT NULL DEFAULT false,
    cached boolean NOT NULL DEFAULT false
);
COMMENT ON COLUMN queries.asked_at IS 'the moment the rate limit counted';
COMMENT ON COLUMN queries.retrieved_chunk_ids IS 'the most relevant first';
COMMENT ON COLUMN queries.similarity_scores IS
    'cosines of the question and each chunk, or each sentence of a selection; null where unknown';
CREATE INDEX queries_of_session ON queries (session_id, asked_at DESC);
CREATE INDEX queries_by_time ON queries (asked_at);

CREATE TABLE responses (
    response_id uuid PRIMARY KEY,
    query_id uuid NOT NULL UNIQUE REFERENCES queries ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    status text NOT NULL,
    refusal_reason text,
    generated_response text NOT NULL DEFAULT '',
    claims jsonb NOT NULL DEFAULT '[]',
    source_references jsonb NOT NULL DEFAULT '[]',
    notices text[] NOT NULL DEFAULT '{}',
    limited_mode boolean NOT NULL DEFAULT false,
    raw_output text,
    checks jsonb,
    prompt_version text NOT NULL DEFAULT '',
    model_asked text NOT NULL DEFAULT '',
    model_returned text NOT NULL DEFAULT '',
    input_tokens integer NOT NULL DEFAULT 0,
    output_tokens integer NOT NULL DEFAULT 0,
    cost_usd numeric(14, 8) NOT NULL DEFAULT 0,
    confidence double precision,
    response_similarity_score double precision,
    keyword_overlap_ratio double precision,
    validation_passed boolean,
    latency_validation_ms double precision,
    response_latency_ms double precision,
    timings jsonb NOT NULL DEFAULT '{}',
    body jsonb
);
COMMENT ON COLUMN responses.body IS 'the response as sent, for a repeated request and a ticket';

CREATE TABLE feedback (
    response_id uuid NOT NULL REFERENCES responses ON DELETE CASCADE,
    session_id text NOT NULL,
    rating text NOT NULL CHECK (rating IN ('helpful', 'not_helpful')),
    reason text,
    comment text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (response_id, session_id)
);

CREATE TABLE request_errors (
    error_id uuid PRIMARY KEY,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    error_type text NOT NULL,
    message text NOT NULL DEFAULT '',
    stack_trace text NOT NULL DEFAULT '',
    function text NOT NULL DEFAULT '',
    affected_query_id uuid,
    detail jsonb
);
CREATE INDEX request_errors_by_time ON request_errors (occurred_at);

CREATE TABLE spend_days (
    day date PRIMARY KEY,
    queries integer NOT NULL DEFAULT 0,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    cost_usd numeric(14, 8) NOT NULL DEFAULT 0
);

-- The mode is part of the key: modes cannot read or fill each other's cache entries.
CREATE TABLE answer_cache (
    mode text NOT NULL,
    cache_key text NOT NULL,
    content_version text NOT NULL,
    body jsonb NOT NULL,
    search jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (mode, cache_key)
);
COMMENT ON COLUMN answer_cache.search IS 'columns of queries: the chunks the answer was found in';
