-- The admission of a query, with all it needs to run, in one call.

CREATE FUNCTION refuse_other_modes(wanted_mode text) RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF session_user = 'quoth_selected' AND wanted_mode IS DISTINCT FROM 'selected-text' THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role answers from selections only';
    END IF;
END
$$;

-- The state of the budget: open, smaller (model) or quotes (no model).
CREATE FUNCTION budget_step(settings limit_settings) RETURNS text
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH today AS (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day),
    spent AS (
        SELECT greatest(
            coalesce(sum(cost_usd) FILTER (WHERE spend_days.day = today.day), 0)
                / nullif(settings.daily_ceiling_usd, 0),
            coalesce(sum(cost_usd), 0) / nullif(settings.monthly_ceiling_usd, 0)
        ) AS share
        FROM today LEFT JOIN spend_days ON spend_days.day >= date_trunc('month', today.day)
    )
    SELECT CASE
        WHEN settings.daily_ceiling_usd = 0 OR settings.monthly_ceiling_usd = 0 THEN 'quotes'
        WHEN share >= 1 THEN 'quotes'
        WHEN share >= settings.smaller_model_at THEN 'smaller'
        ELSE 'open'
    END FROM spent
$$;

-- External services with an open breaker, and the seconds left. After the pause one query, of those
-- that call the service, gets it omitted here and makes the trial call.
CREATE FUNCTION open_parts(called jsonb, settings limit_settings) RETURNS jsonb
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH lapsed AS (
        SELECT part FROM part_states
        WHERE open_until <= clock_timestamp() AND called ? part
        FOR UPDATE SKIP LOCKED
    ), tried AS (
        UPDATE part_states SET open_until = clock_timestamp() + settings.breaker_probe
        FROM lapsed WHERE part_states.part = lapsed.part
        RETURNING part_states.part
    )
    SELECT coalesce(jsonb_object_agg(part, round(greatest(
        extract(epoch FROM open_until - clock_timestamp()), 0)::numeric, 3)), '{}')
    FROM part_states WHERE open_until IS NOT NULL AND part NOT IN (SELECT part FROM tried)
$$;

-- The response to a repeated request, or null. The caller must hold the reader's lock.
CREATE FUNCTION resume_query(
    new_id uuid, own_attempt uuid, who text, wanted_mode text, key text
) RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    seen admissions;
    state jsonb;
BEGIN
    SELECT * INTO seen FROM admissions
    WHERE mode = wanted_mode AND reader = who
        AND (query_id = new_id OR (key IS NOT NULL AND idempotency_key = key))
    ORDER BY attempt IS NOT DISTINCT FROM own_attempt DESC, idempotency_key IS NULL LIMIT 1;
    IF seen.query_id IS NULL THEN
        RETURN NULL;
    ELSIF seen.attempt = own_attempt AND seen.status = 'running' THEN
        -- A repeated call: the first reply was lost with its connection.
        RETURN jsonb_build_object(
            'verdict', 'run', 'query_id', seen.query_id, 'accepted_at', seen.accepted_at);
    END IF;
    state := advance_ticket(seen.query_id, wanted_mode, true);
    IF state ->> 'verdict' = 'expired' AND seen.attempt IS DISTINCT FROM own_attempt THEN
        UPDATE admissions SET idempotency_key = NULL WHERE number = seen.number;
        RETURN NULL;
    END IF;
    RETURN state;
END
$$;

-- A session's last question before a moment, as it was understood, or null: {question, about,
-- headings, shown}. `headings` are those that its answer cites; `shown` are the quotes of this and
-- the five answers before it. Greetings have no hash and do not count.
CREATE FUNCTION previous_question(
    session text, wanted_mode text, own_id uuid, moment timestamptz, settings limit_settings
) RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH earlier AS (
        SELECT coalesce(rewritten_question, question) AS question, asked_at,
            coalesce(body, '{}') AS body
        FROM queries LEFT JOIN responses USING (query_id)
        WHERE session_id = session AND mode = wanted_mode AND query_id <> own_id
            AND question_hash <> ''
            AND asked_at <= moment AND asked_at > moment - settings.history_window
        ORDER BY asked_at DESC LIMIT 6)
    SELECT jsonb_build_object(
        'question', question,
        'about', coalesce(body #>> '{metadata,about}', ''),
        'headings', jsonb_path_query_array(body, '$.citations[*].keyvalue() ?
            (@.key == "section" || @.key == "subsection" || @.key == "chapter").value'),
        'shown', (SELECT coalesce(jsonb_agg(quote), '[]') FROM earlier AS each,
            jsonb_path_query(each.body, '$.citations[*].quotes[*].exact') AS quote))
    FROM earlier ORDER BY asked_at DESC LIMIT 1
$$;

-- The session's earlier questions: {previous, repeated}.
CREATE FUNCTION session_history(
    session text, wanted_mode text, hash text, own_id uuid, settings limit_settings
) RETURNS jsonb
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT jsonb_build_object(
        'previous',
        previous_question(session, wanted_mode, own_id, clock_timestamp(), settings),
        'repeated', hash <> '' AND EXISTS (
            SELECT FROM queries
            WHERE session_id = session AND mode = wanted_mode AND query_id <> own_id
                AND question_hash = hash
                AND asked_at > clock_timestamp() - settings.repeat_window))
$$;

-- The fields of `Begun` for a query that may run.
CREATE FUNCTION facts_of(
    request jsonb, wanted_mode text, own_id uuid, settings limit_settings
) RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    state index_state;
    facts jsonb;
    kept answer_cache;
BEGIN
    SELECT * INTO state FROM index_state;
    SELECT * INTO kept FROM answer_cache
    WHERE mode = wanted_mode AND cache_key = request ->> 'cache_key'
        AND content_version = state.content_version::text
        AND NOT coalesce((request ->> 'fresh')::boolean, false);
    facts := jsonb_build_object(
        'content_version', state.content_version::text,
        'budget', budget_step(settings),
        'parts', open_parts(
            coalesce(request -> 'calls', '[]') - CASE WHEN kept.body IS NULL THEN '' ELSE 'model' END, settings),
        'cached', kept.body,
        'cached_search', kept.search);
    IF session_user <> 'quoth_selected' THEN
        facts := facts || jsonb_build_object(
                'calibration', state.calibration,
                'embedding_model', state.embedding_model,
                'dimensions', state.dimensions)
            || session_history(
                stored_session(request ->> 'session_id', (request ->> 'personal_session')::boolean),
                wanted_mode, coalesce(request ->> 'question_hash', ''), own_id, settings);
    END IF;
    RETURN facts;
END
$$;

CREATE FUNCTION begin_query(request jsonb) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    wanted_mode text := request ->> 'mode';
    new_id uuid := (request ->> 'query_id')::uuid;
    -- A reader who asks again has the same query_id, and another attempt.
    own_attempt uuid := coalesce((request ->> 'attempt')::uuid, new_id);
    -- The question is part of the key: one idempotency key with two questions is two requests.
    key text := CASE WHEN request ->> 'idempotency_key' <> '' THEN name_reader(
        week_salt(), NULL, concat('key ', request ->> 'idempotency_key', ' ', request ->> 'question_hash'),
        NULL) END;
    -- The site vouches for its user, whose network does not count.
    place text := CASE WHEN request ->> 'network' <> '' AND coalesce(request ->> 'user_id', '') = '' THEN
        reader_of(NULL, NULL, request ->> 'network') END;
    settings limit_settings;
    who text;
    earlier timestamptz[];
    turn record;
    verdict jsonb;
BEGIN
    PERFORM refuse_other_modes(wanted_mode);
    SELECT * INTO settings FROM limit_settings;
    who := reader_of(request ->> 'user_id', request ->> 'session_id', NULL);
    IF request ->> 'ticket' IS NOT NULL THEN
        verdict := advance_ticket((request ->> 'ticket')::uuid, wanted_mode, true);
    ELSE
        earlier := lock_reader(who);
        earlier := turns_of_last_week(
            request ->> 'user_id', request ->> 'session_id', settings) || earlier;
        verdict := resume_query(new_id, own_attempt, who, wanted_mode, key);
        IF verdict IS NULL THEN
            IF EXISTS (SELECT FROM admissions WHERE query_id = new_id)
                OR EXISTS (SELECT FROM queries WHERE query_id = new_id) THEN
                new_id := gen_random_uuid(); -- asked again after the first has expired
            END IF;
            SELECT * INTO turn FROM take_turns(
                who, place, coalesce((request ->> 'network_readers')::integer, settings.network_readers),
                earlier, settings);
            IF turn.accepted_at IS NULL THEN
                verdict := jsonb_build_object('verdict', 'limited', 'retry_after_s', turn.retry_after_s,
                    'limit_of', turn.limit_of, 'most', turn.most);
            ELSE
                verdict := admit_query(new_id, own_attempt, who, key, wanted_mode, turn.accepted_at, settings);
                IF verdict ->> 'verdict' = 'full' THEN
                    PERFORM return_turns(who, place, earlier, settings);
                END IF;
            END IF;
        END IF;
    END IF;
    verdict := verdict || jsonb_build_object('reader', who);
    IF verdict ->> 'verdict' <> 'run' THEN
        RETURN verdict;
    END IF;

    RETURN verdict || facts_of(request, wanted_mode, (verdict ->> 'query_id')::uuid, settings);
END
$$;
