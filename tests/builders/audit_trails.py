"""Audit trails and states of a record, for its history; times in seconds since its creation."""

from typing import Any

from membrane.domain.language.timestamps import NOT_GIVEN, from_epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import AuditAction, DecayCurve, DeletionPolicy
from membrane.domain.lifecycle.changes import DECAY_SERVICE
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane_cli.salience.history import Present

BORN_S = 1_800_000_000
HOUR_S = 3_600


def entry(action: str, after_s: float = 0, *saliences: float, **fields: Any) -> AuditEntry:
    """An entry; with saliences, those before and after."""
    before, after = saliences or (None, None)
    return AuditEntry(
        action=AuditAction(action),
        timestamp=rfc3339(from_epoch_seconds(BORN_S + after_s)),
        actor=fields.get("actor", "agent"),
        rationale=fields.get("rationale", ""),
        principal=fields.get("principal", "key"),
        previous_hash="",
        hash="",
        salience_before=before,
        salience_after=after,
    )


CREATED = entry("create")


def pruned(after_s: float, anchored: float, left: float) -> tuple[AuditEntry, AuditEntry]:
    """What a sweep writes."""
    sweep = {"actor": DECAY_SERVICE, "principal": DECAY_SERVICE}
    decay = entry("decay", after_s, anchored, left, rationale="decay applied", **sweep)
    return decay, entry("delete", after_s, rationale="auto-pruned", **sweep)


def present(
    after_s: float,
    salience: float,
    *,
    pinned: bool = False,
    policy: str = "auto_prune",
    **decay: Any,
) -> Present:
    """A record as it is then; by default it fades exponentially, by half in an hour."""
    profile = {
        "curve": DecayCurve.EXPONENTIAL,
        "half_life_seconds": HOUR_S,
        "reinforcement_gain": 0.2,
    }
    lifecycle = Lifecycle(
        decay=DecayProfile(**{**profile, **decay}),
        last_reinforced_at=NOT_GIVEN,
        pinned=pinned,
        deletion_policy=DeletionPolicy(policy),
    )
    return Present(BORN_S + after_s, salience, lifecycle, "episodic")
