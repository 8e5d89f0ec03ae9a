"""Import NDJSON objects from the bucket: S3 reports a new object, every line is a request.

A line is a request with the name of the RPC: `{"rpc": "IngestEvent", "source": ...}`.
"""

from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from membrane.adapters.aws_lambda.batches.ingests import INGESTS
from membrane.adapters.aws_lambda.batches.items import row_and_request
from membrane.adapters.aws_lambda.events.objects import process_object
from membrane.adapters.aws_lambda.http.operations import KEY, Row, perform, reporting
from membrane.adapters.aws_lambda.http.problems import FAULT_PROBLEM, kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.access.principals import Principal, Source
from membrane.domain.access.users import USER
from membrane.domain.imports.known_names import in_known_names
from membrane.domain.imports.ordering import names_in, target_of
from membrane.domain.language.errors import (
    DomainError,
    FailedPrecondition,
    PermissionDenied,
)
from membrane.domain.language.json_text import MAX_RECORD_DEPTH, JsonObject, parse_json
from membrane.domain.records.idempotency import keyed_id
from membrane.usecases.imports.progress import IMPORTS
from membrane.usecases.imports.work import Ingestion, Step
from membrane.usecases.machinery.calls import was_reinforced
from membrane.usecases.ports.surroundings import FAULT, Report
from membrane.usecases.ports.world import World

UNREADABLE = "ImportLines"
"""The RPC in the report of a fault before the line's RPC is known."""


def import_object(event: Event, context: Context, world: World) -> JsonObject:
    """Import the object: see `process_object`."""
    passes = [Ingestion(lambda: _Lines.of(world))]
    return process_object(event, context, IMPORTS, passes, world)


@dataclass(frozen=True, slots=True)
class _Request:
    """The request of a line."""

    row: Row
    asked: JsonObject
    key: str
    names: frozenset[str]
    principal: Principal
    world: World

    @property
    def rpc(self) -> str:
        return self.row.rpc

    @property
    def changes(self) -> str | None:
        return target_of(self.asked)

    def run(self) -> bool:
        with reporting(self.rpc, self.world):
            result = perform(self.row, self.asked, self.principal, self.world, self.key)
        return bool(result.replayed) or was_reinforced(result)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Parses lines as requests of the import principal.

    The local stack replaces the parameter's principal by the caller who put the object, as
    Source.IMPORT.
    """

    principal: Principal
    world: World
    is_parameter: bool

    @classmethod
    def of(cls, world: World) -> "_Lines":
        """Raises PermissionDenied if imports are closed."""
        if world.sources.imports is None:
            raise PermissionDenied("imports are closed in this deployment")
        alone = world.but(report=_one_at_a_time(world.report))
        given = world.sources.imports
        is_parameter = given.source is not Source.IMPORT
        return cls(given._replace(source=Source.IMPORT), alone, is_parameter)

    def step(self, content: bytes, key: str) -> Step:
        """Raises InvalidArgument for a line that is not a request."""
        row, asked = row_and_request(parse_json(content, MAX_RECORD_DEPTH), INGESTS)
        own = asked.get(KEY)
        line_key = own if isinstance(own, str) else key
        principal = self.principal
        with suppress(DomainError):  # `perform` refuses the line and reports the refusal
            principal = principal.acting_for(asked.get(USER))
        made = keyed_id(principal.identity, row.rpc, line_key)
        names = frozenset({made, *names_in(asked)})
        return _Request(row, asked, key, names, self.principal, self.world)

    def refusal_reason(self, error: Exception, step: Step | None) -> tuple[str, str]:
        """Code and detail as in a reply of the API, but without words that only the line has."""
        if isinstance(error, DomainError):
            return kind_of(error).code, self._in_parameters(error, _reason(error, step))
        self.world.report(UNREADABLE if step is None else step.rpc, FAULT, error)
        return FAULT_PROBLEM["code"], FAULT_PROBLEM["detail"]

    def _in_parameters(self, refusal: DomainError, reason: str) -> str:
        """The reason; where the principal lacks a right, with the parameter that gives rights."""
        if not (self.is_parameter and isinstance(refusal, PermissionDenied)):
            return reason
        return f"{reason.replace('the key', 'the principal')}: see the parameter ImportPrincipal"


def _reason(refusal: DomainError, step: Step | None) -> str:
    """The refusal without the target's id and without names of fields that no model has."""
    if isinstance(refusal, FailedPrecondition) and step is not None and step.changes is not None:
        return str(refusal).replace(f" {step.changes} ", " ", 1)
    return in_known_names(refusal)


def _one_at_a_time(report: Report) -> Report:
    """A report under a lock, since lines are processed side by side."""
    lock = Lock()

    def report_alone(rpc: str, code: str, fault: Exception | None = None) -> None:
        with lock:
            report(rpc, code, fault)

    return report_alone
