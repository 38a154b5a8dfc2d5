-- The queue. `running_cap` queries run, the rest wait in order; above `system_total` none is admitted.
-- Slots and places are leases, which expire when a process dies or a reader leaves.

-- A query's place: position (from 1), estimated seconds, and when to poll again.
CREATE FUNCTION place_in_queue(wanted_number bigint, settings limit_settings) RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    place integer;
    eta double precision;
BEGIN
    SELECT count(*) + 1 INTO place FROM admissions
    WHERE status = 'queued' AND number < wanted_number AND seen_until >= clock_timestamp();
    eta := wait_at(place, settings);
    RETURN jsonb_build_object(
        'verdict', 'queued', 'position', place, 'eta_s', greatest(1, round(eta)::integer),
        'poll_after_ms',
        -- Poll more often near the front (fixed intervals left a third of the slots idle), with
        -- jitter: readers who came together must not poll together.
        round(greatest(least(350 * eta, 3000) * (0.8 + 0.2 * random()), 500))::integer
    );
END
$$;

-- Deletes expired leases and counts the rest; exact only under the queue's lock. Rows locked by
-- another transaction are in use, so they count.
CREATE FUNCTION count_system(OUT running integer, OUT queued integer)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    moment timestamptz := clock_timestamp();
BEGIN
    UPDATE admissions
    SET status = CASE WHEN status = 'queued' THEN 'abandoned' ELSE 'expired' END
    WHERE number IN (
        SELECT number FROM admissions
        WHERE (status = 'queued' AND seen_until < moment)
            OR (status IN ('granted', 'running') AND lease_until < moment)
        FOR UPDATE SKIP LOCKED
    );
    SELECT count(*) FILTER (WHERE status <> 'queued'), count(*) FILTER (WHERE status = 'queued')
    INTO running, queued
    FROM admissions WHERE status IN ('queued', 'granted', 'running');
END
$$;

CREATE FUNCTION lock_queue() RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT pg_advisory_xact_lock(1903195240) $$;

-- Admit a new query: run, queued or full.
CREATE FUNCTION admit_query(
    new_id uuid, new_attempt uuid, who text, key text, wanted_mode text, accepted timestamptz,
    settings limit_settings
) RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    system record;
    runs boolean;
    new_number bigint;
    moment timestamptz;
BEGIN
    PERFORM lock_queue();
    SELECT * INTO system FROM count_system();
    IF system.running + system.queued >= settings.system_total THEN
        RETURN jsonb_build_object('verdict', 'full', 'retry_after_s', 60);
    END IF;
    runs := system.running + system.queued < settings.running_cap;
    moment := clock_timestamp();
    INSERT INTO admissions (
        query_id, attempt, reader, idempotency_key, mode, accepted_at, status, started_at, lease_until, seen_until
    ) VALUES (
        new_id, new_attempt, who, key, wanted_mode, accepted,
        CASE WHEN runs THEN 'running' ELSE 'queued' END,
        CASE WHEN runs THEN moment END,
        CASE WHEN runs THEN moment + settings.running_lease END,
        CASE WHEN NOT runs THEN moment + settings.heartbeat END
    ) RETURNING number INTO new_number;
    IF runs THEN
        RETURN jsonb_build_object('verdict', 'run', 'query_id', new_id, 'accepted_at', accepted);
    END IF;
    RETURN place_in_queue(new_number, settings)
        || jsonb_build_object('query_id', new_id, 'ticket', new_id, 'accepted_at', accepted);
END
$$;

-- How far out of order slots may be given. A fifth of them go to whoever polls first, because queries
-- at the head that are slow to poll would leave them idle; but only queries due within two seconds may
-- pass others, so that a passed query does not wait long when no slot becomes free soon. A passed query
-- counts once it has polled again: a closed tab never does, and must not block those behind it.
CREATE FUNCTION slack_before(own_number bigint, eta_s double precision, settings limit_settings)
RETURNS integer
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT CASE WHEN eta_s > 2 OR EXISTS (
        SELECT FROM admissions
        WHERE status = 'queued' AND number < own_number AND seen_until >= clock_timestamp()
            AND passed_at < least(clock_timestamp() - interval '1 second', seen_until - settings.heartbeat))
    THEN 0 ELSE settings.running_cap / 5 END
$$;

-- Mark the queries that are passed. Rows locked by another transaction are skipped: it is polling
-- them, and may be waiting for the queue's lock.
CREATE FUNCTION note_passed(own_number bigint) RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE admissions SET passed_at = clock_timestamp()
    WHERE number IN (
        SELECT number FROM admissions
        WHERE status = 'queued' AND number < own_number AND passed_at IS NULL
        FOR UPDATE SKIP LOCKED)
$$;

-- Read a ticket, and reserve a slot when its turn has come. `start` is true when its query starts
-- now; otherwise the slot is kept for some seconds. A slot is started once only.
CREATE FUNCTION advance_ticket(wanted uuid, wanted_mode text, start boolean) RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    settings limit_settings;
    ticket admissions;
    system record;
    place jsonb;
    moment timestamptz;
    answer jsonb;
BEGIN
    SELECT * INTO settings FROM limit_settings;
    SELECT * INTO ticket FROM admissions
    WHERE query_id = wanted AND (wanted_mode IS NULL OR mode = wanted_mode) FOR UPDATE;
    moment := clock_timestamp();
    IF ticket.status = 'queued' AND ticket.seen_until >= moment THEN
        UPDATE admissions SET seen_until = moment + settings.heartbeat WHERE number = ticket.number;
        place := place_in_queue(ticket.number, settings);
        SELECT count(*) AS running INTO system FROM admissions
        WHERE status IN ('granted', 'running') AND lease_until >= moment;
        IF system.running < settings.running_cap AND (place ->> 'position')::integer
            <= settings.running_cap - system.running
                + slack_before(ticket.number, (place ->> 'eta_s')::double precision, settings) THEN
            PERFORM lock_queue();
            SELECT * INTO system FROM count_system();
            IF system.running < settings.running_cap THEN
                PERFORM note_passed(ticket.number);
                ticket.status := 'granted';
                ticket.lease_until := clock_timestamp() + settings.grant_lease;
                UPDATE admissions SET status = 'granted', lease_until = ticket.lease_until
                WHERE number = ticket.number;
            END IF;
        END IF;
        IF ticket.status = 'queued' THEN
            RETURN place || jsonb_build_object('query_id', wanted, 'ticket', wanted);
        END IF;
    END IF;
    IF ticket.status = 'granted' AND ticket.lease_until >= moment THEN
        IF start THEN
            UPDATE admissions SET status = 'running', started_at = clock_timestamp(),
                lease_until = clock_timestamp() + settings.running_lease
            WHERE number = ticket.number;
        END IF;
        RETURN jsonb_build_object(
            'verdict', 'run', 'query_id', wanted, 'ticket', wanted, 'accepted_at', ticket.accepted_at);
    ELSIF ticket.status = 'running' AND ticket.lease_until >= moment THEN
        RETURN jsonb_build_object(
            'verdict', 'running', 'query_id', wanted, 'ticket', wanted, 'poll_after_ms', 1000);
    ELSIF ticket.status = 'deferred' THEN
        RETURN jsonb_build_object('verdict', 'deferred', 'query_id', wanted, 'ticket', wanted);
    END IF;
    SELECT body INTO answer FROM responses
    WHERE query_id = wanted AND ticket.query_id IS NOT NULL;
    IF answer IS NOT NULL THEN
        RETURN jsonb_build_object('verdict', 'done', 'query_id', wanted, 'done', answer);
    END IF;
    RETURN jsonb_build_object('verdict', 'expired');
END
$$;

-- For GET /tickets/{id}: the state of one ticket. Polling keeps its place.
CREATE FUNCTION ticket_state(id uuid) RETURNS jsonb
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT advance_ticket(
        id, CASE WHEN session_user = 'quoth_selected' THEN 'selected-text' END, false)
$$;
