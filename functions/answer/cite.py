"""Quotes, labels and links, all put in by the server. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from functions.answer.answers import Citation, CitedQuote, Claim, Quote
from functions.answer.check.check_claims import Check
from functions.answer.check.verbatim import quoted_run
from functions.answer.context import Context, Sentence
from functions.answer.layout import Layout, emphasis_of, lay_out, source_of
from functions.answer.text.anaphora import opens_with_anaphor
from functions.book.outline import may_open

NEAR = 32
"""Characters of prefix and suffix kept to find a quote again."""
CODE_KINDS = ("code", "mermaid", "math")

Place = tuple[object, ...]
Run = tuple[Sentence, ...]
"""Sentences of one block that follow each other."""


def cite(
    checks: Sequence[Check], context: Context
) -> tuple[tuple[Claim, ...], tuple[Citation, ...]]:
    """Citations for what is shown: one per section, numbered in the book's order."""
    runs_of = [_runs(check.claim.sentence_ids, context) for check in checks]
    runs_at: dict[Place, set[Run]] = {}
    for run in (run for runs in runs_of for run in runs):
        runs_at.setdefault(_place(run, context), set()).add(run)
    citations: list[Citation] = []
    quote_of: dict[Run, CitedQuote] = {}
    in_order = sorted(runs_at.values(), key=lambda runs: _order(runs, context))
    for n, unordered in enumerate(in_order, 1):
        runs = sorted(unordered, key=lambda run: _order_in_section(run, context))
        citations.append(_citation(n, runs, context))
        quote_of |= {run: CitedQuote(n, quote) for quote, run in enumerate(runs)}
    claims = tuple(
        _claim(check, [quote_of[run] for run in runs], context)
        for check, runs in zip(checks, runs_of, strict=True)
    )
    return claims, tuple(citations)


def _claim(check: Check, quotes: Sequence[CitedQuote], context: Context) -> Claim:
    """A claim; one that is sentences of the book is laid out as they are there."""
    given = check.claim
    claim = Claim(
        given.text,
        tuple(sorted({quote.n for quote in quotes})),
        check.proof,
        tuple(sorted(quotes, key=lambda quote: (quote.n, quote.quote))),
    )
    cited = [context.by_id[id] for id in dict.fromkeys(given.sentence_ids)]
    run = quoted_run(given.text, cited) if check.proof == "verbatim" else ()
    if not run or any(sentence.kind == "heading" for sentence in run):
        return claim
    layout = lay_out(run, context)
    emphasis = emphasis_of(layout, given.answering)
    parts, styles = tuple(layout.parts), tuple(layout.styles)
    return replace(claim, text=layout.text, parts=parts, emphasis=emphasis, styles=styles)


def marked_text(claims: Sequence[Claim], citations: Sequence[Citation] = ()) -> str:
    """The answer as one text, each claim followed by its marks.

    A list or a table that nothing announces stands under its heading: the items of "Out of Scope"
    say the opposite without it. So does a first paragraph that refers to it ("This is a plugin …").
    """
    titles = {each.n: each.subsection or each.section or each.chapter for each in citations}
    follow_it = {each.n for each in citations if each.label.endswith("Para 1")}
    lines = []
    for claim in claims:
        marks = "".join(f"[{n}]" for n in claim.citations)
        form = claim.parts[0].form if claim.parts else ""
        is_first = claim.citations[0] in follow_it
        refers = form == "prose" and is_first and opens_with_anaphor(claim.text)
        is_bare = refers or form in ("list", "table")
        title = titles.get(claim.citations[0], "") if is_bare else ""
        text = f"{title}:\n{claim.text}" if title else claim.text
        lines.append(f"{text}\n{marks}" if "\n" in text else f"{text} {marks}")
    return ("\n" if any("\n" in line for line in lines) else " ").join(lines)


def _runs(ids: Sequence[str], context: Context) -> list[Run]:
    """The sentences of a claim in runs, in the context's order."""
    runs: list[list[Sentence]] = []
    for at in sorted(context.position[i] for i in dict.fromkeys(ids)):
        sentence = context.sentences[at]
        last = runs[-1][-1] if runs else None
        if (
            last
            and context.position[last.id] == at - 1
            and (last.source, last.block) == (sentence.source, sentence.block)
        ):
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    return [tuple(run) for run in runs]


def _place(run: Run, context: Context) -> Place:
    source = context.sources[run[0].source]
    if source.chunk is None:
        return ("selection", run[0].block, run[0].id)
    return (source.chunk.document_id, source.chunk.titles, source.chunk.url)


def _order(runs: Iterable[Run], context: Context) -> tuple[object, ...]:
    first = min((run[0] for run in runs), key=lambda s: (s.block, s.first_line))
    chunk = context.sources[first.source].chunk
    if chunk is None:
        return ("", context.position[first.id])
    number = chunk.chapter.number
    opens = may_open(number, chunk.source_path, chunk.url.partition("#")[0])
    return (chunk.version, not opens, number is None, number or 0, chunk.source_path, first.block)


def _order_in_section(run: Run, context: Context) -> tuple[int, ...]:
    """Of runs that begin alike, the longest comes first."""
    first = run[0]
    return (first.block, first.first_line, context.position[first.id], -len(run))


def _citation(n: int, runs: Sequence[Run], context: Context) -> Citation:
    members = list(dict.fromkeys(sentence for run in runs for sentence in run))
    source = context.sources[members[0].source]
    lines = (min(s.first_line for s in members), max(s.last_line for s in members))
    quotes = tuple(_quote(run, context) for run in runs)
    relevance = round(max(context.sources[s.source].relevance for s in members), 3)
    chunk = source.chunk
    if chunk is None:
        return _selection_citation(n, members, quotes, lines, context)
    paragraph = f"Para {members[0].paragraph}" if members[0].paragraph else ""
    # Paragraphs are counted under each heading, so the heading is part of the place.
    last = chunk.titles[-1] if len(chunk.titles) > 1 else ""
    heading = "" if last in chunk.place else last
    return Citation(
        n=n,
        kind="book",
        label=", ".join(part for part in (chunk.place, heading, paragraph) if part),
        chapter=chunk.chapter.title,
        section=chunk.section,
        subsection=chunk.subsection,
        paragraph_id=f"{chunk.document_id}:{members[0].block}",
        url=chunk.url,
        quote=quotes[0],
        quotes=quotes,
        source_path=chunk.source_path,
        lines=lines,
        relevance=relevance,
        updated_at=chunk.updated_at,
    )


def _selection_citation(
    n: int,
    members: list[Sentence],
    quotes: tuple[Quote, ...],
    lines: tuple[int, int],
    context: Context,
) -> Citation:
    return Citation(
        n=n,
        kind="selection",
        label=_selection_label(members, context),
        chapter="",
        section="",
        subsection="",
        paragraph_id=f"p{members[0].paragraph}",
        url="",
        quote=quotes[0],
        quotes=quotes,
        source_path="",
        lines=lines,
        relevance=round(max(context.sources[s.source].relevance for s in members), 3),
        updated_at="",
    )


def _quote(run: Run, context: Context) -> Quote:
    separator = "\n" if run[0].kind in CODE_KINDS else " "
    first, last = context.position[run[0].id], context.position[run[-1].id]
    exact = Layout(separator.join(sentence.quote or sentence.text for sentence in run))
    is_code = run[0].kind in ("code", "mermaid")
    if not is_code:
        exact.put_styles([(0, len(exact.text))], source_of(run[0], context))
    return Quote(
        exact.text,
        _beside(context, run[0], first - 1)[-NEAR:],
        _beside(context, run[-1], last + 1)[:NEAR],
        is_code,
        tuple(exact.styles),
    )


def _beside(context: Context, sentence: Sentence, at: int) -> str:
    """The text of the sentence at a position, if it is of the same block."""
    if not 0 <= at < len(context.sentences):
        return ""
    other = context.sentences[at]
    same = (other.source, other.block) == (sentence.source, sentence.block)
    return (other.quote or other.text) if same else ""


def _selection_label(members: Sequence[Sentence], context: Context) -> str:
    """ "from your selection: sentence 2", "paragraph 3" or "line 5-7" of code.

    Sentences are counted over the selection's prose. A whole paragraph of several is named as such,
    and so is its number where a part of the selection was left out and sentences cannot be counted.
    """
    first, last = members[0], members[-1]
    if first.kind in CODE_KINDS or first.kind == "table":
        return f"from your selection: line {_range(first.first_line, last.last_line)}"
    block = [s for s in context.sentences if s.block == first.block]
    if 1 < len(block) == len(members) or _was_cut(context):
        return f"from your selection: paragraph {first.paragraph}"
    prose = [s for s in context.sentences if s.kind not in CODE_KINDS]
    numbers = [prose.index(s) + 1 for s in members]
    return f"from your selection: sentence {_range(min(numbers), max(numbers))}"


def _was_cut(context: Context) -> bool:
    """Whether sentences are missing: their ids count those of the whole selection."""
    return any(s.id != f"S1.{n}" for n, s in enumerate(context.sentences, 1))


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
