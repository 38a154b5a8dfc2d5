-- The same folding as functions/book/folding.py, character for character.

CREATE FUNCTION fold_text(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT regexp_replace(
        translate(
            replace(replace(replace(replace(replace(replace(replace(replace(
                normalize(value, NFC),
                U&'\2026', '...'), U&'\FB00', 'ff'), U&'\FB01', 'fi'), U&'\FB02', 'fl'),
                U&'\FB03', 'ffi'), U&'\FB04', 'ffl'), U&'\FB05', 'st'), U&'\FB06', 'st'),
            U&'\2018\2019\201A\201B\2032\02BC\201C\201D\201E\201F\2033\2010\2011\2012\2013\2014\2015\2212',
            '''''''''''''"""""-------'
        ),
        '[\u0001-\u0020\u007F\u0085\u00A0\u00AD\u034F\u061C\u1680\u180E\u2000-\u200F\u2028-\u202F'
        || '\u205F-\u2069\u3000\uFE0E\uFE0F\uFEFF]+',
        '', 'g')
$$;

-- Where a reader's selection stands in the book. It tells the place and nothing of the text.
-- `source` names a source_path or a permalink (or url), and may name a locale; without any, the
-- whole book is looked through. A selection that occurs twice in a document is placed at the first.
CREATE FUNCTION verify_selection(source jsonb, version text, selection text)
RETURNS TABLE (
    document_id uuid, source_path text, first_line integer, last_line integer, content_version text
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH asked AS (
        SELECT fold_text(selection) AS text,
            source ->> 'source_path' AS path,
            rtrim(regexp_replace(
                coalesce(source ->> 'permalink', source ->> 'url'), '^[a-z]+://[^/]*|[?#].*$', '', 'g'
            ), '/') AS link,
            nullif(source ->> 'locale', '') AS locale,
            nullif(verify_selection.version, '') AS version
    ),
    found AS (
        SELECT documents.id, documents.source_path, length(asked.text) AS length,
            strpos(documents.folded, asked.text) - 1 AS start
        FROM documents, asked
        WHERE documents.deleted_at IS NULL
            AND asked.text <> ''
            AND (asked.path IS NULL OR documents.source_path = asked.path)
            AND (asked.link IS NULL OR rtrim(documents.url, '/') = asked.link)
            AND (asked.locale IS NULL OR documents.locale = asked.locale)
            AND (asked.version IS NULL OR documents.version = asked.version)
            AND strpos(documents.folded, asked.text) > 0
    )
    SELECT found.id, found.source_path, min(blocks.first_line), max(blocks.last_line),
        (SELECT index_state.content_version::text FROM index_state)
    FROM found
    JOIN blocks ON blocks.document_id = found.id
        AND blocks.folded_start < found.start + found.length
        AND blocks.folded_start + blocks.folded_length > found.start
    GROUP BY found.id, found.source_path
    ORDER BY found.source_path
    LIMIT 5
$$;

-- Keyword search for when the vector index is down: any word of the question counts.
CREATE FUNCTION search_chunks(question text, max integer)
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
    ORDER BY rank DESC, chunks.id
    LIMIT least(greatest(search_chunks.max, 0), 100)
$$;
