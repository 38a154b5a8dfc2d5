"""What the built-in site serves of a folder with bad files in it, and under which names."""

from __future__ import annotations

import os
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from functions.runtime.settings import Settings
from quoth.book_files import markdown_files
from quoth.serve import LOOPBACK, Gateway
from quoth.site.app import create_site

SECRET = "the safe's number is 4711"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    book, docs = tmp_path / "book", tmp_path / "book" / "docs"
    for folder in (docs / ".drafts", book / "node_modules" / "x", tmp_path / "outside"):
        folder.mkdir(parents=True)
    for path in (
        tmp_path / "outside" / "secret.md",
        tmp_path / "outside" / "secret.png",
        docs / ".hidden.md",
        docs / ".hidden.png",
        docs / ".drafts" / "draft.md",
        docs / "notes.txt",
        book / "node_modules" / "x" / "x.png",
    ):
        path.write_text(f"# Secret\n\n{SECRET}\n")
    (docs / "good.md").write_text("# Good\n\nA word.\n\n![a](a.png)\n")
    (docs / "a.png").write_bytes(b"\x89PNG")
    (docs / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    (docs / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (docs / "link.png").symlink_to(tmp_path / "outside" / "secret.png")
    (docs / "inner.md").symlink_to(docs / ".hidden.md")
    (docs / "loop.md").symlink_to(docs / "loop.md")
    (docs / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(docs / "pipe.md")
    os.mkfifo(docs / "pipe.png")
    (docs / "directory.md").mkdir()
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.md")).write_text("# Bad name\n")
    return book


def client_of(book: Path) -> httpx2.AsyncClient:
    app = create_site(book, Settings())
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1")


def test_only_regular_files_of_the_book_are_read(book: Path) -> None:
    assert list(markdown_files(book)) == ["docs/good.md"]


async def test_a_page_beside_bad_files_is_shown_and_names_none_of_them(book: Path) -> None:
    async with client_of(book) as client:
        shown = await client.get("/good")
        assert shown.status_code == 200
        assert "A word." in shown.text
        assert shown.text.count("<li>") == 1
        assert SECRET not in shown.text
        for name in ("link", "inner", "loop", "pipe", "caf", "hidden", "draft"):
            assert (await client.get(f"/{name}")).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "docs/link.png",
        "docs/folder/secret.png",
        "docs/.hidden.png",
        "docs/pipe.png",
        "docs/notes.txt",
        "docs/good.md",
        "node_modules/x/x.png",
        "docs/nowhere.png",
        "docs/%2e%2e/%2e%2e/outside/secret.png",
        "%2e%2e/outside/secret.png",
        "/etc/hostname.png",
        "docs/a.png%00.png",
        "docs/caf%E9.png",
    ],
)
async def test_other_files_are_not_served(book: Path, path: str) -> None:
    async with client_of(book) as client:
        found = await client.get(f"/_files/{path}")
    assert found.status_code == 404
    assert SECRET not in found.text


async def test_pictures_are_served_and_run_nothing(book: Path) -> None:
    async with client_of(book) as client:
        picture = await client.get("/_files/docs/a.png")
        drawing = await client.get("/_files/docs/a.svg")
    assert (picture.status_code, picture.content) == (200, b"\x89PNG")
    assert drawing.headers["content-type"] == "image/svg+xml"
    policy = drawing.headers["content-security-policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("LOCALHOST:3000", 200),
        ("[::1]:8000", 200),
        ("book.example.org", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example:8000", 421),
        ("localhost.evil.example", 421),
        ("192.168.1.7:8000", 421),
        ("[::1", 421),
        ("", 421),
    ],
)
async def test_only_this_machine_and_allowed_names_are_answered(host: str, status: int) -> None:
    said = Starlette(routes=[Route("/{path:path}", lambda _: PlainTextResponse("the book"))])
    hosts = LOOPBACK | {"book.example.org"}
    app = Gateway({"/query": said}, said, hosts)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as client:
        for path in ("/", "/query", "/_quoth/widget/quoth-widget.js"):
            found = await client.get(f"http://127.0.0.1{path}", headers={"Host": host})
            assert found.status_code == status
            assert ("--origin" in found.text) == (status == 421)
