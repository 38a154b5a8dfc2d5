"""Score formulas: from Qdrant's REST models to its engine."""

from __future__ import annotations

from typing import Any

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import not_offered
from quoth.qdrant.filters import to_condition


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
