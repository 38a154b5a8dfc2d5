"""What a change of the book would do, from both sides' pages."""

from __future__ import annotations

import pytest

from quoth.preview import (
    DOLLARS_PER_TOKEN,
    Answered,
    Change,
    Page,
    Piece,
    cost_of,
    lost_answers,
    preview_change,
)


def page(path: str, *sections: tuple[str, str], fingerprint: str = "") -> Page:
    """A page whose sections are (title, text); each text is its only passage."""
    pieces = tuple(
        Piece(path, ("Book", title), text, (f"{title} {text}",)) for title, text in sections
    )
    return Page(path, fingerprint or str(hash((path, sections))), pieces)


GAIT, PUSH, FALL = (
    ("Gait", "Steps follow."),
    ("Push", "Ankles answer."),
    ("Fall", "A step ends it."),
)
WALKING = page("walking.md", GAIT, PUSH)


def changes(stored: list[Page], folder: list[Page]) -> tuple[set[Change], set[Change]]:
    found = preview_change(stored, folder, frozenset(), [], "")
    return set(found.documents), set(found.sections)


def test_the_same_folder_changes_and_costs_nothing() -> None:
    found = preview_change([WALKING], [WALKING], frozenset(), [], "")
    assert (found.documents, found.sections, found.lost) == ((), (), ())
    assert (found.cost.documents, found.cost.chunks, found.cost.computed) == (0, 0, 0)


def test_new_changed_and_gone_sections_are_told_apart() -> None:
    edited = page("walking.md", GAIT, ("Push", "Ankles and hips answer."), FALL)
    documents, sections = changes([page("walking.md", GAIT, PUSH, ("Old", "Gone."))], [edited])
    assert documents == {Change("changed", "walking.md")}
    assert sections == {
        Change("changed", "walking.md", ("Book", "Push")),
        Change("new", "walking.md", ("Book", "Fall")),
        Change("gone", "walking.md", ("Book", "Old")),
    }


def test_a_renamed_file_is_moved_with_its_sections() -> None:
    documents, sections = changes([WALKING], [page("gait/walking.md", GAIT, PUSH)])
    assert documents == {Change("moved", "gait/walking.md", came_from="walking.md")}
    assert {(each.verdict, each.titles[-1], each.came_from) for each in sections} == {
        ("moved", "Gait", "walking.md › Book › Gait"),
        ("moved", "Push", "walking.md › Book › Push"),
    }


def test_a_section_under_another_title_or_in_another_file_is_moved() -> None:
    before = [WALKING, page("falling.md", FALL)]
    after = [page("walking.md", ("Gait", GAIT[1])), page("falling.md", FALL, ("Shoves", PUSH[1]))]
    documents, sections = changes(before, after)
    assert {(each.verdict, each.source_path) for each in documents} == {
        ("changed", "falling.md"),
        ("changed", "walking.md"),
    }
    assert sections == {
        Change("moved", "falling.md", ("Book", "Shoves"), "walking.md › Book › Push")
    }


def test_a_copy_is_new_and_one_of_two_equal_sections_can_go() -> None:
    copy = page("copy.md", GAIT, PUSH)
    assert changes([WALKING], [WALKING, copy])[0] == {Change("new", "copy.md")}
    assert changes([WALKING, copy], [WALKING])[0] == {Change("gone", "copy.md")}


def test_a_document_whose_text_stays_but_must_be_stored_again_is_rebuilt() -> None:
    documents, sections = changes([WALKING], [page("walking.md", GAIT, PUSH, fingerprint="other")])
    assert documents == {Change("rebuilt", "walking.md")}
    assert sections == set()


def test_only_unknown_passages_of_changed_documents_are_paid_for() -> None:
    stored = [WALKING, page("same.md", ("Same", "Text that stays as it is."))]
    edited = page("walking.md", GAIT, FALL, ("Fall again", FALL[1]), fingerprint="new")
    twice = page("twice.md", FALL)
    known = frozenset({"Gait Steps follow."})
    cost = cost_of(stored, [edited, stored[1], twice], known)
    assert (cost.documents, cost.chunks) == (2, 4)
    computed = {"Fall A step ends it.", "Fall again A step ends it."}
    assert (cost.computed, cost.reused) == (2, 2)
    assert cost.tokens == sum(-(-len(text) // 4) for text in computed)
    assert cost.dollars == pytest.approx(cost.tokens * DOLLARS_PER_TOKEN)


def test_an_answer_is_lost_when_what_it_cites_stands_nowhere_any_more() -> None:
    answered = [
        Answered("kept", "2026-01-01", ("Steps  follow.",)),
        Answered("weaker", "2026-01-01", ("Steps follow.", "Ankles answer.")),
        Answered("unanswerable", "2026-01-01", ("Ankles answer.",)),
    ]
    lost = lost_answers(answered, "Steps\nfollow. A step ends it.")
    assert [(each.answered.question, each.is_unanswerable) for each in lost] == [
        ("unanswerable", True),
        ("weaker", False),
    ]
    assert lost[1].missing == ("Ankles answer.",)
