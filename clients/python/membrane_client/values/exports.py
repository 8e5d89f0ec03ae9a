"""The values of exports."""

from membrane_client.values.value import (
    Value,
    count,
    instant,
    numbers,
    optional_text,
    part,
    parts,
    text,
    texts,
)


class ExportPart(Value):
    url = text()
    bytes = count()


class Export(Value):
    id = text()
    state = text()
    """`running`, `done` or `failed`."""
    reason = optional_text()
    max_sensitivity = text()
    scopes = texts()
    """Empty for all scopes."""
    created_at = instant()
    updated_at = instant()
    expires_at = instant()
    lines = count()
    bytes = count()
    counts = numbers()


class ExportReply(Value):
    export = part(Export)
    parts = parts(ExportPart)
    """A page of the parts of the file, in order; empty before the file is complete."""
    next_cursor = optional_text()
    """None on the last page."""


class ExportList(Value):
    exports = parts(Export)
