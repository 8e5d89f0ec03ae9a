"""The requests about keyed documents."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.documents.filters import MAX_FILTER_KEYS, WHOLE, require_filter, require_path
from membrane.domain.documents.places import Key, Namespace, Place, Prefix
from membrane.domain.language import requests
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import LIST, MAX_DIGITS, Part, Text
from membrane.domain.language.values import JsonValue

MIN_PERIOD_S = 0.001
MAX_PERIOD_S = 10 * 365 * 86_400
MAX_INDEXED_PATHS = 8
MAX_PATH_CHARACTERS = 256
MAX_ITEMS = 100
"""List items of one append."""
MAX_APPEND_BYTES = 128 * 1024
"""The items of one append as JSON: an item of the table holds 400 KB."""
MAX_ITEMS_READ = 1_000
MAX_VERSIONS_READ = 100
MAX_POSITION = 10**MAX_DIGITS - 1
"""A position or version by which a read goes on; a parameter of a query."""
MAX_RATIONALE_CHARACTERS = 1_000
MAX_LIMIT = 1_000
MAX_OPERATIONS = 100

Version = Annotated[int, Field(ge=0, le=2**53)]
Before = Annotated[int, Field(ge=1, le=MAX_POSITION)]
Period = Annotated[float, Field(ge=MIN_PERIOD_S, le=MAX_PERIOD_S)]
Path = Annotated[
    str, Field(min_length=1, max_length=MAX_PATH_CHARACTERS), AfterValidator(require_path)
]
Rationale = Annotated[str, Field(max_length=MAX_RATIONALE_CHARACTERS)]
OperationId = Annotated[requests.IdempotencyKey | None, requests.OPTIONAL]


def _paths(value: Any) -> Any:
    """True stands for the whole value, false for no searchable text."""
    if isinstance(value, bool):
        return (WHOLE,) if value else ()
    if not isinstance(value, list | tuple):
        raise PydanticCustomError("index", "must be true, false or an array of paths")
    return value


def _filter(value: Any) -> Any:
    require_filter(value)
    return value


Paths = Annotated[list[Path], Field(max_length=MAX_INDEXED_PATHS)]
Index = Annotated[
    tuple[Path, ...],
    LIST,
    Field(max_length=MAX_INDEXED_PATHS),
    BeforeValidator(_paths, json_schema_input_type=bool | Paths),
]


class _AtPlace(requests.RequestPart):
    """Names one document."""

    namespace: requests.FromPath[Namespace]
    """The labels of the namespace, 1 to 16, of 1 to 128 bytes each."""
    key: requests.FromPath[Key]
    """The key within the namespace, 1 to 512 bytes."""
    scope: requests.OptionalScope = None
    """Scope of the document. Absent or empty: the first scope of the key that is no prefix,
    unscoped under a key for all scopes."""

    def place(self, scope: str) -> Place:
        return Place(scope, self.namespace, self.key)


class _Write(_AtPlace, requests.Request):
    """A write of one document, at most once per idempotency key."""

    expected_version: requests.FromHeaderOrBody[Version | None] = None
    """The version that the document must have; 0 = there must be no document. Any other version:
    409. In HTTP also as the header `If-Match: "3"`, then 412."""
    must_exist: requests.FromHeaderOrBody[bool] = False
    """Whether there must be a document. In HTTP also as the header `If-Match: *`, then 412."""
    rationale: Rationale = ""
    """Why, for the audit trail; 1,000 characters at most."""
    operation_id: OperationId = None
    """The idempotency key of a write whose receipt the caller wants to read later, by
    `GET /v1/document-operations`. Takes precedence over `idempotency_key`."""


class PutDocument(_Write):
    """Write a document, whatever was there before.

    Needs `ingest`; `revise` to overwrite a value that another actor wrote. The value before becomes
    a former version.
    """

    value: JsonValue
    """Any JSON value but null, 10 MiB at most. A value beyond a request's limit goes through
    `POST /v1/uploads`: `{"$upload": "<upload_id>"}`."""
    sensitivity: requests.OptionalSensitivity = None
    """Absent or empty: as before, for a new document the deployment's `DefaultSensitivity`. Lower
    than before needs `admin`."""
    index: Index = ()
    """What a search by `query` finds: true for all texts of the value, or up to 8 paths such as
    `profile.name`, `tags[*]`. Absent: nothing."""
    ttl_seconds: Period | None = None
    """Seconds after which the document is hidden and then removed. Absent: never."""
    half_life_seconds: Period | None = None
    """Seconds in which the salience of the document halves; it is hidden below 0.001, after about
    ten of them. Absent: the document does not fade."""


class GetDocument(_AtPlace):
    """Read a document."""

    scope: requests.FromQuery[requests.OptionalScope] = None
    refresh: requests.FromQuery[bool] = False
    """Whether `ttl_seconds` and salience begin anew; ignored for a key that may not write there."""
    items: requests.FromQuery[Annotated[int, Field(ge=0, le=MAX_ITEMS_READ)]] = 0
    """How many of the newest items of the document's list to return, oldest first. Items and former
    versions of a reply have 5 MiB at most together; the items come first."""
    items_before: requests.FromQuery[Before | None] = None
    """`next_items_before` of a reply, to return the items before the items of the reply. Without
    `items` of no effect. Absent: from the newest item."""
    history: requests.FromQuery[Annotated[int, Field(ge=0, le=MAX_VERSIONS_READ)]] = 0
    """How many former versions to return, newest first; also of a deleted document. A document that
    is made anew, or whose sensitivity is lowered, begins a new history."""
    history_before: requests.FromQuery[Before | None] = None
    """`next_history_before` of a reply, to return the versions before the versions of the reply.
    Without `history` of no effect. Absent: from the newest former version."""
    verify: requests.FromQuery[bool] = False
    """Whether to check the hash chain of the newest 10,000 versions."""


class DeleteDocument(_Write):
    """Delete a document, or take the newest items off its list.

    Needs `ingest`; `revise` for a value or an item that another actor wrote; `admin` to erase. An
    absent document is no error.
    """

    scope: requests.FromQueryOrBody[requests.OptionalScope] = None
    items: requests.FromQuery[Annotated[int, Field(ge=1, le=MAX_ITEMS)] | None] = None
    """Take off and return this many of the newest items, fewer beyond 384 KiB of items or the items
    of 99 appends; the document stays. Absent: delete."""
    erase: requests.FromQuery[bool] = False
    """Whether all content goes for good, former versions and list included. Absent: former versions
    stay for the deployment's `TombstoneDays`."""

    @model_validator(mode="after")
    def _items_alone(self) -> Self:
        if self.items is not None and (self.erase or self.operation_id is not None):
            raise PydanticCustomError("items", "items excludes erase and operation_id")
        return self


class AppendItems(_AtPlace, requests.Request):
    """Append items to the list beside a document's value; makes the document if it is absent.

    Needs `ingest`. Items are immutable; the newest can be taken off.
    """

    items: Annotated[tuple[Any, ...], LIST, Field(min_length=1, max_length=MAX_ITEMS)]
    """1 to 100 JSON values, in order; 128 KiB at most together."""
    sensitivity: requests.OptionalSensitivity = None
    """Of a new document. Absent or empty: the deployment's `DefaultSensitivity`."""
    ttl_seconds: Period | None = None
    """Of a new document. In a document with a period, each item expires that long after its append,
    and an append begins the document's period anew. Absent: never."""


class SearchDocuments(requests.RequestPart):
    """Find documents in and below a namespace: by fields of the value, by words and meaning.

    Without `query` in the order of namespace and key. With `query` the best first; documents
    without searchable texts follow, with `score` null. A call examines 5,000 documents at most and
    ranks them: `examined` says how many, and `next_cursor` goes on with the next best, then with
    the documents behind.
    """

    namespace_prefix: Prefix = ()
    """The first labels of the namespaces. Absent or empty: every namespace of the scope."""
    scope: requests.OptionalScope = None
    """Absent or empty: as in `GetDocument`."""
    filter: Annotated[
        dict[str, Any], BeforeValidator(_filter), Field(max_length=MAX_FILTER_KEYS)
    ] = {}
    """Conditions on the value, all of which must hold: `{"kind": "note", "score": {"$gte": 3},
    "user.name": "Ann"}`. Operators: `$eq $ne $gt $gte $lt $lte`."""
    query: Text = ""
    """What to look for, in words. Absent or empty: no ranking."""
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 10
    """The most documents to return."""
    cursor: Annotated[str, Field(min_length=1)] | None = None
    """`next_cursor` of the same search."""
    refresh: bool = False
    """As in `GetDocument`, for the documents in the reply."""


class ListNamespaces(requests.RequestPart):
    """List the namespaces that have documents.

    In the order of their labels, and `a` behind `a/-` and before `a/b`: by code points, with `/`
    behind each label and behind the namespace. The namespaces of a reply are distinct; namespaces
    that share their first 900 bytes have no order, and a later page may have them again.
    `*` in prefix or suffix stands for exactly one label.
    """

    scope: requests.FromQuery[requests.OptionalScope] = None
    """Absent or empty: as in `GetDocument`."""
    prefix: requests.FromQuery[Prefix] = ()
    """The first labels."""
    suffix: requests.FromQuery[Prefix] = ()
    """The last labels."""
    max_depth: requests.FromQuery[Annotated[int, Field(ge=1, le=16)] | None] = None
    """Cut each namespace to this many labels."""
    limit: requests.FromQuery[Annotated[int, Field(ge=1, le=MAX_LIMIT)]] = 100
    """The most namespaces to return."""
    cursor: requests.FromQuery[Annotated[Cursor, Field(min_length=1)] | None] = None
    """`next_cursor` of the same listing."""


class BatchDocuments(requests.Request):
    """Do up to 100 operations in order: put, get, delete, append, search, namespaces.

    The results come in the same order, each with `status` and its reply, or `error`. Every
    operation needs its own permission. An operation without a key gets one from the batch's key.
    """

    operations: Annotated[
        tuple[Any, ...], Field(strict=False, min_length=1, max_length=MAX_OPERATIONS)
    ]
    """Each a request of this page with its word in `op`: `{"op": "get", "namespace": ["users"],
    "key": "ann"}`."""
    check_first: bool = False
    """Whether an operation that is not valid or not permitted refuses the whole batch before any
    effect. Absent: such an operation fails alone."""


class ReadOperation(Part):
    """Read the receipt of a write with an `operation_id`, by the same caller."""

    operation_id: requests.FromQuery[requests.IdempotencyKey]
    """The `operation_id` of the write."""
