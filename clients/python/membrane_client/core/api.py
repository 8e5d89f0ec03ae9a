"""The parts of every call: options, the making of requests, and the reading of replies."""

import json
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from threading import Lock
from typing import Any, TypeVar

from membrane_client.core import addresses, encoding, protocol
from membrane_client.core.encoding import json_text
from membrane_client.core.protocol import NOT_GIVEN, Json, Reply, Request, Steps, Texts, User
from membrane_client.core.sending import send
from membrane_client.errors import APIError, Gone, InvalidCall, UnexpectedReply, as_described
from membrane_client.value import JsonObject, Meta, Value
from membrane_client.values.records import MemoryRecord, OpenedUpload

V = TypeVar("V", bound=Value)

_IN_PATH = re.compile(r"{(\w+)}")
_IN_HEADER = re.compile(r"[!-~]([ -~]*[!-~])?")
_ENTRY_LISTS = ("facts", "mentions", "nodes")
"""Lists whose entries hold a record each; the nodes of a graph of topics hold none."""
_NOT_FIELDS = frozenset({"self", "api", "more", "user", "idempotency_key"})
_MAY_BE_NULL = frozenset({"content", "value"})
"""Parameters for which None is a value; any further parameter that is None stays out."""

MAX_TOKENS = 100
"""The limit of a request."""

KEPT_S = 60.0
"""Seconds; the index has a record after a few, and each token makes a retrieval read its record."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of all calls of a client."""

    url: str
    api_key: str | None = field(repr=False)
    user: User = NOT_GIVEN
    scope: str | None = None
    timeout: float | None = 30.0
    """Seconds for each phase of an attempt; None = no limit."""
    max_retries: int = 2
    read_your_writes: bool = True

    def __post_init__(self) -> None:
        """Raises InvalidCall for options that no request can have."""
        if not addresses.is_address(self.url):
            raise InvalidCall(
                f"url is {self.url!r}: expected an address that begins with http:// or https://"
            )
        if self.api_key is not None and not _IN_HEADER.fullmatch(self.api_key):
            raise InvalidCall("api_key has a character that no header carries")
        protocol.require_user(self.user)
        protocol.require_scope(self.scope)


class Tokens:
    """The newest tokens of the last minute without repeats; thread-safe."""

    def __init__(self, elapsed_s: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._elapsed_s = elapsed_s
        self._written_at_s: OrderedDict[str, float] = OrderedDict()
        """By token when it came, the newest last."""

    def keep(self, tokens: Iterable[str]) -> None:
        with self._lock:
            for token in tokens:
                self._written_at_s[token] = self._elapsed_s()
                self._written_at_s.move_to_end(token)
            while len(self._written_at_s) > MAX_TOKENS:
                self._written_at_s.popitem(last=False)

    def newest(self) -> list[str]:
        with self._lock:
            oldest_s = self._elapsed_s() - KEPT_S
            return [each for each, at_s in reversed(self._written_at_s.items()) if at_s >= oldest_s]


@dataclass(frozen=True, slots=True)
class Api:
    """Makes the requests of a client's calls, and reads their replies."""

    options: Options
    record_tokens: Tokens = field(default_factory=Tokens)
    topic_tokens: Tokens = field(default_factory=Tokens)

    def ask(self, route: str, given: JsonObject, kind: type[V]) -> Steps[V]:
        """A call that needs no idempotency key: no effects, or none that a repeat has again.

        `given` has the parameters of the caller's function by name; `more` the shared ones. They go
        into the query of a GET, and into the body of any other method.
        """
        named = self._parameters(route, given)
        method, path, fields = self._request_parts(route, named)
        is_open = named.get("consistency_tokens", 0) is None
        if is_open and self.options.read_your_writes and (tokens := self._tokens(path).newest()):
            fields["consistency_tokens"] = tokens
        if method == "GET":
            request = self._request(method, addresses.with_query(path, fields))
        else:
            request = self._request(method, path, json_text(fields))
        return self.exchange(request, kind, fields.get("user"))

    def write(self, route: str, given: JsonObject, kind: type[V], query: Texts = ()) -> Steps[V]:
        """A call with effects: an idempotency key makes attempts safe to repeat.

        `query` names the parameters outside the body. Raises Gone where a repeated call had
        written a record that was deleted since.
        """
        named = self._parameters(route, given)
        method, path, fields = self._request_parts(route, named)
        asked = {name: fields.pop(name) for name in query if name in fields}
        key = _key_of(named)
        content = json_text(fields)
        if len(content) > encoding.UPLOAD_FROM_BYTES:
            content = yield from encoding.upload_large_values(
                content,
                lambda data, at, scope: self._upload(data, f"{key} {at}", scope, named["user"]),
                of_documents=path.startswith("/v1/documents/"),
            )
        request = self._request(method, addresses.with_query(path, asked), content, key)
        result = yield from self.exchange(request, kind)
        if isinstance(result, MemoryRecord) and result.deleted_at is not None:
            raise Gone(result.id, result.deleted_at)
        return result

    def conversation(self, route: str, given: JsonObject, least_wait_s: float) -> Request:
        """A request that lets a model write; `least_wait_s` is as in Request.

        The model may do something new the second time, under the same idempotency key too: only a
        refusal without effects is followed by a second attempt.
        """
        named = self._parameters(route, given)
        method, path, fields = self._request_parts(route, named)
        request = self._request(method, path, json_text(fields), _key_of(named))
        return replace(request, is_repeatable=False, least_wait_s=least_wait_s)

    def _parameters(self, route: str, given: JsonObject) -> JsonObject:
        """The parameters by name, with the changes that a few routes need on the way."""
        named = {**given.get("more", {}), **given}
        user = named.get("user", NOT_GIVEN)
        match route:
            case "POST /v1/capture":
                named["source"] = named["source"] or ""
            case "POST /v1/documents/batch":
                named["operations"] = [_in_scope(self, each, user) for each in named["operations"]]
            case "POST /v1/erasures" if named["ids"] is not None and named["scope"] is None:
                del named["scope"]  # records and topics of all scopes
            case "PATCH /v1/records/{record_id}" if named["scope"] is None:
                del named["scope"]  # a change to make, not a place to write to
            case "POST /v1/ingest/batch":
                named["items"] = [_in_scope(self, each, user) for each in named["items"]]
            case "POST /v1/messages":
                named["messages"] = encoding.messages_json(named["messages"])
            case "POST /v1/records":
                named["record"] = _in_scope(self, named["record"], user)
            case "POST /v1/tools/{name}":
                named["arguments"] = arguments = encoding.whole_arguments(named["arguments"])
                if isinstance(arguments, Mapping):
                    protocol.require_user(arguments.get("user", NOT_GIVEN))
            case _:
                pass
        return named

    def _request_parts(self, route: str, named: JsonObject) -> tuple[str, str, JsonObject]:
        """Method, path and the fields outside the path, with the client's user and scope."""
        addresses.require_labels(named)
        user: User = named.get("user", NOT_GIVEN)
        scope = self.usual_scope(user)
        if scope is not None:
            if "scope" in named:
                named["scope"] = scope if named["scope"] is None else named["scope"]
            elif "trust" in named and named["trust"] is None:
                named["trust"] = {"scopes": [scope]}
        method, _, template = route.partition(" ")
        in_path = _IN_PATH.findall(template)
        if "path" in in_path:
            named["path"] = addresses.document_path(named.pop("namespace"), named.pop("key"))
        path = template.format_map(
            {name: addresses.path_part(name, named.pop(name)) for name in in_path}
        )
        fields = {
            name: value
            for name, value in named.items()
            if name not in _NOT_FIELDS and (value is not None or name in _MAY_BE_NULL)
        }
        if user is NOT_GIVEN and not named.keys().isdisjoint({"more", "user"}):
            user = self.options.user
        return method, path, fields if user is NOT_GIVEN else {**fields, "user": user}

    def usual_scope(self, user: User) -> str | None:
        """The scope of a call without a scope; None under a user, of the call or the client.

        A user has a scope already, and the service refuses a second one. Raises InvalidCall for a
        user without a name.
        """
        protocol.require_user(user)
        has_user = user is not NOT_GIVEN or self.options.user is not NOT_GIVEN
        return None if has_user else self.options.scope

    def exchange(self, request: Request, kind: type[V], user: str | None = None) -> Steps[V]:
        reply = yield from send(request, self.options.max_retries)
        is_empty = kind is Value and not reply.body  # of a call without a result
        raw = {} if is_empty else _json_object(reply)
        if "idempotency-key" in request.headers:
            self._keep_tokens(request.url.removeprefix(self.options.url), raw)
        if kind.WITHIN:
            if kind.WITHIN not in raw:
                raise UnexpectedReply(f"the reply came without {kind.WITHIN!r}")
            raw = raw[kind.WITHIN]
        replayed = reply.headers.get("idempotency-replayed") == "true"
        value = kind(raw, Meta(replayed, reply.headers.get("apigw-requestid")))
        with as_described(kind.__name__):
            if not kind.WITHIN:
                yield from self._follow_record_links(raw, user)
            yield from encoding.follow_links(raw, kind, self._fetch)
        return value

    def _request(
        self, method: str, path: str, content: bytes | None = None, key: str | None = None
    ) -> Request:
        """A read, or with a key a write; both may be sent again."""
        headers = {"accept": "application/json"}
        if self.options.api_key:
            headers["authorization"] = f"Bearer {self.options.api_key}"
        if content is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        return Request(method, self.options.url + path, headers, content, self.options.timeout)

    def _follow_record_links(self, raw: JsonObject, user: str | None) -> Steps[None]:
        """Read the records the reply had no room for, and put them in place."""
        lists = [raw.get("records", []), raw.get("earlier", [])]
        entries = [each for key in _ENTRY_LISTS for each in raw.get(key, [])]
        places = [(shown, at) for shown in lists for at in range(len(shown))]
        within = [(entry, "record") for entry in entries if "record" in entry]
        for holder, at in [*places, *within]:
            record = holder[at]
            if isinstance(record, dict) and "link" in record and "payload" not in record:
                request = self._request("GET", addresses.with_query(record["link"], {"user": user}))
                reply = yield from send(request, self.options.max_retries)
                holder[at] = _json_object(reply)["record"]

    def _fetch(self, url: str) -> Steps[bytes]:
        """The object at a presigned address, asked for without the API key."""
        request = Request("GET", url, {}, None, self.options.timeout)
        return (yield from send(request, self.options.max_retries)).body

    def _upload(self, data: bytes, key: str, scope: str | None, user: User) -> Steps[str]:
        """The id of the data's upload; `key` is the write's key and the place of the value.

        A repeated write finds the uploads of the first attempt, and so sends the same body.
        """
        digest = sha256(data).hexdigest()
        declared: JsonObject = {
            "size": len(data),
            "sha256": digest,
            "scope": scope,
            "user": user,
            "idempotency_key": sha256(f"{key} {digest}".encode()).hexdigest(),
        }
        opened = yield from self.write("POST /v1/uploads", declared, OpenedUpload)
        request = Request(opened.method, opened.url, opened.headers, data, self.options.timeout)
        try:
            yield from send(request, self.options.max_retries)
        except APIError as error:
            # A PUT before this one arrived, of the content that was signed.
            if error.status != HTTPStatus.PRECONDITION_FAILED:
                raise
        return opened.upload_id

    def _tokens(self, path: str) -> Tokens:
        is_topic = path.startswith("/v1/topics") or path in {"/v1/ingest", "/v1/query"}
        return self.topic_tokens if is_topic else self.record_tokens

    def _keep_tokens(self, path: str, raw: JsonObject) -> None:
        with as_described("the list of tokens"):
            for each in (raw, *raw.get("results", ())):
                token = each.get("consistency_token")
                self._tokens(path).keep([token] if token else each.get("consistency_tokens", ()))


def _in_scope(api: Api, item: Json, user: User) -> JsonObject:
    """The item, or the record within, in the client's scope unless it or a user has a scope."""
    raw = dict(item.raw if isinstance(item, Value) else item)
    user = raw.get("user", user)
    scope = api.usual_scope(user)
    if isinstance(raw.get("record"), Mapping | Value):
        return {**raw, "record": _in_scope(api, raw["record"], user)}
    is_placed = scope is None or "scope" in raw or raw.get("rpc") == "IngestOutcome"
    return raw if is_placed else {**raw, "scope": scope}


def _key_of(given: Mapping[str, Any]) -> str:
    """The call's idempotency key, else a new key; raises InvalidCall for a key of other signs."""
    key = given.get("idempotency_key")
    key = os.urandom(16).hex() if key is None else key
    if not _IN_HEADER.fullmatch(key):
        raise InvalidCall(f"idempotency_key is {key!r}, which no header carries")
    return str(key)


def _json_object(reply: Reply) -> JsonObject:
    try:
        raw = json.loads(reply.body)
    except (RecursionError, ValueError) as error:  # nested without end, or no JSON
        raise UnexpectedReply("the reply is not JSON") from error
    if not isinstance(raw, dict):
        raise UnexpectedReply("the reply is not a JSON object")
    return raw
