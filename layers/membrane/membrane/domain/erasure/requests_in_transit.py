"""Whether a request that is stored outside the table, or an event around it, names the target."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.erasure.targets import Target, TargetKind
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import parse_json

_NAMES_OF_SUBJECTS = ("subject", "canonical_name", "title")
_NAMES_OF_IDS = ("id", "target_record_id", "topic_id")


@dataclass(frozen=True, slots=True)
class Recognition:
    """Recognises the target in requests of the event sources."""

    target: Target
    sources: tuple[Principal, ...]
    """The principals of the event sources: a request without a scope is of their first scope."""

    def is_named_in(self, body: str) -> bool:
        """Whether the JSON of a message or a line names the target; False for any other text."""
        value = _json_in(body)
        match self.target.kind:
            case TargetKind.SCOPE:
                return value is not None and self._is_of_scope(value)
            case TargetKind.SUBJECT:
                return any(map(self.target.is_confirmed, _members_in(value, _NAMES_OF_SUBJECTS)))
            case TargetKind.IDS:
                return any(text in self.target.ids for text in _members_in(value, _NAMES_OF_IDS))

    def _is_of_scope(self, value: Any) -> bool:
        scopes = {*_members_in(value, ("scope",))}
        users = {*_members_in(value, ("user",))}
        if not scopes and not users:
            return self.target.scope in map(_usual_scope, self.sources)
        prefixes = {each.user_prefix for each in self.sources if each.user_prefix}
        of_users = {prefix + user for prefix in prefixes for user in users}
        return self.target.scope in scopes | of_users


def _usual_scope(principal: Principal) -> str:
    try:
        return principal.scope_for_writing(None)
    except InvalidArgument:
        return ""


def _members_in(value: Any, names: Collection[str]) -> Iterator[str]:
    """The texts of members with the names, at any depth, and in JSON inside a text.

    An event may carry a request as a text.
    """
    match value:
        case str() if value[:1] in ("{", "["):
            yield from _members_in(_json_in(value), names)
        case list():
            for each in value:
                yield from _members_in(each, names)
        case dict():
            for name, each in value.items():
                if name in names and isinstance(each, str) and each:
                    yield each
                yield from _members_in(each, names)
        case _:
            pass


def _json_in(text: str) -> Any:
    try:
        return parse_json(text)
    except InvalidArgument:
        return None
