"""Fine-tunes the reader on rows from tools.reader.prepare: one process a core, weights averaged.

One thread a process: two processes that average their weights every few steps train faster on a
small machine than one process with two threads.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.nn import functional as F

from tools.reader.model import ReaderModel, from_minilm
from tools.reader.rows import Row, Rows

RATE, HEAD_RATE, WARM_STEPS = 1e-4, 5.0, 100
TOKENS = 2048
"""Of a batch, padding included."""
POOL = 2000
"""Rows sorted by length before they are cut into batches."""
SPAN_WEIGHT = 0.7
AVERAGE_STEPS, LOG_STEPS, SAVE_SECONDS = 8, 100, 180


def train(
    rank: int, world: int, minutes: float, rows: Path, out: Path, resume: bool, port: int
) -> None:
    """Train for the given minutes of wall clock; rank 0 saves checkpoints to `out`.

    `resume` begins with the weights in `out`, for a run that was cut off.
    """
    torch.set_num_threads(1)
    torch.manual_seed(1 + rank)
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://127.0.0.1:{port}",
        rank=rank,
        world_size=world,
        timeout=timedelta(minutes=20),
    )
    data = list(Rows.load(rows).train())
    random.Random(1).shuffle(data)
    batches = _batches(data[rank::world], random.Random(2 + rank))
    model = from_minilm()
    if resume:
        model.load_state_dict(torch.load(out))
    # AdamW over the word embeddings costs more than everything else.
    model.encoder.words.weight.requires_grad_(False)
    _Run(model, rank, world, minutes, out).steps(batches)


def _batches(data: list[Row], rng: random.Random) -> Iterator[list[Row]]:
    while True:
        rng.shuffle(data)
        for low in range(0, len(data), POOL):
            found: list[list[Row]] = [[]]
            for row in sorted(data[low : low + POOL], key=lambda row: len(row.ids)):
                if len(row.ids) * (len(found[-1]) + 1) > TOKENS:
                    found.append([])
                found[-1].append(row)
            rng.shuffle(found)
            yield from found


class _Run:
    def __init__(
        self, model: ReaderModel, rank: int, world: int, minutes: float, out: Path
    ) -> None:
        self.model, self.rank, self.world, self.out = model, rank, world, out
        self.seconds, self.start, self.saved = minutes * 60, time.time(), 0.0
        self.step = self.seen = 0
        self.means: dict[str, float] = {}
        named = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
        self.parameters = [one for _, one in named]
        groups = [
            {"params": [one for name, one in named if name.startswith("encoder.") != head]}
            | {"times": HEAD_RATE if head else 1.0}
            for head in (False, True)
        ]
        self.optimizer = torch.optim.AdamW(
            groups, RATE, betas=(0.9, 0.99), weight_decay=0.01, fused=True
        )

    def steps(self, batches: Iterator[list[Row]]) -> None:
        self._average()
        stop = torch.zeros(1)
        for batch in batches:
            gone = time.time() - self.start
            self._step(batch, max(0.0, 1 - gone / self.seconds))
            if self.step % AVERAGE_STEPS == 0:
                self._average()
                stop[0] = float(gone >= self.seconds)
                dist.broadcast(stop, 0)
                if stop.item() or gone - self.saved > SAVE_SECONDS:
                    self.saved = gone
                    self._save()
            if self.rank == 0 and self.step % LOG_STEPS == 0:
                means = " ".join(f"{name} {mean:.3f}" for name, mean in self.means.items())
                print(f"{gone / 60:.1f} min, step {self.step}, rows {self.seen} a process: {means}")
            if stop.item():
                return

    def _step(self, batch: list[Row], left: float) -> None:
        warm = min(1.0, self.step / WARM_STEPS + 0.02)
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * group["times"] * min(warm, left / 0.9)
        inputs = pad(batch)
        with torch.autocast("cpu", torch.bfloat16):
            answerable, start, end = self.model(*inputs)
        wanted = torch.tensor([float(row.answerable) for row in batch])
        verdict = F.binary_cross_entropy_with_logits(answerable.float(), wanted)
        span = _span_loss(start.log_softmax(-1), end.log_softmax(-1), batch)
        (verdict + SPAN_WEIGHT * span).backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        self.seen += len(batch)
        right = ((answerable > 0) == (wanted > 0.5)).float().mean()
        for name, value in (("verdict", verdict), ("right", right), ("span", span)):
            now = value.item()
            self.means[name] = 0.99 * self.means.get(name, now) + 0.01 * now

    def _average(self) -> None:
        flat = torch.cat([one.data.flatten() for one in self.parameters])
        dist.all_reduce(flat)
        parts = (flat / self.world).split([one.numel() for one in self.parameters])
        for one, part in zip(self.parameters, parts, strict=True):
            one.data.copy_(part.view_as(one))

    def _save(self) -> None:
        if self.rank == 0:
            unfinished = self.out.with_suffix(".part")
            torch.save(self.model.state_dict(), unfinished)
            unfinished.replace(self.out)


def pad(batch: list[Row]) -> tuple[Any, Any, Any]:
    """Ids, mask and types; lengths are multiples of 16, because kernels are kept by shape."""
    length = -(-max(len(row.ids) for row in batch) // 16) * 16
    ids, mask, types = torch.zeros(3, len(batch), length, dtype=torch.long)
    for at, row in enumerate(batch):
        size = len(row.ids)
        ids[at, :size] = torch.from_numpy(row.ids.astype("int64"))
        mask[at, :size] = 1
        types[at, row.passage : size] = 1
    return ids, mask, types


def _span_loss(start: Any, end: Any, batch: list[Row]) -> Any:
    """Cross entropy of the ends of the span, or of "no answer"; a wide span is right anywhere
    inside it."""
    terms = []
    for at, row in enumerate(batch):
        if not row.answerable:
            terms.append(start[at, 0] + end[at, 0])
        elif row.wide:
            inside = slice(row.first, row.last + 1)
            terms.append(start[at, inside].logsumexp(0) + end[at, inside].logsumexp(0))
        elif row.first >= 0:
            terms.append(start[at, row.first] + end[at, row.last])
    return -torch.stack(terms).mean() / 2 if terms else start.sum() * 0
