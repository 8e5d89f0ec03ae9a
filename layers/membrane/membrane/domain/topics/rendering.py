"""The text by which search finds a topic: title, kind, summary, and a line for each field.

Deleted and detached fields, and values in the bucket, are left out.
"""

from collections.abc import Iterator
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.search.rendering import flat_words, text_of
from membrane.domain.search.searchable import Searchable, marks_of
from membrane.domain.search.terms import terms_of
from membrane.domain.topics.searched import working_set
from membrane.domain.topics.titles import is_untitled
from membrane.domain.topics.topic import Topic


def searchable_topic(topic: Topic) -> Searchable:
    """What of the topic is searched; it happened when the latest of its values became true."""
    text = text_of(_lines(topic))
    names = [topic.kind] if is_untitled(topic.title) else [topic.title, topic.kind]
    return Searchable(
        text=text,
        terms=terms_of(text) | marks_of(text, names=names),
        happened_s=_happened_s(topic),
    )


def _lines(topic: Topic) -> Iterator[str]:
    """What was written last comes first, so that of a large topic it is not what is cut."""
    yield "" if is_untitled(topic.title) else topic.title
    yield topic.kind
    yield topic.summary
    written = sorted(
        working_set(topic),
        key=lambda named: datetime.fromisoformat(named[1].recorded_at),
        reverse=True,
    )
    for name, revision in written:
        if revision.value is not None:
            yield f"{name} {flat_words(revision.value)}".rstrip()


def _happened_s(topic: Topic) -> float:
    told = [datetime.fromisoformat(each.valid_from) for _, each in working_set(topic)]
    return epoch_seconds(max(told)) if told else topic.base.born_s
