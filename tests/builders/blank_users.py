"""Texts that no reader takes for the name of a user."""

BLANKS = (
    "", " ", "   ", "\t\n\r\v\f", "\0", "\x1f\x7f\x85", "\u00a0", "\u00ad", "\u034f", "\u061c",
    "\u115f\u1160", "\u1680", "\u180e", "\u2000\u200a", "\u200b", "\u200c\u200d\u200e\u200f",
    "\u2028\u2029", "\u202e", "\u202f", "\u205f", "\u2060", "\u2066\u2069", "\u2800", "\u3000",
    "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\U000e0001\U000e0100", " \u200b\u3000 ",
)  # fmt: skip
