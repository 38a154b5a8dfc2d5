"""The guides say nothing of commands, alarms and pages that are not there."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click
import pytest

from functions.analytics.metrics.confidence_intervals import Share
from quoth.cli import main
from tests.build.deployment import PROJECT, template
from tests.guide_blocks import UnmarkedCommand, read_blocks

DOCS = PROJECT / "docs"
GUIDES = sorted([*(DOCS / "guides").glob("*.md"), *(DOCS / "reference").glob("*.md")])
PAGES = [*GUIDES, *sorted(DOCS.glob("*.md")), *sorted((DOCS / "decisions").glob("*.md"))]
PAGES += [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", PROJECT / "infra" / "README.md"]
NAMING_PAGES = [
    *(page for page in PAGES if page.parent.name in ("guides", "reference", "infra")),
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "NOTICE")),
    DOCS / "architecture.md",
]
PROJECT_PATH = re.compile(
    r"(?<![\w./])((?:functions|quoth|tools|tests|infra|widget|dashboard|examples)/[\w./-]+)"
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def headings(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def alarms() -> set[str]:
    monitoring = (PROJECT / "infra" / "monitoring.yaml").read_text(encoding="utf-8")
    named = set(
        re.findall(r"^  (\w+):\n    Type: AWS::CloudWatch::Alarm$", monitoring, re.MULTILINE)
    )
    resources = template()["Resources"].items()
    return named | {name for name, each in resources if each["Type"] == "AWS::CloudWatch::Alarm"}


def test_each_alarm_has_a_section_in_the_runbook_and_each_section_an_alarm() -> None:
    sections = headings(DOCS / "reference" / "alarms.md")[1:]
    assert len(alarms()) > 10
    assert set(sections) == alarms()
    assert len(sections) == len(set(sections))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_each_command_of_quoth_in_a_guide_is_there_with_its_options(guide: Path) -> None:
    for block in read_blocks(guide):
        for line in block.commands.replace("\\\n", " ").splitlines():
            if not re.match(r"(\S*/)?quoth ", line):
                continue
            words = shlex.split(line, comments=True)
            command: click.Command = main
            options: set[str] = set()
            is_value = False
            for word in words[1:]:
                if is_value:
                    is_value = False
                elif isinstance(command, click.Group) and not word.startswith("-"):
                    found = command.get_command(click.Context(command), word)
                    assert found is not None, f"{guide.name}:{block.line}: {line}"
                    command = found
                    options = {each for p in command.params for each in p.opts} | {"--help"}
                elif word.startswith("--"):
                    assert word.split("=")[0] in options, f"{guide.name}:{block.line}: {word}"
                    option = next((p for p in command.params if word in p.opts), None)
                    is_value = isinstance(option, click.Option) and not option.is_flag


def targets() -> set[str]:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_each_target_and_each_script_in_a_guide_is_there(guide: Path) -> None:
    for block in read_blocks(guide):
        for line in block.commands.splitlines():
            program, *rest = line.split() or [""]
            where = f"{guide.name}:{block.line}: {line}"
            if program == "make":
                assert {each for each in rest if each.isalpha()} <= targets(), where
            elif program.endswith(".sh"):
                assert os.access(PROJECT / program, os.X_OK), where
            # The project's scripts pin SAM's version and give it the build.
            assert program != "sam", where


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_each_link_between_pages_leads_to_a_page_and_a_heading(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in map(slug, headings(target)), f"{page.name}: {link}"


@pytest.mark.parametrize("page", NAMING_PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_each_path_of_the_project_on_a_page_exists(page: Path) -> None:
    for path in PROJECT_PATH.findall(page.read_text(encoding="utf-8")):
        assert (PROJECT / path.rstrip("./")).exists(), f"{page.name}: {path}"


def test_a_block_that_does_not_say_how_it_is_tried_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "guide.md"
    page.write_text("# A\n\n```sh\nls\n```\n")
    with pytest.raises(UnmarkedCommand, match=r"guide\.md:3"):
        read_blocks(page)


def test_what_can_be_tried_of_a_guide_is_in_order_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "guide.md"
    page.write_text("```sh run\nls\n```\n\n```yaml\na: 1\n```\n\n```sh aws\naws s3 ls\n```\n")
    assert [(block.kind, block.commands) for block in read_blocks(page)] == [
        ("run", "ls\n"),
        ("aws", "aws s3 ls\n"),
    ]


def test_the_administrators_example_is_worked_out_right() -> None:
    text = (DOCS / "guides" / "administrator.md").read_text(encoding="utf-8")
    helped = Share.of_counts(75, 90)
    assert helped.low is not None
    assert helped.high is not None
    lowest, highest = (75 + 645 * helped.low) / 60, (75 + 645 * helped.high) * 4 / 60
    assert f"{lowest:.1f} h with the confirmed ones" in text
    assert f"4 minutes each: {highest:.1f} h" in text
    assert f"{1000 * 2.5 / 60:.1f} h" in text


def test_the_index_names_every_guide_and_every_reference_page() -> None:
    index = DOCS / "guides" / "README.md"
    links = LINK.findall(index.read_text(encoding="utf-8"))
    assert {*GUIDES} - {index} <= {(index.parent / link).resolve() for link in links}
