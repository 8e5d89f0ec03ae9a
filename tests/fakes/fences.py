"""Fences in memory."""

from collections.abc import Collection
from dataclasses import dataclass, field

from membrane.domain.language.errors import ScopeFenced
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeFences(StandIn):
    """A fake of DynamoFences: a new fence is seen at once, and every erasure is under way."""

    fenced: dict[str, str] = field(default_factory=dict)
    """The fenced scope by erasure."""

    def require_open(self, scopes: Collection[str]) -> None:
        for erasure_id, scope in self.fenced.items():
            if scope in scopes:
                raise ScopeFenced(f"the scope is being erased (erasure {erasure_id})")

    def put(self, scope: str, erasure_id: str) -> None:
        self.fenced[erasure_id] = scope

    def remove(self, erasure_id: str) -> None:
        self.fenced.pop(erasure_id, None)
