"""Schedules: rules and EventBridge Scheduler send a function an event of their own at a rate."""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane_local.account import ACCOUNT, REGION

DEFAULT_GROUP = "default"
"""Where EventBridge Scheduler keeps a schedule that names no group."""

_UNIT_S = {"minute": 60, "hour": 3_600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class Schedule:
    """An event at the end of every interval.

    EventBridge Scheduler sends one more, at once when a schedule is made (its guide, "Schedule
    types"). A stack that starts here is as one that was deployed before, so nothing is sent then.
    """

    name: str
    function: str
    interval_s: int
    group: str | None = None
    """The group of EventBridge Scheduler that has it; None for a rule."""
    input: str | None = None
    """The event, as JSON, where the template gives one."""

    def event(self, now: datetime) -> JsonObject:
        """What the function is sent: the template's input, else the word of the scheduler."""
        if self.input is not None:
            given: JsonObject = json.loads(self.input)
            return given
        source, detail = self._origin()
        return {
            "version": "0",
            "id": str(uuid4()),
            "detail-type": "Scheduled Event",
            "source": source,
            "account": ACCOUNT,
            "time": rfc3339(now.replace(microsecond=0)),
            "region": REGION,
            "resources": [self.arn],
            "detail": detail,
        }

    @property
    def arn(self) -> str:
        """The ARN of the rule or of the schedule."""
        if self.group is None:
            return f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{self.name}"
        return f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/{self.group}/{self.name}"

    def _origin(self) -> tuple[str, Any]:
        """Source and detail; that of EventBridge Scheduler is text."""
        return ("aws.events", {}) if self.group is None else ("aws.scheduler", "{}")


def interval_s(expression: str) -> int | None:
    """Seconds between the events of a rate, as in `rate(1 day)`; None for any other expression."""
    rate = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", expression)
    return int(rate[1]) * _UNIT_S[rate[2]] or None if rate else None
