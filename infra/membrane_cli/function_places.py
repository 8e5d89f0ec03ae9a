"""A function of a stack, invoked by a command: in a deployment, or in a running local stack."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from botocore.config import Config
from botocore.exceptions import ClientError

from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane_cli.http_client import HttpClient
from membrane_cli.stacks import DeployedStack

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

OK = 200

BUSY = ("TooManyRequestsException", "ServiceException")
"""Lambda's refusals of an invocation before the function begins."""

TRANSIENT = {refusal.__name__: refusal for refusal in (ResourceExhausted, Unavailable)}
"""Errors after which an invocation is repeated, by the function's name for the error."""


class FunctionPlace(Protocol):
    def ask(self, event: JsonObject) -> JsonObject:
        """The function's answer; raises DomainError with the function's message for a failure.

        Raises ResourceExhausted or Unavailable for a failure that may pass.
        """


@dataclass(frozen=True, slots=True)
class LocalFunction:
    """A function of a running `membrane dev`, by its logical id in the template."""

    client: HttpClient
    logical_id: str

    def ask(self, event: JsonObject) -> JsonObject:
        answer = self.client.call("POST", f"/_dev/invoke/{self.logical_id}", event)
        if answer.status != OK:
            raise self.client.failure(answer)
        return _result(answer.body, failed="x-amz-function-error" in answer.headers)


@dataclass(frozen=True, slots=True)
class DeployedFunction:
    """A function that the operator's credentials may invoke."""

    client: "LambdaClient"
    name: str

    def ask(self, event: JsonObject) -> JsonObject:
        payload = compact_json(event).encode()
        try:
            reply = self.client.invoke(FunctionName=self.name, Payload=payload)
        except ClientError as error:
            if error.response["Error"]["Code"] not in BUSY:
                raise
            raise Unavailable("Lambda does not start the function now") from error
        return _result(parse_json(reply["Payload"].read()), failed="FunctionError" in reply)


def function_of_stack(stack: DeployedStack, logical_id: str, longest_s: int) -> DeployedFunction:
    """A function of a deployed stack, which answers within `longest_s`; raises NotFound."""
    import boto3  # noqa: PLC0415 - few commands need it

    # a retry before the end of an invocation would run the function twice at once
    waiting = Config(read_timeout=longest_s, retries={"total_max_attempts": 1})
    return DeployedFunction(boto3.client("lambda", config=waiting), stack.resource(logical_id))


def _result(reply: Any, *, failed: bool) -> JsonObject:
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
