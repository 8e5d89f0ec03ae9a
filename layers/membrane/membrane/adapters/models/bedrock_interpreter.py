"""Interpretations of captures by a model of Amazon Bedrock that can use tools."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from membrane.adapters.models.bedrock_outages import translating_errors
from membrane.domain.capture import proposals
from membrane.usecases.ports.models import MAX_ANSWER_TOKENS, Proposed

if TYPE_CHECKING:
    from collections.abc import Callable

    from types_boto3_bedrock_runtime import BedrockRuntimeClient
    from types_boto3_bedrock_runtime.type_defs import ToolConfigurationTypeDef

FORM = "fill_in_form"
"""The tool that the model must use; the tool's input is the proposal."""

WHOLE = "tool_use"
"""The reason for which a model stops after a whole input of a tool."""


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

    def interpret(self, prompt: proposals.InterpreterPrompt) -> Proposed:
        reply = self._converse(prompt)
        tokens = reply["usage"]["totalTokens"]
        if reply["stopReason"] != WHOLE:
            raise proposals.MalformedProposal(
                f"the model stopped early: {reply['stopReason']}", tokens
            )
        try:
            return Proposed(proposals.proposal_in(_input_in(reply)), tokens)
        except proposals.MalformedProposal as error:
            raise error.after(tokens) from None

    def _converse(self, prompt: proposals.InterpreterPrompt) -> Any:
        with translating_errors("the interpreting model"):
            return self.client().converse(
                modelId=self.model,
                system=[{"text": prompt.system}],
                messages=[{"role": "user", "content": [{"text": prompt.user}]}],
                inferenceConfig={"maxTokens": MAX_ANSWER_TOKENS},
                toolConfig=_form(),
            )


def _form() -> "ToolConfigurationTypeDef":
    return {
        "tools": [
            {
                "toolSpec": {
                    "name": FORM,
                    "description": "Fill in what the content says.",
                    "inputSchema": {"json": proposals.proposal_schema()},
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
