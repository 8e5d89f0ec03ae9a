"""Texts in which a reader sees nothing: the name of nobody, or an empty note."""

import re

_BLANK = re.compile(
    r"[\s\0-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""A text in which nothing can be seen: blanks, controls, and the characters that programs may leave
out (Unicode's property Default_Ignorable_Code_Point)."""


def is_blank(value: object) -> bool:
    """Whether the value is a text without a character that can be seen."""
    return isinstance(value, str) and _BLANK.fullmatch(value) is not None
