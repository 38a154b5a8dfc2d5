"""Filters and score formulas: from Qdrant's REST models to its engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy
import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import Refused, not_offered


def to_filter(asked: models.Filter | None) -> edge.Filter | None:
    if asked is None:
        return None
    at_least = asked.min_should
    return edge.Filter(
        must=_conditions(asked.must),
        should=_conditions(asked.should),
        must_not=_conditions(asked.must_not),
        min_should=None
        if at_least is None
        else edge.MinShould(_conditions(at_least.conditions) or [], at_least.min_count),
    )


def as_list(asked: Any) -> list[Any]:
    """Qdrant takes one condition or prefetch where a list is expected."""
    if asked is None:
        return []
    return asked if isinstance(asked, list) else [asked]


def to_condition(asked: models.Condition) -> edge.ConditionType:
    match asked:
        case models.FieldCondition():
            return _field_condition(asked)
        case models.HasIdCondition():
            return edge.HasIdCondition(set(asked.has_id))
        case models.IsEmptyCondition():
            return edge.IsEmptyCondition(asked.is_empty.key)
        case models.IsNullCondition():
            return edge.IsNullCondition(asked.is_null.key)
        case models.HasVectorCondition():
            return edge.HasVectorCondition(asked.has_vector)
        case models.NestedCondition():
            inner = to_filter(asked.nested.filter)
            return edge.NestedCondition(asked.nested.key, inner or edge.Filter())
        case models.Filter():
            return to_filter(asked) or edge.Filter()
    raise not_offered(f"The condition {type(asked).__name__}")


def _conditions(asked: Any) -> list[edge.ConditionType] | None:
    return None if asked is None else [to_condition(each) for each in as_list(asked)]


def _field_condition(asked: models.FieldCondition) -> edge.FieldCondition:
    if asked.geo_bounding_box or asked.geo_radius or asked.geo_polygon:
        raise not_offered("A geographic condition")
    if asked.model_dump(exclude={"key"}, exclude_none=True) == {}:
        raise Refused(
            422,
            "Validation error in JSON body: [At least one field condition must be specified]",
        )
    counted = asked.values_count
    return edge.FieldCondition(
        asked.key,
        match=None if asked.match is None else _match(asked.match),
        range=None if asked.range is None else _range(asked.range),
        values_count=None
        if counted is None
        else edge.ValuesCount(lt=counted.lt, gt=counted.gt, lte=counted.lte, gte=counted.gte),
        is_empty=asked.is_empty,
        is_null=asked.is_null,
    )


def _match(asked: models.Match) -> edge.MatchType:
    match asked:
        case models.MatchValue():
            return edge.MatchValue(_plain(asked.value))
        case models.MatchText():
            return edge.MatchText(asked.text)
        case models.MatchTextAny():
            return edge.MatchTextAny(asked.text_any)
        case models.MatchPhrase():
            return edge.MatchPhrase(asked.phrase)
        case models.MatchPrefix():
            return edge.MatchPrefix(asked.prefix)
        case models.MatchSubstring():
            return edge.MatchSubstring(asked.substring)
        case models.MatchAny():
            return edge.MatchAny(_variants(asked.any))
        case models.MatchExcept():
            return edge.MatchExcept(_variants(asked.except_))
    raise not_offered(f"The match {type(asked).__name__}")


def _plain(value: str | int | bool) -> str | int | bool:
    # qdrant-edge-py 0.9.0 reads a Python bool as an integer, which then matches nothing;
    # numpy's bool is no integer, so it arrives as a bool.
    return cast(bool, numpy.bool_(value)) if isinstance(value, bool) else value


def _variants(values: Sequence[str] | Sequence[int]) -> list[str] | list[int]:
    return cast("list[str] | list[int]", list(values))


def _range(asked: models.RangeInterface) -> edge.RangeType:
    if isinstance(asked, models.Range):
        return edge.RangeFloat(gte=asked.gte, gt=asked.gt, lte=asked.lte, lt=asked.lt)
    bounds = asked.model_dump(mode="json", exclude_none=True)
    return edge.RangeDateTime(**bounds)


def to_formula(asked: Any) -> edge.Expression:
    match asked:
        case bool():
            raise not_offered("A truth value in a formula")
        case int() | float():
            return edge.Expression.Constant(float(asked))
        case str():
            return edge.Expression.Variable(asked)
        case models.SumExpression():
            return edge.Expression.Sum([to_formula(each) for each in asked.sum])
        case models.MultExpression():
            return edge.Expression.Mult([to_formula(each) for each in asked.mult])
        case models.MaxExpression():
            return edge.Expression.Max([to_formula(each) for each in asked.max])
        case models.MinExpression():
            return edge.Expression.Min([to_formula(each) for each in asked.min])
        case models.DivExpression():
            return edge.Expression.Div(
                to_formula(asked.div.left), to_formula(asked.div.right), asked.div.by_zero_default
            )
        case models.PowExpression():
            return edge.Expression.Pow(to_formula(asked.pow.base), to_formula(asked.pow.exponent))
        case models.DatetimeExpression():
            return edge.Expression.Datetime(asked.datetime)
        case models.DatetimeKeyExpression():
            return edge.Expression.DatetimeKey(asked.datetime_key)
        case (
            models.FieldCondition()
            | models.Filter()
            | models.NestedCondition()
            | models.HasIdCondition()
            | models.HasVectorCondition()
            | models.IsEmptyCondition()
            | models.IsNullCondition()
        ):
            return edge.Expression.Condition(to_condition(asked))
    return _of_one(asked)


def _of_one(asked: Any) -> edge.Expression:
    match asked:
        case models.NegExpression():
            return edge.Expression.Neg(to_formula(asked.neg))
        case models.AbsExpression():
            return edge.Expression.Abs(to_formula(asked.abs))
        case models.SqrtExpression():
            return edge.Expression.Sqrt(to_formula(asked.sqrt))
        case models.ExpExpression():
            return edge.Expression.Exp(to_formula(asked.exp))
        case models.LnExpression():
            return edge.Expression.Ln(to_formula(asked.ln))
        case models.Log10Expression():
            return edge.Expression.Log10(to_formula(asked.log10))
        case models.LinDecayExpression():
            return _decay(edge.DecayKind.Lin, asked.lin_decay)
        case models.ExpDecayExpression():
            return _decay(edge.DecayKind.Exp, asked.exp_decay)
        case models.GaussDecayExpression():
            return _decay(edge.DecayKind.Gauss, asked.gauss_decay)
    raise not_offered(f"The expression {type(asked).__name__}")


def _decay(kind: edge.DecayKind, asked: models.DecayParamsExpression) -> edge.Expression:
    target = None if asked.target is None else to_formula(asked.target)
    return edge.Expression.Decay(
        kind, to_formula(asked.x), target, midpoint=asked.midpoint, scale=asked.scale
    )
