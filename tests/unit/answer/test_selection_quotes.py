from __future__ import annotations

from functions.answer.check.check_claims import check_claims
from functions.answer.context import Context, context_of_selection
from functions.answer.selection_task import Task
from functions.answer.write.selection_quotes import MOST_WORDS, SelectionQuotes
from functions.selected.selection import split_selection

PUMPS = (
    "A heat pump moves heat from a cold place to a warm one. It needs far less energy than it "
    "moves. The ratio of the two is called the coefficient of performance.\n\n"
    "Because it is driven by a compressor, the pump makes noise. The price of a heat pump is high, "
    "and in frost it delivers less. An air pump takes the heat from the air outside. A ground pump "
    "takes the heat from the soil below. For example, a house of 1990 needs a pump of 12 kW."
)
CODE = '''def mean(values):
    """Return the mean of the values."""
    total = sum(values)
    if not values:
        return {
            "mean": 0,
        }

    return total / len(values)'''


def selected(text: str) -> Context:
    return context_of_selection(split_selection(text))


def quoted(task: Task, text: str) -> list[str]:
    context = selected(text)
    draft = SelectionQuotes(task=task).pick("", context)
    assert {check.proof for check in check_claims(draft.claims, context)} <= {"verbatim"}
    return [claim.text for claim in draft.claims]


def test_a_summary_is_short_in_order_and_opens_with_no_pronoun() -> None:
    found = quoted("summarise", PUMPS)
    text = " ".join(PUMPS.split())
    places = [text.index(each) for each in found]
    assert places == sorted(places)
    assert 0 < sum(len(each.split()) for each in found) <= MOST_WORDS
    assert not any(each.startswith(("It ", "Because it ")) for each in found)


def test_an_explanation_has_the_definitions() -> None:
    assert "is called the coefficient of performance" in " ".join(quoted("explain", PUMPS))


def test_one_thing_is_quoted_where_the_selection_gives_it() -> None:
    assert any("The price of a heat pump is high" in each for each in quoted("drawback", PUMPS))
    assert any("For example, a house" in each for each in quoted("example", PUMPS))
    sides = " ".join(quoted("comparison", PUMPS))
    assert "from the air outside" in sides
    assert "from the soil below" in sides


def test_nothing_is_quoted_for_what_the_selection_lacks() -> None:
    text = "The lamp is green. The table is round and it stands in the hall beside the door."
    assert quoted("drawback", text) == []
    assert quoted("reason", text) == []
    assert quoted("person", text) == []


def test_a_list_is_summarised_by_its_items() -> None:
    text = (
        "1. Stop. The robot stands still under power.\n2. Hand guiding. A person leads the robot "
        "by a handle.\n3. Speed limits. The robot slows down as people come nearer."
    )
    assert quoted("summarise", text) == ["1. Stop.", "2. Hand guiding.", "3. Speed limits."]
    marked = quoted("explain", text)
    assert "A person leads the robot by a handle." in marked


def test_a_long_list_is_said_to_be_a_part() -> None:
    text = "\n".join(
        f"- Item {n} is about the lamp number {n} in the long hall." for n in range(20)
    )
    draft = SelectionQuotes(task="summarise").pick("", selected(text))
    assert draft.status == "partial"


def test_code_stays_code_whole_after_what_stands_beside_it() -> None:
    context = selected(f"This function averages values:\n\n{CODE}")
    beside, code = SelectionQuotes(task="code").pick("", context).claims
    assert beside.text == "This function averages values:"
    assert code.text.splitlines() == [line for line in CODE.splitlines() if line.strip()]
    assert {check.proof for check in check_claims([code], context)} == {"verbatim"}


def test_long_code_is_its_names_and_its_comments() -> None:
    lines = [f"    total = total + {n}" for n in range(40)]
    text = "\n".join(
        ["def add():", '    """Add numbers."""', *lines, "    # the end", "    return"]
    )
    found = "\n".join(quoted("code", text))
    assert "def add():" in found
    assert "Add numbers." in found
    assert "# the end" in found
    assert "total + 7" not in found
