"""`python -m tools.reader STEP`: prepare, train, export and report; `make reader` runs all."""

from __future__ import annotations

import argparse
import os
import socket
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.reader", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    prepare = steps.add_parser("prepare", help="tokenise the data")
    prepare.add_argument("data", type=Path)
    prepare.add_argument("--evaluation", type=Path, help="files that no row may repeat")
    train = steps.add_parser("train", help="fine-tune MiniLM on both cores")
    train.add_argument("--minutes", type=float, default=60)
    train.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    train.add_argument("--resume", action="store_true", help="begin with the last checkpoint")
    export = steps.add_parser("export", help="write the int8 weights")
    export.add_argument("out", type=Path)
    export.add_argument("--full", action="store_true", help="float32, for comparison")
    report = steps.add_parser("report", help="measure the rows held out")
    report.add_argument("model", type=Path)
    for step in steps.choices.values():
        step.add_argument("--folder", type=Path, default=Path("build/reader"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    rows, weights = asked.folder / "rows.npz", asked.folder / "reader.pt"
    if asked.step == "prepare":
        from tools.reader.prepare import prepare as run_prepare

        run_prepare(asked.data, asked.evaluation, rows)
    elif asked.step == "train":
        _train(asked.processes, (asked.minutes, rows, weights, asked.resume))
    elif asked.step == "export":
        from tools.reader.export import export as run_export

        run_export(weights, asked.out, quantised=not asked.full)
    else:
        from tools.reader.report import report as run_report

        run_report(rows, asked.model)


def _train(processes: int, what: tuple[float, Path, Path, bool]) -> None:
    from torch import multiprocessing

    from tools.reader.train import train

    # Waiting threads of the other process must not spin on its core.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    multiprocessing.start_processes(
        train, (processes, *what, port), nprocs=processes, start_method="spawn"
    )


if __name__ == "__main__":
    main()
