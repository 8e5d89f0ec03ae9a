"""The names of entities over a plain dict."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.ports.names import Buckets, NameBucket, NameChange, NamePlace
from membrane.usecases.ports.records import LostRace
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeNames(StandIn):
    """A fake of DynamoNames: the entity ids by term, of each place and level."""

    stored: dict[NamePlace, dict[Sensitivity, Mapping[str, str]]] = field(default_factory=dict)

    def buckets(
        self,
        places: Sequence[NamePlace],
        *,
        consistent: bool = True,  # noqa: ARG002 - of the port
    ) -> Mapping[NamePlace, Buckets]:
        """See DynamoNames; every read is consistent."""
        assert len(set(places)) == len(places), "places must be distinct"
        return {each: self._buckets_at(each) for each in places if each in self.stored}

    def buckets_of_words(self, scope: str, words: Collection[str]) -> Mapping[NamePlace, Buckets]:
        """See DynamoNames."""
        return self.buckets([NamePlace(scope, each) for each in words])

    def beginning_with(
        self, scope: str, prefix: str, after: str = ""
    ) -> Iterator[tuple[NamePlace, Buckets]]:
        """See DynamoNames."""
        for place in sorted(self.stored, key=lambda each: each.word.encode()):
            is_wanted = place.scope == scope and place.word.startswith(prefix)
            if is_wanted and place.word.encode() > after.encode():
                yield place, self._buckets_at(place)

    def require_unchanged(self, changes: Sequence[NameChange]) -> None:
        """Raise LostRace for a change of a bucket that is no longer as read."""
        for each in changes:
            levels = self.stored.get(each.before.place, {})
            is_as_read = levels.get(each.before.sensitivity, {}) == each.before.entity_ids
            others = levels.keys() - {each.before.sensitivity}
            if not is_as_read or (not each.entity_ids and each.is_last and others):
                raise LostRace

    def change(self, changes: Sequence[NameChange]) -> None:
        """Put the names of changes that were found unchanged."""
        for each in changes:
            levels = self.stored.setdefault(each.before.place, {})
            if each.entity_ids:
                levels[each.before.sensitivity] = dict(each.entity_ids)
            else:
                levels.pop(each.before.sensitivity, None)
            if not levels:
                del self.stored[each.before.place]

    def forget(self, entity_id: str) -> None:
        """Take away every name that leads to the entity."""
        for place, levels in [*self.stored.items()]:
            for level, ids in [*levels.items()]:
                left = {term: each for term, each in ids.items() if each != entity_id}
                self.change([NameChange(NameBucket(place, level, ids), left)])

    def _buckets_at(self, place: NamePlace) -> Buckets:
        levels = self.stored[place]
        return {level: NameBucket(place, level, dict(ids)) for level, ids in levels.items()}
