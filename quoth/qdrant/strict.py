"""The part of Qdrant Cloud's strict mode that bites: no filter on a key without an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from qdrant_client.http import models

from quoth.qdrant.errors import Refused
from quoth.qdrant.filters import as_list

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
