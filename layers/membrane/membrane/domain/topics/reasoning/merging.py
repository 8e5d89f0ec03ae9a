"""Merge two topics without moving a history, and take an alias out of its keepers.

The keeper names the alias's lines beside its own. The alias keeps its own head, and a copy of the
data that the keeper loses by the merge: both directions change only heads. A caller undoes the
newest merge of a keeper; an erasure takes an alias out of any chain of keepers. Revisions written
to the keepers after the merge stay with the keepers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import digest
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.salience.function import Anchor, salience_at
from membrane.domain.topics.appending import MAX_FIELDS, own_line
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.form import MAX_CURRENT_BYTES, current_bytes
from membrane.domain.topics.nesting import whole_name
from membrane.domain.topics.topic import (
    Field,
    Line,
    MergeLink,
    Revision,
    Topic,
    TopicStatus,
    key_of,
)
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

if TYPE_CHECKING:
    from membrane.domain.topics.reasoning.duplicates import Duplicate

MAX_ABSORBED = 50
"""The most topics that one topic may absorb: edges are read from all their partitions."""

MAX_CHAIN = 15
"""The longest chain of aliases: readers follow no more."""

MAX_UNMERGED_FROM = 200

MOVED = "a field of the merged topic was moved to another topic since: undo that first"

Place = tuple[str, str]
"""The id of a topic, and the whole name of a field."""


def obstacle(duplicate: "Duplicate", chain: int) -> str | None:
    """Why duplicates must stay two topics; None if nothing prevents the merge.

    `chain` counts the aliases that lead to the new alias, and the new alias.
    """
    absorbed = (*duplicate.keeper.absorbed, duplicate.other.id, *duplicate.other.absorbed)
    if len(absorbed) > MAX_ABSORBED:
        return f"one topic takes in {MAX_ABSORBED} others at most"
    if chain > MAX_CHAIN:
        return f"one alias leads to the next {MAX_CHAIN} times at most"
    ours, theirs = duplicate.keeper.fields, duplicate.other.fields
    if len(ours.keys() | theirs.keys()) > MAX_FIELDS:
        return f"a topic has {MAX_FIELDS} fields at most"
    if current_bytes(ours) + current_bytes(theirs) > MAX_CURRENT_BYTES:
        return f"the values of a topic take {MAX_CURRENT_BYTES} bytes at most"
    return None


def chain_length(absorbed: Mapping[str, Topic]) -> int:
    """The length of the longest alias chain after the absorbing topic becomes an alias, too."""
    longest = 1
    for topic in absorbed.values():
        length, here = 1, topic
        while here.merged is not None and here.merged.into in absorbed:
            length, here = length + 1, absorbed[here.merged.into]
        longest = max(longest, length + 1)
    return longest


def merge_duplicates(duplicate: "Duplicate", context: ChangeContext) -> tuple[Topic, Topic]:
    """The keeper with the data of both topics, and the alias, which is due at once."""
    keeper, other = duplicate.keeper, duplicate.other
    raised = _raised_base(keeper, other, context)
    takes_summary = not keeper.summary and bool(other.summary)
    joined = {name: _join_field(keeper, name, each, context) for name, each in other.fields.items()}
    names = sorted(other.living_fields)
    detail = {"topic_id": other.id, "fields": names, **duplicate.scores}
    after = next_version(
        keeper,
        EventDraft(EventKind.MERGED, detail, duplicate.ground),
        context=context,
        fields={**keeper.fields, **joined},
        groups={**other.groups, **keeper.groups},
        summary=other.summary if takes_summary else keeper.summary,
        base=raised or keeper.base,
        absorbed=(*keeper.absorbed, other.id, *other.absorbed),
        unmerged_from=_newest_distinct(*keeper.unmerged_from, *other.unmerged_from),
    )
    link = MergeLink(
        into=keeper.id,
        at=context.timestamp,
        why=duplicate.ground,
        status=other.status,
        kept=_fields_before_merge(keeper, other),
        base=None if raised is None else keeper.base,
        gave_summary=takes_summary,
    )
    draft = EventDraft(
        EventKind.MERGED_INTO, {"topic_id": keeper.id, **duplicate.scores}, duplicate.ground
    )
    alias = next_version(other, draft, context=context, status=TopicStatus.MERGED, merged=link)
    # Versions order revisions: the next must be above all revisions of both topics.
    version = max(keeper.version, other.version) + 1
    return replace(after, version=version), replace(alias, due_s=context.now_s)


def _join_field(keeper: Topic, name: str, theirs: Field, context: ChangeContext) -> Field:
    mine = keeper.fields.get(name)
    own = _own_lines(keeper, name, theirs, context)
    if mine is None:
        return replace(theirs, lines=(*own, *theirs.lines))
    newer, older = (theirs, mine) if _is_later(theirs, mine) else (mine, theirs)
    is_living = mine.deleted_at is None or theirs.deleted_at is None
    return replace(
        newer,
        lines=(*own, *mine.lines, *theirs.lines),
        ref_topic_id=newer.ref_topic_id or older.ref_topic_id,
        is_detached=mine.is_detached and theirs.is_detached,
        deleted_at=None if is_living else newer.deleted_at,
    )


def _own_lines(keeper: Topic, name: str, theirs: Field, context: ChangeContext) -> tuple[Line, ...]:
    """A new line for a field that returns with a line in the keeper's partition."""
    if own_line(keeper.fields.get(name), keeper.id) or not own_line(theirs, keeper.id):
        return ()
    return (Line(keeper.id, digest("line", context.token, "merged", name).hex()[:16]),)


def _is_later(one: Field, other: Field) -> bool:
    """Whether the first field has the current value of both; a deleted field has none."""
    if (one.deleted_at is None) is not (other.deleted_at is None):
        return one.deleted_at is None
    if one.current is None or other.current is None:
        return one.current is not None
    return one.current.place > other.current.place


def _fields_before_merge(keeper: Topic, other: Topic) -> Mapping[str, Field]:
    """The keeper's fields with a name of both: the own line, and the value's place."""
    kept = {}
    for name in sorted(keeper.fields.keys() & other.fields.keys()):
        field, line = keeper.fields[name], own_line(keeper.fields[name], keeper.id)
        place = field.current and Revision(
            id=field.current.id,
            value=None,
            field_type=field.current.field_type,
            valid_from=field.current.valid_from,
            recorded_at=field.current.recorded_at,
            order=field.current.order,
            provenance="",
        )
        own = (Line(*key_of(line), line.length),) if line else ()  # an archive has contents
        kept[name] = replace(field, current=place, lines=own)
    return kept


def _raised_base(keeper: Topic, other: Topic, context: ChangeContext) -> Anchor | None:
    now_s = max(context.now_s, keeper.base.at_s)
    ours = salience_at(now_s, keeper.base, keeper.lifecycle, {})
    theirs = salience_at(now_s, other.base, other.lifecycle, {})
    return Anchor(theirs, now_s, keeper.base.born_s) if theirs > ours else None


def _newest_distinct(*topic_ids: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(topic_ids))[-MAX_UNMERGED_FROM:]


def is_newest(alias: Topic, keeper: Topic) -> bool:
    """Whether the keeper has taken in no other topic since the alias."""
    own = (alias.id, *alias.absorbed)
    return keeper.absorbed[-len(own) :] == own


def remaining_fields(chain: Sequence[Topic]) -> Mapping[Place, Field]:
    """The fields of the keepers that show a value of the alias, with the lines that stay.

    The chain is the alias, its keeper, the keeper of the keeper, ... The value of a field is the
    place of the newest revision, if known: in a keeper that took in no other topic since the alias,
    of a field not written to since the merge.
    """
    alias, *keepers = chain
    gone, known = alias.lines, keepers[-1].lines
    kept = alias.merged.kept if alias.merged and is_newest(alias, keepers[-1]) else {}
    shown = {each.current.id for each in alias.fields.values() if each.current is not None}
    rest: dict[Place, Field] = {}
    for keeper in keepers:
        for name, field in keeper.fields.items():
            if field.current is not None and field.current.id in shown:
                stay = [known.get(key_of(x), x) for x in field.lines if key_of(x) not in gone]
                left, before = replace(field, lines=tuple(stay), current=None), kept.get(name)
                if before is not None and not _has_grown(left, before, keeper, alias):
                    left = replace(left, current=before.current)
                rest[keeper.id, name] = left
    return rest


def unmerge_chain(
    chain: Sequence[Topic],
    newest: Mapping[Place, Revision | None],
    context: ChangeContext,
    why: str,
) -> tuple[Topic, ...]:
    """The topics of the chain after the alias, the first of the chain, is a topic again.

    `newest` has the newest revision of each of the `remaining_fields`. Raises FailedPrecondition
    for a history moved elsewhere since the merge.
    """
    alias, *keepers = chain
    after = [_restored_alias(alias, keepers, context, why)]
    for merged, keeper in pairwise(chain):
        if (link := merged.merged) is not None:
            below = None if merged is alias else after[-1]
            after.append(
                _without_alias(
                    keeper, alias, context, link=link, below=below, newest=newest, why=why
                )
            )
    return tuple(after)


def _restored_alias(
    alias: Topic, keepers: Sequence[Topic], context: ChangeContext, why: str
) -> Topic:
    """The alias as a topic, due at once, and at least as sensitive as its last keeper."""
    known, link = keepers[-1].lines, alias.merged
    if link is None or not known.keys() >= alias.lines.keys():
        raise FailedPrecondition(MOVED)
    fields = {
        name: replace(field, lines=tuple(known[key_of(line)] for line in field.lines))
        for name, field in alias.fields.items()
    }
    topic = next_version(
        alias,
        EventDraft(EventKind.UNMERGED, {"topic_id": link.into}, why),
        context=context,
        fields=fields,
        sensitivity=max(alias.sensitivity, keepers[-1].sensitivity, key=lambda each: each.level),
        status=link.status,
        merged=None,
        unmerged_from=_newest_distinct(*alias.unmerged_from, *(keeper.id for keeper in keepers)),
    )
    return replace(topic, due_s=context.now_s)


def _without_alias(
    keeper: Topic,
    alias: Topic,
    context: ChangeContext,
    *,
    link: MergeLink,
    below: Topic | None,
    newest: Mapping[Place, Revision | None],
    why: str,
) -> Topic:
    """The keeper without the alias.

    `below` is the topic merged into the keeper, after the alias left, with the `link`; None if the
    topic is the alias. A base salience set since the merge stays.
    """
    brought = {key_of(line): name for name, each in alias.fields.items() for line in each.lines}
    fields: dict[str, Field] = {}
    for name, field in keeper.fields.items():
        left: Field | None = field
        lineless = name if name in alias.fields and not alias.fields[name].lines else None
        sources = (brought[key_of(line)] for line in field.lines if key_of(line) in brought)
        source = next(sources, lineless)  # the name may be another since the merge
        if source is not None:
            rest = replace(field, lines=tuple(x for x in field.lines if key_of(x) not in brought))
            if (keeper.id, name) in newest:
                current = newest[keeper.id, name]
                kind = rest.type if current is None else current.field_type
                rest = replace(rest, current=current, type=kind)
            beneath = None if below is None else below.fields.get(source)
            before, brought_in = link.kept.get(source), alias.fields[source]
            has_grown = before is not None and _has_grown(rest, before, keeper, alias)
            left = _as_before(rest, brought_in, beneath, before, has_grown=has_grown)
        if left is not None:
            fields[name] = left
    gone = {alias.id, *alias.absorbed}
    has_summary = link.gave_summary and keeper.summary == alias.summary
    is_raised = keeper.base.at_s == epoch_seconds(datetime.fromisoformat(link.at))
    detail = {"topic_id": alias.id, "fields": sorted(alias.living_fields)}
    return next_version(
        keeper,
        EventDraft(EventKind.UNMERGED, detail, why),
        context=context,
        fields=fields,
        groups={
            name: group
            for name, group in keeper.groups.items()
            if name not in alias.groups
            or any(each.startswith(whole_name(name, "")) for each in fields)
        },
        summary=(below.summary if below else "") if has_summary else keeper.summary,
        base=link.base if link.base and below is None and is_raised else keeper.base,
        absorbed=tuple(each for each in keeper.absorbed if each not in gone),
        unmerged_from=_newest_distinct(*keeper.unmerged_from, alias.id),
    )


def _has_grown(field: Field, before: Field, keeper: Topic, alias: Topic) -> bool:
    """Whether the field has a revision, or a line of another topic, since the alias was merged."""
    earlier = {keeper.id, *takewhile(lambda each: each != alias.id, keeper.absorbed)}
    is_longer = _length(field, keeper.id) != _length(before, keeper.id)
    return is_longer or any(line.topic_id not in earlier for line in field.lines)


def _as_before(
    field: Field, source: Field, beneath: Field | None, before: Field | None, *, has_grown: bool
) -> Field | None:
    """The field as before the merge; None for a field left empty.

    A reference brought by the alias gives way to the first reference of the other fields. The field
    is deleted or detached again, unless written to since.
    """
    others = [each for each in (before, beneath) if each is not None]
    if source.ref_topic_id is not None and field.ref_topic_id == source.ref_topic_id:
        refs = (each.ref_topic_id for each in others if each.ref_topic_id is not None)
        field = replace(field, ref_topic_id=next(refs, None))
    was_empty = any(not each.lines for each in others)
    if not field.history_length and field.ref_topic_id is None and not was_empty:
        return None
    if before is None or has_grown:
        return field
    return replace(
        field,
        type=before.type if field.current is None else field.type,
        is_detached=field.is_detached or before.is_detached,
        deleted_at=field.deleted_at or before.deleted_at,
    )


def _length(field: Field, topic_id: str) -> int:
    line = own_line(field, topic_id)
    return 0 if line is None else line.length
