from __future__ import annotations

import json
from typing import Any

import pytest

from functions.book.site.manifest import (
    Manifest,
    ManifestUnreadable,
    is_manifest,
    locale_manifest_keys,
    merge_manifests,
    read_manifest,
)

PAGE = {
    "source": "docs/01-a.md",
    "permalink": "/book/a/",
    "version": "current",
    "locale": "en",
    "title": "A",
    "headings": [{"id": "", "text": "A", "level": 1}, {"id": "b", "text": "B", "level": 2}],
    "blocks": ["0123456789abcdef"],
}


def manifest_of(*pages: dict[str, Any], **fields: Any) -> Manifest:
    told = {"format": 1, "baseUrl": "/book/", "locale": "en", "locales": ["en"]} | fields
    return read_manifest(json.dumps(told | {"documents": pages}).encode())


def test_a_page_is_found_by_its_source() -> None:
    manifest = manifest_of(PAGE, trailingSlash=None, generator="docusaurus 3")
    page = manifest.page_of("docs/01-a.md")
    assert page is not None
    assert (page.permalink, page.version, page.locale) == ("/book/a/", "current", "en")
    assert [heading.id for heading in page.headings] == ["", "b"]
    assert manifest.page_of("docs/02-b.md") is None


def test_a_name_with_an_accent_in_pieces_is_the_same_name() -> None:
    manifest = manifest_of(PAGE | {"source": "docs/cafe\u0301.md"})
    page = manifest.page_of("docs/caf\u00e9.md")
    assert page is not None
    assert manifest.page_of("docs/cafe\u0301.md") is page


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b"", "Invalid JSON"),
        (b'{"format": 1', "Invalid JSON"),
        (b"[]", "object"),
        ({"format": 2}, "format: "),
        ({"baseUrl": 7}, "baseUrl: "),
        ({"documents": None}, "documents: "),
        ({"documents": [PAGE, PAGE | {"permalink": "a"}]}, "documents[1].permalink: "),
        ({"documents": [PAGE | {"source": ""}]}, "documents[0].source: "),
        (
            {"documents": [PAGE | {"headings": [{"id": None, "text": "", "level": 2}]}]},
            "documents[0].headings[0].id: ",
        ),
        (
            {"documents": [PAGE | {"headings": [{"id": "", "text": "", "level": 7}]}]},
            "documents[0].headings[0].level: ",
        ),
    ],
)
def test_what_is_wrong_with_a_manifest_is_named(broken: bytes | dict[str, Any], said: str) -> None:
    told = {"format": 1, "baseUrl": "/", "locale": "en", "documents": []}
    data = broken if isinstance(broken, bytes) else json.dumps(told | broken).encode()
    with pytest.raises(ManifestUnreadable) as error:
        read_manifest(data)
    assert said in str(error.value)


def test_the_digest_changes_with_every_link_into_the_page_and_with_nothing_else() -> None:
    def digest(**changes: Any) -> str:
        page = manifest_of(PAGE | changes).page_of("docs/01-a.md")
        assert page is not None
        return page.digest

    same = digest(blocks=[], title="Another")
    assert same == digest()
    others = [
        digest(permalink="/book/c/"),
        digest(version="1.0"),
        digest(locale="fr"),
        digest(headings=PAGE["headings"][:1]),  # type: ignore[index]
        digest(
            headings=[{"id": "", "text": "A", "level": 1}, {"id": "c", "text": "B", "level": 2}]
        ),
    ]
    assert len({same, *others}) == len(others) + 1


def test_the_first_manifest_that_has_a_source_tells_its_page() -> None:
    french = "i18n/fr/docusaurus-plugin-content-docs/current/01-a.md"
    joined = merge_manifests(
        [
            manifest_of(PAGE),
            manifest_of(
                PAGE | {"permalink": "/book/fr/a/", "locale": "fr"},
                PAGE | {"source": french, "permalink": "/book/fr/a/", "locale": "fr"},
                baseUrl="/book/fr/",
            ),
        ]
    )
    own, translated = joined.page_of("docs/01-a.md"), joined.page_of(french)
    assert own is not None
    assert translated is not None
    assert (own.locale, translated.locale) == ("en", "fr")
    assert joined.base_url == "/book/"


@pytest.mark.parametrize("key", ["quoth-manifest.json", "sites/one/quoth-manifest.json"])
def test_manifests_of_other_languages_stand_in_folders_beside_it(key: str) -> None:
    (french,) = locale_manifest_keys(key, ("en", "fr"), "en")
    assert french == key.replace("quoth", "fr/quoth")
    assert is_manifest(key, key)
    assert is_manifest(french, key)
    for other in (f"x{key}", key.replace("quoth", "a/b/quoth"), "docs/a.json", ""):
        assert not is_manifest(other, key)
    assert not is_manifest("", "")
    assert not is_manifest(key, "")
