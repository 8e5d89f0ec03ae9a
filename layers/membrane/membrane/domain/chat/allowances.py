"""The daily tokens of conversations: of a key, and of the whole stack."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import digest
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.model_failures import OutOfTokens


class Limits(NamedTuple):
    """The most tokens of a day (UTC), of questions and answers together."""

    of_key: int
    of_stack: int


class Allowance(NamedTuple):
    """A sum of tokens with a limit."""

    account: str
    """The name under which the sum of the day is kept."""
    limit: int
    owner: str
    """Whose allowance, for the refusal."""


def allowances_of(principal: Principal, now: datetime, limits: Limits) -> Sequence[Allowance]:
    """The allowances that a question of the principal counts toward.

    Keys with equal rights share an allowance, as they share idempotency keys. All users of a key
    share the key's allowance: a caller chooses the user at each request.
    """
    day = f"{now:%Y-%m-%d}"
    rights = [principal.user_prefix] if principal.user_prefix else principal.scopes
    key = digest(principal.source, principal.actor_id, principal.ceiling, *rights).hex()
    return (
        Allowance(f"{day} {key}", limits.of_key, "the key"),
        Allowance(day, limits.of_stack, "the stack"),
    )


def out_of_tokens(allowance: Allowance, now: datetime) -> OutOfTokens:
    """The refusal of a question that the allowance does not suffice for."""
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    wait_s = -(-(midnight - now) // timedelta(seconds=1))
    return OutOfTokens(
        f"{allowance.owner} has too few of its {allowance.limit} chat tokens left today; "
        f"the next day begins {rfc3339(midnight)}",
        wait_s,
    )
