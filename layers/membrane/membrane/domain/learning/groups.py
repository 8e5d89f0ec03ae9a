"""Groups of like traces: each group is the evidence of one skill.

A group is compared by the skill that its successes make, or by its only success: a trace joins a
group for its likeness to the skill, never for its likeness to another member alone. Failures never
start a group of several traces.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from membrane.domain.learning import skills
from membrane.domain.learning.likeness import Outline, are_alike, fit, keys_of, outline_of
from membrane.domain.learning.recipes import MAX_COMPARED
from membrane.domain.records.payloads import CompetencePayload

MAX_ROUNDS = 4
"""Times that the successes are placed anew, by the skills that they made the time before."""


def groups_of(evidence: Sequence[skills.Evidence]) -> tuple[tuple[skills.Evidence, ...], ...]:
    """Every piece of evidence in exactly one group, whatever the order of arrival.

    Groups, and the evidence in a group, are in the order of time. A trace that is like no other
    is a group by itself.
    """
    ordered = skills.in_order(evidence)
    groups = _Groups()
    successes = [each for each in ordered if each.is_success]
    for success in successes:
        groups.place(success)
    for _ in range(MAX_ROUNDS):
        before, groups = groups, groups.next_round(successes)
        if groups.partition() == before.partition():
            break
    for other in ordered:
        if not other.is_success:
            groups.place_beside_successes(other)
    places = {each.record_id: place for place, each in enumerate(ordered)}
    found = (tuple(skills.in_order(group.members)) for group in groups.all if group.members)
    return tuple(sorted(found, key=lambda group: places[group[0].record_id]))


@dataclass(slots=True)
class _Group:
    members: list[skills.Evidence]
    outline: Outline
    skill: CompetencePayload | None = None
    keys: frozenset[bytes] = frozenset()

    def add(self, success: skills.Evidence) -> None:
        self.members.append(success)
        if self.skill is None or len(self.members) <= MAX_COMPARED:
            self.skill = skills.new_skill(self.members)
        else:
            self.skill = skills.updated_skill(self.skill, success)
        if self.skill is not None:
            self.outline = skills.outline_of_skill(self.skill)


class _Groups:
    """Groups by the lookup keys of the skills that their members make."""

    def __init__(self) -> None:
        self.all: list[_Group] = []
        self._by_key: dict[bytes, list[_Group]] = defaultdict(list)

    def place(self, success: skills.Evidence) -> None:
        """Add a success to the group that it is most like, or to a group of its own."""
        found = self._best(outline_of(success.trace))
        if found is None:
            self._add_group(success)
            return
        found.add(success)
        self._index(found)

    def place_beside_successes(self, other: skills.Evidence) -> None:
        found = self._best(outline_of(other.trace))
        if found is None:
            self.all.append(_Group([other], outline_of(other.trace)))
        else:
            found.members.append(other)

    def next_round(self, successes: Iterable[skills.Evidence]) -> "_Groups":
        """The groups once every success is placed by the skills of the groups so far.

        The first successes may have started two groups for one skill, or have drawn in a trace
        that is not like the skill.
        """
        after = _Groups()
        for group in sorted(self.all, key=lambda each: -len(each.members)):
            skill = skills.new_skill(group.members)
            if skill is not None and after._best(skills.outline_of_skill(skill)) is None:
                after.all.append(_Group([], skills.outline_of_skill(skill), skill))
                after._index(after.all[-1])
        for success in successes:
            found = after._best(outline_of(success.trace))
            if found is None:
                after._add_group(success)
            else:
                found.members.append(success)
        return after

    def partition(self) -> set[frozenset[str]]:
        """The ids of the members of each group."""
        return {frozenset(each.record_id for each in group.members) for group in self.all}

    def _add_group(self, success: skills.Evidence) -> None:
        self.all.append(_Group([success], outline_of(success.trace)))
        self._index(self.all[-1])

    def _index(self, group: _Group) -> None:
        keys = frozenset(keys_of("", group.outline))
        for key in keys - group.keys:
            self._by_key[key].append(group)
        group.keys |= keys

    def _best(self, outline: Outline) -> _Group | None:
        """The group that fits best; a single success does not draw a trace away from a skill."""
        near = {id(each): each for key in keys_of("", outline) for each in self._by_key[key]}
        fitting = [each for each in near.values() if are_alike(each.outline, outline)]
        return max(
            fitting,
            key=lambda each: (each.skill is not None, fit(each.outline, outline)),
            default=None,
        )
