"""Writes the trained reader as int8 ONNX, with its hash beside it."""

from __future__ import annotations

import tempfile
import warnings
from hashlib import sha256
from pathlib import Path

import torch

from tools.reader.model import ReaderModel

OPSET = 17
INPUTS, OUTPUTS = ("ids", "mask", "types"), ("answerable", "start", "end")


def export(weights: Path, out: Path, *, quantised: bool = True) -> None:
    """Write `out`; not `quantised` is for comparison, four times as large."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = ReaderModel().eval()
    model.load_state_dict(torch.load(weights))
    ids = torch.randint(1000, 2000, (2, 64))
    mask, types = torch.ones_like(ids), torch.zeros_like(ids)
    axes = {name: {0: "pair", 1: "token"} for name in (*INPUTS, *OUTPUTS)}
    axes["answerable"] = {0: "pair"}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        full = out if not quantised else Path(folder) / "full.onnx"
        # The exporter that needs no further package.
        torch.onnx.export(
            model, (ids, mask, types), str(full), dynamo=False, opset_version=OPSET,
            input_names=INPUTS, output_names=OUTPUTS, dynamic_axes=axes,
        )  # fmt: skip
        if quantised:
            quantize_dynamic(
                full, out, weight_type=QuantType.QInt8, per_channel=True,
                op_types_to_quantize=["MatMul", "Gather", "Gemm"],
            )  # fmt: skip
    out.with_suffix(".sha256").write_text(sha256(out.read_bytes()).hexdigest() + "\n")
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")
