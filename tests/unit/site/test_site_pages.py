"""Pages of the built-in site, as HTML: what generators show, and nothing that runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from functions.book.markdown.parse import read_document
from functions.ingest.prepare import BookLayout
from quoth.site.contents import neighbours, read_contents
from quoth.site.mdbook import expand_includes, hide_lines, read_summary
from quoth.site.pages import Page, render_page
from quoth.site.render import render_markdown

DOCUSAURUS, MDBOOK = BookLayout(), BookLayout(generator="mdbook", docs_root="src")
PAYLOADS = Path(__file__).parents[2] / "browser" / "payloads.txt"


def lay_out(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def show(
    folder: Path, text: str, layout: BookLayout = DOCUSAURUS, name: str = "docs/a/page.mdx"
) -> Page:
    lay_out(folder, {name: text})
    contents = read_contents(folder, layout)
    page = next(each for each in contents if each.source_path == name)
    return render_page(page, contents, folder, layout)


def body(folder: Path, text: str) -> str:
    return show(folder, text).body


def test_pictures_lead_to_the_files_of_the_book_that_may_be_read(tmp_path: Path) -> None:
    files = ["docs/a/arm.png", "docs/a/my arm.svg", "static/img/leg.png", "docs/a/.no.png"]
    lay_out(tmp_path, dict.fromkeys(files, "x"))
    (tmp_path / "docs/a/out.png").symlink_to("/etc/hostname")
    shown = body(
        tmp_path,
        "![one](arm.png) ![two](<./my arm.svg>) ![three](/img/leg.png)\n"
        "![four](@site/static/img/leg.png) ![hidden](.no.png) ![out](out.png)\n"
        "![up](../../../etc/x.png) ![far](https://example.org/a.png)\n\n"
        "<img src={require('./arm.png').default}\n  alt=\"A `good` [arm]\" />\n",
    )
    assert re.findall(r'src="([^"]*)"', shown) == [
        "/_files/docs/a/arm.png",
        "/_files/docs/a/my%20arm.svg",
        "/_files/static/img/leg.png",
        "/_files/static/img/leg.png",
        ".no.png",
        "out.png",
        "../../../etc/x.png",
        "https://example.org/a.png",
        "/_files/docs/a/arm.png",
    ]


def test_links_to_sources_lead_to_their_pages(tmp_path: Path) -> None:
    lay_out(tmp_path, {"docs/b/02-gears.md": "# Gears\n\n## Teeth\n\nText.\n"})
    shown = body(
        tmp_path,
        "# Page\n\n[a](../b/02-gears.md#teeth) [b][gears] [c](#page)\n"
        "[d](https://example.org/x.md) [e](nowhere.md)\n\n"
        "[gears]: ../b/02-gears.md 'Gears'\n",
    )
    assert re.findall(r'href="([^"]*)"', shown) == [
        "/b/gears#teeth",
        "/b/gears",
        "#page",
        "https://example.org/x.md",
        "nowhere.md",
    ]
    assert "[gears]" not in shown


def test_admonitions_alerts_and_folded_text_keep_their_titles(tmp_path: Path) -> None:
    shown = body(
        tmp_path,
        "# Page\n\n:::warning Hot *motors*\n\n## Inside\n\nWait.\n\n:::\n\n:::tip\nRest.\n:::\n\n"
        "> [!NOTE]\n> Cold.\n\n- a point\n\n  :::danger\n\n  Stop.\n\n  :::\n\n"
        "::::note Outer\n\n:::info Inner\n\nDeep.\n\n:::\n\n::::\n\nAfter.\n\n"
        "<details>\n<summary>More</summary>\n\nFolded.\n\n</details>\n",
    )
    flat = re.sub(r"\s*\n\s*", "", shown)
    assert '<div class="box warning"><p class="title">Hot <em>motors</em></p>' in flat
    assert '<h2 id="inside">Inside</h2><p>Wait.</p></div>' in flat
    assert '<div class="box tip"><p class="title">Tip</p><p>Rest.</p></div>' in flat
    assert '<p class="markdown-alert-title">Note</p><p>Cold.</p></div>' in flat
    assert '<div class="box danger"><p class="title">Danger</p><p>Stop.</p></div></li>' in flat
    inner = '<div class="box info"><p class="title">Inner</p><p>Deep.</p></div>'
    assert f'<div class="box note"><p class="title">Outer</p>{inner}</div><p>After.</p>' in flat
    assert "<details><summary>More</summary><p>Folded.</p></details>" in flat
    assert is_balanced(shown)


def test_tabs_stand_in_rows(tmp_path: Path) -> None:
    tab = '<TabItem value="{0}" label="{0}">\n\n  - {1}\n\n</TabItem>\n'
    rows = [f"<Tabs>\n{tab.format('A', 'one')}{tab.format('B', 'two')}</Tabs>\n"] * 2
    shown = body(tmp_path, "# Page\n\n" + "\n".join(rows) + "\nAfter.\n")
    flat = re.sub(r"\s*\n\s*", "", shown)
    one = '<div class="tab"><p class="title">A</p><ul><li>one</li></ul></div>'
    two = '<div class="tab"><p class="title">B</p><ul><li>two</li></ul></div>'
    row = f'<div class="tabs">{one}{two}</div>'
    assert f"{row}{row}<p>After.</p>" in flat


def test_formulas_code_and_notes_have_their_forms(tmp_path: Path) -> None:
    shown = body(
        tmp_path,
        "# Page\n\nThe angle $\\theta < 1$ costs $5 or $6.[^1]\n\n$$\na\n\nb\n$$\n\n"
        '```js {1} title="x<y>.js"\n// highlight-next-line\nrun("<b>");\n```\n\n'
        "- [x] done\n\n[^1]: Said so.\n",
    )
    assert '<span class="math inline">\\theta &lt; 1</span> costs $5 or $6.' in shown
    assert '<div class="math block">a\n\nb</div>' in shown
    assert '<p class="title">x&lt;y&gt;.js</p>' in shown
    assert '<code class="language-js">run(<span class="code-string">"&lt;b&gt;"</span>);' in shown
    assert 'type="checkbox" checked' in shown
    assert "Said so." in shown


def test_headings_keep_the_ids_that_citations_name(tmp_path: Path) -> None:
    page = (
        "---\ntitle: Top\n---\n\n<img\n src='x.png'\n alt='y'\n/>\n\n## One\n\n"
        "<Tabs>\n<TabItem label='A'>\n\n## Two {#second}\n\nx\n\n</TabItem>\n</Tabs>\n\n## One\n"
    )
    shown = body(tmp_path, page)
    assert re.findall(r'id="([^"]*)"', shown) == ["one", "second", "one-1"]
    assert shown.startswith("<h1>Top</h1>")


SUMMARY = """# Summary

[Foreword](foreword.md)

# First *part*

- [Start](start.md)
  - [Inside `x`](deep/inside.md)
  - [Draft]()
- [Second](second.md)

# Second part

- [Third](third.md)

---

[Appendix](appendix.md)
[Notes](notes.md)
"""


def test_an_mdbook_has_the_contents_of_its_summary() -> None:
    assert [(line.part, line.depth, line.title, line.path) for line in read_summary(SUMMARY)] == [
        ("", 0, "Foreword", "foreword.md"),
        ("First part", 0, "1. Start", "start.md"),
        ("First part", 1, "1.1. Inside x", "deep/inside.md"),
        ("First part", 0, "2. Second", "second.md"),
        ("Second part", 0, "3. Third", "third.md"),
        ("Second part", 0, "Appendix", "appendix.md"),
        ("Second part", 0, "Notes", "notes.md"),
    ]


def test_pages_that_the_summary_leaves_out_are_there_and_not_listed(tmp_path: Path) -> None:
    names = ["appendix", "foreword", "start", "deep/inside", "zz", "second"]
    lay_out(tmp_path, {f"src/{name}.md": f"# {name}\n\nText.\n" for name in names})
    lay_out(tmp_path, {"src/SUMMARY.md": SUMMARY})
    contents = read_contents(tmp_path, MDBOOK)
    assert [page.source_path for page in contents if page.listed] == [
        f"src/{name}.md" for name in ("foreword", "start", "deep/inside", "second", "appendix")
    ]
    assert [page.source_path for page in contents if not page.listed] == ["src/zz.md"]


def test_a_docusaurus_site_has_the_contents_of_its_folders(tmp_path: Path) -> None:
    at = "---\nsidebar_position: {}\n---\n# {}\n\nText.\n"
    lay_out(
        tmp_path,
        {
            "docs/zero.md": at.format(1, "Zero"),
            "docs/last.md": "# Last\n\nText.\n",
            "docs/10-ten.md": "# Ten\n\nText.\n",
            "docs/11-end/_category_.json": '{"label": "Chapter 11: The end"}',
            "docs/11-end/end.md": "# End\n\nText.\n",
            "docs/basics/_category_.json": '{"label": "First steps", "position": 2}',
            "docs/basics/write.md": at.format(2, "Write"),
            "docs/basics/begin.md": at.format(1.5, "Begin"),
            "docs/extras/_category_.yml": "label: Extras\nposition: first\n",
            "docs/extras/more.md": "# More\n\nText.\n",
            "docs/extras/index.md": at.format(3, "All extras"),
        },
    )
    contents = read_contents(tmp_path, DOCUSAURUS)
    assert [(page.title, page.chapter) for page in contents] == [
        ("Zero", "Zero"),
        ("Begin", "First steps"),
        ("Write", "First steps"),
        ("All extras", "Extras"),
        ("More", "Extras"),
        ("Ten", "10. Ten"),
        ("End", "Chapter 11: The end"),
        ("Last", "Last"),
    ]


def test_a_mkdocs_site_has_the_contents_of_its_nav(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"docs/{name}.md": f"# {name}\n\nText.\n" for name in "abcd"})
    nav = "nav: [b.md, {Part: [{Deep: [{Last: d.md}]}, a.md, nowhere.md]}]"
    lay_out(tmp_path, {"mkdocs.yml": nav})
    contents = read_contents(tmp_path, BookLayout(generator="mkdocs"))
    assert [(page.title, page.chapter, page.listed) for page in contents] == [
        ("b", "", True),
        ("Last", "Part › Deep", True),
        ("a", "Part", True),
        ("c", "c", False),
    ]


def test_a_page_has_those_before_and_after_it(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"docs/{name}.md": f"# {name}\n\nText.\n" for name in "abcd"})
    lay_out(tmp_path, {"mkdocs.yml": "nav: [b.md, d.md, a.md]"})
    contents = read_contents(tmp_path, BookLayout(generator="mkdocs"))
    around = {
        name: [page and page.title for page in neighbours(contents, f"docs/{name}.md")]
        for name in "abcd"
    }
    assert around == {"b": [None, "d"], "d": ["b", "a"], "a": ["d", None], "c": [None, None]}


LISTING = """// ANCHOR: all
use std::io;
// ANCHOR: main
fn main() {
    go();
}
// ANCHOR_END: main
// ANCHOR_END: all
"""


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ("", ["use std::io;", "fn main() {", "    go();", "}"]),
        (":main", ["fn main() {", "    go();", "}"]),
        (":2", ["use std::io;"]),
        (":4:5", ["fn main() {", "    go();"]),
        (":5:", ["    go();", "}"]),
        ("::2", ["use std::io;"]),
        (":nowhere", []),
    ],
)
def test_an_include_shows_the_lines_it_names(tmp_path: Path, part: str, lines: list[str]) -> None:
    lay_out(tmp_path, {"listings/a.rs": LISTING})
    source = f"```rust\n{{{{#rustdoc_include ../listings/a.rs{part}}}}}\n```\n"
    assert expand_includes(source, "src/a.md", tmp_path) == f"```rust\n{chr(10).join(lines)}\n```\n"


def test_an_include_of_what_may_not_be_read_stays(tmp_path: Path) -> None:
    book = lay_out(tmp_path / "book", {"src/.env": "secret", "src/a.md": "{{#include a.md}} x"})
    lay_out(tmp_path, {"secret.txt": "secret"})
    (book / "src" / "link.txt").symlink_to(tmp_path / "secret.txt")
    for path in ("../../secret.txt", "/etc/hostname", "link.txt", ".env", "nowhere.md", "../src"):
        source = f"{{{{#include {path}}}}}"
        assert expand_includes(source, "src/b.md", book) == source
    itself = expand_includes("{{#include a.md}}", "src/b.md", book)
    assert itself.endswith(" x x x")  # to a depth that ends
    assert expand_includes(r"\{{#include a.md}}", "src/b.md", book) == "{{#include a.md}}"


def test_includes_of_includes_end(tmp_path: Path) -> None:
    book = lay_out(tmp_path, {"src/a.md": "{{#include a.md}}\n" * 200 + "x" * 10_000})
    assert len(expand_includes("{{#include a.md}}", "src/b.md", book)) < 20_000_000


def test_lines_for_the_compiler_are_hidden() -> None:
    assert hide_lines("# fn main() {\n#[derive(X)]\nlet a;\n#\n# }\n") == "#[derive(X)]\nlet a;\n"


FORMS = (
    "{}",
    "# {}",
    "- {}",
    ":::note {}\n\nx\n\n:::",
    ":::{}\n\nx\n\n:::",
    "> [!{}]\n> x",
    '<TabItem value="a" label="{}">\n\nx\n\n</TabItem>',
    "<TabItem label='{}'>\n\nx\n\n</TabItem>",
    "<details>\n<summary>{}</summary>\n\nx\n\n</details>",
    '```js title="{}"\nx\n```',
    "```{}\nx\n```",
    "$${}$$",
    "an ${}$ x",
    "![{}](x.png)",
    "![x]({})",
    "![x](<{}>)",
    "[x]({})",
    "[x](<{}>)",
    '[x](y "{}")',
    "[x]\n\n[x]: <{}>",
    '<img src="{}" />',
    '<img src="x" alt="{}" />',
    "<img src='{}' />",
    "<img src='x' alt='{}' />",
    "x[^1]\n\n[^1]: {}",
    "| {} |\n|---|\n| {} |",
)
ALLOWED_ATTRIBUTES = frozenset(
    "id class href src alt title type disabled checked start style".split()
)


class Watch(HTMLParser):
    """What a page could run: elements, attributes and addresses that no page here has."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "iframe", "object", "embed", "style", "svg", "math", "base", "form"}:
            self.found.append(tag)
        for name, value in attrs:
            address = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name not in ALLOWED_ATTRIBUTES:
                self.found.append(f"{tag} {name}")
            if name == "style" and not (value or "").startswith("text-align:"):
                self.found.append(f"{tag} {name}={value}")
            scheme = address.split(":", 1)[0] if ":" in address else ""
            if name in ("href", "src") and scheme in {"javascript", "vbscript", "file"}:
                self.found.append(f"{tag} {name}={value}")
            if name == "href" and scheme == "data":
                self.found.append(f"{tag} {name}={value}")
        if tag not in {"img", "input", "br", "hr"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.found.append(f"</{tag}>")


def is_balanced(html: str) -> bool:
    watch = Watch()
    watch.feed(html)
    return not watch.open and not watch.found


PAYLOAD_LINES = PAYLOADS.read_text("utf-8").splitlines()
OWN = (
    "javascript:alert(1)",
    "JaVaScRiPt&colon;alert(1)",
    "&#106;avascript:alert(1)",
    " java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml,<svg onload=alert(1)>",
    '" onerror="alert(1)',
    "' onerror='alert(1)",
    "x\" class='math inline' onload=alert(1) \"",
    "</p></div><script>alert(1)</script>",
    "\\href{javascript:alert(1)}{x}",
    "file:///etc/passwd",
    "`</code><script>alert(1)</script>`",
)


class NoFiles:
    """Links of a page whose book has no other files."""

    def page(self, target: str) -> str:
        return target

    def picture(self, source: str) -> str:
        return source


@pytest.mark.parametrize("form", FORMS)
def test_nothing_in_a_page_can_run(form: str) -> None:
    failed: list[tuple[str, list[str]]] = []
    for payload in (*PAYLOAD_LINES, *OWN):
        watch = Watch()
        page = f"# Page\n\n{form.replace('{}', payload)}\n\nAfter.\n".encode()
        watch.feed(render_markdown(read_document("docs/page.mdx", page), NoFiles()))
        if watch.found:
            failed.append((payload, watch.found))
    assert len(PAYLOAD_LINES) >= 20
    assert failed == []
