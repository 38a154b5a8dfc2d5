"""The reader in PyTorch: MiniLM's encoder, from the int8 weights Quoth ships, with heads for
"answerable" and for the span of the answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

from quoth.embeddings.minilm import MODEL
from quoth.model_files import checked_path

WIDTH, HEADS, LAYERS, INNER, WORDS, PLACES = 384, 12, 6, 1536, 30522, 512
HIDDEN = -30.0
"""Added to the span logits of the question's tokens, which hold no answer."""
LINEARS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm_1, self.norm_2 = (nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))

    def forward(self, x: Any, bias: Any) -> Any:
        rows, length, _ = x.shape
        q, k, v = (
            f(x).view(rows, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for f in (self.q, self.k, self.v)
        )
        # The plain formula: backward through scaled_dot_product_attention is 3 times slower on CPU.
        weights = (q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + bias.to(q.dtype)).softmax(-1)
        seen = (weights.to(v.dtype) @ v).transpose(1, 2).reshape(rows, length, WIDTH)
        x = self.norm_1(x + self.o(seen))
        return self.norm_2(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(PLACES, WIDTH)
        self.types, self.norm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, ids: Any, mask: Any, types: Any) -> Any:
        at = torch.arange(ids.shape[1])
        x = self.norm(self.words(ids) + self.places(at)[None] + self.types(types))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4
        for layer in self.layers:
            x = layer(x, bias)
        return x


class ReaderModel(nn.Module):
    """(question, passage) to an "answerable" logit, and start and end logits over the tokens.

    "Answerable" is read off [CLS], the means of the question's and of the passage's tokens (which
    MiniLM was trained to make meaningful), and how far spans beat "no answer" at [CLS].
    """

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.pool, self.verdict = nn.Linear(5 * WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.spans = nn.Linear(WIDTH, 2)
        self.gain = nn.Parameter(torch.tensor(0.3))
        for head in (self.pool, self.verdict, self.spans):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: Any, mask: Any, types: Any) -> tuple[Any, Any, Any]:
        x = self.encoder(ids, mask, types)
        passage = types.to(x.dtype) * mask.to(x.dtype)
        question = mask.to(x.dtype) - passage
        a, b = (
            (x * part[..., None]).sum(1) / part[..., None].sum(1).clamp(min=1)
            for part in (question, passage)
        )
        pooled = F.gelu(self.pool(torch.cat([x[:, 0], a, b, a * b, (a - b).abs()], -1)))
        after_first = (torch.arange(x.shape[1]) > 0)[None, :, None]
        spans = self.spans(x).float() + (1.0 - passage[..., None].float()) * HIDDEN * after_first
        over = spans[:, 1:].logsumexp(1) - spans[:, 0]
        answerable = self.verdict(pooled)[:, 0].float() + self.gain * over.mean(-1)
        return answerable, spans[..., 0], spans[..., 1]


def from_minilm() -> ReaderModel:
    """A reader whose encoder is MiniLM, dequantised; its heads are new."""
    model = ReaderModel()
    graph = onnx.load(str(checked_path(MODEL))).graph
    values = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

    def plain(name: str) -> Any:
        return torch.from_numpy(values[name].copy())

    def dequantised(name: str) -> Any:
        return torch.from_numpy(values[name + "_q"].astype(np.float32) * values[name + "_scale"])

    matrices = sorted(
        (name[:-2] for name in values if name.startswith("val_") and name.endswith("_q")),
        key=lambda name: int(name.removeprefix("val_")),
    )
    start, encoder = "inner.embeddings.", model.encoder
    with torch.no_grad():
        encoder.words.weight.copy_(dequantised(start + "word_embeddings.weight"))
        encoder.places.weight.copy_(dequantised(start + "position_embeddings.weight"))
        encoder.types.weight.copy_(plain(start + "token_type_embeddings.weight"))
        _copy_norm(encoder.norm, start + "LayerNorm", plain)
        for at, layer in enumerate(encoder.layers):
            prefix = f"inner.encoder.layer.{at}."
            own = (layer.q, layer.k, layer.v, layer.o, layer.up, layer.down)
            for linear, matrix, name in zip(own, matrices[6 * at :], LINEARS, strict=False):
                linear.weight.copy_(dequantised(matrix).T)
                linear.bias.copy_(plain(f"{prefix}{name}.bias"))
            _copy_norm(layer.norm_1, prefix + "attention.output.LayerNorm", plain)
            _copy_norm(layer.norm_2, prefix + "output.LayerNorm", plain)
    return model


def _copy_norm(norm: Any, name: str, plain: Any) -> None:
    norm.weight.copy_(plain(name + ".weight"))
    norm.bias.copy_(plain(name + ".bias"))
