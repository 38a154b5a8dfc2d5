"""Converts collection settings and payload indexes from Qdrant's REST models to its engine's."""

from __future__ import annotations

from typing import Any

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import Refused, not_offered, wrong_input

MAX_VECTOR_SIZE = 65536


def to_vectors(asked: models.CreateCollection) -> dict[str, edge.EdgeVectorParams]:
    """The engine's vector settings by vector name; the unnamed vector's name is ""."""
    if asked.sparse_vectors or asked.quantization_config:
        raise not_offered("A collection with sparse or quantized vectors")
    if asked.vectors is None:
        raise not_offered("A collection without vectors")
    named = asked.vectors if isinstance(asked.vectors, dict) else {"": asked.vectors}
    return {name: _to_vector(params) for name, params in named.items()}


def index_type(asked: models.PayloadFieldSchema) -> str:
    """Qdrant's name for the type of a payload index: `keyword`, `integer`, `text`, …"""
    kind = asked if isinstance(asked, models.PayloadSchemaType) else asked.type
    return str(kind.value)


def to_index(asked: models.PayloadFieldSchema) -> Any:
    match asked:
        case models.PayloadSchemaType():
            return getattr(edge.PayloadSchemaType, asked.value.capitalize())
        case models.TextIndexParams():
            return _to_text_index(asked)
        case models.KeywordIndexParams():
            return edge.KeywordIndexParams(
                is_tenant=asked.is_tenant, prefix=asked.prefix, nested=asked.nested
            )
        case models.IntegerIndexParams():
            return edge.IntegerIndexParams(
                lookup=asked.lookup,
                range=asked.range,
                is_principal=asked.is_principal,
                nested=asked.nested,
            )
        case models.BoolIndexParams():
            return edge.BoolIndexParams(nested=asked.nested)
        case models.FloatIndexParams():
            return edge.FloatIndexParams(is_principal=asked.is_principal, nested=asked.nested)
        case models.DatetimeIndexParams():
            return edge.DatetimeIndexParams(is_principal=asked.is_principal, nested=asked.nested)
        case models.UuidIndexParams():
            return edge.UuidIndexParams(is_tenant=asked.is_tenant, nested=asked.nested)
    raise not_offered(f"The index {index_type(asked)}")


def _to_vector(asked: models.VectorParams) -> edge.EdgeVectorParams:
    if not 1 <= asked.size <= MAX_VECTOR_SIZE:
        raise Refused(
            422,
            f"Validation error in JSON body: [vectors.size: value {asked.size} invalid, "
            f"must be from 1 to {MAX_VECTOR_SIZE}]",
        )
    if asked.quantization_config is not None or asked.datatype not in (
        None,
        models.Datatype.FLOAT32,
    ):
        raise not_offered("A vector of another type than float32")
    several = asked.multivector_config is not None
    return edge.EdgeVectorParams(
        size=asked.size,
        distance=getattr(edge.Distance, asked.distance.value),
        multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim)
        if several
        else None,
    )


def _to_text_index(asked: models.TextIndexParams) -> edge.TextIndexParams:
    tokenizer = asked.tokenizer or models.TokenizerType.WORD
    if tokenizer.value.capitalize() not in dir(edge.TokenizerType):
        raise not_offered(f"The tokenizer {tokenizer.value}")
    return edge.TextIndexParams(
        tokenizer=getattr(edge.TokenizerType, tokenizer.value.capitalize()),
        min_token_len=asked.min_token_len,
        max_token_len=asked.max_token_len,
        lowercase=asked.lowercase,
        ascii_folding=asked.ascii_folding,
        phrase_matching=asked.phrase_matching,
        stopwords=_to_stopwords(asked.stopwords),
        stemmer=_to_stemmer(asked.stemmer),
        scoring=asked.scoring if isinstance(asked.scoring, bool) else asked.scoring is not None,
        nested=asked.nested,
    )


def _to_stopwords(asked: models.StopwordsInterface | None) -> Any:
    if asked is None:
        return None
    if isinstance(asked, models.Language):
        return _language(asked)
    return edge.StopwordsSet(
        languages={_language(each) for each in asked.languages or []},
        custom=set(asked.custom or []),
    )


def _to_stemmer(asked: models.StemmingAlgorithm | None) -> Any:
    if asked is None:
        return None
    if isinstance(asked, models.DisabledStemmerParams):
        return edge.DisabledStemmer()
    return edge.SnowballParams(getattr(edge.SnowballLanguage, asked.language.value.capitalize()))


def _language(asked: models.Language) -> edge.Language:
    language: edge.Language | None = getattr(edge.Language, asked.value.capitalize(), None)
    if language is None:
        raise wrong_input(f"no stop words are known for {asked.value}")
    return language
