"""Every function of the template over a table in memory, whose state can be saved and brought back.

Each call of the table and the bucket, each message and each started function is a step, at which
something may happen.
"""

import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from itertools import count
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
from botocore.exceptions import ReadTimeoutError

from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S, DynamoFences
from membrane.domain.language.errors import Unavailable
from membrane.wiring.world import World
from membrane_local.clock import DevClock
from membrane_local.functions import FunctionError, Functions, OnUse
from membrane_local.memory.attributes import Refused
from membrane_local.memory.database import Database
from membrane_local.memory.reads import Reply, Request
from membrane_local.memory.tables import Table
from membrane_local.storage.clients import MemorySession, light_client, send_to, streams_of
from membrane_local.storage.stores import TABLE, Store
from membrane_local.storage.table import TableStream, ensure_table, stream_of
from membrane_local.template import Template, read_template
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeLinks
from tests.fakes.clock import MORNING, FakeSigner
from tests.worlds.cloud import CONTESTED, REPLACED, SCRIPTED, Cloud
from tests.worlds.faults import ADDRESS, without_retries
from tests.worlds.template import TEMPLATE
from tests.worlds.tuning import tuned

FORKED = "lives in"
"""The predicate of facts each of which forks the one before."""

PARAMETERS = tuned(
    {
        **SCRIPTED,
        "TopicMaxHistory": "5",
        "ConflictPolicies": json.dumps({CONTESTED: "contest", REPLACED: "replace", FORKED: "fork"}),
    }
)

SINGLE = {"PutItem", "UpdateItem", "DeleteItem"}
IN_TRANSACTIONS = ("record#", "topic#")
"""How the keys of items begin that transactions and single writes have in common."""
REFUSABLE = {"TransactWriteItems", "BatchGetItem", "BatchWriteItem"}
READS = {"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"}
READS_OF_PORTS = {"find", "get", "list_blobs", "list_files", "read_range", "result"}


class Step(NamedTuple):
    """A call of the table, the bucket or another service."""

    carry_out: Callable[[], Any]
    silence: Exception
    """What the caller is told whose reply is lost."""
    changes: bool = True
    """Whether something may be different afterwards."""
    refuse: Callable[[], Any] | None = None
    """Gives or raises the answer of a table that asks the caller to try again."""


@dataclass(slots=True)
class Steps:
    """Counts the steps, and lets something happen at one of them."""

    at: int = -1
    happen: Callable[[Step], Any] = lambda step: step.carry_out()
    taken: int = 0
    changing: list[int] = field(default_factory=list)
    """The numbers of the steps that may change something."""
    refusable: list[int] = field(default_factory=list)
    """The numbers of the steps that a table may refuse."""

    def take(self, step: Step) -> Any:
        number, self.taken = self.taken, self.taken + 1
        if step.changes:
            self.changing.append(number)
        if step.refuse:
            self.refusable.append(number)
        return self.happen(step) if number == self.at else step.carry_out()


@dataclass(slots=True)
class SteppedTables:
    """A database each of whose calls is a step."""

    database: Database
    stage: "Stage"

    def answer(self, operation: str, request: Request) -> Reply:
        """See Database."""
        step = Step(
            partial(self.database.answer, operation, request),
            ReadTimeoutError(endpoint_url=ADDRESS),
            operation not in READS,
            partial(_refuse, operation, request) if _may_refuse(operation, request) else None,
        )
        reply: Reply = self.stage.steps.take(step)
        return reply


def _may_refuse(operation: str, request: Request) -> bool:
    """Whether a transaction, or the number of items, may be in the way."""
    if operation not in SINGLE:
        return operation in REFUSABLE
    key = request.get("Key") or request["Item"]
    return str(key["pk"]["S"]).startswith(IN_TRANSACTIONS)


def _refuse(operation: str, request: Request) -> Reply:
    """A conflict with another transaction, or a batch of which nothing was done."""
    match operation:
        case "BatchGetItem":
            return {"Responses": {}, "UnprocessedKeys": request["RequestItems"]}
        case "BatchWriteItem":
            return {"UnprocessedItems": request["RequestItems"]}
        case _ if operation in SINGLE:
            raise Refused("TransactionConflictException", "Transaction is ongoing for the item")
        case _:
            reasons = [{"Code": "TransactionConflict"} for _ in request["TransactItems"]]
            code = "TransactionCanceledException"
            raise Refused(code, "Transaction cancelled", CancellationReasons=reasons)


class Stepped:
    """A port each of whose calls is a step."""

    def __init__(self, port: object, stage: "Stage") -> None:
        self._port, self._stage = port, stage

    def __getattr__(self, name: str) -> Any:
        return partial(self._take, getattr(self._port, name), name not in READS_OF_PORTS)

    def _take(self, call: Callable[..., Any], changes: bool, *given: Any) -> Any:  # noqa: FBT001
        carry_out = partial(_whole, call, *given)
        return self._stage.steps.take(Step(carry_out, Unavailable("silent"), changes))


def _whole(call: Callable[..., Any], *given: Any) -> Any:
    """The result; of a generator, all that the generator gives."""
    found = call(*given)
    return iter(list(found)) if hasattr(found, "__next__") else found


class Saved(NamedTuple):
    """The state of a stage."""

    table: Table
    blobs: FakeBlobs
    imports: FakeImports
    sent: list[tuple[str, str, int]]
    started: list[tuple[str, Any]]
    ids: int
    now: Any


@dataclass(slots=True)
class Stage:
    """The functions over one table and one bucket."""

    cloud: Cloud = field(init=False)
    database: Database = field(default_factory=Database)
    blobs: FakeBlobs = field(init=False)
    imports: FakeImports = field(init=False)
    steps: Steps = field(default_factory=Steps)
    ids: int = 0

    def __post_init__(self) -> None:
        """Create the table."""
        clock = DevClock()
        clock.set_to(MORNING)
        clock.freeze(frozen=True)
        self.blobs, self.imports = FakeBlobs(clock.now), FakeImports()
        client = send_to(
            light_client(), MemorySession(cast("Database", SteppedTables(self.database, self)))
        )
        without_retries(client)
        ensure_table(client, TABLE, _template().table)
        stream = stream_of(client, TABLE, _template().table)
        store = Store(
            client,
            cast("Any", Stepped(self.blobs, self)),
            lambda: None,
            cast("Any", Stepped(self.imports, self)),
            cast("Any", SimpleNamespace(links=FakeLinks())),
            TableStream(streams_of(self.database), stream),
            cast("Any", FakeSigner()),
        )
        looks = count(step=2 * FENCE_PERIOD_S)
        functions = Functions(
            _template(), store, clock, elapsed_s=looks.__next__, pause=lambda _: None
        )
        self.cloud = Cloud(store, functions, functions)
        self.begin()

    def begin(self) -> None:
        """Start the functions anew, with empty caches."""
        functions = self.cloud.functions
        functions.fences = DynamoFences(self.cloud.store.dynamodb, TABLE, functions.elapsed_s)
        functions.worlds = OnUse(self._world_of)
        send, start = self.cloud.sent.append, self.cloud.started.append
        functions.send = Stepped(SimpleNamespace(call=lambda *sent: send(sent)), self).call
        started = Stepped(SimpleNamespace(call=lambda *given: start(given)), self)
        functions.invoke_later = started.call
        functions.start_execution = lambda machine, _, event: started.call(machine, event)
        self.steps = Steps()

    def _world_of(self, logical_id: str) -> World:
        """With counted ids, and no waiting."""
        return self.cloud.functions.world_of(logical_id).but(
            new_id=self.new_id,
            new_salt=lambda: self.new_id().replace("-", ""),
            back_off=lambda _: None,
            draw=lambda _: 0,
        )

    def new_id(self) -> str:
        """The next id: later ids sort after earlier ids."""
        self.ids += 1
        return f"{self.ids:08x}-0000-4000-8000-000000000000"

    def changes(self) -> list[dict[str, Any]]:
        """The records of the table's stream."""
        stream = self.database.tables[TABLE].stream
        assert stream is not None
        return stream.read(0, 1_000)[0]

    def save(self) -> Saved:
        """The present state, which later changes leave alone."""
        cloud = self.cloud
        return Saved(
            _copy_of(self.database.tables[TABLE]),
            _copied(self.blobs),
            _copied(self.imports),
            [*cloud.sent],
            [*cloud.started],
            self.ids,
            cloud.functions.clock.now(),
        )

    def restore(self, saved: Saved) -> None:
        """Bring a state back, and start the functions anew."""
        self.database.tables[TABLE] = _copy_of(saved.table)
        self.database.tokens.clear()
        for kept, port in ((saved.blobs, self.blobs), (saved.imports, self.imports)):
            for name, value in _contents(_copied(kept)).items():
                setattr(port, name, value)
        self.cloud.sent[:], self.cloud.started[:] = saved.sent, saved.started
        self.ids = saved.ids
        self.cloud.functions.clock.set_to(saved.now)
        self.begin()

    def run(self, act: Callable[[], Any], steps: Steps | None = None) -> Any:
        """What an act comes to in execution environments of its own."""
        self.begin()
        self.steps = steps or Steps()
        try:
            return act()
        except FunctionError as error:
            return {"error": error.error_type, "message": str(error)}
        finally:
            self.steps = Steps()


@cache
def _template() -> Template:
    return read_template(TEMPLATE, PARAMETERS)


def _copy_of(table: Table) -> Table:
    """A copy that shares the images of items, which nothing changes."""
    copied = copy(table)
    copied.items = dict(table.items)
    copied.own = replace(table.own, entries=[*table.own.entries])
    copied.secondary = [replace(each, entries=[*each.entries]) for each in table.secondary]
    copied.searched = []
    for index in table.searched:
        rows = {
            filters: replace(
                each,
                matrix=np.array(each.matrix),
                rows=[*each.rows],
                places=dict(each.places),
            )
            for filters, each in index.rows.items()
        }
        searched = copy(index)
        searched.rows, searched.filters = rows, dict(index.filters)
        copied.searched.append(searched)
    if table.stream is not None:
        copied.stream = replace(table.stream, changes=copy(table.stream.changes))
    return copied


def _contents(port: Any) -> Mapping[str, dict[Any, Any]]:
    """The dicts of a port in memory."""
    held = {each.name: getattr(port, each.name) for each in fields(port)}
    return {name: value for name, value in held.items() if isinstance(value, dict)}


def _copied(port: Any) -> Any:
    """A copy with dicts of its own."""
    return replace(port, **{name: dict(value) for name, value in _contents(port).items()})
