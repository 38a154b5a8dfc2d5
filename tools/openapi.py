"""`quoth openapi`: the API of all functions as one committed file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from functions.analytics.app import create as create_analytics
from functions.query.app import create as create_query
from functions.runtime.settings import Settings
from functions.selected.app import create as create_selected

FILE = Path(__file__).parents[1] / "docs" / "api" / "openapi.json"


@click.command()
@click.option("--check", is_flag=True, help="Fail when the committed file is not current.")
def openapi(check: bool) -> None:
    """Write the OpenAPI file of the whole service."""
    text = json.dumps(describe(), indent=2, ensure_ascii=False) + "\n"
    if not check:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(text, "utf-8")
    elif not FILE.is_file() or FILE.read_text("utf-8") != text:
        raise click.ClickException(f"{FILE.name} is not current: run `quoth openapi`.")


def describe() -> dict[str, Any]:
    """The functions' descriptions merged: paths beside each other, schemas by name."""
    merged: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Quoth", "version": "1"},
        "paths": {},
        "components": {"schemas": {}},
    }
    for create in (create_query, create_selected, create_analytics):
        described = create(Settings).openapi()
        merged["openapi"] = described["openapi"]
        merged["paths"].update(described["paths"])
        for kind, named in described["components"].items():
            merged["components"].setdefault(kind, {}).update(named)
    return merged
