"""Put what is told of a topic where it belongs: where it says, or where the service finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.access.trust import Principal, Trust
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.limits import MAX_REPLY_BYTES, is_surely_within, payload_bytes
from membrane.domain.tokens.consistency import token_of
from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.placing.observations import (
    Observation,
    Placement,
    linked,
    require_whole,
)
from membrane.domain.topics.placing.placing import Placed, markers
from membrane.domain.topics.placing.statements import Observed, Statement, statement_of, told_by
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.retries import MAX_TRIES
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.revision.heads import in_place
from membrane.usecases.topics.archive_history import write_and_trim
from membrane.usecases.topics.loading import NOT_FOUND, load_topics
from membrane.usecases.topics.nearest import similar_topics
from membrane.usecases.topics.placing.target import Finding, Target
from membrane.usecases.topics.writing import Decided


def place(
    told: Observation, trust: Trust, call: Call, services: TopicServices, *, suggest: bool = False
) -> ReplyBody:
    """Write all of what is told, or refuse it before anything is written.

    Raises InvalidArgument where a topic that it names is not there for this trust, or a value does
    not fit; PermissionDenied; AlreadyExists; Aborted; TooLarge; WrongEmbedder where it has to be
    searched for.
    """
    require_whole(told)
    return _written(_Placing(told, trust, call, services, suggest))


def place_observation(
    observed: Observed, principal: Principal, services: TopicServices
) -> ReplyBody:
    """Put what a record tells where it belongs, and note its statement in the same write.

    While the index cannot be asked, nothing is taken to be alike. Raises as `place` does else,
    InvalidArgument for a fact that names nothing, and Aborted where the record has a statement.
    """
    value = in_place(observed.object, services)
    told = told_by(observed, value, rfc3339(services.now()))
    call = Call(principal, "PlaceObservation", None, b"")
    require_whole(told)
    placing = _Placing(told, principal.trust, call, services, must_search=False, observed=observed)
    return _written(placing, max_tries=1)


def _written(placing: "_Placing", max_tries: int = MAX_TRIES) -> ReplyBody:
    call, services = placing.call, placing.services
    return write_and_trim(placing.decide, call, services, max_tries)


@dataclass(frozen=True, slots=True)
class _Placing:
    """One call: what is told, by whom, and how it is placed."""

    told: Observation
    trust: Trust
    call: Call
    services: TopicServices
    suggest: bool = False
    must_search: bool = True
    observed: Observed | None = None
    """The fact, where a record tells it."""

    def decide(self, during: Circumstances) -> Decided:
        there = load_topics(self.told.mentioned, self.trust, self.services.topics)
        named = self._named(there)
        self._require_reach(named)
        told = linked(self.told, {each: topic.id for each, topic in there.items()})
        finding = Finding(told, self.trust, self.call, self.services, self.must_search)
        target = finding.target(named, during)
        placed = target.placed
        self._require_write(placed.after.scope, placed.after.sensitivity)
        body = self._body(target)
        if not placed.changes:
            return Decided(None, body, about=(placed.after.id,))
        change = TopicChange(
            topics=[(placed.before, placed.after)],
            revisions=placed.revisions,
            edges=placed.edges,
            heads=target.heads,
            values=placed.values,
            statements=self._statements(placed),
        )
        return Decided(change, body, grown=placed.written)

    def _statements(self, placed: Placed) -> Sequence[tuple[None, Statement]]:
        """What the record states from now on, where a record tells it."""
        if self.observed is None:
            return ()
        return [(None, statement_of(self.observed, placed.after.id, placed.revisions))]

    def _require_reach(self, named: Topic | None) -> None:
        """Raises PermissionDenied for what no topic could take, before one is searched for.

        A search reads all that is told; whoever may not write pays for none.
        """
        scope = self.call.principal.scope_for_writing(self.told.scope)
        least = self.told.sensitivity or Sensitivity.PUBLIC
        if named is not None:
            scope, least = named.scope, max(least, named.sensitivity, key=lambda each: each.level)
        self._require_write(scope, least)

    def _require_write(self, scope: str, sensitivity: Sensitivity) -> None:
        """Raises PermissionDenied where the key, or the request's own trust, does not reach it."""
        self.call.principal.require_write(scope, sensitivity)
        if not self.trust.allows(scope, sensitivity):
            raise PermissionDenied("the request's trust does not cover what it would write")

    def _named(self, there: Mapping[str, Topic]) -> Topic | None:
        """The topic that it is said to be of; None where that is not said."""
        told = self.told
        if told.placement is Placement.NEW_TOPIC or not told.topic_id:
            return None
        topic = there.get(told.topic_id)
        if topic is None or (told.scope is not None and told.scope != topic.scope):
            raise InvalidArgument(NOT_FOUND)
        return topic

    def _body(self, target: Target) -> JsonObject:
        placed = target.placed
        similar = self.suggest and similar_topics(placed.after, self.trust, self.services)
        body: JsonObject = {
            "topic_id": placed.after.id,
            "applied": markers(self.told, placed, target.decision),
            "version_ids": dict(placed.version_ids),
            "similar_topic_ids": similar or [],
            "placement": {
                "decision": target.decision,
                "resolved_by": target.resolved_by,
                "score": target.score,
                "fields": dict(placed.decisions),
            },
            "consistency_token": token_of(placed.after.id, placed.after.version),
        }
        text = compact_json(body)
        if not is_surely_within(text) and payload_bytes(text) > MAX_REPLY_BYTES:
            raise TooLarge(f"the reply would be larger than {MAX_REPLY_BYTES} bytes")
        return body
