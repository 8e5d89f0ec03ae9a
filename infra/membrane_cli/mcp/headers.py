"""The HTTP headers of a message, which a client on stdin and stdout does not send.

MCP 2026-07-28 names the version in every request, and wants the version, the method and the name
of the tool, prompt or resource in headers. Older versions want the version of the answer to
`initialize` in a header.
"""

import base64
import re
from collections.abc import Mapping
from typing import Any

from membrane.adapters.aws_lambda.mcp.protocol import NAMED_BY, PROTOCOL_VERSION
from membrane_cli.mcp.messages import Body

_PLAIN = re.compile(r"(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?")


def headers_of(body: Body, agreed_version: str | None) -> Mapping[str, str]:
    """The headers by name; `agreed_version` is for a client that does not name a version."""
    params = body.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    version = meta.get(PROTOCOL_VERSION) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        named = agreed_version if body.get("method") != "initialize" else None
        return {} if named is None else {"MCP-Protocol-Version": header_value(named)}
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": body.get("method")}
    headers["Mcp-Name"] = params.get(NAMED_BY.get(str(body.get("method")), ""))
    return {name: header_value(text) for name, text in headers.items() if isinstance(text, str)}


def header_value(text: str) -> str:
    """The text itself, or in the encoding of MCP where a header cannot carry the text."""
    if _PLAIN.fullmatch(text):
        return text
    encoded = base64.b64encode(text.encode(errors="surrogatepass")).decode()
    return f"=?base64?{encoded}?="


def agreed_version_in(answer: Body) -> str | None:
    """The version in the answer to `initialize`."""
    result: Any = answer.get("result")
    version = result.get("protocolVersion") if isinstance(result, dict) else None
    return version if isinstance(version, str) else None
