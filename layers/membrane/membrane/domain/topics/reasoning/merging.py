"""Merge two topics without moving a history.

The keeper names the alias's lines beside its own. The alias keeps its own head, and a copy of the
data that the keeper loses by the merge: unmerging changes only heads.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.language.json_text import digest
from membrane.domain.salience.function import Anchor, salience_at
from membrane.domain.topics.appending import MAX_FIELDS, own_line
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.form import MAX_CURRENT_BYTES, current_bytes
from membrane.domain.topics.topic import Field, Line, MergeLink, Topic, TopicStatus
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

if TYPE_CHECKING:
    from membrane.domain.topics.reasoning.duplicates import Duplicate

MAX_ABSORBED = 50
"""The most topics that one topic may absorb: edges are read from all their partitions."""

MAX_CHAIN = 15
"""The longest chain of aliases: readers follow no more."""

MAX_UNMERGED_FROM = 200


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
        unmerged_from=newest_distinct(*keeper.unmerged_from, *other.unmerged_from),
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
    """The field with the lines of both topics, the keeper's first."""
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
    """The keeper's fields with a name that both topics have.

    Current values are reduced to their place in the history.
    """
    kept = {}
    for name in sorted(keeper.fields.keys() & other.fields.keys()):
        field, place = keeper.fields[name], keeper.fields[name].current
        if place is not None:
            place = replace(place, value=None, why_changed=None, impact_expected=None)
        kept[name] = replace(field, current=place)
    return kept


def _raised_base(keeper: Topic, other: Topic, context: ChangeContext) -> Anchor | None:
    now_s = max(context.now_s, keeper.base.at_s)
    ours = salience_at(now_s, keeper.base, keeper.lifecycle, {})
    theirs = salience_at(now_s, other.base, other.lifecycle, {})
    return Anchor(theirs, now_s, keeper.base.born_s) if theirs > ours else None


def newest_distinct(*topic_ids: str) -> tuple[str, ...]:
    """The newest ids, without repeats."""
    return tuple(dict.fromkeys(topic_ids))[-MAX_UNMERGED_FROM:]
