"""Where the index function does its steps: in a deployment, or in a running local stack."""

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
"""Its logical id in the template."""


LONGEST_S = 90
"""Longer than the function may take."""

BUSY = ("TooManyRequestsException", "ServiceException")
"""Lambda's refusals of an invocation, which then has not begun."""

TRANSIENT = {refusal.__name__: refusal for refusal in (ResourceExhausted, Unavailable)}
"""What a step is to be repeated for, by what the function calls it."""


class ReindexPlace(Protocol):
    """Does a re-index step by step."""

    def step(self, *, again: bool) -> JsonObject:
        """What the function answers; raises DomainError in its words where it fails.

        ResourceExhausted or Unavailable where it would not fail a while later.
        """


@dataclass(frozen=True, slots=True)
class LocalIndex:
    """Of a running `membrane dev`."""

    client: HttpClient

    def step(self, *, again: bool) -> JsonObject:
        """See ReindexPlace."""
        path = f"/_dev/invoke/{INDEX_FUNCTION}"
        answer = self.client.call("POST", path, _event(again=again))
        if answer.status != OK:
            raise DomainError(f"the answer is {answer.status}: {_words(answer.body)}")
        return _told(answer.body, failed="x-amz-function-error" in answer.headers)


@dataclass(frozen=True, slots=True)
class DeployedIndex:
    """A function that the operator's own credentials may invoke."""

    client: "LambdaClient"
    function: str

    def step(self, *, again: bool) -> JsonObject:
        """See ReindexPlace."""
        payload = compact_json(_event(again=again)).encode()
        try:
            reply = self.client.invoke(FunctionName=self.function, Payload=payload)
        except ClientError as error:
            if error.response["Error"]["Code"] not in BUSY:
                raise
            raise Unavailable("Lambda does not start the function now") from error
        return _told(parse_json(reply["Payload"].read()), failed="FunctionError" in reply)


def index_of_stack(stack: DeployedStack) -> DeployedIndex:
    """The index function of a deployed stack; raises NotFound."""
    import boto3  # noqa: PLC0415 - only this command needs it

    # tried again before its end, an invocation would run beside itself
    waiting = Config(read_timeout=LONGEST_S, retries={"total_max_attempts": 1})
    return DeployedIndex(boto3.client("lambda", config=waiting), stack.resource(INDEX_FUNCTION))


OK = 200


def _event(*, again: bool) -> JsonObject:
    return {REINDEX: {"again": again}}


def _told(reply: Any, *, failed: bool) -> JsonObject:
    if failed or not isinstance(reply, dict):
        raise _refusal(reply)(_words(reply))
    return dict(reply)


def _refusal(reply: Any) -> type[DomainError]:
    kind = reply.get("errorType") if isinstance(reply, dict) else None
    return TRANSIENT.get(str(kind), DomainError)


def _words(reply: Any) -> str:
    """What a function that fails says of it, or the gateway."""
    match reply:
        case {"errorMessage": str(words)} | {"detail": str(words)} | {"message": str(words)}:
            return words
        case _:
            return "the function failed without a reason"
