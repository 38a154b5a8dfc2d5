from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quoth.commands.links import StoredLink, check_link
from quoth.site.built import BuiltSite, fragment_of, read_built_page

WALKING = (
    "<nav><p>Walking costs little.</p></nav><main><h1>Walking</h1><p>A gait repeats.</p>"
    '<h2 id="cost">Cost<a class="hash-link" href="#cost">#</a></h2><p>Walking costs little.</p>'
    "<img alt=''><h2>Bare</h2><p>Steps &amp; turns.</p></main>"
)
STANDING = '<main><h1>Standing</h1><h2 id="sway">Sway</h2><p>Bodies sway.</p></main>'


def page(source: str, permalink: str) -> dict[str, Any]:
    names = {"source": source, "permalink": permalink, "title": ""}
    return names | {"version": "current", "locale": "en", "headings": []}


@pytest.fixture
def site(tmp_path: Path) -> BuiltSite:
    files = {"walking/index.html": WALKING, "standing.html": STANDING, "é f+%.html": STANDING}
    for name, html in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(html, "utf-8")
    documents = [
        page("docs/walking.md", "/book/walking/"),
        page("docs/standing.md", "/book/standing"),
    ]
    told = {"format": 1, "baseUrl": "/book/", "locale": "en", "documents": documents}
    (tmp_path / "quoth-manifest.json").write_text(json.dumps(told))
    return BuiltSite(tmp_path)


@pytest.mark.parametrize(
    ("url", "is_there"),
    [
        ("/book/walking/", True),
        ("/book/walking", True),
        ("/book/walking/#cost", True),
        ("/book/standing", True),
        ("/book/standing/", True),
        ("/book/%C3%A9%20f+%25", True),
        ("/book/", False),
        ("/walking/", False),
        ("/book/../../etc/passwd", False),
    ],
)
def test_a_link_finds_its_file_as_a_web_server_would(
    site: BuiltSite, url: str, is_there: bool
) -> None:
    assert (site.page(url) is not None) == is_there


def test_a_page_is_read_as_its_reader_sees_it() -> None:
    read = read_built_page(
        WALKING.replace("gait", '<span class="katex"><span class="katex-mathml"><math><semantics>'
        '<mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>'
        '</span><span class="katex-html">x2</span></span>')
    )  # fmt: skip
    assert read.ids == {"cost"}
    assert read.has("A $x^2$ repeats.")
    assert not read.has("x2")
    assert not read.has("#")
    assert read.has("Steps  &\nturns.")
    assert read.heading_of("Walking costs little.") == "cost"
    assert read.heading_of("Steps & turns.") == ""
    assert read.heading_of("A $x^2$ repeats.") == ""


@pytest.mark.parametrize(
    ("link", "verdict", "url"),
    [
        (("/book/walking/#cost", "docs/walking.md", "Walking costs little."), "ok", "="),
        (("/book/walking/#cost", "docs/walking.md"), "ok", "="),
        (("/book/standing#sway", "docs/standing.md", "Bodies sway."), "ok", "="),
        # The page has another address, the heading another id, the text another page.
        (("/old/walking#cost", "docs/walking.md", "Walking costs little."), "moved",
         "/book/walking/#cost"),
        (("/old/walking#cost", "docs/walking.md"), "moved", "/book/walking/#cost"),
        (("/book/walking/#price", "docs/walking.md", "Walking costs little."), "moved",
         "/book/walking/#cost"),
        (("/book/walking/#cost", "docs/walking.md", "Bodies sway."), "moved",
         "/book/standing#sway"),
        # A document that is gone, whose words another one has.
        (("/book/gone#x", "docs/gone.md", "Bodies sway."), "moved", "/book/standing#sway"),
        (("/book/walking/#cost", "docs/walking.md", "Walking costs a lot."), "changed",
         "/book/walking/"),
        (("/book/walking/#price", "docs/walking.md"), "changed", "/book/walking/"),
        (("/book/gone#x", "docs/gone.md", "Nothing of it is left."), "gone", ""),
        (("/book/gone", "docs/gone.md"), "gone", ""),
    ],
)  # fmt: skip
def test_what_became_of_a_link(
    site: BuiltSite, link: tuple[str, ...], verdict: str, url: str
) -> None:
    checked = check_link(StoredLink(link[0], link[1], link[2:]), site)
    assert (checked.verdict, checked.url) == (verdict, link[0] if url == "=" else url)


def test_a_page_that_took_anothers_address_is_no_good_link(site: BuiltSite) -> None:
    checked = check_link(StoredLink("/book/standing", "docs/walking.md"), site)
    assert (checked.verdict, checked.url) == ("moved", "/book/walking/")


def test_fragments_are_compared_decoded() -> None:
    assert fragment_of("/a#caf%C3%A9--x") == "café--x"
    assert fragment_of("/a") == ""
