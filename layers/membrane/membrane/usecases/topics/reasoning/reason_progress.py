"""How far a caller has gone through a scope that is reasoned about, in a cursor."""

import math
from dataclasses import dataclass, replace

from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.tokens.cursors import decode, encode, not_ours
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicPlace

NO_DUE = (-math.inf, "")
"""Before all that is due."""

_ALL_DUE = (math.inf, "")


@dataclass(frozen=True, slots=True)
class Progress:
    """What was gone through."""

    by_s: float
    """When the first call began: what has become due since is not looked at first."""
    due: tuple[float, str] = NO_DUE
    """What was due until then, by since when and id."""
    after: TopicPlace | None = None
    """How far through the scope, once all that is due was looked at."""

    def behind_due(self, due: tuple[float, str]) -> "Progress":
        """With that one, too."""
        return replace(self, due=due)

    def behind(self, place: TopicPlace) -> "Progress":
        """With that place of the scope, and all that is due."""
        return replace(self, due=_ALL_DUE, after=place)


def cursor_of(progress: Progress, binding: bytes, services: TopicServices) -> str:
    """Where the next call goes on."""
    after = progress.after
    state = {
        "by_s": progress.by_s,
        "due": list(progress.due) if after is None else None,
        "after": None if after is None else [after.topic_id, after.rank],
    }
    return encode(state, binding, services.cursor_key())


def begun(cursor: str | None, binding: bytes, services: TopicServices) -> Progress:
    """Where a call goes on; raises InvalidArgument for a cursor of another request."""
    if cursor is None:
        return Progress(epoch_seconds(services.now()))
    match decode(cursor, binding, services.cursor_key()):
        case {
            "by_s": int() | float() as by_s,
            "due": [int() | float() as due_s, str(due_id)],
            "after": None,
        }:
            return Progress(float(by_s), (float(due_s), due_id))
        case {
            "by_s": int() | float() as by_s,
            "due": None,
            "after": [str(topic_id), int() | float() as rank],
        } if RECORD_ID.fullmatch(topic_id):
            return Progress(float(by_s), _ALL_DUE, TopicPlace(topic_id, float(rank)))
        case _:
            raise not_ours()
