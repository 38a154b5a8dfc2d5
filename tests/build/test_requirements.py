"""The requirements of the package are the locked ones, current, hashed, and without boto3."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.build.deployment import PROJECT
from tools.build.environments import (
    PLACE,
    BuildFailed,
    export_requirements,
    find_uv,
    locked_version,
)

ENTRY = re.compile(
    r"^(?P<name>[a-z0-9._-]+)==(?P<version>\S+)(?: ;.*)?(?P<hashes>(?: --hash=\S+)+)$"
)


def entries() -> list[re.Match[str]]:
    text = (PROJECT / PLACE).read_text().replace(" \\\n    ", " ")
    found = [ENTRY.match(line) for line in text.splitlines() if not line.startswith("#")]
    assert all(found), "a line is not a pinned package with hashes"
    return [entry for entry in found if entry]


def test_every_entry_is_in_the_lock_with_the_same_hashes() -> None:
    lock = tomllib.loads((PROJECT / "uv.lock").read_text())
    locked = {
        (each["name"], each["version"]): {
            file["hash"] for file in [*each.get("wheels", []), each.get("sdist", {})] if file
        }
        for each in lock["package"]
    }
    for entry in entries():
        hashes = set(re.findall(r"--hash=(\S+)", entry["hashes"]))
        assert hashes <= locked[entry["name"], entry["version"]], entry["name"]


def test_what_the_runtime_brings_or_only_a_laptop_needs_is_not_there() -> None:
    names = {entry["name"] for entry in entries()}
    assert {"fastapi", "mangum", "httpx2", "psycopg-binary"} <= names
    assert not names & {"boto3", "botocore", "onnxruntime", "ministack", "pytest", "uvicorn"}


def test_is_what_uv_exports_today() -> None:
    try:
        uv = find_uv(PROJECT)
    except BuildFailed as error:
        pytest.skip(str(error))
    assert (PROJECT / PLACE).read_text() == export_requirements(PROJECT, uv)


def test_an_unknown_package_has_no_locked_version() -> None:
    with pytest.raises(KeyError):
        locked_version(PROJECT, "no-such-package")


def test_an_extra_adds_its_packages_and_takes_none_away() -> None:
    try:
        uv = find_uv(PROJECT)
    except BuildFailed as error:
        pytest.skip(str(error))
    plain = export_requirements(PROJECT, uv).splitlines()
    more = export_requirements(PROJECT, uv, ["agents"]).splitlines()
    assert set(plain) <= set(more)
    assert any(line.startswith("openai-agents==") for line in more)
    assert not any(line.startswith("openai-agents==") for line in plain)
