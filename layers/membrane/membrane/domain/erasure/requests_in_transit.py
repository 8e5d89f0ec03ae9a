"""Whether a request that is stored outside the table, or an event around it, names the target."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.erasure.targets import Target, TargetKind
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import parse_json
from membrane.domain.topics.titles import normalise_text

USER, SCOPE = "user", "scope"


@dataclass(frozen=True, slots=True)
class Recognition:
    """Recognises the target in requests of the event sources."""

    target: Target
    sources: tuple[Principal, ...]
    """The principals of the event sources: a request without a scope is of their first scope."""

    def is_named_in(self, body: str) -> bool:
        """Whether the JSON of a message or a line names the target.

        A text that is no JSON names the target if it has the target's name anywhere.
        """
        try:
            value = parse_json(body)
        except InvalidArgument:
            names = self.target.ids or {self.target.subject or self.target.scope}
            return any(name in body for name in names)
        match self.target.kind:
            case TargetKind.SCOPE:
                return self._is_of_scope(value)
            case TargetKind.SUBJECT:
                wanted = normalise_text(self.target.subject)
                return any(normalise_text(text) == wanted for text in _texts_in(value))
            case TargetKind.IDS:
                return any(text in self.target.ids for text in _texts_in(value))

    def _is_of_scope(self, value: Any) -> bool:
        if any(text == self.target.scope for text in _texts_in(value)):
            return True
        places = list(_places_in(value))
        if not places:
            return self.target.scope in map(_usual_scope, self.sources)
        users = [user for name, user in places if name == USER]
        prefixes = {each.user_prefix for each in self.sources if each.user_prefix}
        return any(prefix + user == self.target.scope for prefix in prefixes for user in users)


def _usual_scope(principal: Principal) -> str:
    try:
        return principal.scope_for_writing(None)
    except InvalidArgument:
        return ""


def _texts_in(value: Any) -> Iterator[str]:
    """Every text of a JSON value, and of JSON inside a text: an event may carry a body as text."""
    match value:
        case str():
            yield value
            yield from _texts_in(_inner(value)) if value[:1] in ("{", "[") else ()
        case list():
            for each in value:
                yield from _texts_in(each)
        case dict():
            for each in value.values():
                yield from _texts_in(each)
        case _:
            pass


def _places_in(value: Any) -> Iterator[tuple[str, str]]:
    """Every scope and user that an object anywhere in the value names."""
    match value:
        case str() if value[:1] in ("{", "["):
            yield from _places_in(_inner(value))
        case list():
            for each in value:
                yield from _places_in(each)
        case dict():
            for name, each in value.items():
                if name in (SCOPE, USER) and isinstance(each, str) and each:
                    yield name, each
                yield from _places_in(each)
        case _:
            pass


def _inner(text: str) -> Any:
    try:
        return parse_json(text)
    except InvalidArgument:
        return None
