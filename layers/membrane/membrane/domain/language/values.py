"""JSON values of requests and payloads: in place, in the bucket, or still in an upload.

A field that holds any JSON value may hold three things beside it. In a request, until the value is
put in their place: a `Claim`, where it says `{"$upload": "<upload id>"}`, and a `Borrowed` one,
where it has what a reply shows of a large value, `{"$blob": {"sha256", "size", "url"}}`. In a
record, a `LargeValue` that lies in the bucket. Only the field itself is looked at: deeper inside a
value, `$upload` and `$blob` are keys like any other.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, final
from urllib.parse import unquote

from pydantic import BaseModel, BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError, PydanticKnownError

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import JsonObject

MAX_VALUE_BYTES = 10_485_760
"""JSON text of one value (seed 000, "Validation Rules")."""

LARGE_VALUE_BYTES = 128 * 1024
"""From this size on, a value has an object of its own in the bucket, which a reply can link to."""

UPLOAD = "$upload"
BLOB = "$blob"

Model = TypeVar("Model", bound=BaseModel)


class _Reference:
    """What stands in place of a JSON value; pydantic passes it through as it is."""

    __slots__ = ()

    identity: ClassVar[tuple[str, ...]]
    """The attributes that tell it from others of its kind."""

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
    """The value of an upload, to be put in the claim's place.

    `check` returns what the field makes of the parsed value, or raises InvalidArgument.
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
    """The value of another record, as a reply to somebody who may read it shows it."""

    __slots__ = ("check", "record_id", "sha256")
    identity = ("record_id", "sha256")

    def __init__(self, record_id: str, sha256: str, check: Callable[[Any], Any]) -> None:
        self.record_id = record_id
        self.sha256 = sha256
        self.check = check

    def as_json(self) -> JsonObject:
        """Without size and address, which say nothing more."""
        return {BLOB: {"sha256": self.sha256, "of": self.record_id}}


@final
class LargeValue(_Reference):
    """A record's value that the bucket holds, as JSON text of that size and SHA-256 (hex)."""

    __slots__ = ("record_id", "sha256", "size")
    identity = ("record_id", "sha256")

    def __init__(self, record_id: str, sha256: str, size: int) -> None:
        self.record_id = record_id
        self.sha256 = sha256
        self.size = size

    def as_json(self) -> JsonObject:
        return {BLOB: {"sha256": self.sha256, "size": self.size}}


Reference = Claim | BorrowedValue | LargeValue


def reference_in(value: Any, info: ValidationInfo, check: Callable[[Any], Any]) -> Reference | None:
    """What stands in a field in place of its value; None where its value is in place.

    A stored record is validated with its id as context, and alone may hold large values.
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


_BLOB_ADDRESS = re.compile(r"/blobs/(?P<record_id>[^/?]{1,384})/(?P<sha256>[0-9a-f]{64})(?:\?|$)")


def is_claim(value: Any) -> bool:
    """Whether a JSON value is `{"$upload": ...}` and nothing else."""
    return isinstance(value, dict) and value.keys() == {UPLOAD}


def require_in_place(value: Any) -> Any:
    """The value of an upload; raises InvalidArgument where it stands for another one itself."""
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
    """Marks a model's field as one that holds a JSON value, or what stands in its place."""


POSITION = Position()

JsonValue = Annotated[Any, BeforeValidator(_read_value), POSITION]

Object = Annotated[Any, BeforeValidator(_read_object), POSITION]


def replace_values(part: Model, change: Callable[[Any], Any]) -> Model:
    """The model with `change` made to the JSON values of its fields, the innermost models first.

    Where nothing changes, it is the same object.
    """
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
    """All that stands in a model in place of a value."""
    found: list[Reference] = []

    def note(value: Any) -> Any:
        if isinstance(value, Reference):
            found.append(value)
        return value

    replace_values(part, note)
    return found
