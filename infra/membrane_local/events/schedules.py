"""The schedules of EventBridge Scheduler, which send a function an event at a rate."""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane_local.account import ACCOUNT, REGION

DEFAULT_GROUP = "default"
"""The group of a schedule that names none."""

_UNIT_S = {"minute": 60, "hour": 3_600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class Schedule:
    """An event at the end of every interval.

    EventBridge Scheduler sends a further event at the creation of a schedule (user guide, "Schedule
    types"). The local stack counts as deployed before, so no event is sent at start.
    """

    name: str
    function: str
    interval_s: int
    group: str = DEFAULT_GROUP
    input: str | None = None
    """The event as JSON, where the template defines the event."""

    def event(self, now: datetime) -> JsonObject:
        """The template's input, else the event that EventBridge Scheduler makes."""
        if self.input is not None:
            given: JsonObject = json.loads(self.input)
            return given
        return {
            "version": "0",
            "id": str(uuid4()),
            "detail-type": "Scheduled Event",
            "source": "aws.scheduler",
            "account": ACCOUNT,
            "time": rfc3339(now.replace(microsecond=0)),
            "region": REGION,
            "resources": [self.arn],
            "detail": "{}",
        }

    @property
    def arn(self) -> str:
        return f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/{self.group}/{self.name}"


def interval_s(expression: str) -> int | None:
    """Seconds between the events of a rate, as in `rate(1 day)`; None for any other expression."""
    rate = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", expression)
    return int(rate[1]) * _UNIT_S[rate[2]] or None if rate else None
