"""The resources of the memory: records, entities, topics, threads and metrics, by address.

A resource reads what a route of the API reads. An address may have `?user=` for a key that takes a
user.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from membrane.adapters.aws_lambda.http.operations import Operation, perform, reporting
from membrane.adapters.aws_lambda.mcp.errors import Code, ProtocolError
from membrane.domain.access.principals import Principal
from membrane.domain.access.users import USER
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.machinery.calls import known_values
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.records.inline_large_values import inline_large_values

SCHEME = "membrane"
JSON = "application/json"


class Resource(NamedTuple):
    """A kind of resource: the address with a place for an id, and the route that reads it."""

    name: str
    title: str
    begin: str
    """The address up to the id; the whole address of a single resource."""
    end: str
    argument: str
    """The name of the id, in the address and in the request; empty for a single resource."""
    operation: Callable[[], Operation]
    """Imports the route: few calls read resources."""

    @property
    def template(self) -> str:
        place = f"{{{self.argument}}}" if self.argument else ""
        return f"{SCHEME}://{self.begin}{place}{self.end}"

    def id_in(self, path: str) -> str | None:
        """The id in the path of an address; None for the path of another kind."""
        if not self.argument:
            return "" if path == self.begin else None
        if not (path.startswith(self.begin) and path.endswith(self.end)):
            return None
        place = path[len(self.begin) : len(path) - len(self.end)]
        return unquote(place) if place and "/" not in place else None


def _record() -> Operation:
    from membrane.adapters.aws_lambda.routes.records import RETRIEVE_BY_ID

    return RETRIEVE_BY_ID


def _audit() -> Operation:
    from membrane.adapters.aws_lambda.routes.records import READ_AUDIT

    return READ_AUDIT


def _versions() -> Operation:
    from membrane.adapters.aws_lambda.routes.records import READ_VERSIONS

    return READ_VERSIONS


def _entity() -> Operation:
    from membrane.adapters.aws_lambda.routes.entity_reads import READ_ENTITY

    return READ_ENTITY


def _topic() -> Operation:
    from membrane.adapters.aws_lambda.routes.topics import READ_TOPIC

    return READ_TOPIC


def _thread() -> Operation:
    from membrane.adapters.aws_lambda.routes.search import READ_THREAD

    return READ_THREAD


def _metrics() -> Operation:
    from membrane.adapters.aws_lambda.routes.metrics import GET_METRICS

    return GET_METRICS


RESOURCES = (
    Resource("record", "A record", "records/", "", "id", _record),
    Resource("audit", "The audit trail of a record", "records/", "/audit", "id", _audit),
    Resource("history", "The versions of a record", "records/", "/history", "id", _versions),
    Resource("entity", "An entity with the facts about it", "entities/", "", "id", _entity),
    Resource("topic", "A topic with fields and history", "topics/", "", "id", _topic),
    Resource("thread", "The states of a thread", "threads/", "/state", "thread_id", _thread),
    Resource("metrics", "The memory in numbers", "metrics", "", "", _metrics),
)


def listed_resources() -> Sequence[JsonObject]:
    """The resources without a place for an id."""
    return [
        {"uri": each.template, "name": each.name, "title": each.title, "mimeType": JSON}
        for each in RESOURCES
        if not each.argument
    ]


def listed_templates() -> Sequence[JsonObject]:
    """The resources with a place for an id."""
    return [
        {"uriTemplate": each.template, "name": each.name, "title": each.title, "mimeType": JSON}
        for each in RESOURCES
        if each.argument
    ]


def resource_address(kind: str, resource_id: str) -> str:
    """The address of a resource of the kind, such as `records`."""
    return f"{SCHEME}://{kind}/{quote(resource_id, safe='')}"


def read_resource(uri: str, principal: Principal, services: ToolServices) -> JsonObject:
    """The contents of a resource; raises ProtocolError for a foreign address, and DomainError."""
    resource, asked = _resource_at(uri)
    operation = resource.operation()
    with reporting(f"resources/{resource.name}", services):
        result = perform(operation, asked, principal, services)
        body = inline_large_values(operation.present(result), services, known_values(result))
    return {"uri": uri, "mimeType": JSON, "text": compact_json(body)}


def _resource_at(uri: str) -> tuple[Resource, JsonObject]:
    """The kind of resource, and the request to the route."""
    unknown = ProtocolError(Code.INVALID_PARAMS, "Resource not found", {"uri": uri[:500]})
    try:
        parts = urlsplit(uri)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError:
        query, parts = {}, urlsplit("")
    if parts.scheme != SCHEME or parts.fragment or query.keys() - {USER}:
        raise unknown
    path = f"{parts.netloc}{parts.path}"
    for resource in sorted(RESOURCES, key=lambda each: -len(each.end)):
        found = resource.id_in(path)
        if found is not None:
            named = {resource.argument: found} if resource.argument else {}
            return resource, {**named, **query}
    raise unknown
