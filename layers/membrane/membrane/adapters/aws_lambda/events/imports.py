"""Import NDJSON objects from the bucket: S3 reports a new object, every line is a request.

A line is a request with the name of the RPC: `{"rpc": "IngestEvent", "source": ...}`.
"""

from contextlib import suppress
from functools import partial
from threading import Lock

from membrane.adapters.aws_lambda.batches.ingests import INGESTS
from membrane.adapters.aws_lambda.batches.items import row_and_request
from membrane.adapters.aws_lambda.events.objects import process_object, refusal_of
from membrane.adapters.aws_lambda.http.operations import KEY, perform, reporting
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.access.principals import USER, Principal, Source
from membrane.domain.imports import in_known_names, names_in, target_of
from membrane.domain.language.errors import DomainError, FailedPrecondition, PermissionDenied
from membrane.domain.language.json_text import MAX_RECORD_DEPTH, JsonObject, parse_json
from membrane.domain.records.stored import keyed_id
from membrane.usecases.imports.progress import IMPORTS
from membrane.usecases.imports.work import Reader, Step, ingest
from membrane.usecases.machinery.calls import was_reinforced
from membrane.usecases.ports.surroundings import Report
from membrane.usecases.ports.world import World

UNREADABLE = "ImportLines"
"""The RPC in the report of a fault before the line's RPC is known."""


def import_object(event: Event, context: Context, world: World) -> JsonObject:
    """Import the object: see `process_object`."""
    passes = [partial(ingest, partial(_reader, world))]
    return process_object(event, context, IMPORTS, passes, world)


def _reader(world: World) -> Reader:
    """A reader of lines as requests of the import principal.

    The local stack replaces the parameter's principal by the caller who put the object, as
    Source.IMPORT. Raises PermissionDenied if imports are closed.
    """
    given = world.sources.imports
    if given is None:
        raise PermissionDenied("imports are closed in this deployment")
    principal = given._replace(source=Source.IMPORT)
    alone = world.but(report=_one_at_a_time(world.report))

    def reason(error: Exception, step: Step | None) -> tuple[str, str]:
        rpc = UNREADABLE if step is None else step.rpc
        words = partial(_reason, step=step, is_parameter=given.source is not Source.IMPORT)
        return refusal_of(error, rpc, alone, words)

    return Reader(partial(_step, principal=principal, world=alone), reason)


def _step(content: bytes, key: str, principal: Principal, world: World) -> Step:
    """Raises InvalidArgument for a line that is not a request."""
    row, asked = row_and_request(parse_json(content, MAX_RECORD_DEPTH), INGESTS)
    own = asked.get(KEY)
    writer = principal
    with suppress(DomainError):  # `perform` refuses the line and reports the refusal
        writer = principal.acting_for(asked.get(USER))
    made = keyed_id(writer.identity, row.rpc, own if isinstance(own, str) else key)

    def run() -> bool:
        with reporting(row.rpc, world):
            result = perform(row, asked, principal, world, key)
        return bool(result.replayed) or was_reinforced(result)

    return Step(row.rpc, frozenset({made, *names_in(asked)}), run, target_of(asked))


def _reason(refusal: DomainError, step: Step | None, *, is_parameter: bool) -> str:
    """The refusal without words that only the line has.

    Left out are the target's id, and names of fields that no model has. Where the principal lacks a
    right, the reason names the parameter that gives rights.
    """
    if isinstance(refusal, FailedPrecondition) and step is not None and step.changes is not None:
        reason = str(refusal).replace(f" {step.changes} ", " ", 1)
    else:
        reason = in_known_names(refusal)
    if is_parameter and isinstance(refusal, PermissionDenied):
        return f"{reason.replace('the key', 'the principal')}: see the parameter ImportPrincipal"
    return reason


def _one_at_a_time(report: Report) -> Report:
    """A report under a lock, since lines are processed side by side."""
    lock = Lock()

    def report_alone(rpc: str, code: str, fault: Exception | None = None) -> None:
        with lock:
            report(rpc, code, fault)

    return report_alone
