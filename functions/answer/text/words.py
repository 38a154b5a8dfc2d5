"""Words as the gate, the quote writer and the checker compare them: folded, stemmed, weighed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, filterfalse, pairwise, permutations
from pathlib import Path
from string import ascii_lowercase

import Stemmer

# A word is a run of letters or digits; an apostrophe or a decimal point may be inside it.
WORD = re.compile(r"[^\W_]+(?:['’.,](?=\d|(?:s|t|re|ve|ll|d|m)\b)[^\W_]+)*")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been
    before being below between both but by can can't cannot could couldn't did didn't do does
    doesn't doing don't down during each either else ever every few for from further had hadn't has
    hasn't have haven't having he he'd he'll he's her here hers herself him himself his how i i'd
    i'll i'm i've if in into is isn't it it's its itself just let's many may me might more most much
    must my myself neither no nor not of off often on once only or other ought our ours ourselves
    out over own per rather same shall shan't she she's should shouldn't so some such than that
    that's the their theirs them themselves then there there's these they they'd they'll they're
    they've this those through thus to too under until unto up upon us very via was wasn't we we'd
    we'll we're we've were weren't what what's when when's where which while who who's whom whose
    why why's will with within without won't would wouldn't yet you you'd you'll you're you've your
    yours yourself yourselves yes yeah yep yup nope oh ok okay well actually really also however
    therefore moreover indeed thereby hence called following name named kind type many tell explain
    describe according""".split()
)

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()
NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SMALL)} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70",
    "eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000", "dozen": "12",
    "million": "1e6", "billion": "1e9", "trillion": "1e12",
}  # fmt: skip

_BRITISH = re.compile(r"(\w{3,})(is(?=e|ing|ation)|our(?=$|s|ed|ing|al|ful|less|able))(\w{0,6})")
"""A word that may be spelled the British way ("randomise", "behaviour")."""
_RAREST = 2.6  # log10 per billion words given to what the table does not hold
_COMMONEST = 7.8
COMMON = 4.0
SHORTEST_PART = 4
"""Letters of each half of a compound."""
SHORTEST_MISSPELT = 5
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_KEYS_ASLANT = tuple(map("".join, zip(_KEYS[0][1:], _KEYS[1], strict=False))) + tuple(
    map("".join, zip(_KEYS[1][1:], _KEYS[2], strict=False))
)
_SOUNDS = ("aeiouy", "ckq", "csxz", "fv", "dt", "bp", "gj", "mn", "lr")
SAME_ROOT = 0.8
"""What a word of the same root is worth beside the word itself."""


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Lower case, accents and possessives dropped."""
    plain = word.replace("’", "'")
    if not plain.isascii():
        split = unicodedata.normalize("NFKD", plain)
        plain = "".join(c for c in split if not unicodedata.combining(c))
    plain = plain.lower()
    return plain[:-2] if plain.endswith("'s") else plain


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The snowball stem of a folded word, of its American spelling where there is one; numbers
    become digits without thousands marks."""
    if word in NUMBER_WORDS and word != "one":  # "one" is a pronoun more often than a number
        return NUMBER_WORDS[word]
    if word[0].isdigit():
        return word.replace(",", "")
    stemmed: str = _stemmer().stemWord(word)
    if (british := _BRITISH.fullmatch(word)) is not None:
        ending = {"is": "iz", "our": "or"}[british[2]]
        american: str = _stemmer().stemWord(british[1] + ending + british[3])
        return american if american in _frequencies() else stemmed
    return stemmed


@dataclass(frozen=True)
class LazyPattern:
    """A regular expression that is compiled at its first use, not at import."""

    source: str
    flags: int = 0

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.source, self.flags)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._compiled.fullmatch(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self._compiled.match(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self._compiled.sub(replacement, text)


def may_hold(text: str, pieces: Iterable[str]) -> bool:
    """Whether a text has any of these pieces of words, in small or large letters: if not, a pattern
    of words with them, case ignored, need not be looked for."""
    folded = text.casefold()
    # To a pattern a dotless "i" is an "i".
    return any(map(folded.__contains__, pieces)) or "ı" in folded


def words_of(text: str) -> list[str]:
    """Every word of a text, folded. camelCase and snake_case names are split."""
    return list(_words_of(text))


@lru_cache(maxsize=8_192)
def _words_of(text: str) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(_pieces_of, WORD.findall(text))))


@lru_cache(maxsize=65_536)
def _pieces_of(word: str) -> tuple[str, ...]:
    """The folded parts of a word as it is written; a camelCase name has several."""
    whole = word.isupper() or word.islower() or word.istitle()
    return tuple(filter(None, map(fold, [word] if whole else _HUMP.split(word))))


@lru_cache(maxsize=16_384)
def terms_of(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, in order, repeats kept."""
    return tuple(map(stem, filterfalse(STOP_WORDS.__contains__, _words_of(text))))


@lru_cache(maxsize=16_384)
def term_set(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(terms_of(text))


@cache
def _frequencies() -> dict[str, float]:
    table: dict[str, float] = {}
    path = Path(__file__).with_name("word_frequencies.txt")
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            level, *stems = line.split()
            table.update(dict.fromkeys(stems, float(level)))
    return table


@lru_cache(maxsize=65_536)
def weight(term: str) -> float:
    """How much a stem says, from 0 (everywhere) to 1 (rare)."""
    level = _frequencies().get(term, _RAREST)
    return (_COMMONEST - level) / (_COMMONEST - _RAREST)


def is_common(word: str) -> bool:
    """Whether a folded word is an ordinary one, used more than ten times in a million words."""
    return word in STOP_WORDS or _frequencies().get(stem(word), 0.0) >= COMMON


@cache
def _dictionary() -> frozenset[str]:
    """Stems of English words. Names are not among them."""
    path = Path(__file__).with_name("dictionary.txt")
    return frozenset(path.read_text("utf-8").partition("\n\n")[2].split())


@cache
def common_stems() -> frozenset[str]:
    """Stems of common English words, without names."""
    return _dictionary().intersection(
        term for term, level in _frequencies().items() if level >= COMMON
    )


def is_ordinary(word: str) -> bool:
    """Whether a folded word is in an English dictionary, alone or as a compound of two such words;
    names are not."""
    if word in STOP_WORDS or "'" in word or stem(word) in _dictionary():
        return True
    cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    return any(word[:at] in _dictionary() and stem(word[at:]) in _dictionary() for at in cuts)


def is_misspelt(word: str, known: Set[str]) -> bool:
    """Whether a folded word is one slip away from a word with one of the known stems: a letter too
    many, too few, in its neighbour's place, or exchanged for one beside it on the keyboard or one
    that sounds like it."""
    if len(word) < SHORTEST_MISSPELT:
        return False
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    slips = {
        *(a + b[1:] for a, b in halves if b),
        *(a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1),
        *(a + letter + b[1:] for a, b in halves if b for letter in _confused().get(b[0], "")),
        *(a + letter + b for a, b in halves for letter in ascii_lowercase),
    }
    return not known.isdisjoint(map(stem, slips))


@cache
def _confused() -> dict[str, frozenset[str]]:
    """For each letter those that are typed for it."""
    found: dict[str, set[str]] = {}
    rows = [*_KEYS, *map("".join, zip(*_KEYS, strict=False)), *_KEYS_ASLANT]
    pairs = [(one, other) for row in rows for one, other in pairwise(row)]
    for one, other in (*pairs, *(pair for each in _SOUNDS for pair in permutations(each, 2))):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {letter: frozenset(others) for letter, others in found.items()}


def matches(term: str, others: frozenset[str] | set[str]) -> float:
    """1 when the stem is among the others, 0.8 when a word of the same root is, else 0.

    The same root: equal first letters over at least four and all but three of the longer one. It
    joins "invas" and "invad", and now and then too much ("planet" and "plane").
    """
    if term in others:
        return 1.0
    return SAME_ROOT if same_root(term, others) else 0.0


def same_root(term: str, others: frozenset[str] | set[str]) -> list[str]:
    """Those of the others that are of one root with a stem, itself included."""
    if len(term) < 5 or term[0].isdigit():
        return []
    near = _by_root(others).get(term[:4]) if isinstance(others, frozenset) else others
    if not near:
        return []
    root = term[: max(4, len(term) - 3)]
    return [other for other in near if other.startswith(root) and len(other) - len(root) <= 3]


@lru_cache(maxsize=16)
def kindred(terms: tuple[str, ...], vocabulary: frozenset[str]) -> tuple[frozenset[str], ...]:
    """For each stem, those of a vocabulary that are of one root with it, itself included."""
    heads = {term[:4] for term in terms if len(term) >= 5}
    near = {other for other in vocabulary if other[:4] in heads}
    return tuple(frozenset(same_root(term, near)) for term in terms)


def match_each(term: str, kin: frozenset[str], texts: Iterable[Set[str]]) -> list[float]:
    """`matches` of a stem with each of several texts' stems; `kin` are those of its root."""
    if not kin - {term}:
        return [1.0 if term in words else 0.0 for words in texts]
    return [
        1.0 if term in words else 0.0 if kin.isdisjoint(words) else SAME_ROOT for words in texts
    ]


@lru_cache(maxsize=4_096)
def _by_root(terms: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Terms by their first four letters."""
    groups: dict[str, list[str]] = {}
    for term in terms:
        groups.setdefault(term[:4], []).append(term)
    return {root: tuple(group) for root, group in groups.items()}
