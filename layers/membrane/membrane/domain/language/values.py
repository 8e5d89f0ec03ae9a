"""JSON values of requests and payloads: in place, in the bucket, or still in an upload.

A field for JSON values can hold a reference in place of a value:

    Claim          in a request, from `{"$upload": "<upload id>"}`
    BorrowedValue  in a request, from `{"$blob": {"sha256", "size", "url"}}`, copied from a reply
    LargeValue     in a record; the value is an object in the bucket

Claims and borrowed values are replaced by the values before a record is made. Only the top level
of a field is examined: deeper inside a value, `$upload` and `$blob` are ordinary keys.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, final
from urllib.parse import unquote

from pydantic import BaseModel, BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError, PydanticKnownError

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import JsonObject, Printable, compact_json

MAX_VALUE_BYTES = 10_485_760
"""The size limit of a JSON value as text, 10 MiB."""

LARGE_VALUE_BYTES = 128 * 1024
"""From this size on, a value is stored as an object in the bucket, and a reply can link to it."""

UPLOAD = "$upload"
BLOB = "$blob"

Model = TypeVar("Model", bound=BaseModel)


class _Reference:
    """A stand-in for a JSON value; pydantic passes a reference through unchanged."""

    __slots__ = ()

    identity: ClassVar[tuple[str, ...]]
    """The attributes by which two references of the same class are compared."""

    def _key(self) -> tuple[str, ...]:
        return tuple(getattr(self, name) for name in self.identity)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Reference) or type(self) is not type(other):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@final
class Claim(_Reference):
    """The value of an upload, which replaces the claim before the record is made.

    `check` returns the field's value for the parsed upload, or raises InvalidArgument.
    """

    __slots__ = ("check", "upload_id")
    identity = ("upload_id",)

    def __init__(self, upload_id: str, check: Callable[[Any], Any]) -> None:
        self.upload_id = upload_id
        self.check = check

    def as_json(self) -> JsonObject:
        return {UPLOAD: self.upload_id}


@final
class BorrowedValue(_Reference):
    """The large value of a second record, copied from a reply that shows the second record."""

    __slots__ = ("check", "record_id", "sha256")
    identity = ("record_id", "sha256")

    def __init__(self, record_id: str, sha256: str, check: Callable[[Any], Any]) -> None:
        self.record_id = record_id
        self.sha256 = sha256
        self.check = check

    def as_json(self) -> JsonObject:
        """The JSON form, without size and URL: hash and record id identify the value."""
        return {BLOB: {"sha256": self.sha256, "of": self.record_id}}


@final
class LargeValue(_Reference):
    """A value stored in the bucket; `size` in bytes and `sha256` in hex are of its JSON text."""

    __slots__ = ("record_id", "sha256", "size")
    identity = ("record_id", "sha256")

    def __init__(self, record_id: str, sha256: str, size: int) -> None:
        self.record_id = record_id
        self.sha256 = sha256
        self.size = size

    @classmethod
    def of(cls, owner: str, text: bytes) -> "LargeValue":
        """The value with the JSON text, in the bucket under the id of its owner."""
        return cls(owner, hashlib.sha256(text).hexdigest(), len(text))

    def as_json(self) -> JsonObject:
        return {BLOB: {"sha256": self.sha256, "size": self.size}}


Reference = Claim | BorrowedValue | LargeValue


def reference_in(value: Any, info: ValidationInfo, check: Callable[[Any], Any]) -> Reference | None:
    """The reference that a field holds in place of a value; None if the value is in place.

    A stored record is validated with its id as context. Only a stored record may hold large
    values.
    """
    if isinstance(value, Reference):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        return None
    match value, info.context:
        case {"$upload": str(upload_id)}, None if RECORD_ID.fullmatch(upload_id):
            return Claim(upload_id, check)
        case {"$upload": _}, None:
            raise PydanticCustomError("reserved", "an $upload is named by its upload_id")
        case {"$blob": shown}, None:
            return _borrowed_value(shown, check)
        case {"$blob": {"sha256": str(sha256), "size": int(size)}}, str(record_id):
            return LargeValue(record_id, sha256, size)
        case _:
            return None


def _borrowed_value(shown: Any, check: Callable[[Any], Any]) -> BorrowedValue:
    match shown:
        case {"sha256": str(sha256), "size": int(), "url": str(url), **rest} if not rest:
            address = _BLOB_ADDRESS.search(url)
            if address is not None and address["sha256"] == sha256:
                return BorrowedValue(unquote(address["record_id"]), sha256, check)
        case _:
            pass
    raise PydanticCustomError("reserved", "a $blob must be as a reply shows it")


_BLOB_ADDRESS = re.compile(
    r"/blobs/(?P<record_id>[^/?]{1,384}(?:/[0-9]{1,10})?)/(?P<sha256>[0-9a-f]{64})(?:\?|$)"
)
"""The owner of a document's value may end with `/` and a number."""


def is_claim(value: Any) -> bool:
    """Whether a JSON value is `{"$upload": ...}` and nothing else."""
    return isinstance(value, dict) and value.keys() == {UPLOAD}


def require_in_place(value: Any) -> Any:
    """The value of an upload; raises InvalidArgument if the value is a reference itself."""
    if isinstance(value, dict) and value.keys() in ({UPLOAD}, {BLOB}):
        raise InvalidArgument(f"an upload cannot hold {UPLOAD} or {BLOB} in place of its value")
    return value


def _claimed_object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise InvalidArgument("the upload does not hold a JSON object")
    return require_in_place(value)


def _read_value(value: Any, info: ValidationInfo) -> Any:
    reference = reference_in(value, info, require_in_place)
    return value if reference is None else reference


def _read_object(value: Any, info: ValidationInfo) -> Any:
    reference = reference_in(value, info, _claimed_object)
    if reference is None and not isinstance(value, dict):
        raise PydanticKnownError("dict_type")
    return value if reference is None else reference


class Position:
    """Marks a field of a model as holding a JSON value or a reference."""


POSITION = Position()

JsonValue = Annotated[Any, BeforeValidator(_read_value), POSITION]

Object = Annotated[Any, BeforeValidator(_read_object), POSITION]


def replace_values(part: Model, change: Callable[[Any], Any]) -> Model:
    """The model with its fields' JSON values changed; the same object if none changes."""
    updates = {}
    for name, is_position in _fields(type(part)):
        before = getattr(part, name)
        after = _replace_inside(before, change)
        if is_position:
            after = change(after)
        if after is not before:
            updates[name] = after
    return part.model_copy(update=updates) if updates else part


@cache
def _fields(model: type[BaseModel]) -> tuple[tuple[str, bool], ...]:
    return tuple((name, POSITION in field.metadata) for name, field in model.model_fields.items())


def _replace_inside(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, BaseModel):
        return replace_values(value, change)
    if not isinstance(value, tuple):
        return value
    elements = tuple(_replace_inside(element, change) for element in value)
    same = all(after is before for after, before in zip(elements, value, strict=True))
    return value if same else elements


def references_in(part: BaseModel) -> list[Reference]:
    """The references that a model holds in place of values."""
    found: list[Reference] = []

    def note(value: Any) -> Any:
        if isinstance(value, Reference):
            found.append(value)
        return value

    replace_values(part, note)
    return found


def fields_with_references(part: BaseModel) -> list[str]:
    """The names of the fields that hold a reference, in place of the value or deeper inside."""
    return [name for name, _ in _fields(type(part)) if _has_reference(getattr(part, name))]


def _has_reference(value: Any) -> bool:
    match value:
        case _Reference():
            return True
        case BaseModel():
            return bool(fields_with_references(value))
        case tuple():
            return any(map(_has_reference, value))
        case _:
            return False


def key_of_uploads(request: BaseModel) -> str | None:
    """The idempotency key of a request without a key that claims uploads; None without claims.

    An upload goes into a single record, so the key lets a retry find the record of the first
    attempt.
    """
    upload_ids = [each.upload_id for each in references_in(request) if isinstance(each, Claim)]
    return f"upload {min(upload_ids)}" if upload_ids else None


# --- the size of values in a reply, which must fit the payload of a Lambda invocation -------------

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""The largest request and the largest response of a Lambda invocation (AWS, "Lambda quotas")."""

MAX_REPLY_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
"""The limit for a new record without audit, and for a page.

The JSON is counted as escaped a second time, as a string inside the payload.
"""

MAX_BODY_BYTES = MAX_PAYLOAD_BYTES - 16 * 1024
"""The limit for the body of any reply; the rest of the payload is room for headers.

The bytes beyond MAX_REPLY_BYTES are room for field names, token, cursor and audit entries.
"""

GROWTH_BYTES = 16 * 1024
"""Room for what later changes add to the relations, the sources and the interpretation."""

BESIDE_BYTES = 64 * 1024
"""For the rest of a reply of a topic: cursors, names, counts."""

LINK_BYTES = 4_096
"""Room for a presigned URL, which is long because it holds the credentials of a role."""

MAX_BYTES_A_CHARACTER = 4
"""The longest UTF-8 character; an escaped quote or backslash takes two bytes."""


BytesOf = Callable[[str], int]
"""Counts the bytes that a JSON text takes in the payload."""


def payload_bytes(payload: Any) -> int:
    """The bytes of an invocation's payload: JSON in UTF-8, as written by the Lambda runtime."""
    return len(json.dumps(payload, ensure_ascii=False).encode())


def nested_bytes(text: str) -> int:
    """The bytes in the payload of a text that is a string of the JSON in the reply's body."""
    return payload_bytes(compact_json(text))


def reply_bytes(value: Any, bytes_of: BytesOf = payload_bytes) -> int:
    """The bytes of the value in a reply; `bytes_of` counts those of a JSON text."""
    large: list[Printable] = []
    return bytes_of(compact_json(value, large)) + LINK_BYTES * len(large)


@dataclass(slots=True)
class Room:
    """The room that is left in a reply or a page, in bytes."""

    left: int = MAX_REPLY_BYTES - BESIDE_BYTES

    def takes(self, value: Any) -> bool:
        """Whether the value fits, with large values as links; reserves the room if so."""
        size = reply_bytes(value)
        if size > self.left:
            return False
        self.left -= size
        return True


def is_surely_within(text: str) -> bool:
    """Whether a JSON text fits a reply even if every character takes four bytes."""
    return len(text) < MAX_REPLY_BYTES // MAX_BYTES_A_CHARACTER
