-- The same folding as functions/book/fold.py, character for character.

CREATE FUNCTION fold_text(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT regexp_replace(
        translate(
            replace(replace(replace(replace(replace(replace(replace(replace(
                regexp_replace(normalize(value, NFC), '[-\u2010-\u2015\u2212]{2,}', '-', 'g'),
                U&'\2026', '...'), U&'\FB00', 'ff'), U&'\FB01', 'fi'), U&'\FB02', 'fl'),
                U&'\FB03', 'ffi'), U&'\FB04', 'ffl'), U&'\FB05', 'st'), U&'\FB06', 'st'),
            U&'\2018\2019\201A\201B\2032\02BC\201C\201D\201E\201F\2033\2010\2011\2012\2013\2014\2015\2212',
            '''''''''''''"""""-------'
        ),
        '[\u0001-\u0020\u007F\u0085\u00A0\u00AD\u034F\u061C\u1680\u180E\u2000-\u200F\u2028-\u202F'
        || '\u205F-\u2069\u3000\uFE0E\uFE0F\uFEFF]+',
        '', 'g')
$$;

-- The length of a formula at the start of `rest`, in any form a page shows: TeX with or without
-- dollars, or a selection of KaTeX output (the MathML letters, the TeX, the letters again).
CREATE FUNCTION formula_lengths(rest text, tex text) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
    found integer[] := '{}';
    form text;
    before integer;
BEGIN
    FOREACH form IN ARRAY ARRAY[tex, '$' || tex || '$', '$$' || tex || '$$'] LOOP
        IF starts_with(rest, form) THEN
            found := found || length(form);
        END IF;
    END LOOP;
    before := strpos(left(rest, 3 * length(tex) + 20), tex) - 1;
    IF before > 0 AND ARRAY(SELECT unnest(string_to_array(left(rest, before), NULL)) ORDER BY 1)
        = ARRAY(SELECT unnest(string_to_array(
            substr(rest, before + length(tex) + 1, before), NULL)) ORDER BY 1)
    THEN
        found := found || (2 * before + length(tex));
    END IF;
    RETURN found;
END
$body$;

-- A partial match: how much of a selection is matched so far, and the lines it covers.
CREATE TYPE way AS (reached integer, low integer, high integer);

-- Matches a folded selection against the rendered pieces of a document's blocks. Returns the lines
-- of the first and the last block it covers, or null without a match. It may begin and end anywhere;
-- in between, no required piece may be missing.
CREATE FUNCTION follow_selection(document uuid, wanted text, OUT first_line integer, OUT last_line integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    block record;
    piece text;
    kind text;
    body text;
    forms text[];
    form text;
    rest text;
    taken integer;
    start integer;
    head text := left(wanted, 12);
    ways way[] := '{}';  -- ways that led to this piece
    ways_next way[];
    ways_before way[];
    one way;
BEGIN
    FOR block IN
        SELECT blocks.first_line AS first, blocks.last_line AS last, blocks.shown, blocks.skippable
        FROM blocks WHERE document_id = document ORDER BY shown_at
    LOOP
        ways_before := ways;
        FOREACH piece IN ARRAY block.shown LOOP
            kind := left(piece, 1);
            body := substr(piece, 2);
            forms := CASE WHEN kind = 'm'
                THEN ARRAY[body, '$' || body || '$', '$$' || body || '$$'] ELSE ARRAY[body] END;
            ways_next := '{}';
            FOREACH one IN ARRAY ways LOOP
                rest := substr(wanted, one.reached + 1);
                IF kind = 'o' THEN
                    ways_next := ways_next || one;
                END IF;
                one.low := least(one.low, block.first);
                one.high := greatest(one.high, block.last);
                IF (SELECT bool_or(starts_with(each, rest)) FROM unnest(forms) AS each) THEN
                    first_line := one.low;
                    last_line := one.high;
                    RETURN;
                ELSIF kind = 'm' THEN
                    FOREACH taken IN ARRAY formula_lengths(rest, body) LOOP
                        ways_next := ways_next || ROW(one.reached + taken, one.low, one.high)::way;
                    END LOOP;
                ELSIF starts_with(rest, body) THEN
                    one.reached := one.reached + length(body);
                    ways_next := ways_next || one;
                END IF;
            END LOOP;
            -- The selection may begin in this piece.
            FOREACH form IN ARRAY forms LOOP
                start := strpos(form, head);
                WHILE start > 0 LOOP
                    rest := substr(form, start);
                    IF starts_with(rest, wanted) THEN
                        first_line := block.first;
                        last_line := block.last;
                        RETURN;
                    ELSIF starts_with(wanted, rest) THEN
                        ways_next := ways_next || ROW(length(rest), block.first, block.last)::way;
                    END IF;
                    taken := strpos(substr(form, start + 1), head);
                    start := CASE WHEN taken > 0 THEN start + taken ELSE 0 END;
                END LOOP;
                FOR size IN 1 .. least(length(form), length(head) - 1) LOOP
                    IF right(form, size) = left(head, size) THEN
                        ways_next := ways_next || ROW(size, block.first, block.last)::way;
                    END IF;
                END LOOP;
            END LOOP;
            IF kind = 'm' THEN
                FOREACH taken IN ARRAY formula_lengths(wanted, body) LOOP
                    ways_next := ways_next || ROW(taken, block.first, block.last)::way;
                END LOOP;
            END IF;
            -- Merge equal partial matches: otherwise they double with every piece.
            IF cardinality(ways_next) > 1 THEN
                ways := ARRAY(
                    SELECT DISTINCT ON (reached) ROW(reached, low, high)::way
                    FROM unnest(ways_next) ORDER BY reached, low DESC
                );
            ELSE
                ways := ways_next;
            END IF;
            FOREACH one IN ARRAY ways LOOP
                IF one.reached = length(wanted) THEN
                    first_line := one.low;
                    last_line := one.high;
                    RETURN;
                END IF;
            END LOOP;
        END LOOP;
        IF block.skippable THEN
            ways := ways || ways_before;
        END IF;
    END LOOP;
END
$body$;

-- Finds a reader's selection in the book. It returns the position, never the text.
-- `source` names a source_path or a permalink (or url), and may name a locale; without any, the
-- whole book is searched. Of several occurrences in a document the first is returned.
-- A selection that equals the source text is found directly; any other is matched against the
-- rendered text of documents that hold at least a quarter of it.
CREATE FUNCTION verify_selection(source jsonb, version text, selection text)
RETURNS TABLE (
    document_id uuid, source_path text, first_line integer, last_line integer, content_version text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    wanted text := fold_text(selection);
    path text := source ->> 'source_path';
    link text := rtrim(regexp_replace(
        coalesce(source ->> 'permalink', source ->> 'url'), '^[a-z]+://[^/]*|[?#].*$', '', 'g'
    ), '/');
    asked_locale text := nullif(source ->> 'locale', '');
    asked_version text := nullif(verify_selection.version, '');
    candidates uuid[];
    stretches text[];
BEGIN
    IF wanted = '' THEN
        RETURN;
    END IF;
    candidates := ARRAY(
        SELECT id FROM documents
        WHERE deleted_at IS NULL
            AND (path IS NULL OR documents.source_path = path)
            AND (link IS NULL OR rtrim(documents.url, '/') = link)
            AND (asked_locale IS NULL OR documents.locale = asked_locale)
            AND (asked_version IS NULL OR documents.version = asked_version)
    );
    RETURN QUERY
        SELECT found.id, found.source_path, min(blocks.first_line), max(blocks.last_line),
            (SELECT index_state.content_version::text FROM index_state)
        FROM (
            SELECT id, source_path, strpos(folded, wanted) - 1 AS start FROM documents
            WHERE id = ANY (candidates) AND strpos(folded, wanted) > 0
        ) AS found
        JOIN blocks ON blocks.document_id = found.id
            AND blocks.folded_start < found.start + length(wanted)
            AND blocks.folded_start + blocks.folded_length > found.start
        GROUP BY found.id, found.source_path
        ORDER BY found.source_path
        LIMIT 5;
    IF FOUND THEN
        RETURN;
    END IF;
    stretches := ARRAY(
        SELECT substr(wanted, 1 + greatest(length(wanted) - 10, 0) * each / 19, 10)
        FROM generate_series(0, 19) AS each
    );
    RETURN QUERY
        SELECT id, source_path, place.first_line, place.last_line,
            (SELECT index_state.content_version::text FROM index_state)
        FROM documents, follow_selection(id, wanted) AS place
        WHERE id = ANY (candidates)
            AND (cardinality(candidates) = 1 OR 5 <= (
                SELECT count(*) FROM unnest(stretches) AS part WHERE strpos(folded, part) > 0))
            AND place.first_line IS NOT NULL
        ORDER BY source_path
        LIMIT 5;
END
$$;

-- Keyword search for the time the vector index is unavailable: chunks with any word of the question.
-- `wanted` filters by version, locale, source_path, and first_block with last_block (chunks with any
-- block in that range). Documents that the author excluded are never found.
CREATE FUNCTION search_chunks(question text, max integer, wanted jsonb DEFAULT '{}')
RETURNS TABLE (body jsonb, rank real)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH asked AS (
        SELECT string_agg(
            '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | '
        )::tsquery AS words
        FROM unnest(tsvector_to_array(to_tsvector('english', question))) AS lexeme
    )
    SELECT chunks.body, ts_rank(chunks.search, asked.words, 1) AS rank
    FROM chunks
    JOIN documents ON documents.id = chunks.document_id AND documents.deleted_at IS NULL
    JOIN asked ON chunks.search @@ asked.words
    WHERE coalesce(chunks.body ->> 'policy', '') <> 'exclude'
        AND (wanted -> 'version' IS NULL OR documents.version = wanted ->> 'version')
        AND (wanted -> 'locale' IS NULL OR documents.locale = wanted ->> 'locale')
        AND (wanted -> 'source_path' IS NULL OR documents.source_path = wanted ->> 'source_path')
        AND (wanted -> 'last_block' IS NULL
            OR (chunks.body #>> '{parts,0,block}')::integer <= (wanted ->> 'last_block')::integer)
        AND (wanted -> 'first_block' IS NULL
            OR (chunks.body #>> '{parts,-1,block}')::integer >= (wanted ->> 'first_block')::integer)
    ORDER BY rank DESC, chunks.id
    LIMIT least(greatest(search_chunks.max, 0), 100)
$$;
