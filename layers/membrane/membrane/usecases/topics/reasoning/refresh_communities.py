"""Seek the communities of a scope anew when it is time: a large scope waits from once to the next.

To seek them, every topic of the scope is read. So a scope of more than FEW topics waits so long for
each of its topics that what this costs in an hour does not grow with it.
"""

import math
from contextlib import suppress

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.graph.partitions import MAX_TOPICS
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.reasoning.find_communities import find_communities
from membrane.usecases.topics.scope_walk import IsOutOfTime

KEPT_AS = "communities-pace"

FEW = 200

PAUSE_S = 0.1
"""For each topic of a larger scope: half an hour for 20,000."""

LONGEST_DELAY_S = 900
"""Of a message."""

TAKES_S = 0.005
"""For each topic: 28 s of arithmetic for 20,000 of five levels were measured; the rest is reading.

So long is needed beside what the end of any run needs.
"""


def refresh_communities(
    scope: str, services: TopicServices, is_out_of_time: IsOutOfTime, *, is_changed: bool
) -> None:
    """Seek them now, or have this function told of the scope again; nothing where nothing waits.

    `is_changed` says that something in the scope has changed since it was last asked.
    """
    kept = services.topics.kept(KEPT_AS, scope)
    pace = {} if kept is None else kept.progress
    if not is_changed and not pace.get("is_waiting"):
        return
    now_s = epoch_seconds(services.now())
    wait_s = pace.get("due_s", now_s) - now_s
    if wait_s <= 0 and not is_out_of_time(pace.get("size", MAX_TOPICS) * TAKES_S):
        size = find_communities(scope, services)
        after = {"due_s": now_s + _pause_s(size), "is_waiting": False, "size": size}
    elif pace.get("told_s", now_s) > now_s:
        after = {**pace, "is_waiting": True}
    else:
        delay_s = max(1, min(math.ceil(wait_s), LONGEST_DELAY_S))
        services.tell_reason({"scope": scope}, delay_s)
        after = {**pace, "is_waiting": True, "told_s": now_s + delay_s}
    if after != pace:
        with suppress(LostRace):  # somebody else has sought them, or waits
            services.topics.keep(KEPT_AS, scope, after, kept)


def _pause_s(topics: int) -> float:
    return PAUSE_S * topics if topics > FEW else 0.0
