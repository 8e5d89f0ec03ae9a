"""Learning: what the evidence of a scope becomes, and what was made of what."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.values.learning import ConsolidationList, ConsolidationResult


def consolidate(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    dry_run: bool = True,
    quiet_minutes: Opt[int] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[ConsolidationResult]:
    """What the ended threads of a scope would become; with `dry_run=False`, make it now.

    With `quiet_minutes=0`, every thread has ended.
    """
    return api.ask("POST /v1/consolidate", locals(), ConsolidationResult)


def list_consolidations(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[ConsolidationList]:
    """The traces, skills and plans that were made of evidence, the newest first."""
    return api.read("GET /v1/consolidations", locals(), ConsolidationList)
