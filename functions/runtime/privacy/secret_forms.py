"""Patterns of keys, tokens and passwords. The secret is the group `value`, else the whole match."""

from __future__ import annotations

_SAID = (
    r"(?:pass(?:word|wd|phrase|code|wort)?|pwd|psw|pw|kennwort|wachtwoord|mot de passe"
    r"|contrase(?:ñ|n)a)"
)
LABELS_BEGIN = r"(?=p[awsr]|ke|wa|mo|co|a[pcu]|s[ei]|re|be|cl)"
"""The first letters of labels, which say sooner that there is none."""
_LABEL = (
    rf"{LABELS_BEGIN}(?:{_SAID}|api[ _-]?key|(?:secret|access|account|private|signing)[ _-]?key"
    r"|(?:access|auth|refresh|api|session|bearer)[ _-]?token|client[ _-]?secret)"
)
_SETS = r"\s{0,3}(?:=>|->|→|=|:)\s{0,3}"
_MIXED = r"(?=[^\s\"'`]{0,80}[0-9])(?=[^\s\"'`]{0,80}[^\W\d_])"
"""A word with a digit and a letter, such as `hunter2`: type and function names rarely match."""
_PREFIXES = (
    r"whsec_|GOCSPX-|ya29\.|pypi-|dop_v1_|shp(?:at|ca|pa|ss)_|dapi|lin_api_|hv[sb]\.|xapp-|PMAK-|sbp_"
    r"|AGE-SECRET-KEY-1|key-(?=[0-9a-f]{32})|SK(?=[0-9a-f]{32})|AC(?=[0-9a-f]{32})|ntn_|rubygems_|sq0[a-z]{3}-"
)

SECRETS = (
    r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.{1,16000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|[A-Za-z0-9+/=\s:,-]{0,16000})",
    # JSON web tokens
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
    # prefixes of service keys
    r"(?<![\w-])(?:sk|pk|rk)[-_](?=[\w-]{0,60}\d)[\w-]{20,}",
    r"\b(?:sk|pk|rk)_(?:live|test)_\w{10,}",
    r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}\b",
    r"\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|npm_\w{30,}|hf_\w{30,})",
    r"\bxox[abeoprs]-[\w-]{10,}",
    r"\bAIza[\w-]{35}",
    r"\bSG\.[\w-]{16,}(?:\.[\w-]{16,})?",
    rf"(?<![\w-])(?:{_PREFIXES})[\w.-]{{20,}}",
    r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b",
    # values after a label
    r"(?i)\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?\w{1,20}\s{1,3}(?P<value>[^\s\"']{6,})",
    r"(?i)\bbearer\s{1,3}(?P<value>(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{16,}={0,2})",
    r"://(?P<value>[^\s/:@]{1,100}:[^\s/@]{1,200})@",
    rf"(?i){_LABEL}[\"'`]?{_SETS}([\"'`“‘])(?P<value>(?!\[key\])[^\"'`”’\n]{{4,200}})[\"'`”’]",
    rf"(?i){_LABEL}[\"'`]?(?:{_SETS}|\s{{1,3}}(?:is|was|ist|est|es)\s{{1,3}})"
    rf"(?P<value>{_MIXED}[^\s\"'`,;()\[\]]{{6,200}})(?!\()",
    rf"(?i)(?<!\w){_SAID} (?P<value>{_MIXED}[^\s\"'`,;()\[\]]{{6,200}})(?!\()",
    rf"(?i)\b(?:my|mein|mon|mi) (?:\w{{1,20}} ){{0,3}}{_LABEL}(?: (?:is|was|ist|est|es)|:) "
    r"(?P<value>(?!\[key\])[^\s,;\"']{4,200})",
    r"(?:\b(?i:my pin)|\b(?:PIN|CVV|CVC|TAN))(?i: (?:code|number))?(?i: is|:)? "
    r"(?P<value>[0-9]{3,8})\b",
)
