"""Methods that describe the server: discovery, the handshake of older versions, and ping."""

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.params import text_of
from membrane.adapters.aws_lambda.mcp.versions import SUPPORTED, version_after_handshake
from membrane.domain.language.json_text import JsonObject


def discover(call: Call) -> Answer:
    return Answer({"supportedVersions": list(SUPPORTED), **_offer(call)}, call.features.caching)


def initialize(call: Call) -> Answer:
    """The handshake, of which nothing is kept: there is no session."""
    version = version_after_handshake(text_of(call.params, "protocolVersion"))
    identity = call.features.identity
    return Answer({"protocolVersion": version, "serverInfo": identity, **_offer(call)})


def ping(_call: Call) -> Answer:
    return Answer({})


def _offer(call: Call) -> JsonObject:
    capabilities: JsonObject = {name: {} for name in call.features.parts()}
    return fields_present(capabilities=capabilities, instructions=call.features.instructions)
