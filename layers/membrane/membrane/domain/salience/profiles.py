"""The limit on decay profiles for the records of a scope and type, and the end of unused profiles.

A ranking merges every profile of a scope and type, so the number of profiles is limited. A profile
counts towards the limit while a record may have the profile.

A writer that finds the list full searches for profiles without records and marks them as leaving.
A leaving profile no longer counts; readers still read the profile for LEAVING_S. After LEAVING_S, a
second search decides: a profile with records counts again, a profile without records is removed.

A writer relies for KNOWN_S on the knowledge that a profile counts. KNOWN_S, the longest request and
the delay of the index together are shorter than LEAVING_S. So the second search sees every record
from a writer with outdated knowledge. A writer with current knowledge counts the profile again.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from membrane.domain.language.errors import TooManyProfiles

MAX_CLASSES = 16
"""The most decay classes counted for a scope and type, including the classes of the settings.

A reserved class may exceed the limit.
"""

LEAVING_S = 3_600
KNOWN_S = 900


class Profiles(NamedTuple):
    """The registered decay classes of a scope and type."""

    every: frozenset[str] = frozenset()
    """The classes that readers read, including the leaving classes."""
    leaving: Mapping[str, float] = MappingProxyType({})
    """The classes that are not counted, with the instant (seconds since 1970) of their marking."""

    @property
    def counted_classes(self) -> frozenset[str]:
        return self.every - self.leaving.keys()

    def without_unused(self, is_used: Callable[[str], bool], now_s: float) -> "Profiles":
        """The classes after a search for classes without records; see the module's docstring."""
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
    current: Profiles,
    implied: frozenset[str],
    is_used: Callable[[str], bool],
    now_s: float,
    *,
    reserved: frozenset[str] = frozenset(),
) -> Profiles:
    """The classes of a scope and type after the write of a record of `decay_class`.

    `implied` are the classes of the settings. A full list still takes `reserved` classes, so
    messages are never refused because of other records. Raises TooManyProfiles, whose message has
    only the implied classes: the caller may not be allowed to see records of the other classes.
    """
    if decay_class in implied | current.counted_classes:
        return current
    if decay_class in reserved | current.leaving.keys() or _has_room(current, implied):
        return current.with_class(decay_class)
    reviewed = current.without_unused(is_used, now_s)
    if not _has_room(reviewed, implied):
        raise TooManyProfiles(
            f"the scope has {MAX_CLASSES} decay profiles for records of this type already; "
            f"free to use are those of the settings: {', '.join(sorted(implied))}"
        )
    return reviewed.with_class(decay_class)


def is_still_known(seen_s: float | None, now_s: float) -> bool:
    """Whether a class seen as counted at `seen_s` still counts, without a read of the list."""
    return seen_s is not None and 0 <= now_s - seen_s < KNOWN_S


def _has_room(profiles: Profiles, implied: frozenset[str]) -> bool:
    return len(implied | profiles.counted_classes) < MAX_CLASSES
