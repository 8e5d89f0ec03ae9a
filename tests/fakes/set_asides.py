"""What is set aside to be indexed later."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.usecases.ports.search import Waiting


@dataclass(slots=True)
class SetAsides:
    """Remembers what was set aside, and the scopes that were named with it."""

    records: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    others: list[tuple[Waiting, str]] = field(default_factory=list)
    """All but records that are to be indexed."""

    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        if kind is Waiting.RECORD:
            self.records.append((source_id, tuple(scopes)))
        else:
            self.others.append((kind, source_id))
