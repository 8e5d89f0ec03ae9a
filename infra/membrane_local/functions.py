"""The template's functions, run in this process as Lambda would run them."""

import importlib.util
import json
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache
from math import inf
from pathlib import Path
from threading import Condition, Lock
from typing import Any
from uuid import uuid4

from membrane.adapters.aws_lambda.invocation import Reply, StreamedReply, under_way
from membrane.adapters.aws_lambda.streaming.runtime_api import close_pieces
from membrane.adapters.dynamodb.erasure.fences import DynamoFences
from membrane.adapters.messaging import Send
from membrane.domain.access.principals import Principal, Source
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.values import MAX_PAYLOAD_BYTES, payload_bytes
from membrane.usecases.ports.surroundings import InvokeLater
from membrane.wiring.environment import PREFIX, SettingError
from membrane.wiring.settings import TABLE as TABLE_OF_SETTINGS
from membrane.wiring.settings import read_settings
from membrane.wiring.start import serving
from membrane.wiring.world import World
from membrane_local.account import ACCOUNT, OWNER, REGION
from membrane_local.clock import DevClock
from membrane_local.http_messages import Emit
from membrane_local.refusals import Refused, TemplateError
from membrane_local.scripted_models import (
    ScriptedChat,
    ScriptedInterpreter,
    is_scripted,
    without_scripts,
)
from membrane_local.storage.stores import BUCKET, TABLE, Store
from membrane_local.template import Function, Template

Handler = Callable[[Any, Any], Any]

FENCE_WAIT_S = "1"
"""Seconds for calls that have looked at the fences to end; calls here take less."""

RECEIPT_WAIT_S = 20.0
"""Longer than in AWS, where a slow write means a store in trouble, not a busy machine."""


class PayloadTooLargeError(Exception):
    """The event or the reply exceeds the payload limit of an invocation."""


class FunctionError(Exception):
    """The function raised an error; carries the type and the message, as Lambda's report does."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error_type = type(error).__name__


@dataclass(frozen=True, slots=True)
class LocalContext:
    """The part of Lambda's context object that handlers use."""

    aws_request_id: str
    invoked_function_arn: str
    deadline_s: float
    """By the machine's monotonic clock: moving the stack's clock does not stop a function."""
    streams: bool
    """Whether the function may answer with a StreamedReply."""

    def get_remaining_time_in_millis(self) -> int:
        return max(0, round((self.deadline_s - time.monotonic()) * 1000))


PAUSE_S = 0.01
"""Seconds without a request before the stream goes on: callers send the next request sooner."""


class Ingests:
    """Ingest requests under way, for which the reader of the table's stream waits."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._count = 0
        self._ended_s = -inf

    @contextmanager
    def under_way(self) -> Iterator[None]:
        with self._changed:
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._ended_s = time.monotonic()
                self._changed.notify_all()

    def give_way(self, longest_s: float) -> None:
        """Wait until no request has been under way for PAUSE_S, or for `longest_s` seconds."""
        end_s = time.monotonic() + longest_s
        with self._changed:
            while (wait_s := min(self._rest_s(), end_s - time.monotonic())) > 0:
                self._changed.wait(wait_s)

    def _rest_s(self) -> float:
        return inf if self._count else self._ended_s + PAUSE_S - time.monotonic()


class OnUse(dict[str, World]):
    """The world of each function by its logical id, made when the function is first used."""

    def __init__(self, make: Callable[[str], World]) -> None:
        super().__init__()
        self._make, self._making = make, Lock()

    def __missing__(self, logical_id: str) -> World:
        with self._making:
            if logical_id not in self:
                self[logical_id] = self._make(logical_id)
            return self[logical_id]


def _without_deliveries(target: str, *_: object) -> None:
    raise RuntimeError(f"nothing is delivered to {target} here")


@dataclass(slots=True)
class Functions:
    template: Template
    store: Store
    clock: DevClock
    worlds: Mapping[str, World] = field(init=False)
    elapsed_s: Callable[[], float] = time.monotonic
    """The clock by which a function knows how old its look at the fences is."""
    pause: Callable[[float], None] = time.sleep
    """How an erasure waits for the end of calls that do not know the fence."""
    invoke_later: InvokeLater = _without_deliveries
    start_execution: Callable[[str, str, JsonObject], None] = _without_deliveries
    """By state machine and name."""
    send: Send = _without_deliveries
    """Takes messages to queues, by the queues' logical ids."""
    hide: Callable[[str, str, int], None] = _without_deliveries
    """Hides messages, by queue and receipt, for seconds."""
    remove_where: Callable[[Callable[[str], bool]], Sequence[str]] = lambda _is_wanted: ()
    """Removes dead letters with a wanted body. `Deliveries` sets this field and those above."""
    fences: DynamoFences = field(init=False)
    """Shared by all functions, so that each knows a new fence at once."""
    importers: dict[str, Principal] = field(default_factory=dict)
    """Who asked for the imports, by the names of the objects; in AWS a parameter names the one."""
    ingests: Ingests = field(default_factory=Ingests)

    def __post_init__(self) -> None:
        """Start the first execution environments."""
        self.start_afresh()

    def start_afresh(self) -> None:
        """Replace the execution environments, with all caches of the former ones."""
        self.fences = DynamoFences(self.store.dynamodb, TABLE, self.elapsed_s)
        self.worlds = OnUse(self.world_of)

    def keep_classes(self) -> None:
        """Save the list of decay classes in a lasting store, for a stack with other settings.

        In AWS a daily job does so; a local stack may end before the first run. See `DynamoRanks`.
        """
        if self.store.key_file is not None:
            self.worlds[self.template.authorizer_id].ranks.keep_classes()

    def invoke(
        self, logical_id: str, event: Any, request_id: str = "", emit: Emit | None = None
    ) -> Any:
        """The function's reply, without the body that `emit` has sent.

        Raises FunctionError, PayloadTooLargeError, and KeyError. A context of its own keeps the ids
        of the request as long as the call takes.
        """
        return copy_context().run(self._run, logical_id, event, request_id or str(uuid4()), emit)

    def _run(self, logical_id: str, event: Any, request_id: str, emit: Emit | None) -> Any:
        """Call the handler; `emit` needs the world in place, and the same thread."""
        function = self._function(logical_id)
        handler = _handler(function.folder, function.handler)
        context = LocalContext(
            request_id,
            function_arn(logical_id),
            time.monotonic() + function.timeout_s,
            streams=emit is not None,
        )
        payload = _json_round_trip(event)
        with serving(self._importing(self.worlds[logical_id], event)):
            try:
                reply = handler(payload, context)
                if emit is not None and isinstance(reply, StreamedReply):
                    reply = _send_pieces(reply, emit)
            except Exception as error:
                print(f"{logical_id}: fault{_of_request()}", file=sys.stderr)
                traceback.print_exc(file=sys.stderr)
                raise FunctionError(error) from error
        return _json_round_trip(reply)

    def _importing(self, usual: World, event: Any) -> World:
        """The world; for an object to import, with the principal who asked for the import."""
        match event:
            case {"detail": {"object": {"key": str(key)}}} if key in self.importers:
                importer = self.importers[key]._replace(source=Source.IMPORT)
                return usual.but(sources=usual.sources._replace(imports=importer))
            case _:
                return usual

    def _function(self, logical_id: str) -> Function:
        """Raises KeyError."""
        return {each.logical_id: each for each in self.template.functions}[logical_id]

    def world_of(self, logical_id: str) -> World:
        function = self._function(logical_id)
        names = {self.template.table_id: TABLE, self.template.bucket_id: BUCKET}
        made: World = local_world(
            {name: names.get(value, value) for name, value in function.environment.items()},
            dynamodb=self.store.dynamodb,
            blobs=self.store.blobs,
            links=self.store.bucket_endpoint.links,
            imports=self.store.imports,
            signer=self.store.signer,
            fences=self.fences,
            now=self.clock.now,
            pause=self.pause,
            receipt_wait_s=RECEIPT_WAIT_S,
            report=_show_fault,
            measure=lambda *_, **__: None,  # nobody reads metrics here; the replies have them
            dead_letters=self,
            # Looked up at the time of the call: `Deliveries` sets the fields later.
            invoke_later=lambda *call: self.invoke_later(*call),  # noqa: PLW0108
            send=lambda *message: self.send(*message),  # noqa: PLW0108
            start_execution=lambda *execution: self.start_execution(
                made.stack.study_machine, *execution
            ),
            hold_back=lambda *message: self.hide(made.stack.interpreter_queue, *message),
        )
        return made.but(senders=(*made.senders, OWNER))

    def are_all_visible(self) -> bool:
        """True: `remove_where` sees hidden dead letters, too."""
        return True


def function_arn(logical_id: str) -> str:
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{logical_id}"


def require_settings(template: Template) -> None:
    """Raises Refused for a parameter that a function would refuse, before any store is opened."""
    for function in template.functions:
        environment = without_scripts(function.environment)
        try:
            for section in TABLE_OF_SETTINGS:
                read_settings(section, environment, allows_loopback=True)
        except SettingError as error:
            named = function.parameters  # in place of the variables that carry them
            words = re.sub(rf"{PREFIX}\w+", lambda found: named.get(found[0], found[0]), str(error))  # noqa: B023 - called at once
            if words.startswith(PREFIX):
                raise TemplateError(words) from error
            raise Refused(f"--parameter {words}") from error


def local_world(variables: Mapping[str, str], **parts: Any) -> World:
    """A world with the settings of the variables, in which a script may stand for a model."""
    if is_scripted(variables, "CHAT_MODEL"):
        parts["chat_model"] = ScriptedChat()
    if is_scripted(variables, "INTERPRETER"):
        parts["interpreter"] = ScriptedInterpreter()
    environment = {f"{PREFIX}FENCE_WAIT_SECONDS": FENCE_WAIT_S, **without_scripts(variables)}
    return World(environment=environment, allows_loopback=True, **parts)


def _show_fault(rpc: str, code: str, fault: Exception | None = None) -> None:
    """Print a fault to standard error, in place of CloudWatch; a success prints nothing."""
    if fault is not None:
        print(f"{rpc}: {code}{_of_request()}", file=sys.stderr)
        traceback.print_exception(fault, file=sys.stderr)


def _of_request() -> str:
    ids = under_way.get()
    return f", request_id {ids.request_id}" if ids else ""


@cache
def _handler(folder: Path, entry: str) -> Handler:
    module_name, function_name = entry.split(".")
    path = folder / f"{module_name}.py"
    spec = importlib.util.spec_from_file_location(f"local.{folder.name}.{module_name}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: Handler = getattr(module, function_name)
    return handler


def _send_pieces(reply: StreamedReply, emit: Emit) -> Reply:
    """Send the pieces, then close them: the client may have left before the last piece."""
    try:
        emit(reply)
    finally:
        close_pieces(reply.chunks)
    return {"statusCode": reply.status, "headers": dict(reply.headers)}


def _json_round_trip(payload: Any) -> Any:
    if payload_bytes(payload) > MAX_PAYLOAD_BYTES:
        raise PayloadTooLargeError(f"the payload is larger than {MAX_PAYLOAD_BYTES} bytes")
    return json.loads(json.dumps(payload))
