-- One role per function, and its rights. A role cannot log in until an operator (or the embedded
-- server) sets its password.

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['quoth_query', 'quoth_selected', 'quoth_ingest', 'quoth_analytics']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                -- Created concurrently by another database of the same server.
                NULL;
            END;
        END IF;
    END LOOP;
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

GRANT USAGE ON SCHEMA public TO quoth_query, quoth_selected, quoth_ingest, quoth_analytics;

GRANT EXECUTE ON FUNCTION begin_query(jsonb), finish_query(jsonb), ticket_state(uuid),
    record_error(jsonb), verify_selection(jsonb, text, text) TO quoth_query, quoth_selected;

GRANT EXECUTE ON FUNCTION search_chunks(text, integer, jsonb) TO quoth_query;
GRANT SELECT ON documents, chunks, blocks, index_state TO quoth_query;

GRANT EXECUTE ON FUNCTION record_error(jsonb) TO quoth_ingest, quoth_analytics;
GRANT SELECT, INSERT, UPDATE, DELETE ON documents, chunks, blocks, passage_vectors, leases TO quoth_ingest;
GRANT SELECT, UPDATE ON index_state TO quoth_ingest;

GRANT EXECUTE ON FUNCTION record_feedback(uuid, text, text, text, text, text) TO quoth_analytics;
GRANT SELECT ON queries, responses, feedback, request_errors, spend_days, part_states, admissions,
    limit_settings, documents, chunks, index_state, migrations TO quoth_analytics;
