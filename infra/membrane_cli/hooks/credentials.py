"""Removal of credentials from a text before the text is stored.

Patterns find credentials of a usual form alone: a password in a plain sentence stays.
"""

import re

REMOVED = "[removed]"

_WHOLE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgithub_pat_\w{20,}|\bgh[oprsu]_[A-Za-z0-9]{20,}"
    r"|\bglpat-[\w-]{16,}"
    r"|\bsk-[\w-]{16,}|\b[rs]k_(?:live|test)_\w{16,}|\bwhsec_[\w+/=]{16,}"  # Stripe and others
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}"  # SendGrid
    r"|\bdckr_(?:pat|oat)_[\w-]{16,}"  # Docker
    r"|\bATATT[\w=-]{20,}"  # Atlassian
    r"|\bxox[abeoprs]-[\w-]{10,}|\bhooks\.slack\.com/(?:services|workflows)/[\w/-]{10,}"  # Slack
    r"|\bAIza[\w-]{30,}"  # Google
    r"|\bhf_[A-Za-z0-9]{20,}"  # Hugging Face
    r"|\bnpm_[A-Za-z0-9]{20,}"
    r"|\bpypi-AgE[\w-]{10,}|\bpypi-[\w-]{40,}"  # a shorter `pypi-` begins names of packages
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",  # a JSON Web Token
    re.DOTALL,
)

_WORD = r"(?:password|passwd|passphrase|pwd|secret|token|(?:api|access|account|private)[_-]?key)"

_VALUE = r"""(?:\\{1,3}"[^"\n]*"?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|`[^`\n]*`?|[^\s"'`]+)"""
"""A value in quotes, in the escaped quotes of JSON within JSON, in backticks, or a word."""

_NAMED = re.compile(
    rf"""(\b[\w-]{{0,40}}(?:{_WORD}[\w-]{{0,40}}|_pass(?![\w-])|\b(?-i:pass)(?==))
        (?:\\{{0,3}}["']|[*`]{{1,3}})?\s{{0,3}}
        (?::=|=>|={{1,3}}(?![=>])|:(?![:=]))
        \*{{0,3}}\s{{0,3}})
        {_VALUE}""",
    re.IGNORECASE | re.VERBOSE,
)
"""A name and a value, as in `DB_PASSWORD=x`, `"apiKey": "x"` or `**Password:** x`.

A lone `pass` counts in small letters before `=` alone: `PASS=12` and `tests pass: 12` are results.
"""

_OPTION = re.compile(
    rf"""((?<![\w-])--[\w-]{{0,40}}(?:{_WORD}|(?<=-)pass)[ \t]{{1,3}})
        (?!-|(?:a|and|are|as|for|from|in|is|must|of|on|option|or|the|to|was|with)(?:\s|\Z))
        {_VALUE}""",
    re.IGNORECASE | re.VERBOSE,
)
"""An option and its value, as in `--api-key x`; `--token is required` is a sentence."""

_IN_TABLE = re.compile(
    rf"""^([ \t]{{0,8}}\|[^|\n]{{0,40}}?{_WORD}[*`]{{0,3}}[ \t]{{0,40}}
        \|[ \t]{{0,40}})
        [^\s|]+(?=[ \t]{{0,40}}\|)
        (?![^\n]*\n[ \t]{{0,8}}\|[ \t]{{0,40}}:?--)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""A row `| password | x |` with one word as the value; a heading above `|---|` stays."""

_BEARER = re.compile(r"\b((?:Bearer|Basic)\s{1,3})[\w.~+/=-]{8,}", re.IGNORECASE)
_IN_URL = re.compile(
    r"""(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@]{1,200}@(?:[^\s/@"'`<>]{0,200}@)*""",
    re.IGNORECASE,
)
"""The user and the password before a host; the password may hold `@`."""


def without_credentials(text: str) -> str:
    """The text with REMOVED in place of each credential that a pattern finds."""
    text = _WHOLE.sub(REMOVED, text)
    text = _BEARER.sub(rf"\1{REMOVED}", text)
    for pattern in (_NAMED, _OPTION, _IN_TABLE):
        text = pattern.sub(rf"\1{REMOVED}", text)
    return _IN_URL.sub(rf"\1{REMOVED}@", text)
