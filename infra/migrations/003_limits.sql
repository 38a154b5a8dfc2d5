-- Admission state: settings, rate-limit windows, the queue, circuit breakers.

CREATE TABLE limit_settings (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    rate_limit integer NOT NULL DEFAULT 10 CHECK (rate_limit > 0),
    rate_window interval NOT NULL DEFAULT '60 seconds',
    network_readers integer NOT NULL DEFAULT 10 CHECK (network_readers > 0),
    session_window interval NOT NULL DEFAULT '1 hour',
    running_cap integer NOT NULL DEFAULT 200 CHECK (running_cap > 0),
    system_total integer NOT NULL DEFAULT 500,
    running_lease interval NOT NULL DEFAULT '40 seconds',
    grant_lease interval NOT NULL DEFAULT '5 seconds',
    heartbeat interval NOT NULL DEFAULT '10 seconds',
    usual_seconds double precision NOT NULL DEFAULT 4,
    repeat_window interval NOT NULL DEFAULT '10 minutes',
    history_window interval NOT NULL DEFAULT '1 hour',
    breaker_failures integer NOT NULL DEFAULT 5,
    breaker_open interval NOT NULL DEFAULT '30 seconds',
    breaker_probe interval NOT NULL DEFAULT '10 seconds',
    daily_ceiling_usd numeric,
    monthly_ceiling_usd numeric,
    smaller_model_at double precision NOT NULL DEFAULT 0.8
);
COMMENT ON COLUMN limit_settings.network_readers IS 'new readers of one network in rate_window; together they may ask rate_limit times as many questions';
COMMENT ON COLUMN limit_settings.session_window IS 'a reader who has not asked for so long is new again';
COMMENT ON COLUMN limit_settings.breaker_probe IS 'how long one query has to try a part again';
COMMENT ON COLUMN limit_settings.running_lease IS 'the longest a query may run, and some seconds';
COMMENT ON COLUMN limit_settings.grant_lease IS 'how long a slot waits for its ticket to be used';
COMMENT ON COLUMN limit_settings.heartbeat IS 'a queued reader not heard of for so long has left';
COMMENT ON COLUMN limit_settings.smaller_model_at IS 'share of a ceiling that ends the large model';
INSERT INTO limit_settings DEFAULT VALUES;

-- A salt is deleted after its week; from then on hashes cannot be linked to readers.
CREATE TABLE salts (
    week date PRIMARY KEY,
    salt bytea NOT NULL CHECK (length(salt) = 32)
);

CREATE TABLE reader_windows (
    reader text PRIMARY KEY,
    accepted timestamptz[] NOT NULL DEFAULT '{}'
);

-- Exact times would be thousands for a school.
CREATE TABLE network_windows (
    network text PRIMARY KEY,
    slots bigint[] NOT NULL DEFAULT '{}',
    counts integer[] NOT NULL DEFAULT '{}',
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE network_windows IS 'questions of a network, or its new readers, by sixtieth of rate_window';

CREATE TABLE admissions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    query_id uuid NOT NULL UNIQUE,
    attempt uuid,
    reader text NOT NULL,
    idempotency_key text,
    mode text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('queued', 'granted', 'running', 'deferred', 'done', 'expired', 'abandoned')),
    accepted_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    lease_until timestamptz,
    seen_until timestamptz,
    passed_at timestamptz
);
COMMENT ON COLUMN admissions.attempt IS
    'the call that was admitted: a call that is made again, as its reply was lost, is let run';
COMMENT ON COLUMN admissions.passed_at IS 'when somebody behind it in the queue went first';
COMMENT ON TABLE admissions IS 'one row a query; while it is queued its query_id is its ticket';
CREATE UNIQUE INDEX admissions_once ON admissions (reader, mode, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX admissions_in_system ON admissions (status, number)
    WHERE status IN ('queued', 'granted', 'running');
CREATE INDEX admissions_done ON admissions (started_at DESC) WHERE status = 'done';

CREATE TABLE part_states (
    part text PRIMARY KEY,
    failures integer NOT NULL DEFAULT 0,
    open_until timestamptz,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
