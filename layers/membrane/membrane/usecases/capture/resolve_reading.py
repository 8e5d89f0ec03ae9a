"""Resolve the mentions and references of a capture, against the records in sight of the capture."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from membrane.domain.capture.reading import Reading, terms_of, with_mentions, with_references
from membrane.domain.entities.known_names import MAX_KNOWN_NAMES, known_terms, names_by_word
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import Interpretation, Mention
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import event_key
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.usecases import known_entities
from membrane.usecases.machinery.calls import Call, side_by_side
from membrane.usecases.ports.world import World

MAX_EPISODES = 5
"""Newest episodes of one ref and scope: the caller may have no right to some of them."""


def episode_ids_by_ref(refs: Iterable[str], scope: str, world: World) -> Mapping[str, list[str]]:
    """The ids of the newest episodes of each ref, those of the scope before unscoped ones.

    One Query for a ref and scope: two for a ref, or one where `scope` is empty.
    """
    keys = [
        (ref, event_key(each, ref)) for ref in refs for each in known_entities.scopes_in_view(scope)
    ]
    newest = side_by_side(lambda each: world.natural.newest(each[1], MAX_EPISODES), keys)
    found: dict[str, list[str]] = {}
    for (ref, _), rows in zip(keys, newest, strict=True):
        found.setdefault(ref, []).extend(record_id for record_id, _ in rows)
    return found


class Resolution(NamedTuple):
    """The known records behind the names and references of a capture, and the names as read."""

    interpretation: Interpretation
    """As read from the content, with the names of known entities, and nothing resolved."""
    entities: Mapping[str, StoredRecord]
    """The known entities by term."""
    referred: Mapping[str, StoredRecord]
    """The records by reference, without references of the capture to the capture itself."""
    own: MemoryRecord
    names: known_entities.NamesInView

    @property
    def mentions(self) -> Sequence[Mention]:
        return self.interpretation.mentions

    def target_of(self, ref: str) -> tuple[str, MemoryType] | None:
        """Id and type of the record behind a reference; None if unknown."""
        if ref in _own_refs(self.own):
            return self.own.id, self.own.type
        held = self.referred.get(ref)
        return None if held is None else (held.id, held.type)


def resolve_reading(reading: Reading, own: MemoryRecord, call: Call, world: World) -> Resolution:
    """The resolution of a reading, with names and records as stored now.

    Known are records in the scope of the capture or unscoped, up to the sensitivity of the capture.
    A name without a known entity takes no place from a shorter name that has an entity.
    Three requests, and two Queries for a reference other than an id.
    """
    words = [*map(first_word_of, reading.terms), *reading.words]
    names = known_entities.names_in_view(words, own.scope, own.sensitivity, world)
    terms = [*reading.terms, *known_terms(reading.text, names.by_word)[:MAX_KNOWN_NAMES]]
    candidates = {term: names.candidates(term) for term in terms}
    refs = dict.fromkeys(
        [*(each.ref for each in reading.interpretation.reference_candidates), *reading.refs]
    )
    others = [each for each in refs if each not in _own_refs(own)]
    wanted = [
        *(each for ids in candidates.values() for each in ids),
        *filter(RECORD_ID.fullmatch, others),
    ]
    loaded = world.records.load_each(list(dict.fromkeys(wanted))) if wanted else {}
    borne = known_entities.entities_of(candidates, own.scope, own.sensitivity, world, loaded)
    known = names_by_word({term: each.id for term, each in borne.items()})
    interpretation = with_mentions(reading, known)
    meant = {*map(term_of, reading.stated), *chain(*map(terms_of, interpretation.mentions))}
    entities = {term: each for term, each in borne.items() if term in meant}
    referred = _targets_of(others, own, loaded, call, world)
    interpretation = with_references(
        interpretation, [ref for ref in reading.refs if ref in referred]
    )
    return Resolution(interpretation, entities, referred, own, names)


def _targets_of(
    refs: Sequence[str],
    own: MemoryRecord,
    loaded: Mapping[str, AnyRecord],
    call: Call,
    world: World,
) -> Mapping[str, StoredRecord]:
    """Records by reference: an id, else the ref of an event of the newest episode."""
    found = {each: held for each in refs if (held := _record_in_sight(loaded.get(each), own, call))}
    unknown = [each for each in refs if each not in found]
    ids_by_ref = episode_ids_by_ref(unknown, own.scope, world)
    ids = list(dict.fromkeys(chain(*ids_by_ref.values())))
    episodes = world.records.load_each(ids) if ids else {}
    for ref, record_id in ((ref, each) for ref, ids in ids_by_ref.items() for each in ids):
        held = _record_in_sight(episodes.get(record_id), own, call)
        if held is not None and ref in _own_refs(held.record):
            found.setdefault(ref, held)
    return found


def _record_in_sight(held: AnyRecord | None, own: MemoryRecord, call: Call) -> StoredRecord | None:
    """The record, if `own`, by scope and sensitivity, may name the record; else None."""
    if not is_alive(held):
        return None
    is_near = held.scope in known_entities.scopes_in_view(own.scope)
    is_clear = held.sensitivity.level <= own.sensitivity.level
    is_visible = call.principal.trust.allows(held.scope, held.sensitivity)
    return held if is_near and is_clear and is_visible else None


def _own_refs(record: MemoryRecord) -> frozenset[str]:
    """The texts by which a reference means the record itself."""
    payload = record.payload
    events = payload.timeline if isinstance(payload, EpisodicPayload) else ()
    return frozenset({record.id, *(event.ref for event in events)})
