"""Worlds as production has them over a table in memory, with doubles of what is outside."""

from typing import Any

from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.adapters.dynamodb.models import DynamoTokenBudget
from membrane.domain.chat.allowances import Limits
from membrane.domain.language.cursors import KEY_BYTES
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.table.blobs import BlobStore
from membrane.table.keys import upload_name
from membrane.usecases.ports.models import ChatModel
from membrane.usecases.ports.search import Embedder
from membrane.usecases.ports.surroundings import Clock
from membrane.wiring.world import World
from tests.fakes.chat_models import Drawn, Later, Metrics, Reports, TimeLeft, ToldReason
from tests.fakes.clock import (
    BackOff,
    FakeClock,
    FakeEmbedder,
    SetAsides,
    counted_ids,
    counted_salts,
)
from tests.fakes.interpreters import HeldBack
from tests.worlds.memory_table import TableRecords

EXPORT_FUNCTION = "export"
"""The name of the function that writes exports."""

CURSOR_KEY = b"k" * KEY_BYTES
"""Under which cursors are sealed."""

DIMENSIONS = 384
"""Of the embedder that the template's table has a vector index for."""


def make_world(
    *,
    records: TableRecords | None = None,
    now: Clock | None = None,
    policy: PolicyDefaults | None = None,
    blobs: BlobStore | None = None,
    embedder: Embedder | None = None,
    **parts: Any,
) -> World:
    """A world over a new table, or over the table of the records, but for the parts given."""
    kept = records or TableRecords(now or FakeClock(), policy, blobs)
    over = kept.services
    usual: dict[str, Any] = {
        "policy": policy or kept.policy,
        "codec": over.codec,
        "classes": over.classes,
        "records": kept,
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
        "embedders": (embedder or FakeEmbedder(dimensions=DIMENSIONS),),
        "score_floor": 0.0,
        "set_aside": SetAsides(),
        "send_to_reasoning": ToldReason(),
        "hold_back": HeldBack(),
        "cursor_key": lambda: CURSOR_KEY,
    }
    given = {name: part for name, part in parts.items() if part is not None}
    return World(**{**over.given, **usual, **given})


def anew(world: World, **parts: Any) -> World:
    """A world of what was given to that world, but for the parts; made parts are not shared."""
    return World(**{**world.given, **parts})


def table_of(world: World) -> TableRecords:
    """The records of the world, and their table."""
    found: object = world.records
    assert isinstance(found, TableRecords)
    return found


def client_and_table(world: World) -> tuple[Any, str]:
    """The client of the world's table, and its name."""
    store = world.records
    return store.client, store.table


def put_upload(upload_id: str, content: bytes, world: World) -> None:
    """Put the value of an upload where its link leads."""
    upload = world.uploads.find(upload_id)
    assert upload is not None
    world.blobs.write(upload_name(upload.id, upload.expires_at_s), content)


def chatting(
    model: ChatModel | None,
    *,
    budget: DynamoTokenBudget | None = None,
    limits: Limits | None = None,
    time_left: TimeLeft | None = None,
    **others: Any,
) -> World:
    """The same with a chat model; see `make_world`."""
    left = time_left or TimeLeft()
    return make_world(
        chat_budget=budget,
        chat_limits=limits or Limits(1_000_000, 1_000_000),
        remaining_s=left,
        pause=left.pause,
        **others,
    ).but(chat_model=model)


def documents_of(world: World) -> DynamoDocuments:
    """The keyed documents over the table and the bucket of the world."""
    client, table = client_and_table(world)
    return DynamoDocuments(
        client, table, world.blobs, world.require_open, world.now, world.retention
    )
