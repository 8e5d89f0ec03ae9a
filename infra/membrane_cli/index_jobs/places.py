"""The index function of a re-index: in a deployment, or in a running local stack."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from membrane.adapters.aws_lambda.events.stream import REINDEX
from membrane.domain.language.json_text import JsonObject
from membrane_cli.function_places import DeployedFunction, LocalFunction, function_of_stack
from membrane_cli.http_client import HttpClient
from membrane_cli.stacks import DeployedStack

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

INDEX_FUNCTION = "IndexFunction"
"""The function's logical id in the template."""

LONGEST_S = 90
"""The read timeout: longer than the function's own timeout."""


class ReindexPlace(Protocol):
    """Runs a re-index step by step."""

    def step(self, *, again: bool) -> JsonObject:
        """The function's answer; raises DomainError with the function's message where a step fails.

        Raises ResourceExhausted or Unavailable for a failure that may pass.
        """


@dataclass(frozen=True, slots=True)
class LocalIndex:
    """The index function of a running `membrane dev`."""

    client: HttpClient

    def step(self, *, again: bool) -> JsonObject:
        return LocalFunction(self.client, INDEX_FUNCTION).ask(_event(again=again))


@dataclass(frozen=True, slots=True)
class DeployedIndex:
    """A function that the operator's credentials may invoke."""

    client: "LambdaClient"
    function: str

    def step(self, *, again: bool) -> JsonObject:
        return DeployedFunction(self.client, self.function).ask(_event(again=again))


def index_of_stack(stack: DeployedStack) -> DeployedIndex:
    """The index function of a deployed stack; raises NotFound."""
    found = function_of_stack(stack, INDEX_FUNCTION, LONGEST_S)
    return DeployedIndex(found.client, found.name)


def _event(*, again: bool) -> JsonObject:
    return {REINDEX: {"again": again}}
