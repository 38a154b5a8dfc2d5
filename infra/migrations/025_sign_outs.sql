-- Administrators' sessions that were signed out before their cookie expired.

CREATE TABLE ended_sessions (
    session_id text PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE ended_sessions IS 'kept until the cookie has expired, which opens nothing from then on';

-- End a session whose cookie expires at `until`.
CREATE FUNCTION end_session(session_id text, until timestamptz) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    DELETE FROM ended_sessions WHERE expires_at < clock_timestamp();
    INSERT INTO ended_sessions VALUES (session_id, until) ON CONFLICT DO NOTHING;
$$;

REVOKE ALL ON FUNCTION end_session(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_session(text, timestamptz) TO quoth_analytics;
GRANT SELECT ON ended_sessions TO quoth_analytics;
