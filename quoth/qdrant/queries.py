"""Queries: from Qdrant's REST models to its engine, and the indexes that strict mode asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import Refused, check_limit, not_offered
from quoth.qdrant.filters import as_list, to_filter, to_formula

DEFAULT_LIMIT = 10
DEFAULT_RRF_K = 2


def to_query(asked: models.QueryRequest) -> edge.QueryRequest:
    check_limit(asked.limit)
    _refuse_lookup(asked)
    return edge.QueryRequest(
        limit=asked.limit or DEFAULT_LIMIT,
        offset=asked.offset or 0,
        query=_to_scoring(asked.query, asked.using),
        prefetches=_to_prefetches(asked.prefetch),
        with_vector=asked.with_vector or False,
        with_payload=to_payload_choice(asked.with_payload, False),
        filter=to_filter(asked.filter),
        score_threshold=asked.score_threshold,
        params=_to_params(asked.params),
    )


def to_scroll(asked: models.ScrollRequest) -> edge.ScrollRequest:
    check_limit(asked.limit)
    return edge.ScrollRequest(
        offset=asked.offset,
        limit=asked.limit or DEFAULT_LIMIT,
        filter=to_filter(asked.filter),
        with_payload=to_payload_choice(asked.with_payload, True),
        with_vector=asked.with_vector or False,
        order_by=None if asked.order_by is None else to_order(asked.order_by),
    )


def to_payload_choice(asked: Any, default: bool) -> edge.WithPayloadType:
    match asked:
        case None:
            return default
        case models.PayloadSelectorInclude():
            return edge.PayloadSelector.Include(asked.include)
        case models.PayloadSelectorExclude():
            return edge.PayloadSelector.Exclude(asked.exclude)
    chosen: bool | list[str] = asked
    return chosen


def to_order(asked: models.OrderByInterface) -> edge.OrderBy:
    if isinstance(asked, str):
        return edge.OrderBy(asked)
    start = asked.start_from
    since = start if start is None or isinstance(start, int | float) else start.isoformat()
    down = asked.direction is models.Direction.DESC
    direction = edge.Direction.Desc if down else edge.Direction.Asc
    return edge.OrderBy(asked.key, direction, since)


def _to_prefetches(asked: Any) -> list[edge.Prefetch] | None:
    return [_to_prefetch(each) for each in as_list(asked)] or None


def _to_prefetch(asked: models.Prefetch) -> edge.Prefetch:
    check_limit(asked.limit)
    _refuse_lookup(asked)
    return edge.Prefetch(
        limit=asked.limit or DEFAULT_LIMIT,
        query=_to_scoring(asked.query, asked.using),
        prefetches=_to_prefetches(asked.prefetch),
        params=_to_params(asked.params),
        filter=to_filter(asked.filter),
        score_threshold=asked.score_threshold,
    )


def _to_scoring(asked: models.QueryInterface | None, using: str | None) -> Any:
    match asked:
        case None:
            return None
        case list():
            return edge.Query.Nearest(asked, using=using)
        case models.NearestQuery(mmr=None, nearest=list() as vector):
            return edge.Query.Nearest(vector, using=using)
        case models.TextQuery():
            return _to_text_query(asked, using)
        case models.FusionQuery():
            if asked.fusion is models.Fusion.DBSF:
                return edge.Fusion.Dbsf()
            return edge.Fusion.Rrf(DEFAULT_RRF_K)
        case models.RrfQuery():
            k = DEFAULT_RRF_K if asked.rrf.k is None else asked.rrf.k
            return edge.Fusion.Rrf(k, asked.rrf.weights)
        case models.FormulaQuery():
            return edge.Formula(to_formula(asked.formula), asked.defaults or {})
        case models.OrderByQuery():
            return to_order(asked.order_by)
        case models.SampleQuery():
            return edge.Sample.Random
    raise not_offered(f"The query {type(asked).__name__}")


def _to_text_query(asked: models.TextQuery, using: str | None) -> edge.TextQuery:
    field = using or ""
    if isinstance(asked.text, str):
        return edge.TextQuery(field, asked.text)
    scoring = asked.text.scoring
    if scoring is None:
        return edge.TextQuery(field, asked.text.query)
    weights = edge.Bm25Params(k=scoring.bm25.k, b=scoring.bm25.b)
    return edge.TextQuery(field, asked.text.query, weights)


def _to_params(asked: models.SearchParams | None) -> edge.SearchParams | None:
    if asked is None:
        return None
    if asked.quantization is not None or asked.acorn is not None:
        raise not_offered("A search parameter for quantization or ACORN")
    corpus = None
    if isinstance(asked.idf, models.IdfCorpusParams):
        corpus = edge.IdfParams(to_filter(asked.idf.corpus))
    return edge.SearchParams(
        hnsw_ef=asked.hnsw_ef,
        exact=asked.exact or False,
        indexed_only=asked.indexed_only or False,
        idf=corpus,
    )


def _refuse_lookup(asked: models.QueryRequest | models.Prefetch) -> None:
    if asked.lookup_from is not None:
        raise not_offered("A vector looked up in another collection")


Indexes = Mapping[str, str] | None
"""Payload key to the type of its index; None where no index is required."""

Need = tuple[str, tuple[str, ...]]
"""A payload key and the index types of which one must be there; none named means any type."""


def check_filter(asked: models.Filter | None, indexes: Indexes) -> None:
    """Refuse a filter on a key that has no index of a fitting type."""
    if asked is not None and indexes is not None:
        _check(_filter_needs(asked, ""), indexes)


def check_query(asked: models.QueryRequest | models.Prefetch, indexes: Indexes) -> None:
    """The same for a query with all that it prefetches, and for the keys of its formula."""
    if indexes is None:
        return
    check_filter(asked.filter, indexes)
    if isinstance(asked.query, models.FormulaQuery):
        _check(_formula_needs(asked.query.formula), indexes)
    for inner in as_list(asked.prefetch):
        check_query(inner, indexes)


def _check(needs: Iterator[Need], indexes: Mapping[str, str]) -> None:
    for key, types in needs:
        found = indexes.get(key)
        if found is None or (types and found not in types):
            wanted = ", ".join(types) if types else "any"
            raise Refused(
                400,
                f'Bad request: Index required but not found for "{key}" of one of the following '
                f"types: [{wanted}]. Help: Create an index for this key or use a different filter.",
            )


def _filter_needs(asked: models.Filter, prefix: str) -> Iterator[Need]:
    parts = [asked.must, asked.should, asked.must_not]
    if asked.min_should is not None:
        parts.append(asked.min_should.conditions)
    for part in parts:
        for condition in as_list(part):
            yield from _condition_needs(condition, prefix)


def _condition_needs(asked: models.Condition, prefix: str) -> Iterator[Need]:
    match asked:
        case models.FieldCondition():
            yield prefix + asked.key, _fitting_types(asked)
        case models.IsEmptyCondition():
            yield prefix + asked.is_empty.key, ()
        case models.IsNullCondition():
            yield prefix + asked.is_null.key, ()
        case models.NestedCondition():
            inner = f"{prefix}{asked.nested.key.removesuffix('[]')}[]."
            yield from _filter_needs(asked.nested.filter, inner)
        case models.Filter():
            yield from _filter_needs(asked, prefix)


def _fitting_types(asked: models.FieldCondition) -> tuple[str, ...]:
    match asked.match, asked.range:
        case ((models.MatchText() | models.MatchTextAny() | models.MatchPhrase()), _):
            return ("text",)
        case models.MatchValue(value=value), _:
            return _types_of(value)
        case models.MatchAny(any=values), _:
            return _types_of(values[0]) if values else ("keyword", "integer", "uuid")
        case models.MatchExcept(except_=values), _:
            return _types_of(values[0]) if values else ("keyword", "integer", "uuid")
        case ((models.MatchPrefix() | models.MatchSubstring()), _):
            return ("keyword",)
        case _, models.Range():
            return ("float", "integer")
        case _, models.DatetimeRange():
            return ("datetime",)
    return ()


def _types_of(value: str | int | bool) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("bool",)
    return ("integer",) if isinstance(value, int) else ("keyword", "uuid")


def _formula_needs(asked: Any) -> Iterator[Need]:
    match asked:
        case str():
            if not asked.startswith("$score"):
                yield asked, ()
        case (
            models.FieldCondition()
            | models.Filter()
            | models.NestedCondition()
            | models.IsEmptyCondition()
            | models.IsNullCondition()
        ):
            yield from _condition_needs(asked, "")
        case list():
            for each in asked:
                yield from _formula_needs(each)
        case (
            models.HasIdCondition()
            | models.HasVectorCondition()
            | models.DatetimeExpression()
            | models.GeoDistance()
        ):
            return
        case models.DatetimeKeyExpression():
            yield asked.datetime_key, ("datetime",)
        case _ if hasattr(asked, "model_fields_set"):
            for name in type(asked).model_fields:
                yield from _formula_needs(getattr(asked, name))
