-- Weekly pseudonyms of readers, and the rate limit per reader.

CREATE FUNCTION hmac_sha256(key bytea, message bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    padded bytea := CASE WHEN length(key) > 64 THEN sha256(key) ELSE key END;
    inner_key bytea;
    outer_key bytea;
BEGIN
    padded := padded || decode(repeat('00', 64 - length(padded)), 'hex');
    inner_key := padded;
    outer_key := padded;
    FOR i IN 0..63 LOOP
        inner_key := set_byte(inner_key, i, get_byte(padded, i) # 54);
        outer_key := set_byte(outer_key, i, get_byte(padded, i) # 92);
    END LOOP;
    RETURN sha256(outer_key || sha256(inner_key || message));
END
$$;

-- This week's salt, created if it is missing. Three random UUIDs hold 366 random bits.
CREATE FUNCTION week_salt() RETURNS bytea
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    this_week date := date_trunc('week', clock_timestamp() AT TIME ZONE 'UTC')::date;
    found bytea;
BEGIN
    SELECT salt INTO found FROM salts WHERE week = this_week;
    IF found IS NULL THEN
        INSERT INTO salts (week, salt) VALUES (this_week, sha256(
            uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
        )) ON CONFLICT DO NOTHING;
        SELECT salt INTO found FROM salts WHERE week = this_week;
    END IF;
    RETURN found;
END
$$;

-- The pseudonym of a reader: a keyed hash of the user id, else the session; without both, of a network.
CREATE FUNCTION name_reader(salt bytea, user_id text, session_id text, network text) RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT left(encode(hmac_sha256(salt, convert_to(
        CASE
            WHEN user_id <> '' THEN 'user:' || user_id
            WHEN session_id <> '' THEN 'session:' || session_id
            ELSE 'network:' || coalesce(network, '')
        END, 'UTF8')), 'hex'), 32)
$$;

CREATE FUNCTION reader_of(user_id text, session_id text, network text) RETURNS text
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT name_reader(week_salt(), user_id, session_id, network) $$;

-- The form in which an id chosen by the caller is stored: as it is, or as a weekly keyed hash if it
-- holds personal data, such as an e-mail address.
CREATE FUNCTION stored_session(session_id text, personal boolean) RETURNS text
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT CASE WHEN personal THEN name_reader(week_salt(), NULL, session_id, NULL) ELSE session_id END
$$;

-- In the first minute of a week: the questions counted under the reader's previous pseudonym.
CREATE FUNCTION turns_of_last_week(
    user_id text, session_id text, settings limit_settings
) RETURNS timestamptz[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    week_start timestamp := date_trunc('week', clock_timestamp() AT TIME ZONE 'UTC');
BEGIN
    IF clock_timestamp() AT TIME ZONE 'UTC' > week_start + settings.rate_window THEN
        RETURN '{}';
    END IF;
    RETURN coalesce((
        SELECT reader_windows.accepted FROM salts
        JOIN reader_windows ON reader = name_reader(salts.salt, user_id, session_id, NULL)
        WHERE week = week_start::date - 7
    ), '{}');
END
$$;

-- Lock the reader's row until the end of the transaction: one request per reader at a time.
CREATE FUNCTION lock_reader(who text) RETURNS timestamptz[]
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO reader_windows (reader) VALUES (who)
    ON CONFLICT (reader) DO UPDATE SET accepted = reader_windows.accepted
    RETURNING accepted
$$;

-- Count one question in an exact sliding window of at most `most`. `accepted_at` is the time that was
-- counted, or null with the seconds to wait. The caller must hold lock_reader's lock.
CREATE FUNCTION take_turn(
    who text, earlier timestamptz[], most integer, settings limit_settings,
    OUT accepted_at timestamptz, OUT retry_after_s integer
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    -- Always after the last one, should the clock be set back.
    moment timestamptz := greatest(
        clock_timestamp(), earlier[cardinality(earlier)] + interval '1 microsecond');
    counted timestamptz[] := ARRAY(
        SELECT DISTINCT t FROM unnest(earlier) AS t WHERE t >= moment - settings.rate_window ORDER BY t
    );
    blocking timestamptz := counted[cardinality(counted) - most + 1];
BEGIN
    IF blocking IS NULL THEN
        accepted_at := moment;
        UPDATE reader_windows SET accepted = counted || moment WHERE reader = who;
    ELSE
        retry_after_s := greatest(
            1, ceil(extract(epoch FROM blocking + settings.rate_window - moment)))::integer;
    END IF;
END
$$;

-- Whether a reader begins: has not asked within `session_window`.
CREATE FUNCTION is_new(earlier timestamptz[], settings limit_settings) RETURNS boolean
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce(earlier[cardinality(earlier)] < clock_timestamp() - settings.session_window, true)
$$;

-- The window that counts a network's new readers, beside the one that counts its questions.
CREATE FUNCTION entrance_of(place text) RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT place || ' new' $$;

-- Count one of at most `most` for a network: null, or the seconds to wait. A sixtieth of the window
-- counts until all of it has passed, so there are never more in a window, and the wait is longer by
-- a sixtieth at most. Locks the network's row until the end of the transaction.
CREATE FUNCTION take_shared_turn(place text, most integer, settings limit_settings) RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    slot_s double precision := extract(epoch FROM settings.rate_window) / 60;
    known network_windows;
    now_s double precision;
    this_slot bigint;
    total bigint;
    freed bigint;
BEGIN
    INSERT INTO network_windows (network) VALUES (place)
    ON CONFLICT (network) DO UPDATE SET seen_at = clock_timestamp()
    RETURNING * INTO known;
    now_s := extract(epoch FROM clock_timestamp());
    -- Never before the last one, should the clock be set back.
    this_slot := greatest(floor(now_s / slot_s), known.slots[cardinality(known.slots)]);
    SELECT coalesce(array_agg(slot ORDER BY slot), '{}'), coalesce(array_agg(n ORDER BY slot), '{}'),
        coalesce(sum(n), 0)
    INTO known.slots, known.counts, total
    FROM unnest(known.slots, known.counts) AS counted (slot, n)
    WHERE slot >= this_slot - 60;
    IF total >= most THEN
        SELECT min(slot) INTO freed FROM (
            SELECT slot, sum(n) OVER (ORDER BY slot) AS gone
            FROM unnest(known.slots, known.counts) AS counted (slot, n)
        ) AS summed WHERE gone > total - most;
        RETURN greatest(1, ceil((freed + 61) * slot_s - now_s));
    END IF;
    IF known.slots[cardinality(known.slots)] = this_slot THEN
        known.counts[cardinality(known.counts)] := known.counts[cardinality(known.counts)] + 1;
    ELSE
        known.slots := known.slots || this_slot;
        known.counts := known.counts || 1;
    END IF;
    UPDATE network_windows SET slots = known.slots, counts = known.counts WHERE network = place;
    RETURN NULL;
END
$$;

-- Undo take_shared_turn, in its transaction.
CREATE FUNCTION return_shared_turn(place text) RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE network_windows
    SET counts = trim_array(counts, 1) || (counts[cardinality(counts)] - 1)
    WHERE network = place
$$;

-- Count a question for the reader and for the network (`place`, or null), which many readers may
-- share: `readers` may begin in a window, and together ask `rate_limit` times as many questions.
-- A refused question is counted nowhere; `limit_of` and `most` say which limit refused it. The
-- reader's row is always locked first, then the network's two, which prevents deadlocks.
CREATE FUNCTION take_turns(
    who text, place text, readers integer, earlier timestamptz[], settings limit_settings,
    OUT accepted_at timestamptz, OUT retry_after_s integer, OUT limit_of text, OUT most integer
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    limit_of := 'reader';
    most := settings.rate_limit;
    SELECT turn.accepted_at, turn.retry_after_s INTO accepted_at, retry_after_s
    FROM take_turn(who, earlier, most, settings) AS turn;
    IF accepted_at IS NULL OR place IS NULL THEN
        RETURN;
    END IF;
    limit_of := 'network';
    most := readers * settings.rate_limit;
    retry_after_s := take_shared_turn(place, most, settings);
    IF retry_after_s IS NULL AND is_new(earlier, settings) THEN
        limit_of := 'new_readers';
        most := readers;
        retry_after_s := take_shared_turn(entrance_of(place), most, settings);
        IF retry_after_s IS NOT NULL THEN
            PERFORM return_shared_turn(place);
        END IF;
    END IF;
    IF retry_after_s IS NOT NULL THEN
        UPDATE reader_windows SET accepted = earlier WHERE reader = who;
        accepted_at := NULL;
    END IF;
END
$$;

-- Undo take_turns, in its transaction: the system was full.
CREATE FUNCTION return_turns(
    who text, place text, earlier timestamptz[], settings limit_settings
) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE reader_windows SET accepted = earlier WHERE reader = who;
    PERFORM return_shared_turn(place);
    IF is_new(earlier, settings) THEN
        PERFORM return_shared_turn(entrance_of(place));
    END IF;
END
$$;
