"""A table that holds the records of a set, and the index of them, to be asked through Retrieve."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.score import Weights
from membrane.usecases.machinery.calls import Written, reply_body
from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.wiring.settings import SearchSettings
from membrane.wiring.world import World
from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from membrane_local.template import read_template
from tests.bench.question_sets import Given, Query, QuestionSet
from tests.bench.scores import DEPTH
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeLinks
from tests.fakes.chat_models import Later, Metrics, Reports
from tests.fakes.clock import FakeClock, FakeSigner
from tests.worlds.dynoxide_server import run_server, server_client
from tests.worlds.stores import SETTINGS, STRUCTURE, TEMPLATE

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

MEMORY, DYNOXIDE = "memory", "dynoxide"

TABLE = "library"
WRITERS = {MEMORY: 1, DYNOXIDE: 4}
"""Records that are written at once."""

BATCH = 200
"""Records that are indexed, so embedded, together."""

LIBRARIAN = principal_of("librarian", Permission, ["*"], "hyper")
APART = timedelta(milliseconds=1)
"""Between one record's creation and the next one's."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, the best first, and how long it took."""

    keys: Sequence[str]
    taken_ms: float


@dataclass(frozen=True, slots=True)
class Library:
    """A filled table."""

    keys: Mapping[str, str]
    """The set's names of the records, by id."""
    reader: Principal
    """May see everything, and no higher: each level is a search of its own."""
    services: World

    @property
    def embedder(self) -> str:
        """What made the vectors."""
        return self.services.embedder.name

    def asking(self, weights: Weights) -> "Desk":
        """Where questions are answered with these weights."""
        return Desk(self.keys, self.reader, self.services.but(weights=weights))


@dataclass(frozen=True, slots=True)
class Desk:
    """Answers questions."""

    keys: Mapping[str, str]
    reader: Principal
    services: World

    def answer(self, query: Query) -> Answer:
        """By the real operation; raises the DomainError of a question that it refuses."""
        request = {"task_descriptor": query.text, "limit": max(DEPTH, query.k), **query.fields}
        start_s = perf_counter()
        reply = reply_body(perform(row_of("Retrieve"), request, self.reader, self.services))
        taken_ms = (perf_counter() - start_s) * 1e3
        return Answer([self.keys[record["id"]] for record in reply["records"]], taken_ms)


@contextmanager
def library(asked: QuestionSet, store: str, search: SearchSettings) -> Iterator[Library]:
    """The set in a store of its own."""
    with _endpoint(store) as endpoint:
        client = client_of(Database()) if endpoint is None else server_client(endpoint)
        services = _services(client, asked, search)
        records = _ingested(asked.records, services, WRITERS[store])
        _index(records, services)
        keys = {record.id: given.key for record, given in zip(records, asked.records, strict=True)}
        highest = max((record.sensitivity for record in records), key=lambda each: each.level)
        yield Library(keys, LIBRARIAN._replace(ceiling=highest), services)


@contextmanager
def _endpoint(store: str) -> Iterator[str | None]:
    """Of a store that holds nothing; None for one in this process."""
    if store == MEMORY:
        yield None
    else:
        with run_server(None) as endpoint:
            yield endpoint


def _services(client: "DynamoDBClient", asked: QuestionSet, search: SearchSettings) -> World:
    """Over a new table with the indexes that the template gives it for these settings."""
    parameters = {"EmbeddingDimensions": str(search.dimensions)}
    structure = read_template(TEMPLATE, parameters).table
    definition: Any = {part: structure[part] for part in STRUCTURE if part in structure}
    client.create_table(TableName=TABLE, **definition)
    return World(
        environment={**SETTINGS, "MEMBRANE_TABLE": TABLE},
        search_settings=search,
        dynamodb=client,
        blobs=FakeBlobs(),
        now=FakeClock(asked.known_by),
        report=Reports(),
        measure=Metrics(),
        links=FakeLinks(),
        imports=FakeImports(),
        signer=FakeSigner(),
        invoke_later=Later(),
    )


def _ingested(records: Sequence[Given], services: World, writers: int) -> Sequence[MemoryRecord]:
    """What became of them, in order; each is a little younger than the one before."""

    def ingested(number: int, given: Given) -> MemoryRecord:
        born = services.now() - (len(records) - number) * APART
        result = perform(
            row_of(given.rpc),
            given.fields,
            LIBRARIAN,
            services.but(now=lambda: born),
            f"{given.rpc} {given.key}",
        )
        assert isinstance(result, Written)
        return result.record

    with ThreadPoolExecutor(writers) as pool:
        return list(pool.map(ingested, count(), records))


def _index(records: Sequence[MemoryRecord], services: World) -> None:
    """As the stream's function does; raises what goes wrong with any of them."""
    changed = [ChangedSource(record.id, (record.scope,)) for record in records]
    for start in range(0, len(changed), BATCH):
        for failed in index_records(changed[start : start + BATCH], services).failed:
            raise failed.error
