"""Names in quotation marks, such as "Project Orion"."""

import re
from collections.abc import Iterator

from membrane.domain.entities.kinds import CONCEPT
from membrane.domain.entities.spans import Span
from membrane.domain.entities.word_lists import PARTICLES, SAID_ALONE
from membrane.domain.language.stop_words import STOPWORDS

_QUOTED = re.compile(
    r'(?<![\w=])(?<!":)(?<!": )(?<!= )"(?P<straight>[^"\n]{1,80}+)"(?!\w)'
    r"|[\u201c\u201e](?P<curved>[^\u201c\u201d\u201e\n]{1,80}+)[\u201d\u201c]"
)
"""A quoted text. The values of JSON and of assignments in code are no names."""

_NAME_WORD = re.compile(r"[^\W_][\w&.+'\u2019-]*+")
_MAX_WORDS = 5


def quoted_spans(text: str) -> Iterator[Span]:
    for each in _QUOTED.finditer(text):
        group = each.lastgroup or 0
        if _is_name(each[group]):
            yield Span(*each.span(group), CONCEPT)


def _is_name(quoted: str) -> bool:
    """Whether the quotes hold a name: one to five words, written unlike a sentence.

    `Project Orion`, `billing API` and `Orion` are names; `Ship it now`, `Not found` and `No` may be
    what somebody said.
    """
    words = quoted.split(" ")
    if len(words) > _MAX_WORDS or not all(map(_NAME_WORD.fullmatch, words)):
        return False
    if quoted.endswith((".", "'", "\u2019")) or not any(map(str.isupper, quoted)):
        return False
    telling = [word.lower() for word in words if word.lower() not in PARTICLES]
    if not telling or STOPWORDS.intersection(telling):
        return False
    if len(words) == 1:
        return telling[0] not in SAID_ALONE
    return any(map(str.isupper, quoted[1:]))
