"""Queries: from Qdrant's REST models to its engine."""

from __future__ import annotations

from typing import Any

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import check_limit, not_offered
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
