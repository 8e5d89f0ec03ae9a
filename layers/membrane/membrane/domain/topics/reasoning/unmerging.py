"""Unmerge an alias from its keeper and from all topics that absorbed the keeper.

Only heads change. Revisions written to the keepers after the merge stay with the keepers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.appending import own_line
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.nesting import whole_name
from membrane.domain.topics.reasoning.merging import newest_distinct
from membrane.domain.topics.topic import Field, Line, LineKey, MergeLink, Revision, Topic, key_of
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

NOT_MERGED = "the topic is not merged into another one"
MOVED = "a field of the merged topic was moved to another topic since: undo that first"

Newest = Mapping[LineKey, Revision]
"""The last revision of each line that has revisions."""


def required_reads(chain: Sequence[Topic]) -> tuple[list[tuple[Line, Revision]], list[Line]]:
    """The reads before unmerging that find the keepers' values without the alias's.

    First lines not written to since a merge, with their newest revision, without its value; then
    lines whose newest revision is unknown. The chain is the alias, its keeper, the keeper of the
    keeper, ...
    """
    pointers = _newest_at_merges(chain)
    places: list[tuple[Line, Revision]] = []
    lines: list[Line] = []
    for line in _remaining_lines(chain):
        length, pointer = pointers.get(key_of(line), (0, None))
        if pointer is not None and line.length == length:
            places.append((line, pointer))
        else:
            lines.append(line)
    return places, lines


def missing_lines(places: Sequence[tuple[Line, Revision]], found: Newest) -> Sequence[Line]:
    """The lines whose newest revision was archived or withdrawn meanwhile."""
    ids = {each.id for each in found.values()}
    return [line for line, pointer in places if pointer.id not in ids]


def _remaining_lines(chain: Sequence[Topic]) -> Sequence[Line]:
    """Lines with revisions that stay in keepers' fields that show a value of the alias."""
    alias, *keepers = chain
    known, gone, shown = keepers[-1].lines, alias.lines, _shown_by(alias)
    wanted = {
        key_of(line): known.get(key_of(line), line)
        for keeper in keepers
        for field in keeper.fields.values()
        if field.current is not None and field.current.id in shown
        for line in field.lines
        if key_of(line) not in gone
    }
    return [line for line in wanted.values() if line.length]


def _newest_at_merges(chain: Sequence[Topic]) -> Mapping[LineKey, tuple[int, Revision | None]]:
    """By line, the length at the merge, and the newest revision of the field at the merge."""
    return {
        key_of(line): (line.length, field.current)
        for topic in chain
        if topic.merged is not None
        for field in topic.merged.kept.values()
        for line in field.lines
    }


def unmerge_chain(
    chain: Sequence[Topic], newest: Newest, context: ChangeContext, why: str = ""
) -> tuple[Topic, ...]:
    """The topics of the chain after the alias, the first of the chain, is a topic again.

    Raises FailedPrecondition for a topic that is no alias, and for a history moved elsewhere since.
    """
    alias, *keepers = chain
    link = alias.merged
    if link is None or not keepers:
        raise FailedPrecondition(NOT_MERGED)
    after = [_restored_alias(alias, link, keepers, context, why)]
    below: Topic | None = None
    for keeper in keepers:
        below = _Parting(keeper, alias, link, below, newest).keeper_without_alias(context, why)
        after.append(below)
        link = keeper.merged or link
    return tuple(after)


def _restored_alias(
    alias: Topic, link: MergeLink, keepers: Sequence[Topic], context: ChangeContext, why: str
) -> Topic:
    """The alias as a topic, due at once, and at least as sensitive as its last keeper."""
    known = keepers[-1].lines
    if not known.keys() >= alias.lines.keys():
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
        unmerged_from=newest_distinct(*alias.unmerged_from, *(keeper.id for keeper in keepers)),
    )
    return replace(topic, due_s=context.now_s)


@dataclass(frozen=True, slots=True)
class _Parting:
    keeper: Topic
    alias: Topic
    link: MergeLink
    """The merge link of the topic merged into the keeper: the alias, or a keeper of the alias."""
    below: Topic | None
    """The topic merged into the keeper, after the alias left; None if the topic is the alias."""
    newest: Newest

    def keeper_without_alias(self, context: ChangeContext, why: str) -> Topic:
        gone = {self.alias.id, *self.alias.absorbed}
        brought = {
            key_of(line): name for name, field in self.alias.fields.items() for line in field.lines
        }
        shown = _shown_by(self.alias)
        fields = {
            name: after
            for name, field in self.keeper.fields.items()
            if (after := self._without(name, field, brought, shown)) is not None
        }
        groups = {
            name: group
            for name, group in self.keeper.groups.items()
            if name not in self.alias.groups
            or any(each.startswith(whole_name(name, "")) for each in fields)
        }
        detail = {"topic_id": self.alias.id, "fields": sorted(self.alias.living_fields)}
        return next_version(
            self.keeper,
            EventDraft(EventKind.UNMERGED, detail, why),
            context=context,
            fields=fields,
            groups=groups,
            summary=self._summary(),
            base=self._base(),
            absorbed=tuple(each for each in self.keeper.absorbed if each not in gone),
            unmerged_from=newest_distinct(*self.keeper.unmerged_from, self.alias.id),
        )

    def _without(
        self, name: str, field: Field, brought: Mapping[LineKey, str], shown: Collection[str]
    ) -> Field | None:
        """The field without the alias's lines; None for a field left empty."""
        source_name = self._source_of(name, field, brought)
        if source_name is None:
            return field
        source, before = self.alias.fields[source_name], self.link.kept.get(source_name)
        beneath = None if self.below is None else self.below.fields.get(source_name)
        lines = tuple(line for line in field.lines if key_of(line) not in brought)
        ref = _ref_without(field, source, beneath, before)
        is_empty = not any(line.count or line.archives for line in lines)
        was_empty = any(each is not None and not each.lines for each in (before, beneath))
        if is_empty and ref is None and not was_empty:
            return None
        left = replace(field, lines=lines, ref_topic_id=ref)
        if field.current is not None and field.current.id in shown:
            left = self._with_last(left)
        return _as_before(left, before, self.keeper.id)

    def _source_of(self, name: str, field: Field, brought: Mapping[LineKey, str]) -> str | None:
        """The name of the alias's field that shares a line, also after a renaming."""
        for line in field.lines:
            if key_of(line) in brought:
                return brought[key_of(line)]
        referring = self.alias.fields.get(name)
        return None if referring is None or referring.lines else name

    def _with_last(self, field: Field) -> Field:
        """The field with the last revision of its lines as the value."""
        last = [self.newest[key_of(line)] for line in field.lines if key_of(line) in self.newest]
        current = max(last, key=lambda each: each.place, default=None)
        kind = field.type if current is None else current.field_type
        return replace(field, current=current, type=kind)

    def _summary(self) -> str:
        """The summary without the alias's, which a keeper in between may have passed on."""
        summary = self.keeper.summary
        if self.link.gave_summary and summary == self.alias.summary:
            return "" if self.below is None else self.below.summary
        return summary

    def _base(self) -> Anchor:
        """The base salience before the merge, unless the base was set again since."""
        before, base = self.link.base, self.keeper.base
        is_of_merge = base.at_s == epoch_seconds(datetime.fromisoformat(self.link.at))
        return before if before is not None and self.below is None and is_of_merge else base


def _as_before(field: Field, before: Field | None, topic_id: str) -> Field:
    """The field deleted or detached as before the merge, unless written to since."""
    if before is None or _length(field, topic_id) != _length(before, topic_id):
        return field
    return replace(
        field,
        type=before.type if field.current is None else field.type,
        is_detached=field.is_detached or before.is_detached,
        deleted_at=field.deleted_at or before.deleted_at,
    )


def _ref_without(field: Field, source: Field, *others: Field | None) -> str | None:
    """The field's reference.

    A reference brought by the alias is replaced by the first reference of the other fields.
    """
    if source.ref_topic_id is None or field.ref_topic_id != source.ref_topic_id:
        return field.ref_topic_id
    refs = (other.ref_topic_id for other in others if other is not None)
    return next((ref for ref in refs if ref is not None), None)


def _length(field: Field, topic_id: str) -> int:
    line = own_line(field, topic_id)
    return 0 if line is None else line.length


def _shown_by(topic: Topic) -> set[str]:
    return {each.current.id for each in topic.fields.values() if each.current is not None}
