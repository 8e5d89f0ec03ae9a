"""The value of a file's document, and the identity of an operation.

{"content": ..., "operation": {"id": ..., "fingerprint": ...}, "metadata": {...}}
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from pydantic_ai_harness.memory import MemoryConflictError, MemoryFile, MemoryOperation

MAX_METADATA_CHARACTERS: Final = 4_096
"""Of the metadata of a file as JSON, as in the stores of the harness."""

_MAX_DIGITS: Final = 15
"""Of a version; the service takes no number above 2**53."""


def file_of(value: Any, version: str, max_chars: int) -> MemoryFile:
    content = content_of(value)
    file = MemoryFile(
        content=content[:max_chars],
        version=version,
        operation_id=value.get("operation", {}).get("id"),
        truncated=len(content) > max_chars,
    )
    metadata = value.get("metadata")
    return file if metadata is None else replace(file, metadata=metadata)


def value_of(
    content: str, metadata: Mapping[str, str], operation: MemoryOperation | None
) -> dict[str, Any]:
    value: dict[str, Any] = {"content": content}
    if operation is not None:
        value["operation"] = identity_of(operation)
    if metadata:
        value["metadata"] = {**metadata}
    return value


def content_of(value: Any) -> str:
    """Raises TypeError for the document of a different program."""
    if not is_file(value):
        raise TypeError("the document is no file")
    content: str = value["content"]
    return content


def is_file(value: Any) -> bool:
    """Whether the value is as `value_of` makes values."""
    match value:
        case {"content": str(), **others}:
            parts = (others.get(name, {}) for name in ("operation", "metadata"))
            return all(isinstance(part, dict) for part in parts)
        case _:
            return False


def checked_metadata(metadata: Mapping[str, str] | None) -> Mapping[str, str]:
    """Raises TypeError for metadata other than texts, ValueError for too many characters."""
    metadata = metadata or {}
    if not all(isinstance(text, str) for pair in metadata.items() for text in pair):
        raise TypeError("memory metadata keys and values must be strings")
    if any("\0" in text for pair in metadata.items() for text in pair):
        raise ValueError("memory metadata keys and values must not contain NUL characters")
    size = len(json.dumps({**metadata}, ensure_ascii=False, separators=(",", ":")))
    if size > MAX_METADATA_CHARACTERS:
        raise ValueError(
            f"memory metadata is {size} characters as JSON; the limit is {MAX_METADATA_CHARACTERS}"
        )
    return metadata


def number_of(expected_version: str | None) -> int:
    """The number of a version, 0 for None; raises MemoryConflictError for any other text."""
    if expected_version is None:
        return 0
    is_number = expected_version.isascii() and expected_version.isdigit()
    if not is_number or expected_version.startswith("0") or len(expected_version) > _MAX_DIGITS:
        raise MemoryConflictError("no file ever had the version")
    return int(expected_version)


def identity_of(operation: MemoryOperation) -> dict[str, str]:
    return {"id": operation.id, "fingerprint": operation.fingerprint}


def rationale_of(operation: MemoryOperation) -> str:
    """The digest fits the limit of a rationale, whatever the length of the fingerprint."""
    digest = sha256(json.dumps(identity_of(operation)).encode()).hexdigest()
    return f"operation {digest}"
