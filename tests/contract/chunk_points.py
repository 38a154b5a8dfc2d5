"""A small book as points of the chunk index."""

from __future__ import annotations

from dataclasses import replace

from functions.adapters.qdrant.chunk_index import ChunkPoint

SIZE = 8
TEXTS = [
    "Balance A humanoid walks by shifting its weight before each step.",
    "Sensors A lidar measures distances with light, a camera measures colours.",
    "Actuators Torque is what a motor gives to a joint of the robot.",
    "Simulation A simulated robot falls without breaking its motors.",
    "Café The naïve controller in the café demo serves coffee.",
]


def axis(n: int) -> list[float]:
    return [float(i == n) for i in range(SIZE)]


def chunk(ordinal: int, text: str = "", **changes: object) -> ChunkPoint:
    """Chunk n of a small book: its only passage points along axis n, its blocks are 2n to 2n+1."""
    plain = ChunkPoint(
        chunk_id=f"chunk-{ordinal}",
        document_id="intro",
        source_path="docs/intro.md",
        version="current",
        locale="en",
        chapter_id="ch1",
        generation=1,
        policy="full",
        first_block=2 * ordinal,
        last_block=2 * ordinal + 1,
        search_text=text or TEXTS[ordinal % len(TEXTS)],
        vectors=[axis(ordinal % SIZE)],
        chunk={"ordinal": ordinal, "text": text, "nested": {"lines": [1, 2.5, None, True]}},
    )
    return replace(plain, **changes)
