"""Assemble the JSON of a request from an HTTP request.

The fields of the request's model say where they stand: in the path, in the query, in a header, or,
unmarked, in the body. A GET has no body.

The path of a document has a segment for each label of the namespace, and the last segment for the
key. API Gateway decodes a path once before the function sees the path, `%2F` included. A client
therefore encodes each label and the key by itself, and the URL once more: `/` in a label travels
as `%252F`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin
from urllib.parse import unquote

from membrane.adapters.aws_lambda.http import operations
from membrane.domain.access.principals import USER
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject, UnreadableItem, require_well_formed
from membrane.domain.language.requests import Standing

_FLAGS = {"true": True, "false": False}
_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_EXAMPLES: Mapping[type, str] = {bool: "true", int: "1", str: "..."}

_ITEMS = "items"
"""The last segment of a path to the list beside a value."""

_PATH = "the path must name the labels of the namespace and the key, each at least one character"
_CONDITIONS = (
    'a request may have If-Match: * or a version such as "3" in quotes, or If-None-Match: *'
)
_VERSION = re.compile(r'"(0|[1-9][0-9]{0,15})"', re.ASCII)


class Parameter(NamedTuple):
    """A parameter of the query, with the field that it stands for."""

    name: str
    field: str
    within: str
    """The part of the request that has the field, such as `trust`; empty = the request itself."""
    type: type
    """tuple = may be given several times; bool, int or str."""
    has_default: bool
    """Whether an empty text stands for a default."""

    def value(self, text: str) -> Any:
        """The value of the text; the text itself where the model has to refuse the text."""
        if self.type is bool:
            return _FLAGS.get(text, text)
        return int(text) if self.type is int and _NUMBER.fullmatch(text) else text


@cache
def standing(model: type[Part]) -> Mapping[str, Standing]:
    """By field outside the body, where the field stands."""
    marks = ((name, mark) for name, field in model.model_fields.items() for mark in field.metadata)
    return {name: mark for name, mark in marks if isinstance(mark, Standing)}


@cache
def parameters(model: type[Part], within: str = "") -> tuple[Parameter, ...]:
    """The parameters of the query, in the order of the fields."""
    found: list[Parameter] = []
    for name, mark in standing(model).items():
        field = model.model_fields[name]
        if mark.place != "query":
            continue
        if isinstance(field.annotation, type) and issubclass(field.annotation, Part):
            found += parameters(field.annotation, name)
        else:
            known = _types(field.annotation)
            kind = next((each for each in (tuple, bool, int) if each in known), str)
            has_default = not field.is_required() and field.default is not None
            parameter = mark.name or name
            found.append(Parameter(parameter, name, within, kind, has_default and kind is not bool))
    return tuple(found)


def is_conditional(model: type[Part]) -> bool:
    """Whether a header of the request may demand a version."""
    return any(mark.place == "header" for mark in standing(model).values())


def _types(annotation: Any) -> set[Any]:
    """The types of the alternatives, without marks and elements."""
    if get_origin(annotation) in (tuple, None):
        return {get_origin(annotation) or annotation}
    within = get_args(annotation)
    alternatives = within[:1] if get_origin(annotation) is Annotated else within
    return set().union(*map(_types, alternatives))


def assemble(row: operations.Row, http: operations.HttpRequest) -> Any:
    """The request's JSON; raises InvalidArgument for a field that stands where it must not."""
    places, known = standing(row.request_type), parameters(row.request_type)
    http.require_query_within([parameter.name for parameter in known])
    body = {} if row.method == "GET" else _READERS[row.body](row, http)
    if not places:
        return body
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object")
    _require_outside(body, row)
    query = _in_query(known, http)
    if both := sorted(body.keys() & query.keys()):
        raise InvalidArgument(f"{both[0]} stands in the query; the body must have none")
    return {**body, **_in_path(row, http), **query, **_in_headers(places, http, body)}


def _require_outside(body: JsonObject, row: operations.Row) -> None:
    """Raises InvalidArgument for a field of the body that stands in the path or in the query."""
    places = standing(row.request_type)
    for name in sorted(body.keys() & places.keys()):
        if places[name].or_body:
            continue
        if places[name].place == "path":
            message = f"the {name} stands in the path; the body must have none"
            raise InvalidArgument(message).at(name)
        (kind,) = (each.type for each in parameters(row.request_type) if each.field == name)
        message = f"{name} goes into the query: ?{name}={_EXAMPLES[kind]}"
        raise InvalidArgument(message).at(name)


def _in_path(row: operations.Row, http: operations.HttpRequest) -> JsonObject:
    if "{path+}" in row.route:
        read = _list_place if row.body == "list_items" else _namespace_and_key
        return read(http.path["path"])
    marked = standing(row.request_type).items()
    return {name: http.path[name] for name, mark in marked if mark.place == "path"}


def _in_query(known: Sequence[Parameter], http: operations.HttpRequest) -> JsonObject:
    """The fields that the query has; an empty text stands for the default that is not null."""
    found: JsonObject = {}
    for parameter in known:
        holder = found.setdefault(parameter.within, {}) if parameter.within else found
        if parameter.type is tuple:
            holder[parameter.field] = http.values(parameter.name)
            continue
        text = http.once(parameter.name)
        if text or (text is not None and not parameter.has_default):
            holder[parameter.field] = parameter.value(text)
    return found


def _in_headers(
    places: Mapping[str, Standing], http: operations.HttpRequest, body: JsonObject
) -> JsonObject:
    """The version that a header demands, of a request with fields for the version."""
    fields = [name for name, mark in places.items() if mark.place == "header"]
    demanded = _demanded_version(http.headers) if fields else {}
    if demanded and any(body.get(name) is not None for name in fields):
        raise InvalidArgument("the version stands in a header; the body must have none")
    return demanded


def _usual(row: operations.Row, http: operations.HttpRequest) -> Any:
    """The body, which a request whose required fields stand outside the body need not have."""
    places, fields = standing(row.request_type), row.request_type.model_fields
    if http.body or not places:
        return http.json_body(row.levels)
    is_needed = any(fields[name].is_required() for name in fields.keys() - places.keys())
    return http.json_body(row.levels) if is_needed else {}


def _batch(row: operations.Row, http: operations.HttpRequest) -> Any:
    """The body of a batch; in place of an item with a lone surrogate, the refusal of the item."""
    try:
        return http.json_body(row.levels)
    except InvalidArgument as error:
        if not isinstance(error.__cause__, UnicodeEncodeError):
            raise
    body = http.json_body(row.levels, refuses_surrogates=False)
    if isinstance(body, dict):
        body = {name: _well_formed_items(value) for name, value in body.items()}
    require_well_formed(body)
    return body


def _well_formed_items(value: Any) -> Any:
    return [_item_or_refusal(each) for each in value] if isinstance(value, list) else value


def _item_or_refusal(item: Any) -> Any:
    try:
        require_well_formed(item)
    except InvalidArgument as error:
        return UnreadableItem(error)
    return item


def _bare_record(row: operations.Row, http: operations.HttpRequest) -> Any:
    """A record, bare or in the envelope `record` of a reply."""
    body = http.json_body(row.levels)
    if not isinstance(body, dict) or "record" in body:
        return body
    around = {name: body[name] for name in (operations.KEY, USER) if name in body}
    return {"record": {name: body[name] for name in body if name not in around}, **around}


def _list_items(row: operations.Row, http: operations.HttpRequest) -> Any:
    """Items to append to a list; no version applies to a list."""
    _refuse_conditions(http.headers)
    return http.json_body(row.levels)


def _tool_call(row: operations.Row, http: operations.HttpRequest) -> Any:
    """A call of a tool, with the `user` of the body among the arguments.

    The tool narrows the key, so that the key's other calls read what the tool wrote.
    """
    body = _usual(row, http)
    arguments = body.get("arguments", {}) if isinstance(body, dict) else None
    if not isinstance(arguments, dict) or USER not in body or USER in arguments:
        return body
    rest = {name: body[name] for name in body if name != USER}
    return {**rest, "arguments": {**arguments, USER: body[USER]}}


def _namespace_and_key(path: str) -> JsonObject:
    """The place of a document, each segment decoded; raises InvalidArgument."""
    return _place(_segments(path))


def _list_place(path: str) -> JsonObject:
    """The place of the document of a list; raises InvalidArgument."""
    *place, last = _segments(path)
    if last != _ITEMS:
        raise _wrong_place(f"the path of an append must end in /{_ITEMS}")
    return _place(place)


def _place(segments: list[str]) -> JsonObject:
    if len(segments) < 2:  # noqa: PLR2004 - a label and the key
        raise _wrong_place(_PATH)
    *namespace, key = segments
    return {"namespace": namespace, "key": key}


def _segments(path: str) -> list[str]:
    """The segments, each decoded; raises InvalidArgument for an empty segment."""
    try:
        segments = [unquote(each, errors="strict") for each in path.split("/")]
    except UnicodeDecodeError as error:
        raise _wrong_place("a segment of the path must be percent-encoded UTF-8") from error
    if not all(segments):
        raise _wrong_place(_PATH)
    return segments


def _wrong_place(message: str) -> InvalidArgument:
    return InvalidArgument(message, [Violation(name, message) for name in ("namespace", "key")])


def _refuse_conditions(headers: Mapping[str, str]) -> None:
    """Raises InvalidArgument for a header that demands a version."""
    if operations.IF_MATCH in headers or operations.IF_NONE_MATCH in headers:
        raise InvalidArgument("an append takes neither If-Match nor If-None-Match")


def _demanded_version(headers: Mapping[str, str]) -> JsonObject:
    """The fields for `If-Match` or `If-None-Match`; raises InvalidArgument for any other form."""
    given = {
        name: headers[name].strip()
        for name in (operations.IF_MATCH, operations.IF_NONE_MATCH)
        if name in headers
    }
    if not given:
        return {}
    match given:
        case {"if-none-match": "*"} if len(given) == 1:
            return {"expected_version": 0}
        case {"if-match": "*"} if len(given) == 1:
            return {"must_exist": True}
    found = _VERSION.fullmatch(given.get(operations.IF_MATCH, ""))
    if found is None or operations.IF_NONE_MATCH in given:
        raise InvalidArgument(_CONDITIONS)
    return {"expected_version": int(found[1])}


_READERS: Mapping[str, Callable[[operations.Row, operations.HttpRequest], Any]] = {
    "": _usual,
    "batch": _batch,
    "bare_record": _bare_record,
    "list_items": _list_items,
    "tool_call": _tool_call,
}
"""By `Row.body` the function that reads the body."""
