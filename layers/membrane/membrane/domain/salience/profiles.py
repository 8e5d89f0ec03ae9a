"""How many decay profiles the records of a scope and type may have, and when one is freed.

A ranking merges every profile of a scope and type, so their number is limited. A profile is counted
while a record may have it. A writer that meets a full list looks which profiles no record has, and
these leave: they are counted no longer, and readers go through them for LEAVING_S more. After
LEAVING_S a second look decides: a profile that has a record again is counted again, any other is
removed. A writer trusts for KNOWN_S that a profile is counted. KNOWN_S, the longest request and the
delay of the index are together shorter than LEAVING_S. So the second look sees every record of a
writer that did not know that the profile leaves, and every other writer has it counted again.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from membrane.domain.language.errors import TooManyProfiles

MAX_CLASSES = 16
"""Decay classes that are counted for a scope and type, those of the settings included.

A reserved class may be one more.
"""

LEAVING_S = 3_600
KNOWN_S = 900


class Profiles(NamedTuple):
    """The registered decay classes of a scope and type."""

    every: frozenset[str] = frozenset()
    """Those that readers go through; the ones that leave are among them."""
    leaving: Mapping[str, float] = MappingProxyType({})
    """Classes that are not counted, each with the instant at which it began to leave."""

    @property
    def counted_classes(self) -> frozenset[str]:
        return self.every - self.leaving.keys()

    def without_unused(self, is_used: Callable[[str], bool], now_s: float) -> "Profiles":
        """The classes after a look at which of them have a record."""
        every, leaving = set(self.every), dict(self.leaving)
        for decay_class in sorted(self.every):
            since_s = leaving.get(decay_class)
            if since_s is None:
                if len(leaving) < MAX_CLASSES and not is_used(decay_class):
                    leaving[decay_class] = now_s
            elif now_s - since_s >= LEAVING_S:
                del leaving[decay_class]
                if not is_used(decay_class):
                    every.remove(decay_class)
        return Profiles(frozenset(every), leaving)

    def with_class(self, decay_class: str) -> "Profiles":
        leaving = {each: at_s for each, at_s in self.leaving.items() if each != decay_class}
        return Profiles(self.every | {decay_class}, leaving)


def profiles_with(
    decay_class: str,
    standing: Profiles,
    implied: frozenset[str],
    is_used: Callable[[str], bool],
    now_s: float,
    *,
    reserved: frozenset[str] = frozenset(),
) -> Profiles:
    """The classes of a scope and type once a record of that class is written.

    `implied` are those of the settings. A full list takes `reserved` classes, too, so that other
    records never stand in the way of messages. Raises TooManyProfiles, which names the implied
    alone: the others may be of records that the caller must not see.
    """
    if decay_class in implied | standing.counted_classes:
        return standing
    if decay_class in reserved | standing.leaving.keys() or _has_room(standing, implied):
        return standing.with_class(decay_class)
    reviewed = standing.without_unused(is_used, now_s)
    if not _has_room(reviewed, implied):
        raise TooManyProfiles(
            f"the scope has {MAX_CLASSES} decay profiles for records of this type already; "
            f"free to use are those of the settings: {', '.join(sorted(implied))}"
        )
    return reviewed.with_class(decay_class)


def is_still_known(seen_s: float | None, now_s: float) -> bool:
    """Whether a class that was counted at that instant needs no look at the list."""
    return seen_s is not None and 0 <= now_s - seen_s < KNOWN_S


def _has_room(profiles: Profiles, implied: frozenset[str]) -> bool:
    return len(implied | profiles.counted_classes) < MAX_CLASSES
