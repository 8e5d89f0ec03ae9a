"""Restore an export from an object of the bucket, line by line, resumably.

Only an operator may write an object under RESTORES, so no line needs a principal.
"""

from dataclasses import dataclass
from functools import partial

from membrane.adapters.aws_lambda.events.objects import process_object
from membrane.adapters.aws_lambda.http.problems import FAULT_PROBLEM, kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.archive.lines import (
    MAX_LINE_BYTES,
    OF_TOPICS,
    is_first_line,
    is_last_line,
    kind_of_line,
)
from membrane.domain.language.errors import DomainError
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.archive.restore_line import (
    WholeFile,
    parse_line,
    place_of_line,
    restore_line,
)
from membrane.usecases.imports.progress import RESTORES
from membrane.usecases.imports.work import Ingestion, NoStep, Pass, Step
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

RPC = "RestoreLine"
"""The RPC in reports about lines."""


def restore_object(event: Event, context: Context, world: World) -> JsonObject:
    """Restore the object: see `process_object`.

    The whole file is read and compared with the last line before the first line is restored.
    Topics come before records: what a restored record changes in topics finds the topics there.
    """
    passes: list[Pass] = [
        WholeFile(),
        Ingestion(partial(_Lines, world, are_of_topics=True)),
        Ingestion(partial(_Lines, world, are_of_topics=False)),
    ]
    limit = MAX_LINE_BYTES
    return process_object(event, context, RESTORES, passes, world, max_line_bytes=limit)


@dataclass(frozen=True, slots=True)
class _Restore:
    """The restore of the item in one line."""

    line: JsonObject
    names: frozenset[str]
    world: World

    @property
    def rpc(self) -> str:
        return RPC

    @property
    def changes(self) -> None:
        """No line changes an existing record."""

    def run(self) -> bool:
        return not restore_line(self.line, self.world)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Parses the lines of an export that are about topics, or all other lines."""

    world: World
    are_of_topics: bool

    def step(self, content: bytes, _key: str) -> Step | NoStep:
        """The first and the last line count as blank; raises InvalidArgument."""
        if (kind_of_line(content) in OF_TOPICS) is not self.are_of_topics:
            return NoStep.ELSEWHERE
        if is_first_line(content) or is_last_line(content):
            return NoStep.BLANK
        line = parse_line(content)
        return _Restore(line, frozenset({place_of_line(line)}), self.world)

    def refusal_reason(self, error: Exception, _step: Step | None) -> tuple[str, str]:
        """Code and detail as in a reply of the API; another error is reported as a fault."""
        if isinstance(error, DomainError):
            return kind_of(error).code, str(error)
        self.world.report(RPC, FAULT, error)
        return FAULT_PROBLEM["code"], FAULT_PROBLEM["detail"]
