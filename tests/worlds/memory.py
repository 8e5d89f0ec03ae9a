"""Services as production wires them over a table in memory, with doubles of what is outside."""

from dataclasses import replace
from functools import cache
from typing import Any

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.adapters.dynamodb.table.keys import upload_name
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.erasure.fenced_stores import fence_records, unfenced_records
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.interpreters import Interpreter
from membrane.usecases.ports.services import Clock, Services
from membrane.usecases.ports.services_capture import InterpretingServices
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.services_topics import TopicServices
from membrane.wiring.interpreter import build_interpreting
from membrane.wiring.interpreter_settings import read_interpreter_settings
from membrane.wiring.search import build_reading
from membrane.wiring.search_settings import SearchSettings, read_search_settings
from membrane.wiring.topic_settings import read_topic_settings
from membrane.wiring.topics import build_topics
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.interpreters import HeldBack
from tests.fakes.operators import Drawn, Later, Metrics, Reports
from tests.fakes.search import FakeEmbedder
from tests.fakes.told_reason import ToldReason
from tests.fakes.vectors import SetAsides
from tests.fakes.world import CURSOR_KEY, EXPORT_FUNCTION, counted_ids, counted_salts
from tests.worlds.memory_table import TABLE, TableRecords

DIMENSIONS = 384
"""Of the embedder that the template's table has a vector index for."""


def make_services(
    *,
    records: TableRecords | None = None,
    now: Clock | None = None,
    policy: PolicyDefaults | None = None,
    blobs: BlobStore | None = None,
    **parts: Any,
) -> Services:
    """The services over a new table, or over the table of the records, but for the parts given."""
    kept = records or TableRecords(now or FakeClock(), policy, blobs)
    built = kept.services
    usual: dict[str, Any] = {
        "policy": policy or kept.policy,
        "records": fence_records(kept, built.fences),
        "now": now or kept.now,
        "new_id": counted_ids(),
        "new_salt": counted_salts(),
        "back_off": BackOff(),
        "report": Reports(),
        "measure": Metrics(),
        "invoke_later": Later(),
        "draw": Drawn(),
        "elapsed_s": lambda: 0.0,
        "export_function": EXPORT_FUNCTION,
    }
    given = {name: part for name, part in parts.items() if part is not None}
    return replace(built, **usual | given)


def table_of(services: Services) -> TableRecords:
    """The records of the services, and their table."""
    found: object = unfenced_records(services.records)
    assert isinstance(found, TableRecords)
    return found


def put_upload(upload_id: str, content: bytes, services: Services) -> None:
    """Put the value of an upload where its link leads."""
    upload = services.uploads.find(upload_id)
    assert upload is not None
    services.blobs.write(upload_name(upload.id, upload.expires_at_s), content)


@cache
def _search_settings() -> SearchSettings:
    return read_search_settings({"MEMBRANE_SCORE_FLOOR": "0"})


def make_reading_services(*, set_aside: SetAsides | None = None, **others: Any) -> ReadingServices:
    """The same with the services that retrieve and index; see `make_services`."""
    usual = make_services(**others)
    embedder = FakeEmbedder(dimensions=DIMENSIONS)
    client = table_of(usual).client
    built = build_reading(usual, TABLE, _search_settings(), client, embedders=(embedder,))
    return replace(built, set_aside=set_aside or SetAsides(), cursor_key=lambda: CURSOR_KEY)


def make_interpreting_services(
    *, interpreter: Interpreter | None = None, over: Services | None = None, **others: Any
) -> InterpretingServices:
    """The same with a model that interprets captures, or without; see `make_services`.

    `over` are the usual services, in place of the `others` that make them.
    """
    names = ("claims", "hold_back", "most_tries", "daily_tokens", "token_budget")
    parts = {name: others.pop(name) for name in names if name in others}
    usual = over or make_services(**others)
    built = build_interpreting(
        usual,
        TABLE,
        interpreter,
        read_interpreter_settings({}),
        table_of(usual).client,
        hold_back=HeldBack(),
    )
    return replace(built, **{"daily_tokens": 1_000_000, **parts})


def topical(**others: Any) -> TopicServices:
    """The same with the services of topics; see `make_reading_services`."""
    usual = make_reading_services(**others)
    client = table_of(usual).client
    built = build_topics(usual, TABLE, _search_settings(), read_topic_settings({}), client)
    return replace(built, send_to_reasoning=ToldReason())


def documents_of(services: Services) -> DynamoDocuments:
    """The keyed documents over the table and the bucket of the services."""
    return DynamoDocuments(table_of(services).client, TABLE, services.blobs, services.now)
