-- Who a reader is for one week, and how many questions a minute that reader asked.

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

-- This week's salt, made when missing. Three random UUIDs carry 366 random bits.
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

-- The anonymous name of a reader: of the host page's user, else the session, else the address.
CREATE FUNCTION name_reader(salt bytea, user_id text, session_id text, address text) RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT left(encode(hmac_sha256(salt, convert_to(
        CASE
            WHEN user_id <> '' THEN 'user:' || user_id
            WHEN session_id <> '' THEN 'session:' || session_id
            ELSE 'address:' || coalesce(address, '')
        END, 'UTF8')), 'hex'), 32)
$$;

CREATE FUNCTION reader_of(user_id text, session_id text, address text) RETURNS text
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT name_reader(week_salt(), user_id, session_id, address) $$;

-- What is stored in the place of an id the caller chose: itself, or when it holds personal data (an
-- e-mail address, say) a keyed hash, which is another one each week.
CREATE FUNCTION stored_session(session_id text, personal boolean) RETURNS text
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT CASE WHEN personal THEN name_reader(week_salt(), NULL, session_id, NULL) ELSE session_id END
$$;

-- In the first minute of a week: what the reader asked under last week's name.
CREATE FUNCTION turns_of_last_week(
    user_id text, session_id text, address text, settings limit_settings
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
        JOIN reader_windows ON reader = name_reader(salts.salt, user_id, session_id, address)
        WHERE week = week_start::date - 7
    ), '{}');
END
$$;

-- Hold the reader's row until the end of the transaction: one request of a reader at a time.
CREATE FUNCTION lock_reader(who text) RETURNS timestamptz[]
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO reader_windows (reader) VALUES (who)
    ON CONFLICT (reader) DO UPDATE SET accepted = reader_windows.accepted
    RETURNING accepted
$$;

-- Take one turn of the exact sliding window of `most`. `accepted_at` is the moment that was counted,
-- or null with the seconds to wait. Needs the row held by lock_reader.
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

-- Take a turn of the reader, and one of the address, which many readers may share. Who is refused has
-- taken none. Always the reader's row first, so that two requests cannot wait for each other.
CREATE FUNCTION take_turns(
    who text, place text, earlier timestamptz[], settings limit_settings,
    OUT accepted_at timestamptz, OUT retry_after_s integer
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    shared record;
BEGIN
    SELECT * INTO accepted_at, retry_after_s
    FROM take_turn(who, earlier, settings.rate_limit, settings);
    IF accepted_at IS NULL OR place IS NULL OR place = who THEN
        RETURN;
    END IF;
    SELECT * INTO shared FROM take_turn(place, lock_reader(place), settings.address_limit, settings);
    IF shared.accepted_at IS NULL THEN
        UPDATE reader_windows SET accepted = earlier WHERE reader = who;
        accepted_at := NULL;
        retry_after_s := shared.retry_after_s;
    END IF;
END
$$;

-- Give the turns back: the system had no room.
CREATE FUNCTION return_turns(who text, place text, earlier timestamptz[]) RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE reader_windows SET accepted = earlier WHERE reader = who;
    UPDATE reader_windows SET accepted = trim_array(accepted, 1)
    WHERE reader = place AND place <> who AND accepted <> '{}';
$$;
