"""Pages as site generators lay them out: sidebars, sticky headers, a root of another font size."""

from __future__ import annotations

import mimetypes
import subprocess
import sys
from pathlib import Path

from playwright.async_api import Page, Route

WORDS = "Robots that walk keep their balance with every step they take. " * 6
MAIN = (
    f"<h1>Walking</h1><p>{WORDS}</p><pre>{'a_long_line_of_code ' * 12}</pre>"
    f"<h2 id='gait'>Gait</h2><p>{WORDS}</p><p>{WORDS}</p>"
)
CHAPTERS = "".join(f'<li><a href="#c{n}">Chapter {n} of the book</a></li>' for n in range(20))
SHARED = "body{margin:0;font-family:system-ui}pre{overflow-x:auto}li{list-style:none}"

LIKE_DOCUSAURUS = f"""<style>{SHARED}
header{{position:sticky;top:0;height:60px;display:flex;justify-content:space-between;background:#eee}}
.page{{display:flex}} aside{{display:none}} main{{flex:1;min-width:0;padding:16px}}
@media(min-width:997px){{
aside{{display:block;flex:0 0 300px}} .toc{{flex:0 0 calc((100% - 300px) / 4)}} }}</style>
<header><a href="/">Site</a><a href="#search">Search</a></header><div class="page">
<aside><ul>{CHAPTERS}</ul></aside><main>{MAIN}</main><aside class="toc"><a href="#gait">Gait</a>
</aside></div>"""
LIKE_MDBOOK = f"""<style>{SHARED}
:root{{font-size:62.5%}} body{{font-size:1.6rem;overflow-x:hidden}}
.side{{position:fixed;inset:0 auto 0 0;width:300px;overflow-y:auto}} .page{{margin-left:308px}}
header{{position:sticky;top:0;display:flex;justify-content:space-between;background:#fff}}
.text{{overflow-y:auto;padding:0 15px}} main{{max-width:750px;margin:auto}}
@media(max-width:1080px){{.side{{display:none}}.page{{margin-left:0}}}}</style>
<nav class="side"><ul>{CHAPTERS}</ul></nav><div class="page">
<header><button>Menu</button><a href="#print">Print</a></header><div class="text">
<main>{MAIN}</main><nav><a href="#before">‹</a><a href="#after" style="float:right">›</a></nav>
</div></div>"""
LAYOUTS = {"docusaurus": LIKE_DOCUSAURUS, "mdbook": LIKE_MDBOOK}

WIDGET = """<quoth-widget endpoint="/api" page-source="docs/ch1.md"></quoth-widget>
<script type="module" src="/widget/quoth-widget.js"></script>"""
HEAD = '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">'
MATERIAL = """site_name: Robots
theme: {name: material, font: false}
plugins: [{quoth: {endpoint: /api}}]
"""


async def lay_out(page: Page, layout: str) -> None:
    """Give the page at /layout this layout."""
    body = f"{HEAD}<title>Walking</title>{LAYOUTS[layout]}{WIDGET}</html>"
    await page.route("**/layout", lambda route: route.fulfill(body=body, content_type="text/html"))


def build_material(folder: Path) -> Path:
    """A site that MkDocs Material really built."""
    (folder / "docs").mkdir()
    text = f"# Walking\n\n{WORDS}\n\n## Gait\n\n{WORDS}\n\n{WORDS}\n"
    (folder / "docs" / "index.md").write_text(text, "utf-8")
    (folder / "mkdocs.yml").write_text(MATERIAL, "utf-8")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q"],
        cwd=folder,
        env={"NO_MKDOCS_2_WARNING": "1", "PATH": ""},
        check=True,
        capture_output=True,
        timeout=120,
    )
    return folder / "site"


async def serve_files(page: Page, site: Path) -> None:
    """Give the page's paths below /layout the files of a site."""

    async def reply(route: Route) -> None:
        path = site / route.request.url.partition("/layout/")[2].partition("?")[0]
        path = path / "index.html" if path.is_dir() else path
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        await route.fulfill(body=path.read_bytes(), content_type=kind)

    await page.route("**/layout/**", reply)
