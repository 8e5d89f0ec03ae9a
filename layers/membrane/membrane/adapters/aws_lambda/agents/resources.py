"""The resources of the memory: records, entities, topics, threads and metrics, by address.

A resource reads what a route of the API reads. An address may have `?user=` for a key that takes a
user.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from membrane.adapters.aws_lambda.http.operations import perform, reporting
from membrane.adapters.aws_lambda.mcp.features import Exchange, Page, ResourceResult
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.access.principals import Principal
from membrane.domain.access.users import USER
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.sizes import nested_bytes
from membrane.usecases.machinery.calls import known_values, reply_body
from membrane.usecases.ports.world import World
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
    rpc: str
    """Of the route, which is imported at the first call: few calls read resources."""

    @property
    def description(self) -> JsonObject:
        return {"name": self.name, "title": self.title, "mimeType": JSON}

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


RESOURCES = (
    Resource("record", "A record", "records/", "", "id", "RetrieveByID"),
    Resource("audit", "The audit trail of a record", "records/", "/audit", "id", "ReadAudit"),
    Resource("history", "The versions of a record", "records/", "/history", "id", "ReadVersions"),
    Resource("entity", "An entity with the facts about it", "entities/", "", "id", "ReadEntity"),
    Resource("topic", "A topic with fields and history", "topics/", "", "id", "ReadTopic"),
    Resource("thread", "The states of a thread", "threads/", "/state", "thread_id", "ReadThread"),
    Resource("metrics", "The memory in numbers", "metrics", "", "", "GetMetrics"),
)


@dataclass(frozen=True, slots=True)
class MemoryResources:
    """The Resources of the memory: none for a key that may not read."""

    world: World

    def list(self, caller: Principal, cursor: str | None) -> Page:
        """The resources without a place for an id, on one page."""
        if cursor is not None:
            raise InvalidArgument("params.cursor is not a cursor of this list")
        return Page([{"uri": each.template, **each.description} for each in _kinds(caller, "")])

    def templates(self, caller: Principal) -> Sequence[JsonObject]:
        """The resources with a place for an id."""
        kinds = _kinds(caller, "id", "thread_id")
        return [{"uriTemplate": each.template, **each.description} for each in kinds]

    def read(self, uri: str, caller: Principal, _exchange: Exchange) -> ResourceResult | None:
        """The body of the route's reply, large values in place while room is left.

        Raises DomainError.
        """
        found = _resource_at(uri)
        if found is None:
            return None
        resource, asked = found
        row = row_of(resource.rpc)
        try:
            with reporting(row.rpc, self.world):
                result = perform(row, asked, caller, self.world)
        except NotFound:
            return None
        body = inline_large_values(
            reply_body(result), self.world, known_values(result), nested_bytes
        )
        return ResourceResult([{"uri": uri, "mimeType": JSON, "text": compact_json(body)}])


def _kinds(caller: Principal, *arguments: str) -> Iterable[Resource]:
    """The kinds whose address has one of the arguments; none for a key that may not read."""
    may_read = Permission.READ in caller.permissions
    return (each for each in RESOURCES if may_read and each.argument in arguments)


def _resource_at(uri: str) -> tuple[Resource, JsonObject] | None:
    """The kind of resource and the request to the route; None for a foreign address."""
    try:
        parts = urlsplit(uri)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError:
        return None
    if parts.scheme != SCHEME or parts.fragment or query.keys() - {USER}:
        return None
    path = f"{parts.netloc}{parts.path}"
    for resource in sorted(RESOURCES, key=lambda each: -len(each.end)):
        found = resource.id_in(path)
        if found is not None:
            named = {resource.argument: found} if resource.argument else {}
            return resource, {**named, **query}
    return None
