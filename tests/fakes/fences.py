"""Fences in memory."""

from collections.abc import Collection
from dataclasses import dataclass, field

from membrane.domain.language.errors import ScopeFenced


@dataclass(slots=True)
class FakeFences:
    """The Fences; a new fence is seen at once."""

    fenced: dict[str, str] = field(default_factory=dict)

    def require_open(self, scopes: Collection[str]) -> None:
        for scope in scopes:
            if scope in self.fenced:
                raise ScopeFenced(f"the scope is being erased (erasure {self.fenced[scope]})")

    def put(self, scope: str, erasure_id: str) -> None:
        self.fenced[scope] = erasure_id

    def remove(self, erasure_id: str) -> None:
        self.fenced = {scope: each for scope, each in self.fenced.items() if each != erasure_id}
