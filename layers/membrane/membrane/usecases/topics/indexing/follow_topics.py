"""Bring what is derived from topics up to date with those that have changed.

Their vectors, and the notes of what there is to reason about in a scope.
"""

from collections import defaultdict
from collections.abc import Iterable

from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Indexed
from membrane.usecases.search.indexing.changes import Changed, merged
from membrane.usecases.topics.indexing.index_topics import index_topics

TELL_REASON = "TellReason"
"""How it is reported that the function that reasons could not be told."""


def follow_topics(
    changed: Iterable[Changed], services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Indexed:
    """Index these topics, then note them; see `index_all`.

    So whoever reasons about them finds their entries.
    """
    every = merged(changed)
    indexed = index_topics(every, services, is_out_of_time)
    for scope, topic_ids in _by_scope(every).items():
        if services.topics.mark(scope, topic_ids):
            _tell(scope, services)
    return indexed


def _by_scope(changed: Iterable[Changed]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for each in changed:
        for scope in each.scopes:
            found[scope].append(each.record_id)
    return found


def _tell(scope: str, services: TopicServices) -> None:
    """Once for all that is noted until it is reasoned about.

    Where this fails, or is never reached, the notes are found by the schedule's next run.
    """
    try:
        services.tell_reason({"scope": scope}, services.topic_policy.debounce_s)
    except TRANSIENT as error:
        services.report(TELL_REASON, FAULT, error)
