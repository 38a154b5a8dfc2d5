"""The sample book: what it has to have, and programs that do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "examples" / "book" / "docs"
PAGES = sorted(DOCS.rglob("*.md*"))
CHAPTERS = sorted(path for path in DOCS.iterdir() if path.is_dir())
PROGRAM = re.compile(r"```python[^\n]*\n(.*?)```", re.DOTALL)
PRINTS = re.compile(r"^ *# prints (.*)", re.DOTALL | re.MULTILINE)
LEARNED = re.compile(r"vision.language|\bvla\b", re.IGNORECASE)
DEPENDS_ON_THE_COMPUTER = "(on an idle computer)"
SECONDS = 60
PROGRAMS = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(PROGRAM.findall(page.read_text("utf-8")), 1)
]


def words_of(text: str) -> list[str]:
    return re.sub(r"^ *#|\band\b|,", " ", text, flags=re.MULTILINE).split()


def test_has_eight_chapters_and_twelve_thousand_words() -> None:
    assert len(CHAPTERS) >= 8
    assert sum(len(page.read_text("utf-8").split()) for page in PAGES) >= 12_000


def test_models_that_read_see_and_act_stand_in_chapter_four_only() -> None:
    found = {
        page.relative_to(DOCS).parts[0] for page in PAGES if LEARNED.search(page.read_text("utf-8"))
    }
    assert found == {"04-words-to-motion"}


@pytest.mark.parametrize(
    "feature",
    [
        "<Tabs",
        "```cpp",
        "```mermaid",
        "```xml",
        "<details>",
        ":::",
        "$$",
        "\nslug: /bodies",
        "{#dof}",
        " from './_",
    ],
)
def test_shows_what_docusaurus_can_do(feature: str) -> None:
    assert any(feature in page.read_text("utf-8") for page in PAGES)


def test_two_chapters_contradict_each_other() -> None:
    texts = {
        chapter.name[:2]: "\n".join(page.read_text("utf-8") for page in chapter.glob("*.md"))
        for chapter in CHAPTERS
    }
    for reactive, hybrid in (
        ("A robot does not need an internal model", "A robot needs an internal model"),
        ("makes a robot slower and more fragile", "makes a robot more reliable"),
    ):
        assert (reactive in texts["05"], hybrid in texts["05"]) == (True, False)
        assert (reactive in texts["06"], hybrid in texts["06"]) == (False, True)


@pytest.mark.parametrize("code", PROGRAMS)
def test_a_program_prints_what_its_comment_says(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    told = PRINTS.search(code)
    if told and DEPENDS_ON_THE_COMPUTER not in told.group(1):
        assert words_of(done.stdout) == words_of(told.group(1))
