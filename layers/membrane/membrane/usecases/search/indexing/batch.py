"""A batch of changed records, or topics, on its way into the search index."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from membrane.domain.language.digests import digest
from membrane.domain.search.entries import pack_terms
from membrane.domain.search.searchable import Searchable, entry_of
from membrane.usecases.machinery.load_batch import load_sound
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime, never
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.search import Standing
from membrane.usecases.ports.services import MAX_WORKERS
from membrane.usecases.search.indexing.sources import Collection, Source

MAX_ROUNDS = 3
"""In which a record is looked at again that another writer has changed meanwhile."""

PORTION = 25
"""Texts that are embedded together, and their entries put: what is done before a failure stays."""

MAX_VERSIONS = 1_000_000

Place = tuple[str, str]
"""Scope and record id."""

Vector = Sequence[float]
Result = TypeVar("Result")


def index_version(born_s: float, version: int) -> int:
    """Grows with every version of a record, and with a later record that takes its id."""
    return round(born_s * 1_000) * MAX_VERSIONS + version


@dataclass(frozen=True, slots=True)
class Changed:
    """A record whose entry, or whose part in the counters, may have to be another one now.

    Or a topic: of what kind it is, who tells of it knows.
    """

    record_id: str
    scopes: tuple[str, ...]
    """In which it is or was, as far as is known."""
    version: int = 0
    """The `index_version` that it has reached at least; 0 where that is not known."""
    is_searched: bool = True
    """Whether what is searched of it may be another; else it is only counted otherwise."""

    def together(self, other: "Changed") -> "Changed":
        """With what is told of the same record at another time."""
        return Changed(
            self.record_id,
            tuple(dict.fromkeys((*self.scopes, *other.scopes))),
            max(self.version, other.version),
            self.is_searched or other.is_searched,
        )


def merged(changed: Iterable[Changed]) -> list[Changed]:
    """Each record once, with all that is told of it."""
    found: dict[str, Changed] = {}
    for each in changed:
        known = found.get(each.record_id)
        found[each.record_id] = each if known is None else known.together(each)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Failed:
    """What cannot be indexed, whatever becomes of the others."""

    changed: Changed
    error: Exception


@dataclass(slots=True)
class Indexed:
    """What came of a batch."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: list[Failed] = field(default_factory=list)
    moved: Counter[str] = field(default_factory=Counter)
    """The scopes whose entries are others now, with how many more they are."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What has changed, and how it was loaded; None where it is gone for good."""

    changed: Changed
    source: Source | None

    @property
    def version(self) -> int:
        return 0 if self.source is None else self.source.version

    @property
    def is_searched(self) -> bool:
        return self.source is not None and self.source.render is not None

    @property
    def places(self) -> list[Place]:
        """Where an entry of it may stand."""
        scopes = () if self.source is None else (self.source.scope,)
        every = dict.fromkeys((*scopes, *self.changed.scopes))
        return [(scope, self.changed.record_id) for scope in every]


@dataclass(frozen=True, slots=True)
class _Rendered:
    """A source with what is searched of it, and what its entry is to be made from."""

    changed: Changed
    source: Source
    searchable: Searchable
    standing: Standing

    @property
    def place(self) -> Place:
        return self.source.scope, self.source.id


@dataclass(frozen=True, slots=True)
class _Deed:
    """One write."""

    changed: Changed
    version: int
    scope: str
    run: Callable[[], bool]
    adds: bool
    """An entry, and no marker."""
    replaces: bool
    """An entry that stands there."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Records, or topics, that are indexed together."""

    collection: Collection
    is_out_of_time: IsOutOfTime = never
    """Whether no further one is to be rendered: what is rendered by then is still put."""
    indexed: Indexed = field(default_factory=Indexed)

    def look_at(self, changed: Iterable[Changed]) -> list[Changed]:
        """Bring their entries up to date; gives those that have to be looked at again.

        What has to go goes first, for it needs no embedder. Raises what is no fault of a single
        one; what was done by then stays done.
        """
        seen = self._loaded(merged(changed))
        if not seen:
            return []
        standing = self.collection.entries.standing(
            [place for each in seen for place in each.places]
        )
        again = self._overtaken(self._done([*self._removals(seen, standing)]))
        lacking = [
            each for each in self._rendered(seen) if self._lacks(each, standing.get(each.place))
        ]
        for begin in range(0, len(lacking), PORTION):
            embedded = self._embedded(lacking[begin : begin + PORTION])
            puts = [self._put(*each, standing) for each in embedded]
            again += self._overtaken(self._done(puts))
        return again

    def _loaded(self, changed: Sequence[Changed]) -> list[_Seen]:
        """The sources of what changed, loaded in one request; damaged ones are noted as failed."""
        if not changed:
            return []
        collection, ids = self.collection, [each.record_id for each in changed]
        sources, damaged = load_sound(ids, collection.load_all, collection.load)
        self.indexed.failed += [
            Failed(each, damaged[each.record_id]) for each in changed if each.record_id in damaged
        ]
        return [
            _Seen(each, sources.get(each.record_id))
            for each in changed
            if each.record_id not in damaged
        ]

    def _rendered(self, seen: Sequence[_Seen]) -> list[_Rendered]:
        """Those that there is time for; the others fail alone, and the batch comes to its end."""
        embedder = self.collection.embedder.name
        every = [
            (
                each.changed,
                self._in_time(partial(_rendered, each.changed, source, source.render, embedder)),
            )
            for each in seen
            if (source := each.source) is not None and source.render is not None
        ]
        return [rendered for _, rendered in self._alone(every)]

    def _in_time(self, ask: Callable[[], Result]) -> Callable[[], Result]:
        """The same, which raises OutOfTime where its turn comes too late."""

        def asked() -> Result:
            if self.is_out_of_time():
                raise OutOfTime
            return ask()

        return asked

    def _embedded(self, lacking: Sequence[_Rendered]) -> Iterable[tuple[_Rendered, Vector]]:
        """Together; where a text is refused each alone."""
        if not lacking:
            return ()
        embed = self.collection.embedder.embed
        try:
            vectors = embed([each.searchable.text for each in lacking])
        except TRANSIENT:
            raise
        except Exception:  # noqa: BLE001 - it comes again, for the one that it is about
            every = [(each.changed, partial(_with_vector, each, embed)) for each in lacking]
            return [pair for _, pair in self._alone(every)]
        return zip(lacking, vectors, strict=True)

    def _lacks(self, rendered: _Rendered, there: Standing | None) -> bool:
        """Whether the entry that stands there is not the one that its source should have."""
        wanted = rendered.standing
        if there is None or (there.version <= wanted.version and there.digest != wanted.digest):
            return True
        self._leave(rendered.changed, rendered.source.scope, there)
        return False

    def _leave(self, changed: Changed, scope: str, there: Standing) -> None:
        """What stands there is right.

        It may be from an earlier try of this very batch, which was ended before it told the scope's
        readers: then they are told now.
        """
        self.indexed.unchanged += 1
        if there.version >= changed.version:
            self.indexed.moved[scope] += 0

    def _put(self, rendered: _Rendered, dense: Vector, standing: Mapping[Place, Standing]) -> _Deed:
        entry = entry_of(rendered.source, rendered.searchable, dense)
        return _Deed(
            rendered.changed,
            rendered.standing.version,
            rendered.source.scope,
            partial(self.collection.entries.put, entry, rendered.standing),
            adds=True,
            replaces=_is_entry(standing.get(rendered.place)),
        )

    def _removals(
        self, seen: Iterable[_Seen], standing: Mapping[Place, Standing]
    ) -> Iterator[_Deed]:
        """Markers wherever something is not, or no longer, to be found."""
        for each in seen:
            for place in each.places[each.is_searched :]:
                there = standing.get(place)
                if each.source is not None:
                    yield from self._removal(each, place[0], there, each.version)
                elif there is not None:
                    # gone for good: no version that there was can bring it back
                    latest = max(there.version, each.changed.version)
                    yield from self._removal(each, place[0], there, latest)

    def _removal(
        self, seen: _Seen, scope: str, there: Standing | None, version: int
    ) -> Iterator[_Deed]:
        if there is not None and not _is_entry(there) and there.version >= version:
            self._leave(seen.changed, scope, there)
            return
        yield _Deed(
            seen.changed,
            version,
            scope,
            partial(self.collection.entries.remove, scope, seen.changed.record_id, version),
            adds=False,
            replaces=_is_entry(there),
        )

    def _done(self, deeds: Sequence[_Deed]) -> list[_Deed]:
        """Those that put something else in the place of an entry."""
        if not deeds:
            return []
        with ThreadPoolExecutor(min(len(deeds), MAX_WORKERS)) as pool:
            ended = list(pool.map(_tried, deeds))
        done = [self._counted(*pair) for pair in zip(deeds, ended, strict=True)]
        for outcome in ended:
            if isinstance(outcome, TRANSIENT):
                raise outcome
        return [
            deed for deed, is_done in zip(deeds, done, strict=True) if is_done and deed.replaces
        ]

    def _counted(self, deed: _Deed, outcome: object) -> bool:
        """Whether it was done."""
        if isinstance(outcome, Exception):
            if not isinstance(outcome, TRANSIENT):
                self.indexed.failed.append(Failed(deed.changed, outcome))
            return False
        if not outcome:
            self.indexed.unchanged += 1
            return False
        self.indexed.written += deed.adds
        self.indexed.removed += not deed.adds
        self.indexed.moved[deed.scope] += deed.adds - deed.replaces
        return True

    def _overtaken(self, done: Sequence[_Deed]) -> list[Changed]:
        """Who saw a later version may have found the entry, then in its place, right for that."""
        if not done:
            return []
        seen = self._loaded(merged(deed.changed for deed in done))
        latest = {each.changed.record_id: each.version for each in seen}
        return [
            deed.changed for deed in done if latest.get(deed.changed.record_id, 0) > deed.version
        ]

    def _alone(
        self, every: Iterable[tuple[Changed, Callable[[], Result]]]
    ) -> Iterator[tuple[Changed, Result]]:
        """What each gives; one that fails by itself is noted, and left out."""
        for changed, ask in every:
            try:
                yield changed, ask()
            except TRANSIENT:
                raise
            except Exception as error:  # noqa: BLE001 - raised, it would keep back the others
                self.indexed.failed.append(Failed(changed, error))


def _rendered(
    changed: Changed, source: Source, render: Callable[[], Searchable], embedder: str
) -> _Rendered:
    found = render()
    standing = Standing(source.version, _digest(source, found, embedder))
    return _Rendered(changed, source, found, standing)


def _with_vector(
    rendered: _Rendered, embed: Callable[[Sequence[str]], Sequence[Vector]]
) -> tuple[_Rendered, Vector]:
    (vector,) = embed([rendered.searchable.text])
    return rendered, vector


def _digest(source: Source, found: Searchable, embedder: str) -> bytes:
    """Of all that an entry is made from; another version of the source may have the same."""
    return digest(
        embedder,
        found.text,
        pack_terms(found.terms).hex(),
        source.type,
        source.sensitivity,
        repr(found.happened_s),
        found.thread,
        found.order,
    )


def _is_entry(there: Standing | None) -> bool:
    return there is not None and there.digest != b""


def _tried(deed: _Deed) -> bool | Exception:
    """Raised at once, it would hide what the other writes did."""
    try:
        return deed.run()
    except Exception as error:  # noqa: BLE001 - the caller raises what passes, and notes the rest
        return error
