"""Interpretations of captures by a model of Amazon Bedrock that can use tools."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    IncompleteReadError,
)

from membrane.adapters.models.bedrock_outages import outage_in
from membrane.domain.capture.interpreter_prompt import InterpreterPrompt
from membrane.domain.capture.proposals import MalformedProposal, proposal_in, proposal_schema
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.models.failures import NotAsked
from membrane.usecases.ports.interpreters import MAX_ANSWER_TOKENS, Proposed

if TYPE_CHECKING:
    from collections.abc import Callable

    from types_boto3_bedrock_runtime import BedrockRuntimeClient
    from types_boto3_bedrock_runtime.type_defs import ToolConfigurationTypeDef

FORM = "fill_in_form"
"""The tool that the model must use; the tool's input is the proposal."""

WHOLE = "tool_use"
"""The reason for which a model stops after a whole input of a tool."""

_AFTER_SENDING = (HTTPClientError, IncompleteReadError)
"""Errors of botocore after the question was sent, such as a time-out."""

_AFTER_READING = frozenset({"ModelErrorException", "ModelTimeoutException"})
"""Codes with a status below 500 from a model that has read the question."""

_FIRST_REFUSAL, _FIRST_FAILURE = 400, 500


@dataclass(frozen=True, slots=True)
class BedrockInterpreter:
    """An Interpreter by one Converse request, which forces a tool with a strict schema.

    The client is made for the first question. botocore retries throttled requests.
    """

    client: "Callable[[], BedrockRuntimeClient]"
    model: str
    """The id of a model or of an inference profile."""

    @property
    def name(self) -> str:
        return f"bedrock-{self.model}"

    def interpret(self, prompt: InterpreterPrompt) -> Proposed:
        reply = self._converse(prompt)
        tokens = reply["usage"]["totalTokens"]
        if reply["stopReason"] != WHOLE:
            raise MalformedProposal(f"the model stopped early: {reply['stopReason']}", tokens)
        try:
            return Proposed(proposal_in(_input_in(reply)), tokens)
        except MalformedProposal as error:
            raise error.after(tokens) from None

    def _converse(self, prompt: InterpreterPrompt) -> Any:
        try:
            return self.client().converse(
                modelId=self.model,
                system=[{"text": prompt.system}],
                messages=[{"role": "user", "content": [{"text": prompt.user}]}],
                inferenceConfig={"maxTokens": MAX_ANSWER_TOKENS},
                toolConfig=_form(),
            )
        except _AFTER_SENDING as error:
            raise Unavailable("the interpreting model did not answer") from error
        except BotoCoreError as error:
            raise NotAsked("the interpreting model cannot be reached") from error
        except ClientError as error:
            raise _refusal(error) from error


def _refusal(error: ClientError) -> ResourceExhausted | Unavailable:
    """The error for a throttled or refused question, or a failure of Bedrock or the model."""
    outage = outage_in(error, "the interpreting model")
    status = error.response["ResponseMetadata"].get("HTTPStatusCode", 0)
    code = error.response["Error"]["Code"]
    message = f"the interpreting model cannot be asked: {code}"
    if isinstance(outage, ResourceExhausted):
        return outage
    if _FIRST_REFUSAL <= status < _FIRST_FAILURE and code not in _AFTER_READING:
        return NotAsked(message)
    return outage or Unavailable(message)


def _form() -> "ToolConfigurationTypeDef":
    """The single tool, which the model must use."""
    return {
        "tools": [
            {
                "toolSpec": {
                    "name": FORM,
                    "description": "Fill in what the content says.",
                    "inputSchema": {"json": proposal_schema()},
                    "strict": True,
                }
            }
        ],
        "toolChoice": {"tool": {"name": FORM}},
    }


def _input_in(reply: Any) -> Any:
    """The input of the first use of the tool; None if the model did not use the tool."""
    uses = (
        block["toolUse"] for block in reply["output"]["message"]["content"] if "toolUse" in block
    )
    return next((use["input"] for use in uses if use["name"] == FORM), None)
