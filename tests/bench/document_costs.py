"""What each operation on keyed documents costs: requests and units of the table.

python -m tests.bench.document_costs: prints the costs, and writes the rows of docs/costs.md.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.adapters.dynamodb.documents.items import head_key
from membrane.adapters.sentence_encoder import SentenceEncoder
from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import Selection
from membrane.domain.documents.places import Place
from membrane.domain.erasure.jobs import Job
from membrane.domain.erasure.targets import Target, TargetKind, document_id
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.table.dynamo import place_of
from membrane.usecases.archive.keyed_documents import lines_of_document
from membrane.usecases.archive.restore_line import parse_line, restore_line
from membrane.usecases.erasure.condemned import erase_document, finding_of
from membrane.wiring.world import World
from tests.bench.costs import counted
from tests.bench.figures import Figure, shown
from tests.bench.job_costs import OWNER
from tests.bench.price.table import with_costs
from tests.bench.workload import SCOPE
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING, FakeClock, counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.pages import manual
from tests.worlds.stores import Store, memory_store

BYTES = 1_000
"""Bytes of a value or of an item, which hardly compress."""

FORMER = 4
"""Former values of the document that is erased."""

SEARCHED = 100
LISTED = 10

GET = Cost(1, 0, 1)
"""A document of 1 KB takes 1.5 KB, with the audit entry: within the 4 KB of a read unit."""

PUT = Cost(2, 3, 1)
KEYED_PUT = Cost(3, 6, 2)
"""A transaction costs twice: two units of the document, and one of the key."""

MOVE = Cost(2, 12, 1)
"""Of three former values of 1 KB, beside the document in a transaction."""

END = Cost(2, 6, 1)
"""A transaction of the document, and of the end beside the document."""

LIMITS: Mapping[str, Cost] = {
    "PutDocument of 1 KB": PUT,
    "PutDocument of 1 KB with index": PUT,
    "PutDocument of 1 KB over another": PUT,
    "PutDocument of 1 KB that moves former values": MOVE,
    "PutDocument of 1 KB that moves the end forward": END,
    "PutDocument of 1 KB under a key": KEYED_PUT,
    "AppendItems of 1 KB under a key": Cost(4, 4, 3),
    "GetDocument": GET,
    "SearchDocuments of 10": Cost(1, 0, 6),
}


def document_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs, of values of 1 KB; clock and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    counter = _Counter(_services(store), meter(store.client))
    return dict(
        [
            *_of_writing(counter),
            *_of_reading(counter, store.clock),
            *_of_lists(counter),
            *_of_searching(counter),
            *_of_deleting(counter),
            *_of_erasing(counter),
            *_of_archiving(counter),
        ]
    )


def figures_of(found: Mapping[str, Cost]) -> Iterator[Figure]:
    """The costs beside their limits."""
    for operation, cost in found.items():
        yield from counted(operation, cost, LIMITS.get(operation))


def _services(store: Store) -> World:
    return store.services.but(new_salt=counted_salts(), embedders=(SentenceEncoder(),))


@dataclass(slots=True)
class _Counter:
    """Performs operations, and counts what the table charges."""

    services: World
    spent: Cost
    _values: int = 0

    def perform(self, rpc: str, **asked: object) -> None:
        request: JsonObject = {"scope": SCOPE, **asked}
        perform(row_of(rpc), request, OWNER, self.services)

    def at(self, rpc: str, key: str, **asked: object) -> Cost:
        """The cost of an operation on a document."""
        return self.of(rpc, namespace=["users", "ada"], key=key, **asked)

    def of(self, rpc: str, **asked: object) -> Cost:
        return spent_by(lambda: self.perform(rpc, **asked), self.spent)

    def value(self) -> JsonObject:
        """A value different from every earlier value."""
        self._values += 1
        return {"text": noise(BYTES - len('{"text":""}'), self._values)}


Named = Iterator[tuple[str, Cost]]


def _of_writing(counter: _Counter) -> Named:
    def put(key: str, **asked: object) -> Cost:
        return counter.at("PutDocument", key, value=counter.value(), **asked)

    yield "PutDocument of 1 KB", put("profile")
    for _ in range(FORMER):
        put("profile")
    put("settings")
    yield "PutDocument of 1 KB over another", put("settings")
    put("settings")
    yield "PutDocument of 1 KB that moves former values", put("settings")
    put("expiring")
    yield "PutDocument of 1 KB that moves the end forward", put("expiring", ttl_seconds=60)
    yield "PutDocument of 1 KB with index", put("indexed", index=["text"])
    yield "PutDocument of 1 KB under a key", put("keyed", idempotency_key="key")
    yield "PutDocument of 1 KB over another under a key", put("keyed", idempotency_key="other")
    yield "PutDocument under an operation id", put("named", operation_id="put-1")
    yield (
        "ReadOperation",
        spent_by(
            lambda: perform(
                row_of("ReadOperation"), {"operation_id": "put-1"}, OWNER, counter.services
            ),
            counter.spent,
        ),
    )


def _of_reading(counter: _Counter, clock: FakeClock) -> Named:
    counter.at("PutDocument", "session", value=counter.value(), ttl_seconds=60)
    yield "GetDocument", counter.at("GetDocument", "profile")
    clock.advance(seconds=30)
    yield "GetDocument with refresh", counter.at("GetDocument", "session", refresh=True)
    yield (
        f"GetDocument with history of {FORMER}",
        counter.at("GetDocument", "profile", history=FORMER),
    )


def _of_lists(counter: _Counter) -> Named:
    def append(**asked: object) -> Cost:
        return counter.at("AppendItems", "chat", items=[counter.value()], **asked)

    def take_off(**asked: object) -> Cost:
        return counter.at("DeleteDocument", "chat", items=1, **asked)

    append()
    for _ in range(20):
        append()
    yield "AppendItems of 1 KB", append()
    yield "GetDocument with 20 items", counter.at("GetDocument", "chat", items=20)
    yield "DeleteDocument of the newest item", take_off()
    yield "AppendItems of 1 KB under a key", append(idempotency_key="append")
    yield "DeleteDocument of the newest item under a key", take_off(idempotency_key="removal")


def _of_searching(counter: _Counter) -> Named:
    def search(**asked: object) -> Cost:
        return counter.of("SearchDocuments", namespace_prefix=["notes"], **asked)

    for number in range(SEARCHED):
        asked = {"namespace": ["notes", f"{number % LISTED}"], "key": f"{number}"}
        counter.perform("PutDocument", **asked, value=counter.value(), index=["text"])
    search(limit=10)  # the first cursor needs the key of cursors
    yield "SearchDocuments of 10", search(limit=10)
    yield f"SearchDocuments by a query over {SEARCHED}", search(query="Which tests fail?")
    yield f"ListNamespaces of {LISTED}", counter.of("ListNamespaces", prefix=["notes"])
    gets = [
        {"op": "get", "namespace": ["notes", f"{number}"], "key": f"{number}", "scope": SCOPE}
        for number in range(10)
    ]
    yield (
        "BatchDocuments of 10 gets",
        spent_by(
            lambda: perform(
                row_of("BatchDocuments"), {"operations": gets}, OWNER, counter.services
            ),
            counter.spent,
        ),
    )


def _of_deleting(counter: _Counter) -> Named:
    yield "DeleteDocument", counter.at("DeleteDocument", "indexed")
    yield "DeleteDocument under a key", counter.at("DeleteDocument", "named", idempotency_key="key")
    yield "DeleteDocument with erase", counter.at("DeleteDocument", "profile", erase=True)


def _of_erasing(counter: _Counter) -> Named:
    """What an erasure spends on a document that it finds; the walk is counted elsewhere."""
    place, services = Place(SCOPE, ("users", "ada"), "forgotten"), counter.services
    for _ in range(1 + FORMER):
        counter.at("PutDocument", place.key, value=counter.value())
    document = services.documents.load(place)
    assert document is not None
    target = Target(TargetKind.SUBJECT, subject="ada")
    job = Job(
        id="00000000-0000-4000-8000-000000000001",
        target=target,
        target_sha256="",
        reason="",
        principal=OWNER,
        actor_id=OWNER.actor_id,
        owner=OWNER.identity,
        is_dry_run=False,
        started_at=rfc3339(MORNING),
    )
    yield (
        "note of a document that an erasure finds",
        spent_by(lambda: finding_of(document, job, target, OWNER, services), counter.spent),
    )
    yield (
        "removal of a document by an erasure",
        spent_by(lambda: erase_document(document_id(place), job, services), counter.spent),
    )


def _of_archiving(counter: _Counter) -> Named:
    """What an export and a restore spend on a document with former values beside it."""
    place, services = Place(SCOPE, ("users", "ada"), "archived"), counter.services
    for _ in range(1 + FORMER):
        counter.at("PutDocument", place.key, value=counter.value())
    export = Export(
        id="00000000-0000-4000-8000-000000000002",
        selection=Selection(Sensitivity.HYPER, None),
        fingerprint="",
        created_at=rfc3339(MORNING),
        updated_at=rfc3339(MORNING),
        expires_at_s=0,
    )
    lines: list[bytes] = []

    def read() -> None:
        for several, _ in lines_of_document(place_of(head_key(place)), export, services):
            lines.extend(content for _, content in several)

    yield (
        f"lines of a document with {FORMER} former values in an export",
        spent_by(read, counter.spent),
    )
    with memory_store() as empty:
        empty.clock.now = services.now()
        target = _services(empty)

        def restore() -> None:
            for line in lines:
                assert restore_line(parse_line(line), target)

        yield (
            f"restore of a document with {FORMER} former values",
            spent_by(restore, meter(empty.client)),
        )


def main() -> int:
    """Print the costs, and write the rows."""
    with memory_store() as store:
        found = document_costs(store)
    page = manual("costs")
    page.path.write_text(with_costs(page.text, found), "utf-8")
    return shown(figures_of(found))


if __name__ == "__main__":
    sys.exit(main())
