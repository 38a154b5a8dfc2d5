"""The words of a code block, each in a `<span>` of its kind; `site.css` has the colours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from itertools import groupby
from operator import itemgetter

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

LONGEST = 20_000
"""Characters. A longer block has one colour: lexers are regular expressions."""

_KINDS: Mapping[_TokenType, str] = {
    Comment: "comment",
    Comment.Preproc: "keyword",
    Comment.PreprocFile: "string",
    Generic.Deleted: "removed",
    Generic.Heading: "comment",
    Generic.Inserted: "added",
    Generic.Output: "",
    Generic.Prompt: "comment",
    Generic.Subheading: "comment",
    Keyword: "keyword",
    Keyword.Constant: "number",
    Name.Attribute: "name",
    Name.Builtin: "name",
    Name.Class: "name",
    Name.Constant: "number",
    Name.Decorator: "name",
    Name.Exception: "name",
    Name.Function: "name",
    Name.Tag: "tag",
    Name.Variable: "number",
    Number: "number",
    Operator.Word: "keyword",
    String: "string",
}
"""What is not here has the kind of what it is a part of, if that has one."""


@lru_cache(maxsize=512)
def colour_code(code: str, language: str) -> str:
    """Code as HTML. It stays as it is where its language is unknown, or the code too long."""
    lexer = _lexer_of(language.lower())
    if lexer is None or len(code) > LONGEST:
        return escape(code, quote=False)
    tokens = [(_kind_of(token), text) for _, token, text in lexer().get_tokens_unprocessed(code)]
    if "".join(text for _, text in tokens) != code:  # Robot Framework's lexer adds to the text
        return escape(code, quote=False)
    runs = groupby(tokens, key=itemgetter(0))
    return "".join(_span(kind, "".join(text for _, text in run)) for kind, run in runs)


@lru_cache(maxsize=256)
def _lexer_of(language: str) -> type[Lexer] | None:
    try:
        return find_lexer_class_by_name(language) if language else None
    except ClassNotFound:
        return None


def _kind_of(token: _TokenType | None) -> str:
    while token is not None and token not in _KINDS:
        token = token.parent
    return _KINDS[token] if token is not None else ""


def _span(kind: str, text: str) -> str:
    shown = escape(text, quote=False)
    return f'<span class="code-{kind}">{shown}</span>' if kind and text.strip() else shown
