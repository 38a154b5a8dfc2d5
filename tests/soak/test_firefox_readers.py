"""The main scenarios of readers in Debian's Firefox, with the real functions behind the page."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.answer.refusals import INSUFFICIENT_SELECTION, OUT_OF_SCOPE
from tests.integration.up_process import running_up
from tests.soak.firefox import FIREFOX, Firefox, running_firefox

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from live_book import HIGHLIGHTED, WITHOUT_HIGHLIGHTS, folded

pytestmark = pytest.mark.soak

BOOK = Path(__file__).parents[2] / "examples" / "book"
LISTEN = "addEventListener('quoth-answer', event => { globalThis.heard = event.detail.answer })"
ZMP = "/balance-and-walking/zero-moment-point"
LAST = "root.querySelector('.last .answer')?.textContent"
SELECT = """(() => {
  const all = [...document.querySelectorAll('main p')];
  const found = all.find(p => p.textContent.includes('The ZMP is used for'));
  found.scrollIntoView({block: 'center'});
  getSelection().selectAllChildren(found);
  return true;
})()"""


@pytest.fixture(scope="module")
def book() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # PostgreSQL never runs as root
        shutil.copytree(BOOK, Path(name) / "book", ignore=shutil.ignore_patterns("node_modules"))
        with running_up(Path(name) / "book", Path(name) / "data") as up:
            yield up.url


@pytest.fixture(params=["", WITHOUT_HIGHLIGHTS], ids=["highlights", "marks"])
def firefox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Firefox]:
    if not FIREFOX.exists():
        pytest.skip("Firefox is not installed: apt-get install firefox-esr")
    with running_firefox(tmp_path) as firefox:
        firefox.before_pages(f"{LISTEN}; {request.param}")
        yield firefox


def ask(firefox: Firefox, question: str) -> None:
    firefox.run("globalThis.heard = null")
    firefox.wait_for("root.activeElement?.matches('#question')")
    firefox.run("(root.querySelector('#question').select(), true)")
    firefox.press(question)
    firefox.press("Enter")
    firefox.wait_for("globalThis.heard")


def test_readers_ask_the_book_and_its_selections(firefox: Firefox, book: str) -> None:
    firefox.open(book)
    firefox.click("root.querySelector('.launcher')")
    ask(firefox, "What is the ZMP used for?")
    answer = firefox.run("globalThis.heard")
    exact = answer["citations"][0]["quote"]["exact"]
    firefox.click("root.querySelector('ol a.jump')")
    shown = firefox.wait_for(f"({HIGHLIGHTED})()")
    assert folded(shown) == folded(exact)
    firefox.wait_for("root.querySelector('.claim, .launcher') !== null")

    firefox.run("(document.querySelector('quoth-widget').open(), true)")
    ask(firefox, "What is the capital of France?")
    assert OUT_OF_SCOPE in firefox.wait_for(LAST)
    firefox.press("Escape")
    firefox.wait_for("root.querySelector('.panel') === null")

    firefox.open(book + ZMP)
    firefox.run(SELECT)
    firefox.wait_for("root.querySelector('.ask-selection') !== null")
    firefox.press("q", "Alt")
    ask(firefox, "What is ZMP used for?")
    assert firefox.run("globalThis.heard.in_selected_text")
    assert firefox.wait_for("root.querySelector('figure mark')?.textContent")
    ask_again = "(root.querySelector('#question').focus(), true)"
    firefox.run(ask_again)
    ask(firefox, "What are Vision-Language-Action models?")
    assert INSUFFICIENT_SELECTION in firefox.wait_for(LAST)
