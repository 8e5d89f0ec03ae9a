"""The part of a memory that an export holds: scopes, up to a sensitivity."""

from dataclasses import dataclass

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Sensitivity


@dataclass(frozen=True, slots=True)
class Selection:
    """The scopes of an export: exact scopes and prefixes, or with `scopes` None every scope."""

    ceiling: Sensitivity
    scopes: tuple[str, ...] | None
    prefixes: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return self.scopes is None and self.ceiling is Sensitivity.HYPER

    def selects(self, scope: str, sensitivity: Sensitivity) -> bool:
        """Whether the export holds a record; unscoped records belong to the export of all."""
        if sensitivity.level > self.ceiling.level:
            return False
        if self.scopes is None or scope in self.scopes:
            return True
        return bool(scope) and scope.startswith(self.prefixes)

    def covers(self, scope: str) -> bool:
        """Whether the export may hold records of a scope, of any sensitivity."""
        return self.selects(scope, min(Sensitivity, key=lambda each: each.level))

    def selects_all_of(self, scope: str) -> bool:
        """Whether the export holds all of a scope, whatever the sensitivity."""
        return self.selects(scope, Sensitivity.HYPER)

    def as_json(self) -> JsonObject:
        """The selection; the field `scopes` has the spelling of a key, and is absent for all."""
        shown: JsonObject = {"max_sensitivity": self.ceiling}
        if self.scopes is not None:
            shown["scopes"] = [*self.scopes, *(f"{prefix}*" for prefix in self.prefixes)]
        return shown

    @classmethod
    def of_json(cls, shown: JsonObject) -> "Selection":
        """The inverse of `as_json`."""
        entries = shown.get("scopes")
        if entries is None:
            return cls(Sensitivity(shown["max_sensitivity"]), None)
        prefixes = tuple(entry[:-1] for entry in entries if entry.endswith(":*"))
        exact = tuple(entry for entry in entries if not entry.endswith(":*"))
        return cls(Sensitivity(shown["max_sensitivity"]), exact, prefixes)


def selection_for(principal: Principal, scope: str | None) -> Selection:
    """The requested scope, else every scope of the principal.

    Raises PermissionDenied for a scope outside the principal's.
    """
    trust = principal.trust
    if scope is not None:
        if not trust.covers(scope):
            raise PermissionDenied("the key does not cover this scope")
        return Selection(principal.ceiling, (scope,))
    if trust.scopes is None:
        return Selection(principal.ceiling, None)
    return Selection(principal.ceiling, tuple(sorted(trust.scopes)), trust.prefixes)
