"""The searchable text of a topic: title, kind, summary, and a line for each field.

Deleted fields, detached fields and values in the bucket are left out.
"""

from collections.abc import Iterator
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import terms_of
from membrane.domain.search.rendering import flat_words, text_of
from membrane.domain.search.searchable import Searchable, marks_of
from membrane.domain.topics.titles import is_of_study, is_untitled, says_nothing
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import working_set

TYPES = frozenset((MemoryType.ENTITY,))
"""The memory type of all index entries of topics."""


def searchable_topic(topic: Topic) -> Searchable:
    """The topic for the search index, dated by the latest `valid_from` of its values."""
    text = text_of(_lines(topic))
    kind = _kind_in_words(topic)
    names = [kind] if is_untitled(topic.title) else [topic.title, kind]
    return Searchable(
        text=text,
        terms=terms_of(text) | marks_of(text, names=names),
        happened_s=_happened_s(topic),
    )


def _kind_in_words(topic: Topic) -> str:
    """The kind; empty for the kind of a document's topics, which is an id and says nothing."""
    return "" if is_of_study(topic.kind) else topic.kind


def _lines(topic: Topic) -> Iterator[str]:
    """Title, kind, summary, then the fields by time of writing, newest first.

    The index cuts a long text at the end.
    """
    yield "" if is_untitled(topic.title) else topic.title
    yield _kind_in_words(topic)
    yield topic.summary
    written = sorted(
        working_set(topic),
        key=lambda named: datetime.fromisoformat(named[1].recorded_at),
        reverse=True,
    )
    for name, revision in written:
        if revision.value is not None:
            said = "" if is_of_study(topic.kind) and says_nothing(name) else name
            yield f"{said} {flat_words(revision.value)}".strip()


def _happened_s(topic: Topic) -> float:
    instants = [datetime.fromisoformat(each.valid_from) for _, each in working_set(topic)]
    return epoch_seconds(max(instants)) if instants else topic.base.born_s
