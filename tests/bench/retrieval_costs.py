"""What a retrieval costs as the store grows, in other scopes and in the one that is asked.

Elsewhere must not matter at all. In the scope itself requests stay the same, and a search examines
more.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.access.principals import principal_of
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import StoredRecord
from membrane.table.keys import searched_partition, vector_key
from membrane.usecases.machinery.calls import reply_body
from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.wiring.world import World
from tests.bench.figures import TIMES, Figure
from tests.bench.transport import over_urllib3
from tests.builders.filled_stores import BATCH, fill
from tests.builders.stored_records import event, stored
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import MORNING
from tests.worlds.dynoxide_server import run_server, served_store
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store

Size = tuple[int, int]
"""Records in other scopes, and in the scope that is asked."""

SIZES: Sequence[Size] = ((1_000, 1_000), (100_000, 1_000), (100_000, 20_000))

HERE = "here"
ELSEWHERE = 100
"""Other scopes."""

ASKER = principal_of("asker", Permission, [HERE], "medium")
TURNS = 20
"""Of each thread."""

WORDS_A_TURN = 40
WORDS_A_QUESTION = 6
QUESTIONS = 20
LIMIT = 10
INDEXED_AT_ONCE = 100

TASK, SALIENCE = "for a task", "by salience"


@dataclass(frozen=True, slots=True)
class Spent:
    """On one retrieval."""

    cost: Cost
    cpu_s: float
    wall_s: float


def figures(
    sizes: Sequence[Size] = SIZES, questions: int = QUESTIONS, scopes: int = ELSEWHERE
) -> Iterator[Figure]:
    """Of each way to retrieve, at each size; sizes only grow."""
    with tempfile.TemporaryDirectory() as folder, run_server(Path(folder) / "table.db") as endpoint:
        shelf = Shelf.of(endpoint, scopes)
        spent: dict[tuple[str, Size], Sequence[Spent]] = {}
        for size in sizes:
            shelf.grow(size)
            for way in (TASK, SALIENCE):
                spent[way, size] = asked(shelf.services(), shelf.spent, way, questions)
                yield from _costs(way, size, sizes, spent)
                first = _name(way, sizes[0]), spent[way, sizes[0]]
                yield from times(_name(way, size), spent[way, size], first)


@dataclass(slots=True)
class Shelf:
    """A table that is filled from size to size."""

    store: Store
    spent: Cost
    scopes: int
    elsewhere: int = 0
    here: int = 0

    @classmethod
    def of(cls, endpoint: str, scopes: int) -> "Shelf":
        """An empty one."""
        store = served_store(endpoint)
        store.clock.now = MORNING
        over_urllib3(store.client)
        return cls(store, meter(store.client), scopes)

    def grow(self, size: Size) -> None:
        """Put what is missing."""
        elsewhere, here = size
        self._grow_elsewhere(range(self.elsewhere, elsewhere))
        self._grow_here(range(self.here, here))
        self.elsewhere, self.here = size

    def _grow_here(self, numbers: range) -> None:
        fill(self.store.inspector, self.store.table, self.store.codec, numbers, turn_here)
        self._index([turn_here(number) for number in numbers])

    def _grow_elsewhere(self, numbers: range) -> None:
        """Of a single text: what it says is not what anybody here asks for."""
        if not numbers:
            return
        client, table = self.store.inspector, self.store.table
        fill(client, table, self.store.codec, numbers, self._elsewhere)
        model = self._elsewhere(0)
        self._index([model])
        key = vector_key(model.id)
        kept = client.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
        for start in range(0, len(numbers), BATCH):
            puts = [
                {"PutRequest": {"Item": self._moved(kept, number)}}
                for number in numbers[start : start + BATCH]
            ]
            pending: Any = {table: puts}
            while pending:
                pending = client.batch_write_item(RequestItems=pending)["UnprocessedItems"]

    def _index(self, records: Sequence[StoredRecord]) -> None:
        """As the stream's function does; raises what goes wrong with any of them."""
        services = self.indexing_services()
        changed = [ChangedSource(each.id, (each.scope,)) for each in records]
        for start in range(0, len(changed), INDEXED_AT_ONCE):
            some = changed[start : start + INDEXED_AT_ONCE]
            for failed in index_records(some, services).failed:
                raise failed.error

    def indexing_services(self) -> World:
        """The services of the stream's function."""
        return self.services()

    def _elsewhere(self, number: int) -> StoredRecord:
        return _turn(f"elsewhere-{number}", 0, _scope(number % self.scopes))

    def _moved(self, vector: Mapping[str, Any], number: int) -> dict[str, Any]:
        """The vector as that of another record, in that record's scope."""
        partition = searched_partition(_scope(number % self.scopes), 0)
        return {**vector, **vector_key(f"elsewhere-{number}"), "search_pk": {"S": partition}}

    def services(self) -> World:
        """As a new environment has them."""
        return self.store.under(measure=Metrics())


def asked(services: World, spent: Cost, way: str, questions: int) -> Sequence[Spent]:
    """What each question costs, once the environment has answered one."""
    requests = [_request(way, number) for number in range(questions + 1)]
    return [rung(partial(_ask, each, services), spent) for each in requests][1:]


def rung(ask: Callable[[], object], counted: Cost) -> Spent:
    """What one call costs, by what the client counts and by the clocks."""
    before, cpu_s, wall_s = replace(counted), time.process_time(), time.perf_counter()
    ask()
    after_cpu_s, after_s = time.process_time(), time.perf_counter()
    return Spent(counted - before, after_cpu_s - cpu_s, after_s - wall_s)


def _ask(request: Mapping[str, Any], services: World) -> None:
    reply = reply_body(perform(row_of("Retrieve"), request, ASKER, services))
    if len(reply["records"]) != LIMIT:
        raise RuntimeError(f"a retrieval gives {len(reply['records'])} records")


def _request(way: str, number: int) -> Mapping[str, Any]:
    task = {} if way == SALIENCE else {"task_descriptor": words(-1 - number, WORDS_A_QUESTION)}
    return {**task, "limit": LIMIT}


def _costs(
    way: str, size: Size, sizes: Sequence[Size], spent: Mapping[tuple[str, Size], Sequence[Spent]]
) -> Iterator[Figure]:
    """Means; the same as with fewer records elsewhere, and as many requests as with fewer here."""
    before = sizes[: sizes.index(size)]
    others = [at for at in before if at[1] == size[1]]
    for unit, part in PARTS.items():
        fewer = others or (before if unit == "requests" else [])
        at_each = {at: mean(part(each.cost) for each in spent[way, at]) for at in (*fewer, size)}
        most = at_each[fewer[0]] if fewer else None
        yield Figure(f"{_name(way, size)}, {unit}", at_each[size], unit, most)


def times(
    name: str, spent: Sequence[Spent], first: tuple[str, Sequence[Spent]]
) -> Iterator[Figure]:
    """Medians; how they compare with those of the first size, which has a name, too."""
    first_name, at_first = first
    cpu_s, wall_s = (median(getattr(each, kind) for each in spent) for kind in ("cpu_s", "wall_s"))
    yield Figure(f"{name}, CPU", cpu_s * 1e3, "ms")
    yield Figure(f"{name}, latency over the emulator", wall_s * 1e3, "ms")
    if name != first_name:
        ratio = cpu_s / median(each.cpu_s for each in at_first)
        yield Figure(f"{name}, CPU against the first size", ratio, TIMES, None, first_name)


PARTS: Mapping[str, Callable[[Cost], float]] = {
    "requests": lambda cost: cost.requests,
    "WRU": lambda cost: cost.write_units,
    "RRU": lambda cost: cost.read_units,
    "bytes examined": lambda cost: cost.examined_bytes,
}


def _name(way: str, size: Size) -> str:
    return f"Retrieve {way} with {size[1]} records in its scope and {size[0]} in others"


def turn_here(number: int, said: int | None = None) -> StoredRecord:
    """A turn of some talk in the scope that is asked; says the text `said`, or one of its own."""
    return _turn(f"here-{number}", number, HERE, number if said is None else said)


def _turn(record_id: str, number: int, scope: str, said: int = 0) -> StoredRecord:
    payload = event(f"talk-{number // TURNS}:{number % TURNS}", words(said, WORDS_A_TURN))
    return stored(record_id, payload=payload, scope=scope)


def _scope(number: int) -> str:
    return f"other:{number:03d}"


def words(seed: int, count: int) -> str:
    """Of a language in which some words are much more common than others."""
    chance = random.Random(seed)
    return " ".join(chance.choices(_vocabulary(), _shares(), k=count))


@cache
def _vocabulary() -> Sequence[str]:
    chance = random.Random(0)
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    return ["".join(chance.choices(syllables, k=3)) for _ in range(4_000)]


@cache
def _shares() -> Sequence[float]:
    return [1 / rank for rank in range(1, len(_vocabulary()) + 1)]
