"""Look up the newest episodes whose first event has a ref."""

from collections.abc import Iterable, Mapping

from membrane.domain.records.natural_key import event_key
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.names.known_entities import scopes_in_view
from membrane.usecases.ports.world import World

MAX_EPISODES = 5
"""Newest episodes of one ref and scope: the caller may have no right to some of them."""


def episode_ids_by_ref(refs: Iterable[str], scope: str, world: World) -> Mapping[str, list[str]]:
    """The ids of the newest episodes of each ref, those of the scope before unscoped ones.

    One Query for a ref and scope: two for a ref, or one where `scope` is empty.
    """
    keys = [(ref, event_key(each, ref)) for ref in refs for each in scopes_in_view(scope)]
    newest = side_by_side(lambda each: world.natural.newest(each[1], MAX_EPISODES), keys)
    found: dict[str, list[str]] = {}
    for (ref, _), rows in zip(keys, newest, strict=True):
        found.setdefault(ref, []).extend(record_id for record_id, _ in rows)
    return found
