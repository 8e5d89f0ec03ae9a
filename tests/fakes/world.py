"""Services over fakes, with a default for every part."""

from collections.abc import Callable
from dataclasses import fields
from itertools import count
from typing import Any

from membrane.adapters.dynamodb.access.key_store import DynamoKeys
from membrane.adapters.dynamodb.archive.exports import DynamoExports
from membrane.adapters.dynamodb.archive.restores import DynamoRestores
from membrane.adapters.dynamodb.capture.claims import DynamoClaims
from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.erasure.fences import DynamoFences
from membrane.adapters.dynamodb.indexes.due import DynamoDue
from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
from membrane.adapters.dynamodb.indexes.names import DynamoNames
from membrane.adapters.dynamodb.indexes.natural import DynamoNatural
from membrane.adapters.dynamodb.indexes.rank import DynamoRanks
from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity
from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.adapters.dynamodb.records.ticket_queues import DynamoTicketQueues
from membrane.adapters.dynamodb.records.uploads import DynamoUploads
from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
from membrane.adapters.dynamodb.search.vector_search import VectorSearch
from membrane.adapters.dynamodb.search.vector_store import DynamoVectors
from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.search.score import Weights
from membrane.domain.tokens.cursors import KEY_BYTES
from membrane.usecases.ports.bucket import BlobStore, ImportStore
from membrane.usecases.ports.interpreters import HoldBack, Interpreter
from membrane.usecases.ports.operators import Measure, Report
from membrane.usecases.ports.search import Embedder, SetAside
from membrane.usecases.ports.services import (
    Clock,
    InvokeLater,
    SendToInterpreter,
    Services,
    SourcePrincipals,
)
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.usecases.ports.services_capture import InterpretingServices
from membrane.usecases.ports.services_search import ReadingServices, TopicsOfEntities
from membrane.usecases.ports.signing import Signer
from membrane.usecases.topics.topics_of_entities import topics_of_entities
from tests.fakes.archive import FakeExports, FakeRestores, FakeTopicRestores, FakeWalks
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeUploads
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.fences import FakeFences
from tests.fakes.indexes import FakeDue, FakeNatural, FakeRanks
from tests.fakes.integrity import FakeIntegrity
from tests.fakes.interpreters import FakeClaims, HeldBack
from tests.fakes.keys import FakeKeys
from tests.fakes.learning import FakeLearning
from tests.fakes.operators import Drawn, Later, Metrics, Reports
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeAnswers, FakeEmbedder, FakeSearch
from tests.fakes.signing import FakeSigner
from tests.fakes.ticket_queues import FakeTicketQueues
from tests.fakes.token_budgets import FakeTokenBudget
from tests.fakes.topics import FakeTopics
from tests.fakes.vectors import FakeCatalogue, FakeVectors, SetAsides

EXPORT_FUNCTION = "export"
"""The name of the function that writes exports."""

CURSOR_KEY = b"k" * KEY_BYTES
"""Under which cursors are sealed."""


def counted_ids() -> Callable[[], str]:
    """UUIDs of version 4 by number: ...0001, ...0002."""
    numbers = count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def counted_salts() -> Callable[[], str]:
    """128 bits in hex, by number."""
    numbers = count(1)
    return lambda: f"{next(numbers):032x}"


def make_services(
    *,
    records: DynamoRecords | None = None,
    ticket_queues: DynamoTicketQueues | None = None,
    keys: DynamoKeys | None = None,
    blobs: BlobStore | None = None,
    uploads: DynamoUploads | None = None,
    fences: DynamoFences | None = None,
    signer: Signer | None = None,
    imports: ImportStore | None = None,
    exports: DynamoExports | None = None,
    restores: DynamoRestores | None = None,
    now: Clock | None = None,
    new_id: Callable[[], str] | None = None,
    new_salt: Callable[[], str] | None = None,
    back_off: Callable[[int], None] | None = None,
    report: Report | None = None,
    measure: Measure | None = None,
    due: DynamoDue | None = None,
    ranks: DynamoRanks | None = None,
    natural: DynamoNatural | None = None,
    learning: DynamoLearning | None = None,
    names: DynamoNames | None = None,
    integrity: DynamoIntegrity | None = None,
    receipts: DynamoReceipts | None = None,
    draw: Callable[[int], int] | None = None,
    elapsed_s: Callable[[], float] | None = None,
    invoke_later: InvokeLater | None = None,
    policy: PolicyDefaults | None = None,
    retention: Retention | None = None,
    sources: SourcePrincipals | None = None,
    consolidate_function: str = "",
    send_to_interpreter: SendToInterpreter | None = None,
) -> Services:
    """Services over fakes, but for the parts given."""
    clock = now or FakeClock()
    defaults = policy or PolicyDefaults()
    stored = records or FakeRecords(clock, defaults)
    opened = stored.uploads if isinstance(stored, FakeRecords) else {}
    indexed = stored if isinstance(stored, FakeRecords) else FakeRecords(clock, defaults)
    return Services(
        records=stored,
        ticket_queues=ticket_queues or FakeTicketQueues(),
        keys=keys or FakeKeys(),
        blobs=blobs or FakeBlobs(clock),
        uploads=uploads or FakeUploads(opened, now=clock),
        fences=fences or FakeFences(),
        signer=signer or FakeSigner(),
        imports=imports or FakeImports(),
        exports=exports or FakeExports(indexed),
        restores=restores or FakeRestores(indexed),
        walks=FakeWalks(),
        now=clock,
        new_id=new_id or counted_ids(),
        new_salt=new_salt or counted_salts(),
        back_off=back_off or BackOff(),
        report=report or Reports(),
        measure=measure or Metrics(),
        due=due or FakeDue(indexed),
        ranks=ranks or FakeRanks(indexed),
        natural=natural or FakeNatural(indexed),
        learning=learning or FakeLearning(indexed),
        names=names or indexed.names,
        integrity=integrity or FakeIntegrity(indexed),
        receipts=receipts or FakeAnswers(clock),
        draw=draw or Drawn(),
        elapsed_s=elapsed_s or (lambda: 0.0),
        invoke_later=invoke_later or Later(),
        policy=defaults,
        retention=retention or Retention(),
        sources=sources or SourcePrincipals(),
        export_function=EXPORT_FUNCTION,
        consolidate_function=consolidate_function,
        send_to_interpreter=send_to_interpreter,
    )


def make_archive_services(**others: Any) -> ArchiveServices:
    """Services of exports and restores over fakes; see `make_services`."""
    usual = make_services(**others)
    records = usual.records if isinstance(usual.records, FakeRecords) else FakeRecords(usual.now)
    topics = FakeTopics(records)
    if isinstance(usual.exports, FakeExports):
        usual.exports.topics = topics
    return ArchiveServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        topics=topics,
        topic_restores=FakeTopicRestores(topics),
    )


def make_reading_services(
    *,
    vectors: DynamoVectors | None = None,
    embedder: Embedder | None = None,
    set_aside: SetAside | None = None,
    catalogue: DynamoCatalogue | None = None,
    search: VectorSearch | None = None,
    weights: Weights | None = None,
    score_floor: float = 0.0,
    **others: Any,
) -> ReadingServices:
    """The same with what retrieves and what keeps the search index; see `make_services`."""
    usual = make_services(**others)
    records = usual.records if isinstance(usual.records, FakeRecords) else FakeRecords(usual.now)
    kept = vectors or FakeVectors(now=usual.now, ended=records.ended, superseded=records.superseded)
    known = kept if isinstance(kept, FakeVectors) else FakeVectors(now=usual.now)
    made = embedder or FakeEmbedder()
    return ReadingServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        vectors=kept,
        embedder=made,
        embedders=(made,),
        set_aside=set_aside or SetAsides(),
        catalogue=catalogue or FakeCatalogue(records, known),
        search=search or FakeSearch(known),
        cursor_key=lambda: CURSOR_KEY,
        weights=weights or Weights(),
        score_floor=score_floor,
        topics_of_entities=topics_over(FakeTopics(records), usual),
    )


def topics_over(topics: DynamoTopics, services: Services) -> TopicsOfEntities:
    """The search for the topics of entities, over a store of topics."""
    return lambda entities, trust: topics_of_entities(entities, trust, services, topics)


def make_interpreting_services(
    *,
    interpreter: Interpreter | None = None,
    claims: DynamoClaims | None = None,
    hold_back: HoldBack | None = None,
    most_tries: int = 5,
    token_budget: DynamoTokenBudget | None = None,
    daily_tokens: int = 1_000_000,
    over: Services | None = None,
    **others: Any,
) -> InterpretingServices:
    """Services with a model that interprets captures, or without; see `make_services`.

    `over` are the usual services, in place of the `others` that make them.
    """
    usual = over or make_services(**others)
    return InterpretingServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        interpreter=interpreter,
        claims=claims or FakeClaims(usual.now),
        hold_back=hold_back or HeldBack(),
        most_tries=most_tries,
        token_budget=token_budget or FakeTokenBudget(),
        daily_tokens=daily_tokens,
    )
