"""Code in colours: every character stays, and every colour can be read."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from pygments.lexers import get_all_lexers

from quoth.site.code_colours import LONGEST, colour_code

ROOT = Path(__file__).parents[3]
CSS = (ROOT / "quoth" / "site" / "static" / "site.css").read_text("utf-8")
WIDGET = (ROOT / "widget" / "src" / "styles.ts").read_text("utf-8")
SAMPLES = (
    'def f(x):\n\treturn "<a>&amp;" # é\n\n\n',
    "\n\n  a\r\n$ ls\n>>> 1\n",
    '{"a": [1, null]}\n<b c="d">x</b>\n',
    "no end of line",
    "",
)
LEAST_CONTRAST = 4.5


def test_every_character_of_every_language_stays() -> None:
    names = [aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases]
    assert len(names) > 400
    for name in names:
        for sample in SAMPLES:
            shown = colour_code(sample, name)
            assert unescape(re.sub(r'</?span(?: class="code-[a-z]+")?>', "", shown)) == sample, name


def test_words_have_their_kinds() -> None:
    shown = colour_code("for x in range(3):  # <so>\n", "Python")
    assert shown == (
        '<span class="code-keyword">for</span> x <span class="code-keyword">in</span> '
        '<span class="code-name">range</span>(<span class="code-number">3</span>):  '
        '<span class="code-comment"># &lt;so&gt;</span>\n'
    )


@pytest.mark.parametrize("language", ["", "mermaid", "no-language"])
def test_a_language_that_is_not_known_has_no_colours(language: str) -> None:
    assert colour_code("for <x>", language) == "for &lt;x&gt;"


def test_code_that_is_too_long_has_no_colours() -> None:
    assert "<span" in colour_code("1\n" * (LONGEST // 2), "python")
    assert "<span" not in colour_code("1\n" * (LONGEST // 2 + 1), "python")


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_colour_can_be_read_on_code_and_on_a_quote(scheme: int) -> None:
    colours = dict(re.findall(r"--(code-\w+|soft|text): (light-dark\([^)]*\))", CSS))
    chosen = {name: re.findall("#[0-9a-f]{6}", both)[scheme] for name, both in colours.items()}
    back = rgb(chosen.pop("soft"))
    tint = re.search(r"quoth-quoted\)\{background-color:rgb\((\d+) (\d+) (\d+)/(\d+)%", WIDGET)
    assert tint is not None
    *amber, share = map(int, tint.groups())
    quoted = [(a * share + b * (100 - share)) / 100 for a, b in zip(amber, back, strict=True)]
    assert len(chosen) == 7
    for name, colour in chosen.items():
        assert contrast(rgb(colour), back) >= LEAST_CONTRAST, name
        assert contrast(rgb(colour), quoted) >= LEAST_CONTRAST, name


def rgb(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def contrast(one: list[float], two: list[float]) -> float:
    """As WCAG 2 defines it."""
    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[float]) -> float:
    shares = (each / 255 for each in colour)
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
