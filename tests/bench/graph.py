"""What a graph costs beside a retrieval, as the scope grows and an entity is mentioned more often.

A graph may take three requests and one a hop beyond the retrieval, and half as much CPU again.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.adapters.dynamodb.indexes.names import writes_of
from membrane.adapters.dynamodb.records.beside import edge_item
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.records.evidence import MENTIONS_ENTITY
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
from membrane.table.dynamo import commit
from membrane.usecases.machinery.calls import reply_body
from membrane.usecases.ports.records import NameBucket, NameChange, NamePlace
from membrane.usecases.ports.search import Embedder
from membrane.wiring.world import World
from tests.bench.figures import TIMES, Figure
from tests.bench.retrieval_costs import (
    ASKER,
    HERE,
    PARTS,
    QUESTIONS,
    WORDS_A_QUESTION,
    Shelf,
    Spent,
    rung,
    turn_here,
    words,
)
from tests.builders.filled_stores import BATCH, fill
from tests.builders.stored_records import NOW, NOW_S, stored
from tests.worlds.dynoxide_server import run_server

SIZES = (1_000, 20_000)
LARGE = (100_000,)
TEXTS = 20_000
"""Different texts of records; further records say the same, so that a large scope is filled soon.
"""

HOPS = (0, 1, 2)
BESIDE_HOPS = 3
"""Requests beyond a retrieval, beside one a hop."""
MOST_CPU = 1.5
"""As a multiple of a retrieval."""

MENTIONED = 50
"""Records for each entity."""
MOST_MENTIONS = 5_000
"""Of the entity that every fourth record mentions."""
HUB = "Panopticon"


def figures(
    sizes: Sequence[int] = SIZES,
    questions: int = QUESTIONS,
    most_cpu: float | None = MOST_CPU,
) -> Iterator[Figure]:
    """Of a graph with each number of hops, at each size."""
    with tempfile.TemporaryDirectory() as folder, run_server(Path(folder) / "table.db") as endpoint:
        shelf = GraphShelf.of(endpoint, 1)
        for size in sizes:
            shelf.grow((0, size))
            services = shelf.services()
            spent = spent_in_turn(services, shelf, questions)
            usual = spent[None]
            for hops in HOPS:
                name = f"RetrieveGraph of {hops} hops with {size} records in its scope"
                yield from _costs(name, hops, spent[hops], usual)
                pairs = zip(spent[hops], usual, strict=True)
                ratio = median(one.cpu_s / other.cpu_s for one, other in pairs)
                limit = None if most_cpu is None or hops != 1 else most_cpu
                yield Figure(f"{name}, CPU", ratio, TIMES, limit, "Retrieve for a task")


def large_figures() -> Iterator[Figure]:
    """The same at the largest size."""
    return figures(LARGE)


def spent_in_turn(
    services: World, shelf: Shelf, questions: int
) -> Mapping[int | None, Sequence[Spent]]:
    """What each question costs by the number of hops, None for a retrieval.

    The environment has answered a question before. Each question is asked in all ways in turn, so
    that a busy machine slows all ways alike.
    """
    spent: dict[int | None, list[Spent]] = {each: [] for each in (None, *HOPS)}
    for number in range(questions + 1):
        task = {"task_descriptor": _question(number)}
        for hops, costs in spent.items():
            ask = partial(_ask, "Retrieve", task, services)
            if hops is not None:
                ask = partial(_ask, "RetrieveGraph", {**task, "max_hops": hops}, services)
            costs.append(rung(ask, shelf.spent))
    return {hops: costs[1:] for hops, costs in spent.items()}


def _ask(rpc: str, request: dict[str, Any], services: World) -> None:
    _ = reply_body(perform(row_of(rpc), request, ASKER, services))


def _question(number: int) -> str:
    """Every second question names the entity with the most mentions."""
    name = HUB if number % 2 else _name(number)
    return f"{words(-1 - number, WORDS_A_QUESTION)} {name}"


def _costs(
    name: str, hops: int, spent: Sequence[Spent], usual: Sequence[Spent]
) -> Iterator[Figure]:
    """The most requests beyond a retrieval, and the mean units beyond it."""
    beyond = max(
        one.cost.requests - other.cost.requests for one, other in zip(spent, usual, strict=True)
    )
    most = BESIDE_HOPS + hops if hops else 1
    yield Figure(f"{name}, requests beyond a retrieval", beyond, "requests", most)
    units = mean(PARTS["RRU"](each.cost) for each in spent)
    yield Figure(f"{name}, RRU", units, "RRU")


@dataclass(slots=True)
class RepeatingEmbedder:
    """Embeds each text once; `named` is the embedder that embeds."""

    named: Embedder
    known: dict[str, Sequence[float]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """See Embedder."""
        return self.named.name

    @property
    def dimensions(self) -> int:
        """See Embedder."""
        return self.named.dimensions

    @property
    def concurrency(self) -> int | None:
        """See Embedder."""
        return self.named.concurrency

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See Embedder."""
        new = [each for each in dict.fromkeys(texts) if each not in self.known]
        self.known |= zip(new, self.named.embed(new), strict=True)
        return [self.known[each] for each in texts]


class GraphShelf(Shelf):
    """A table whose records mention entities."""

    def indexing_services(self) -> World:
        services = super().indexing_services()
        embedders = [RepeatingEmbedder(each) for each in services.embedders]
        return services.but(embedders=embedders)

    def _grow_here(self, numbers: range) -> None:
        first = numbers.start // MENTIONED
        named = [_name(number) for number in range(first, numbers.stop // MENTIONED)]
        named += [] if numbers.start else [HUB]
        made = [*map(_entity, named), *map(_mentioning, numbers)]
        fill(
            self.store.inspector,
            self.store.table,
            self.store.codec,
            range(len(made)),
            made.__getitem__,
        )
        for name in named:
            term = term_of(name)
            place = NamePlace(HERE, first_word_of(term))
            bucket = NameBucket(place, _entity(name).sensitivity)
            change = NameChange(bucket, {term: _entity(name).id})
            commit(self.store.inspector, self.store.table, writes_of([change]))
        self._put([edge_item(each, edge) for each in made for edge in each.record.relations])
        self._index(made)

    def _put(self, items: Sequence[dict[str, Any]]) -> None:
        table = self.store.table
        for start in range(0, len(items), BATCH):
            pending: Any = {
                table: [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH]]
            }
            while pending:
                answer = self.store.inspector.batch_write_item(RequestItems=pending)
                pending = answer["UnprocessedItems"]


def _name(number: int) -> str:
    return f"Entity{number}"


def _entity(name: str) -> StoredRecord:
    payload = EntityPayload(kind="entity", canonical_name=name)
    return stored(f"entity-{name}", payload=payload, scope=HERE, tags=())


def _mentioning(number: int) -> StoredRecord:
    """A turn that mentions an entity, and maybe the entity with the most mentions."""
    names = [_name(number // MENTIONED)]
    if number % 4 == 0 and number < 4 * MOST_MENTIONS:
        names.append(HUB)
    turn = turn_here(number, said=number % TEXTS)
    relations = tuple(
        Relation(predicate=MENTIONS_ENTITY, target_id=f"entity-{each}", weight=1.0, created_at=NOW)
        for each in names
    )
    return stored(
        turn.id,
        payload=turn.record.payload,
        scope=HERE,
        relations=relations,
        born_s=NOW_S - (number % 86_400),
    )
