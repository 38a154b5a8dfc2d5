"""Patterns of e-mail addresses, plain and as people write them to hide them from programs."""

from __future__ import annotations

_USER = r"(?<![\w.%+-])(?!git@)[\w.%+'-]{1,64}"
_TOP = r"(?:xn--[\w-]{2,59}|[^\W\d_]{2,24})(?![\w@])"
_COMMON = (
    r"(?i:com|org|net|edu|gov|info|io|ai|dev|app|eu|ac|uk|us|ca|au|nz|ie|de|at|ch|fr|es|it|nl|be|pt|dk|se"
    r"|no|fi|cz|jp|cn|in|br|mx|za)(?![\w@])"
)
"""Top-level domains that mark what follows a lone `@` or the word "at" as a domain."""
_OPEN, _CLOSE = r" {0,2}[\[({<] ?", r" ?[\])}>] {0,2}"
_AT = rf"(?:@|%40|&#64;|{_OPEN}(?i:at|@){_CLOSE}|[-_ ](?i:at)[-_] ?)"
_DOT = rf"(?:{_OPEN}(?i:dot|punkt|\.){_CLOSE}|[-_](?i:dot)[-_])"

ADDRESSES = (
    rf"{_USER}(?:{_OPEN}(?i:dot){_CLOSE}[\w+-]{{1,64}}){{0,3}}{_AT}"
    rf"(?:[\w-]{{1,63}}(?:\.|{_DOT})){{1,8}}{_TOP}",
    rf"{_USER} {{0,3}}@ {{0,3}}(?:[\w-]{{1,63}}\.){{1,8}}{_COMMON}",
    rf"(?<![\w.])(?:[\w+-]{{1,64}} (?i:dot) ){{0,2}}[\w.+'-]{{1,64}} (?i:at) "
    rf"(?:[\w-]{{1,63}} (?i:dot) ){{1,4}}{_COMMON}",
    rf"(?<![\w.])[^\W\d_][\w-]{{0,40}}[._+][\w.+-]{{1,40}} (?i:at) "
    rf"(?:[\w-]{{1,63}}\.){{1,4}}{_COMMON}",
    rf"\"[^\"\s@]{{1,64}}\"@(?:[\w-]{{1,63}}\.){{1,8}}{_TOP}",
    rf"{_USER}@\[(?:IPv6:)?[0-9A-Fa-f.:]{{3,45}}\]",
)
