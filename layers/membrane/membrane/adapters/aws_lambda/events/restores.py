"""Restore an export from an object of the bucket, line by line, resumably.

Only an operator may write an object under RESTORES, so no line needs a principal.
"""

from dataclasses import dataclass

from membrane.adapters.aws_lambda.events.objects import process_object
from membrane.adapters.aws_lambda.http.problems import FAULT_PROBLEM, kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.archive.lines import MAX_LINE_BYTES, is_first_line, is_last_line
from membrane.domain.language.errors import DomainError
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.archive.require_whole_file import require_whole_file
from membrane.usecases.archive.restore_line import parse_line, place_of_line, restore_line
from membrane.usecases.imports.progress import RESTORES
from membrane.usecases.imports.work import Step
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_archive import ArchiveServices

RPC = "RestoreLine"
"""The RPC in reports about lines."""


def restore_object(event: Event, context: Context, services: ArchiveServices) -> JsonObject:
    """Restore the object: see `process_object`.

    The whole file is read and compared with the last line before the first line is restored.
    """
    return process_object(
        event,
        context,
        RESTORES,
        lambda: _Lines(services),
        services,
        max_line_bytes=MAX_LINE_BYTES,
        check=require_whole_file,
    )


@dataclass(frozen=True, slots=True)
class _Restore:
    """The restore of the item in one line."""

    line: JsonObject
    names: frozenset[str]
    services: ArchiveServices

    @property
    def rpc(self) -> str:
        return RPC

    @property
    def changes(self) -> None:
        """No line changes an existing record."""
        return

    def run(self) -> bool:
        return not restore_line(self.line, self.services)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Parses the lines of an export."""

    services: ArchiveServices

    def step(self, content: bytes, _key: str) -> Step | None:
        """None for the first and the last line; raises InvalidArgument."""
        if is_first_line(content) or is_last_line(content):
            return None
        line = parse_line(content)
        return _Restore(line, frozenset({place_of_line(line)}), self.services)

    def refusal_reason(self, error: Exception, _step: Step | None) -> tuple[str, str]:
        """Code and detail as in a reply of the API; another error is reported as a fault."""
        if isinstance(error, DomainError):
            return kind_of(error).code, str(error)
        self.services.report(RPC, FAULT, error)
        return FAULT_PROBLEM["code"], FAULT_PROBLEM["detail"]
