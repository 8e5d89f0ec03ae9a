"""The system context: the role and the surroundings given to every agent."""

from dataclasses import asdict, dataclass, replace

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.stored import Operation, remember

KEPT_AS = "system-context"

EVERYWHERE = ""
"""The scope of the document: the context belongs to no scope."""

MAX_CHARACTERS = 30_000
"""The limit for each text: both texts are stored in one item, as JSON."""

MAX_CHANGES = 20
"""The newest changes whose author and time are kept."""


@dataclass(frozen=True, slots=True)
class Change:
    at: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemContext:
    """The current system context. Timestamps are RFC 3339, in UTC."""

    system_role: str
    runtime_context: str
    created_at: str
    changes: tuple[Change, ...]
    """The oldest first."""
    operations: tuple[Operation, ...] = ()
    """The operations with an idempotency key that led to the texts."""

    @classmethod
    def from_json(cls, document: JsonObject) -> "SystemContext":
        changes = tuple(Change(**each) for each in document["changes"])
        operations = tuple(Operation(*map(bytes.fromhex, each)) for each in document["operations"])
        return cls(**document | {"changes": changes, "operations": operations})

    def as_json(self) -> JsonObject:
        operations = [[each.identity.hex(), each.fingerprint.hex()] for each in self.operations]
        return asdict(self) | {"operations": operations}


def changed_context(
    before: SystemContext | None,
    system_role: str,
    runtime_context: str,
    change: Change,
    operation: Operation | None,
) -> SystemContext:
    """The context with the texts, stripped; raises InvalidArgument for a blank text."""
    role, runtime = system_role.strip(), runtime_context.strip()
    for name, text in (("system_role", role), ("runtime_context", runtime)):
        if not text:
            message = f"{name} must not be blank"
            raise InvalidArgument(message).at(name)
    if before is None:
        after = SystemContext(
            system_role=role, runtime_context=runtime, created_at=change.at, changes=(change,)
        )
    else:
        after = replace(before, system_role=role, runtime_context=runtime)
        if after != before:
            after = replace(after, changes=(*before.changes, change)[-MAX_CHANGES:])
    return replace(after, operations=remember(after.operations, operation))
