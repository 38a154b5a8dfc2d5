"""What commands say: edits, long previews, replays, and a store that cannot be used."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from functions.ingest.outcome import Outcome
from quoth.book_files import markdown_files
from quoth.commands.preview import ReadFolder, _as_lines
from quoth.commands.replay import print_tables
from quoth.commands.up import edit_lines
from quoth.dashboard_link import DashboardLink
from quoth.parts import _LogFile
from quoth.preview import Change, Preview
from quoth.replay.recorded import BookChange
from quoth.replay.replay import Replayed
from quoth.store import Store, StoreUnusable

ID = "3f0a5a6e-8f0f-4a53-9c0f-2a1d6c0b7e11"


def test_a_few_edits_are_named_and_many_are_counted() -> None:
    few = [Outcome("a.md", "updated", chunks=3), Outcome("b.md", "removed")]
    assert edit_lines([*few, Outcome("c.md", "unchanged")]) == [
        "Read a.md: 3 chunks.",
        "Removed b.md.",
    ]
    many = [Outcome(f"{n}.md", "created", chunks=2) for n in range(40)]
    assert edit_lines([*many, few[1]]) == ["Read 40 files: 80 chunks; removed 1."]


def lines_of(*sections: Change, documents: tuple[Change, ...] = ()) -> list[str]:
    found = Preview(documents=documents, sections=sections)
    return list(_as_lines(found, ReadFolder((), "", ())))


def test_a_preview_counts_what_it_would_list_thousands_of_times() -> None:
    sections = [Change("new", "big.md", (f"Part {n}",)) for n in range(7461)]
    added = lines_of(*sections, documents=(Change("new", "big.md"),))
    assert "Sections: 7461 new, 0 changed, 0 moved, 0 rebuilt, 0 gone" in added
    assert [line for line in added if "big.md" in line] == ["  + big.md"]
    edited = lines_of(*sections, documents=(Change("changed", "big.md"),))
    assert "  … and 7,451 more (all with --json)" in edited
    assert len(edited) < 20


def test_a_preview_of_many_changed_documents_counts_their_sections() -> None:
    names = [f"{n:03}.md" for n in range(300)]
    sections = [Change("changed", name, (f"Part {n}",)) for name in names for n in range(9)]
    said = lines_of(*sections, documents=tuple(Change("changed", name) for name in names))
    assert "  ~ 000.md: 9 sections" in said
    assert said.count("  … and 290 more (all with --json)") == 2


def replayed(now: str, variance: float, *changes: BookChange) -> Replayed:
    diff = () if now == "It was lit." else ("- It was lit.", f"+ {now}")
    status = ("answered", "answered")
    return Replayed(ID, "When was it lit?", "It was lit.", now, status, variance, diff, changes)


def test_replays_are_printed_as_tables(capsys: pytest.CaptureFixture[str]) -> None:
    change = BookChange("light.md", removed=("It was lit.",), added=("It was lit [again].",))
    print_tables([replayed("It was lit.", 0.0), replayed("It burns.", 0.2, change)])
    said = capsys.readouterr().out
    rows = [line.split("│") for line in said.splitlines() if ID in line]
    assert [row[-2].strip() for row in rows[:2]] == ["identical", "flagged"]
    assert "+ It burns." in said
    assert "+ It was lit [again]." in said
    assert "Difference" in said
    print_tables([replayed("It was lit.", 0.0)])
    assert "Difference" not in capsys.readouterr().out


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3 * 1024 * 1024))
    with pytest.raises(StoreUnusable, match=r"has 3 MB left, .* --data\.$"), Store(tmp_path).held():
        pass


def test_what_fails_on_a_disk_that_became_full_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out() -> None:
        with Store(tmp_path).held():
            monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
            raise ConnectionError("the index went away")

    with pytest.raises(StoreUnusable, match=r"is full: free some\.$"):
        run_out()


def test_a_log_on_a_full_disk_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    log = _LogFile(tmp_path / "log")
    with monkeypatch.context() as full:
        full.setattr(log, "flush", refuse)
        for _ in range(3):
            log.handle(logging.LogRecord("quoth", 20, "", 0, "a line", None, None))
    log.close()
    said = capsys.readouterr().err
    assert said == f"The log {tmp_path / 'log'} cannot be written: No space left on device.\n"


def test_a_store_below_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreUnusable, match=r"No data can be kept in .*: Not a directory; choose"),
        Store(tmp_path / "file" / "book").held(),
    ):
        pass


def test_only_the_newest_link_opens_and_only_once(tmp_path: Path) -> None:
    link = DashboardLink(tmp_path / "link")
    assert not link.open("")
    first, second = (link.renew().partition("key=")[2] for _ in range(2))
    assert (tmp_path / "link").stat().st_mode & 0o777 == 0o600
    assert [link.open(key) for key in (first, second, second)] == [False, True, False]


def test_a_book_has_regular_files_of_its_own_only(tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (tmp_path / "outside.md").write_text("")
    (book / "a.md").write_text("")
    (book / "link.md").symlink_to(tmp_path / "outside.md")
    (book / os.fsdecode(b"\xff.md")).write_text("")
    os.mkfifo(book / "pipe.md")
    assert markdown_files(book) == {"a.md": book / "a.md"}
