"""The usefulness of a record: how often tasks succeeded and failed in which the record had a part.

Outcomes give credit in fractions: an outcome that rests on several records is shared among them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from membrane.domain.language.fields import Count, Part, Timestamp
from membrane.domain.language.json_text import JsonObject, digest

MAX_DAILY = 0.4
"""The most credit that a record takes in a UTC day through one principal, gains and losses added.
"""

MAX_GIVERS = 16
"""Principals whose credit of a day a record counts; the credit of further principals is ignored."""

DIGITS = 6
"""Decimals of the stored amounts."""

SMALLEST = 10.0**-DIGITS
"""Less credit than this counts as none."""

_GIVER_BYTES = 6


class Usefulness(Part):
    """How often tasks succeeded and failed in which a record had a part.

    `mean` and `width` are of the Beta distribution with the parameters 1 + `successes` and
    1 + `failures`.
    """

    successes: Annotated[float, Field(ge=0)]
    """Successful tasks, each counted by the share of the record in the task."""
    failures: Annotated[float, Field(ge=0)]
    """Failed tasks, each counted by the share of the record in the task."""
    used: Count
    """The number of outcomes that gave the record credit."""
    last_used_at: Timestamp
    """When the last outcome gave the record credit."""
    mean: Annotated[float, Field(ge=0, le=1)]
    """The expected rate of success; 0.5 for a record without any credit."""
    width: Annotated[float, Field(ge=0, le=1)]
    """The standard deviation of the rate: small once much is known."""


class Grant(NamedTuple):
    """Credit of one outcome for one record."""

    amount: float
    """Positive; in the unit of salience."""
    evidence: float
    """The share of the record in the task, from 0 to 1."""
    failed: bool


@dataclass(frozen=True, slots=True)
class CreditLedger:
    """The credit of a record, and who gave how much on the last day of credit."""

    successes: float = 0.0
    failures: float = 0.0
    used: int = 0
    last_used_at: str = ""
    """RFC 3339; empty before the first credit."""
    writer: str = ""
    """The `giver_of` the principal that wrote the record."""
    day: str = ""
    """The UTC day of `given`, as in `2026-03-01`."""
    given: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The credit of the day by `giver_of` the principal, gains and losses added."""

    @property
    def mean(self) -> float:
        return (1.0 + self.successes) / (2.0 + self.successes + self.failures)

    @property
    def width(self) -> float:
        """The standard deviation of the Beta distribution."""
        return math.sqrt(self.mean * (1.0 - self.mean) / (3.0 + self.successes + self.failures))

    def room(self, giver: str, day: str) -> float:
        """How much credit the giver may still give on the day."""
        given = self._given_on(day)
        if giver not in given and len(given) >= MAX_GIVERS:
            return 0.0
        return max(0.0, round(MAX_DAILY - given.get(giver, 0.0), DIGITS))

    def after(self, grant: Grant, giver: str, at: str) -> "CreditLedger":
        """The ledger with a further grant, at an instant in RFC 3339 and UTC."""
        day = max(day_of(at), self.day)
        given = dict(self._given_on(day))
        given[giver] = round(given.get(giver, 0.0) + grant.amount, DIGITS)
        won, lost = (0.0, grant.evidence) if grant.failed else (grant.evidence, 0.0)
        return replace(
            self,
            successes=round(self.successes + won, DIGITS),
            failures=round(self.failures + lost, DIGITS),
            used=self.used + 1,
            last_used_at=max(at, self.last_used_at),
            day=day,
            given=given,
        )

    def as_part(self) -> Usefulness:
        """The ledger in a reply."""
        return Usefulness(
            successes=self.successes,
            failures=self.failures,
            used=self.used,
            last_used_at=self.last_used_at,
            mean=round(self.mean, DIGITS),
            width=round(self.width, DIGITS),
        )

    def as_json(self) -> JsonObject:
        """The ledger as stored, in short names: most records that are used have one."""
        return {
            "s": self.successes,
            "f": self.failures,
            "n": self.used,
            "at": self.last_used_at,
            "by": self.writer,
            "day": self.day,
            "given": dict(self.given),
        }

    @classmethod
    def of_json(cls, fields: Mapping[str, Any]) -> "CreditLedger":
        """The inverse of `as_json`; raises KeyError or TypeError for other JSON."""
        return cls(
            successes=float(fields["s"]),
            failures=float(fields["f"]),
            used=fields["n"],
            last_used_at=fields["at"],
            writer=fields["by"],
            day=fields["day"],
            given={giver: float(amount) for giver, amount in fields["given"].items()},
        )

    def _given_on(self, day: str) -> Mapping[str, float]:
        """The credit of the day; of a later day if the clock of a server is late."""
        return self.given if day <= self.day else {}


def giver_of(actor_id: str) -> str:
    """A short digest of a principal: keys of one actor are one giver."""
    return digest("credit", actor_id)[:_GIVER_BYTES].hex()


def day_of(at: str) -> str:
    """The UTC day of an instant in RFC 3339 and UTC."""
    return at[:10]
