from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from functions.answer.answers import Citation, Claim
from functions.answer.check.check_claims import Check
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context, context_of_chunks, context_of_selection
from functions.answer.write.writer import DraftClaim
from tests.unit.answer.contexts import (
    STANDING,
    WALKING,
    chunk,
    context,
    sample_context,
    sample_prose,
    selection,
)

claims = st.deferred(
    lambda: st.lists(
        st.lists(st.sampled_from(sample_prose()), min_size=1, max_size=4), min_size=1, max_size=5
    )
)


def passed(*ids: str, text: str = "It is so.") -> Check:
    return Check(DraftClaim(text, ids), "close")


def test_a_claim_keeps_its_second_sentence_when_another_cites_only_the_first() -> None:
    given_context = sample_context()
    first, second = next(
        (one, other)
        for one, other in zip(sample_prose(), sample_prose()[1:], strict=False)
        if (one.source, one.block) == (other.source, other.block)
    )
    _, (citation,) = cite([passed(first.id, second.id), passed(first.id)], given_context)
    quoted = " ".join(quote.exact for quote in citation.quotes)
    assert first.text in quoted
    assert second.text in quoted


def own_quotes(claim: Claim, citations: tuple[Citation, ...]) -> list[str]:
    return [citations[own.n - 1].quotes[own.quote].exact for own in claim.quotes]


def test_claims_of_one_section_each_have_their_own_quotes() -> None:
    checks = [passed("S1.4"), passed("S1.1", "S1.5"), passed("S1.1", "S1.2"), passed("S1.1")]
    cited, citations = cite(checks, context())
    assert [claim.citations for claim in cited] == [(1,)] * 4
    assert [own_quotes(claim, citations) for claim in cited] == [
        [WALKING[0]], [STANDING[0], WALKING[1]], [" ".join(STANDING[:2])], [STANDING[0]]
    ]  # fmt: skip


def test_a_claim_has_quotes_of_each_section_it_cites() -> None:
    two = context_of_chunks(
        [
            (chunk(STANDING, path="docs/a.md", number=2), 0.9),
            (chunk(WALKING, path="docs/b.md", number=1), 0.4),
        ]
    )
    (claim, _), citations = cite([passed("S1.3", "S2.2"), passed("S1.1", "S2.1")], two)
    assert [(own.n, own.quote) for own in claim.quotes] == [(1, 1), (2, 1)]
    assert own_quotes(claim, citations) == [WALKING[1], STANDING[2]]


@given(claims)
def test_the_quotes_of_a_claim_are_what_it_cites_and_every_quote_is_some_claims(
    drawn: list[list[object]],
) -> None:
    given_context = sample_context()
    ids = [tuple(sentence.id for sentence in each) for each in drawn]  # type: ignore[attr-defined]
    cited, citations = cite([passed(*each) for each in ids], given_context)
    for claim, wanted in zip(cited, ids, strict=True):
        sentences = [s for s in given_context.sentences if s.id in wanted]
        words = " ".join(s.quote or s.text for s in sentences).split()
        assert sorted(" ".join(own_quotes(claim, citations)).split()) == sorted(words)
        assert {own.n for own in claim.quotes} == set(claim.citations)
    assert {(own.n, own.quote) for claim in cited for own in claim.quotes} == {
        (c.n, at) for c in citations for at in range(len(c.quotes))
    }


@given(claims)
def test_every_citation_of_a_claim_exists_and_quotes_what_the_claim_cites(
    drawn: list[list[object]],
) -> None:
    given_context = sample_context()
    ids = [tuple(sentence.id for sentence in each) for each in drawn]  # type: ignore[attr-defined]
    checks = [passed(*each) for each in ids]
    cited, citations = cite(checks, given_context)
    assert [citation.n for citation in citations] == list(range(1, len(citations) + 1))
    assert {n for claim in cited for n in claim.citations} == {c.n for c in citations}
    by_number = {citation.n: citation for citation in citations}
    for claim, wanted in zip(cited, ids, strict=True):
        assert claim.citations == tuple(sorted(set(claim.citations)))
        quoted = " ".join(q.exact for n in claim.citations for q in by_number[n].quotes)
        for id in wanted:
            sentence = given_context.by_id[id]
            assert (sentence.quote or sentence.text) in quoted
            holders = [by_number[n] for n in claim.citations]
            assert any(
                holder.lines[0] <= sentence.first_line <= sentence.last_line <= holder.lines[1]
                for holder in holders
            )


@given(claims)
def test_every_quote_stands_in_the_context_between_what_is_said_to_stand_beside_it(
    drawn: list[list[object]],
) -> None:
    given_context = sample_context()
    whole = " ".join(sentence.quote or sentence.text for sentence in given_context.sentences)
    checks = [passed(*(sentence.id for sentence in each)) for each in drawn]  # type: ignore[attr-defined]
    for citation in cite(checks, given_context)[1]:
        assert citation.quotes
        for quote in citation.quotes:
            beside = " ".join(filter(None, (quote.prefix, quote.exact, quote.suffix)))
            assert beside in whole
            assert len(quote.prefix) <= 32
            assert len(quote.suffix) <= 32


@given(claims)
def test_sections_are_cited_once_and_in_the_books_order(drawn: list[list[object]]) -> None:
    checks = [passed(*(sentence.id for sentence in each)) for each in drawn]  # type: ignore[attr-defined]
    citations = cite(checks, sample_context())[1]
    assert len({(c.source_path, c.url) for c in citations}) == len(citations)
    placed = [
        (c.source_path, c.lines[0]) for c in citations if re.match(r"docs/0\d", c.source_path)
    ]
    assert placed == sorted(placed)


def test_neighbouring_sentences_are_one_quote_and_others_two() -> None:
    _, (citation,) = cite([passed("S1.1", "S1.2"), passed("S1.4")], context())
    assert [quote.exact for quote in citation.quotes] == [" ".join(STANDING[:2]), WALKING[0]]
    assert citation.quotes[0].suffix == STANDING[2][:32]
    assert citation.quotes[1].prefix == ""
    assert citation.lines == (10, 20)
    assert citation.label == "Chapter 1, Strategies, Para 1"


def test_an_unnumbered_chapter_comes_last() -> None:
    both = context_of_chunks(
        [
            (chunk(STANDING, path="docs/a.md", number=None), 0.9),
            (chunk(WALKING, path="docs/b.md", number=2), 0.4),
        ]
    )
    _, citations = cite([passed("S1.1", "S2.1")], both)
    assert [(c.source_path, c.relevance) for c in citations] == [
        ("docs/b.md", 0.4), ("docs/a.md", 0.9)
    ]  # fmt: skip


def test_the_page_that_opens_the_book_comes_first() -> None:
    both = context_of_chunks(
        [
            (chunk(STANDING, path="docs/01-one/a.md", number=1), 0.9),
            (chunk(WALKING, path="docs/intro.md", number=None), 0.4),
        ]
    )
    _, citations = cite([passed("S1.1", "S2.1")], both)
    assert [c.source_path for c in citations] == ["docs/intro.md", "docs/01-one/a.md"]


def test_a_selection_is_cited_by_sentence_and_its_code_by_line() -> None:
    _, prose = cite([passed("S1.2"), passed("S1.4", "S1.5")], selection())
    assert [each.label for each in prose] == [
        "from your selection: sentence 2",
        "from your selection: paragraph 2",
    ]
    code = context_of_selection(chunk(("a = 1", "b = 2", "c = 3"), kind="code").parts)
    _, (lines,) = cite([passed("S1.2", "S1.3")], code)
    assert lines.label == "from your selection: line 11-12"
    assert lines.quotes[0].exact == "b = 2\nc = 3"
    assert (lines.kind, lines.url, lines.source_path) == ("selection", "", "")


def test_sentences_of_a_selection_are_counted_over_its_prose_and_named_by_paragraph_if_cut() -> (
    None
):
    whole = selection()
    part = replace(whole, sentences=whole.sentences[1:])
    assert [c.label for c in cite([passed("S1.2")], part)[1]] == [
        "from your selection: paragraph 1"
    ]
    mixed = context_of_selection(
        (
            *chunk(("Look:",)).parts,
            *chunk(("a = 1", "b = 2"), kind="code", first_block=2).parts,
            *chunk(("Both are set.", "That is all."), first_block=3).parts,
        )
    )
    labels = [c.label for c in cite([passed("S1.1"), passed("S1.3"), passed("S1.5")], mixed)[1]]
    assert labels == [
        f"from your selection: {place}" for place in ("sentence 1", "line 21", "sentence 3")
    ]


def test_chunks_of_one_section_are_one_citation_as_relevant_as_the_best() -> None:
    two = context_of_chunks([(chunk(WALKING, first_block=4), 0.9), (chunk(STANDING), 0.4)])
    _, (citation,) = cite([passed("S1.2"), passed("S2.1", "S2.2")], two)
    assert citation.relevance == 0.9
    assert [quote.exact for quote in citation.quotes] == [" ".join(STANDING[:2]), WALKING[1]]


def test_marks_follow_each_claim_and_stand_under_code() -> None:
    cited, _ = cite([passed("S1.1", text="One."), passed("S1.4", text="Two.")], context())
    assert marked_text(cited) == "One. [1] Two. [1]"
    code, _ = cite([passed("S1.1", text="a = 1\nb = 2")], context())
    assert marked_text(code) == "a = 1\nb = 2\n[1]"
    assert marked_text(()) == ""


def test_no_claim_has_no_citation() -> None:
    assert cite([], Context((), ())) == ((), ())
