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
    r"|\bsk-[\w-]{16,}|\bsk_(?:live|test)_\w{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}"  # Slack
    r"|\bAIza[\w-]{30,}"  # Google
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",  # a JSON Web Token
    re.DOTALL,
)

_NAMED = re.compile(
    r"""(\b[\w-]{0,40}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)[\w-]{0,40}
        ["']?\s{0,3}[:=]\s{0,3})
        ("[^"\n]*"|'[^'\n]*'|[^\s"']+)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A name and a value, as in `DB_PASSWORD=x` or `"apiKey": "x"`."""

_BEARER = re.compile(r"\b((?:Bearer|Basic)\s{1,3})[\w.~+/=-]{8,}", re.IGNORECASE)
_IN_URL = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@]{1,200}@", re.IGNORECASE)


def without_credentials(text: str) -> str:
    """The text with REMOVED in place of each credential that a pattern finds."""
    text = _WHOLE.sub(REMOVED, text)
    text = _BEARER.sub(rf"\1{REMOVED}", text)
    text = _NAMED.sub(rf"\1{REMOVED}", text)
    return _IN_URL.sub(rf"\1{REMOVED}@", text)
