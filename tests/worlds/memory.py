"""Services as production wires them over a table in memory, with doubles of what is outside."""

from dataclasses import replace
from functools import cache
from typing import Any

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
from membrane.adapters.dynamodb.table.keys import upload_name
from membrane.domain.chat.allowances import Limits
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.tokens.cursors import KEY_BYTES
from membrane.usecases.erasure.fenced_stores import fence_records, unfenced_records
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.chat_models import ChatModel
from membrane.usecases.ports.interpreters import Interpreter
from membrane.usecases.ports.search import Embedder
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.usecases.ports.services_capture import InterpretingServices
from membrane.usecases.ports.services_chat import ChatServices
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.services_tools import BearerServices
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.surroundings import Clock
from membrane.wiring.archive import build_archive
from membrane.wiring.bearer import build_bearer
from membrane.wiring.chat import build_chat
from membrane.wiring.chat_settings import read_chat_settings
from membrane.wiring.interpreter import build_interpreting
from membrane.wiring.interpreter_settings import read_interpreter_settings
from membrane.wiring.search import build_reading
from membrane.wiring.search_settings import SearchSettings, read_search_settings
from membrane.wiring.token_settings import read_token_settings
from membrane.wiring.tools import build_tools
from membrane.wiring.topic_settings import read_topic_settings
from membrane.wiring.topic_store import build_topic_store
from membrane.wiring.topics import build_topics
from tests.fakes.chat_models import TimeLeft
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.counted import counted_ids, counted_salts
from tests.fakes.interpreters import HeldBack
from tests.fakes.operators import Drawn, Later, Metrics, Reports
from tests.fakes.search import FakeEmbedder
from tests.fakes.set_asides import SetAsides
from tests.fakes.told_reason import ToldReason
from tests.worlds.memory_table import TableRecords

EXPORT_FUNCTION = "export"
"""The name of the function that writes exports."""

CURSOR_KEY = b"k" * KEY_BYTES
"""Under which cursors are sealed."""

DIMENSIONS = 384
"""Of the embedder that the template's table has a vector index for."""


def make_services(
    *,
    over: Services | None = None,
    records: TableRecords | None = None,
    now: Clock | None = None,
    policy: PolicyDefaults | None = None,
    blobs: BlobStore | None = None,
    **parts: Any,
) -> Services:
    """The services over a new table, or over the table of the records, but for the parts given.

    `over` are built services, of which all but the parts stay.
    """
    given = {name: part for name, part in parts.items() if part is not None}
    if over is not None:
        return replace(over, **given)
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
    return replace(built, **usual | given)


def table_of(services: Services) -> TableRecords:
    """The records of the services, and their table."""
    found: object = unfenced_records(services.records)
    assert isinstance(found, TableRecords)
    return found


def client_and_table(services: Services) -> tuple[Any, str]:
    """The client of the services' table, and its name."""
    store = unfenced_records(services.records)
    return store.client, store.table


def put_upload(upload_id: str, content: bytes, services: Services) -> None:
    """Put the value of an upload where its link leads."""
    upload = services.uploads.find(upload_id)
    assert upload is not None
    services.blobs.write(upload_name(upload.id, upload.expires_at_s), content)


@cache
def _search_settings() -> SearchSettings:
    return read_search_settings({"MEMBRANE_SCORE_FLOOR": "0"})


def make_reading_services(*, embedder: Embedder | None = None, **others: Any) -> ReadingServices:
    """The same with the services that retrieve and index; see `make_services`."""
    parts: dict[str, Any] = {"set_aside": SetAsides(), "cursor_key": lambda: CURSOR_KEY}
    parts |= _taken(others, "set_aside", "vectors", "search", "catalogue")
    usual = make_services(**others)
    client, table = client_and_table(usual)
    embedders = (embedder or FakeEmbedder(dimensions=DIMENSIONS),)
    built = build_reading(usual, table, _search_settings(), client, embedders=embedders)
    return replace(built, **parts)


def make_interpreting_services(
    *, interpreter: Interpreter | None = None, **others: Any
) -> InterpretingServices:
    """The same with a model that interprets captures, or without; see `make_services`."""
    parts: dict[str, Any] = {"daily_tokens": 1_000_000}
    parts |= _taken(others, "claims", "hold_back", "most_tries", "daily_tokens", "token_budget")
    usual = make_services(**others)
    client, table = client_and_table(usual)
    settings = read_interpreter_settings({})
    built = build_interpreting(usual, table, interpreter, settings, client, hold_back=HeldBack())
    return replace(built, **parts)


def topical(**others: Any) -> TopicServices:
    """The same with the services of topics; see `make_reading_services`."""
    parts: dict[str, Any] = {"send_to_reasoning": ToldReason()}
    parts |= _taken(others, "send_to_reasoning", "topics", "topic_vectors", "topic_policy")
    usual = make_reading_services(**others)
    client, table = client_and_table(usual)
    built = build_topics(usual, table, _search_settings(), read_topic_settings({}), client)
    return replace(built, **parts)


def bearing(**others: Any) -> BearerServices:
    """The same with the services of an agent's tools and keys; see `topical`."""
    usual = topical(**others)
    client, table = client_and_table(usual)
    return build_bearer(build_tools(usual, table, client), read_token_settings({}))


def chatting(
    model: ChatModel | None,
    *,
    budget: DynamoTokenBudget | None = None,
    limits: Limits | None = None,
    time_left: TimeLeft | None = None,
    **others: Any,
) -> ChatServices:
    """The same with a chat model; see `bearing`."""
    usual = bearing(**others)
    client, table = client_and_table(usual)
    built = build_chat(usual, table, model, read_chat_settings({}), client)
    left = time_left or TimeLeft()
    return replace(
        built,
        chat_budget=budget or built.chat_budget,
        chat_limits=limits or Limits(1_000_000, 1_000_000),
        remaining_s=left,
        pause=left.pause,
    )


def make_archive_services(**others: Any) -> ArchiveServices:
    """The same with the services of exports and restores; see `make_services`."""
    usual = make_services(**others)
    client, table = client_and_table(usual)
    return build_archive(usual, build_topic_store(usual, table, client), table, client)


def documents_of(services: Services) -> DynamoDocuments:
    """The keyed documents over the table and the bucket of the services."""
    client, table = client_and_table(services)
    return DynamoDocuments(client, table, services.blobs, services.now)


def _taken(others: dict[str, Any], *names: str) -> dict[str, Any]:
    """The parts of these names, taken out of the others."""
    found = {name: others.pop(name, None) for name in names}
    return {name: part for name, part in found.items() if part is not None}
