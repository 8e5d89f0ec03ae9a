"""Words that a model quotes from a content as the ground of what the model adds."""

import re
from string import punctuation

MAX_KEPT_CHARACTERS = 200
"""Characters of a quotation that stay with what rests on the words."""

LEAST_WORDS = 2
LEAST_WORD_CHARACTERS = 3
"""A single word that grounds a fact has as many characters: shorter words stand in any content."""

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Thai, Chinese, Japanese and Korean: words follow words or endings without a space."""

_WORD = re.compile(rf"[^\W{_UNSPACED}]++|[\W{_UNSPACED}]")
"""A word, or a single character that makes no word with a character beside."""

_BORDER = "\0"


def kept_words(words: str) -> str:
    """The words as kept with what rests on the words, cut after MAX_KEPT_CHARACTERS."""
    return words[:MAX_KEPT_CHARACTERS]


def says_enough(term: str) -> bool:
    """Whether the words are LEAST_WORDS, or a word of LEAST_WORD_CHARACTERS, punctuation aside.

    The words are in the normal form.
    """
    words = [word for each in term.split() if (word := each.strip(punctuation))]
    return len(words) >= LEAST_WORDS or any(len(each) >= LEAST_WORD_CHARACTERS for each in words)


def with_borders(term: str) -> str:
    """The words in the normal form, with a mark before and after each word and punctuation mark."""
    return _BORDER.join(("", *_WORD.findall(term), ""))


def is_quoted(term: str, bordered: str) -> bool:
    """Whether the content has the words, neither begun nor ended inside a word.

    The words are in the normal form, the content is with borders. No words are in no content.
    """
    return bool(term) and with_borders(term) in bordered
