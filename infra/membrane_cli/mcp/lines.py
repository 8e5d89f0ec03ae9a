"""The lines of standard input, each within a limit."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import BinaryIO

from membrane.adapters.aws_lambda.mcp.protocol import INVALID_REQUEST
from membrane_cli.mcp.messages import Refusal

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Above the 10 MB that an HTTP API takes: a body near the limit gets the refusal of the stack."""


def read_lines(source: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[bytes | Refusal]:
    """Each line, also a last line without an end; a Refusal in place of a longer line."""
    is_first = True
    while line := source.readline(limit + 1):
        if is_first:
            line, is_first = line.removeprefix(BOM_UTF8), False
        if len(line) <= limit or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(limit)
        yield Refusal(INVALID_REQUEST, f"the line is longer than {limit} bytes, and was dropped")
