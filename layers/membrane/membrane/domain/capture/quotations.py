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

_JOINING = rf"[^\W{_UNSPACED}]"
"""A character that makes one word with a joining character beside."""


def kept_words(words: str) -> str:
    """The words as kept with what rests on the words, cut after MAX_KEPT_CHARACTERS."""
    return words[:MAX_KEPT_CHARACTERS]


def says_enough(term: str) -> bool:
    """Whether the words are LEAST_WORDS, or a word of LEAST_WORD_CHARACTERS, punctuation aside.

    The words are in the normal form.
    """
    words = [word for each in term.split() if (word := each.strip(punctuation))]
    return len(words) >= LEAST_WORDS or any(len(each) >= LEAST_WORD_CHARACTERS for each in words)


def is_quoted(term: str, content: str) -> bool:
    """Whether the content has the words, neither begun nor ended inside a word.

    Both are in the normal form. No words are in no content.
    """
    if not term:
        return False
    begin = rf"(?<!{_JOINING})" if re.match(_JOINING, term[0]) else ""
    end = rf"(?!{_JOINING})" if re.match(_JOINING, term[-1]) else ""
    return re.search(f"{begin}{re.escape(term)}{end}", content) is not None
