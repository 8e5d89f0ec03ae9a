"""The index function of a re-index: in a deployment, or in a running local stack."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from botocore.config import Config
from botocore.exceptions import ClientError

from membrane.adapters.aws_lambda.events.stream import REINDEX
from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane_cli.http_client import HttpClient
from membrane_cli.stacks import DeployedStack

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

INDEX_FUNCTION = "IndexFunction"
"""The function's logical id in the template."""


LONGEST_S = 90
"""The read timeout: longer than the function's own timeout."""

BUSY = ("TooManyRequestsException", "ServiceException")
"""Lambda's refusals of an invocation before the function begins."""

TRANSIENT = {refusal.__name__: refusal for refusal in (ResourceExhausted, Unavailable)}
"""Errors after which a step is repeated, by the function's name for the error."""


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
        path = f"/_dev/invoke/{INDEX_FUNCTION}"
        answer = self.client.call("POST", path, _event(again=again))
        if answer.status != OK:
            raise DomainError(f"the answer is {answer.status}: {_words(answer.body)}")
        return _step_result(answer.body, failed="x-amz-function-error" in answer.headers)


@dataclass(frozen=True, slots=True)
class DeployedIndex:
    """A function that the operator's credentials may invoke."""

    client: "LambdaClient"
    function: str

    def step(self, *, again: bool) -> JsonObject:
        payload = compact_json(_event(again=again)).encode()
        try:
            reply = self.client.invoke(FunctionName=self.function, Payload=payload)
        except ClientError as error:
            if error.response["Error"]["Code"] not in BUSY:
                raise
            raise Unavailable("Lambda does not start the function now") from error
        return _step_result(parse_json(reply["Payload"].read()), failed="FunctionError" in reply)


def index_of_stack(stack: DeployedStack) -> DeployedIndex:
    """The index function of a deployed stack; raises NotFound."""
    import boto3  # noqa: PLC0415 - only this command needs it

    # a retry before the end of an invocation would run the step twice at once
    waiting = Config(read_timeout=LONGEST_S, retries={"total_max_attempts": 1})
    return DeployedIndex(boto3.client("lambda", config=waiting), stack.resource(INDEX_FUNCTION))


OK = 200


def _event(*, again: bool) -> JsonObject:
    return {REINDEX: {"again": again}}


def _step_result(reply: Any, *, failed: bool) -> JsonObject:
    if failed or not isinstance(reply, dict):
        raise _refusal(reply)(_words(reply))
    return dict(reply)


def _refusal(reply: Any) -> type[DomainError]:
    kind = reply.get("errorType") if isinstance(reply, dict) else None
    return TRANSIENT.get(str(kind), DomainError)


def _words(reply: Any) -> str:
    """The error message of a failed function, or of the gateway."""
    match reply:
        case {"errorMessage": str(words)} | {"detail": str(words)} | {"message": str(words)}:
            return words
        case _:
            return "the function failed without a reason"
