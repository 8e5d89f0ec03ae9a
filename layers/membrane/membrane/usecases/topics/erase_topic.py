"""Erase a topic: write the tombstone, then remove the content behind the tombstone.

The title of a topic that a promotion wrote into the parent is withdrawn from every topic with the
line, with all words that only this revision brought. A blob of the revision stays for the job that
collects blobs, and then in the bucket for the recovery period.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics import erasing
from membrane.domain.topics.events import EventKind, topics_named, without_text
from membrane.domain.topics.form import archive_of, owner_of_values
from membrane.domain.topics.reasoning.actions import access_without
from membrane.domain.topics.salience import Access
from membrane.domain.topics.topic import (
    LINKS_TOPIC,
    Field,
    FieldType,
    LineKey,
    Revision,
    Topic,
    TopicStatus,
    key_of,
)
from membrane.domain.topics.versions import NEVER_READ, ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.loading import SERVICE, access_of
from membrane.usecases.topics.reasoning.unmerging import alias_chain, without_alias
from membrane.usecases.topics.writing import NOTHING, Decision, change_context, topic_token, write

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.topics.replies.editing import DeletedTopic

AT_ONCE = 100
"""Topics to load together."""

MAX_EDGES = 10_000
"""Edges of one topic and direction whose far ends lose the texts about the erased topic."""


def remove_erased_content(topic_id: str, call: Call, world: World) -> None:
    """Remove the content that the tombstone names; do nothing once all content is gone.

    Raises Aborted if every try lost the race with other writers.
    """

    def attempt() -> None:
        topic = world.topics.load(topic_id)
        if topic is not None and topic.erasure is not None:
            _Removal(topic, call._replace(key=None), world).finish()

    until_won(attempt, world)


@dataclass(frozen=True, slots=True)
class _Removal:
    topic: Topic
    """The tombstone."""
    call: Call
    """Without an idempotency key."""
    world: World

    @property
    def erased_ids(self) -> Sequence[str]:
        """The topic, and the aliases that go with the topic."""
        return (self.topic.id, *self.topic.absorbed)

    @property
    def _certain_lines(self) -> frozenset[LineKey]:
        erasure = self.topic.erasure
        return frozenset(() if erasure is None else map(key_of, erasure.lines))

    def finish(self) -> None:
        """Erase texts in other topics before the edges that lead there. Raises LostRace."""
        for alias_id in self.topic.absorbed:
            self._erase_alias(alias_id)
        self._clear_other_trails()
        self._clear_keepers()
        self._remove_lines()
        for topic_id in self.erased_ids:
            self.world.topics.forget_edges(topic_id)
            topic = self.world.topics.load(topic_id)
            if topic is not None:  # the tombstone has the newest events without texts
                self.world.topics.rewrite_events(topic, without_text)
            self._clear_reads(topic_id)
            self._remove_blobs(topic_id)
        self.world.topics.forget_actions(self.topic.scope, self.erased_ids)
        self._replace(self.topic, erasing.without_erasure(self.topic))

    def _erase_alias(self, alias_id: str) -> None:
        def decide(context: ChangeContext) -> Decision:
            alias = self.world.topics.load(alias_id)
            if alias is None or alias.merged is None:
                return NOTHING
            change = TopicChange(topics=[(alias, erasing.erased_alias(alias, context))])
            return Decision(change, {})

        write(decide, self.call, self.world)

    def _clear_other_trails(self) -> None:
        """Remove the texts about the erased topics from the audit trails of all other topics."""
        topics = self.world.topics
        erased = topics.load_all(self.erased_ids).values()
        named = set(chain.from_iterable(topics_named(topics.events(each)) for each in erased))
        for edge in topics.edges(self.erased_ids, MAX_EDGES):
            named |= {edge.from_id, edge.to_id}
        others = sorted(named - {*self.erased_ids})
        for start in range(0, len(others), AT_ONCE):
            some = others[start : start + AT_ONCE]
            for other in topics.load_all(some).values():
                self._withdraw_links_of(other)
            for other in topics.load_all(some).values():
                self._clear_trail_of(other)

    def _withdraw_links_of(self, other: Topic) -> None:
        """Withdraw titles of erased topics that promotions wrote, wherever the lines are now."""
        topics = self.world.topics
        children = {each.detail.get("child_topic_id") for each in topics.events(other)}
        holders = _reached_from(other.id, topics) if children & {*self.erased_ids} else ()
        for line in chain.from_iterable(each.lines.values() for each in holders):
            alone = Field(type=FieldType.STRING, lines=(line,))
            for revision in history_of(alone, topics, archived=True):
                if revision.operation == LINKS_TOPIC and revision.ref_topic_id in self.erased_ids:
                    withdraw_revision(key_of(line), revision, self.world)

    def _clear_trail_of(self, other: Topic) -> None:
        clear = partial(erasing.without_text_about, self.erased_ids)
        self.world.topics.rewrite_events(other, clear)
        trail = tuple(map(clear, other.trail))
        if trail != other.trail:
            self._replace(other, replace(other, trail=trail))

    def _clear_keepers(self) -> None:
        """Remove reads, names of lost fields and kept lines of an unmerged alias elsewhere."""
        topics, context = self.world.topics, change_context(self.call, self.world)
        keepers = topics.load_all(self.topic.unmerged_from)
        known = topics.accesses(list(keepers))
        for keeper_id, before in known.items():
            left = access_without(keepers[keeper_id], before, self.erased_ids, context)
            after = erasing.without_lost_fields(keepers[keeper_id], left)
            if after != before:
                topics.keep_access(keeper_id, before, after)
        siblings = {each for keeper in keepers.values() for each in keeper.absorbed}
        for alias in topics.load_all(sorted(siblings)).values():
            relieved = erasing.without_kept_lines(alias, self._certain_lines)
            if relieved != alias:
                self._replace(alias, relieved)

    def _clear_reads(self, topic_id: str) -> None:
        """Replace the reads by none; the item stays, and refuses a late reinforcement."""
        before = access_of(topic_id, self.world)
        if before == NEVER_READ or before != Access(version=before.version):
            self.world.topics.keep_access(topic_id, before, Access())

    def _remove_lines(self) -> None:
        """Remove the lines of the erased topics.

        A line in the partition of an erased topic stays if a field of another topic has the line.
        """
        topics, certain = self.world.topics, self._certain_lines
        partitions = sorted({*self.erased_ids, *(topic_id for topic_id, _ in certain)})
        written = {(each, line) for each in partitions for line in topics.written_lines(each)}
        here = {key for key in written - certain if key[0] in self.erased_ids}
        leaving = written & certain | here - lines_held_elsewhere(here, self.erased_ids, topics)
        for each in partitions:
            topics.forget_lines(each, {line for topic_id, line in leaving if topic_id == each})

    def _remove_blobs(self, topic_id: str) -> None:
        """Erase every blob of the topic that no item of the partition names, and removed ones."""
        owner = owner_of_values(topic_id)
        blobs = [blob.name for blob in self.world.blobs.list_blobs(owner)]
        named = self.world.topics.blob_names(topic_id) if blobs else frozenset()
        for name in blobs:
            if name not in named:
                self.world.blobs.erase(name)
        self.world.blobs.erase_removed(owner)

    def _replace(self, before: Topic, after: Topic) -> None:
        newest = replace(after, version=before.version + 1)
        token = self.world.new_id()
        self.world.topics.apply(TopicChange(topics=[(before, newest)], token=token))


def lines_held_elsewhere(
    lines: Collection[LineKey], topic_ids: Collection[str], topics: "DynamoTopics"
) -> frozenset[LineKey]:
    """The lines that a field of any topic but `topic_ids` has.

    The search follows the audit trails: the event that moves a line names the other topic.
    """
    held: set[LineKey] = set()
    seen: set[str] = set()
    wanted = {*topic_ids}
    while wanted and held < {*lines}:
        seen |= wanted
        found = topics.load_all(sorted(wanted)).values()
        for topic in found:
            if topic.id not in topic_ids:
                held |= topic.lines.keys() & {*lines}
        named = (topics_named(topics.events(topic)) for topic in found)
        wanted = {each for ids in named for each in ids} - seen
    return frozenset(held)


def erase_topic(topic_id: str, why: str, call: Call, world: World) -> ReplyBody:
    """Erase a topic of any status with all topics merged into the topic.

    An alias is taken out of the keeper and erased alone. A repeat finishes an interrupted erasure,
    and leaves an erased topic unchanged. Raises NotFound for an absent or hidden topic;
    PermissionDenied; FailedPrecondition for an alias with a history that has moved elsewhere since
    the merge; Aborted, after which a repeat goes on.
    """
    call.principal.require(Permission.ADMIN)

    def decide(context: ChangeContext) -> Decision:
        chain = alias_chain(topic_id, call, world.topics)
        if chain[-1].status is TopicStatus.ERASED:
            return Decision(None, _body(chain[-1]), about=(chain[-1].id,))
        alone, *keepers = without_alias(chain, world.topics, context) if len(chain) > 1 else chain
        tombstone = erasing.erased_topic(alone, why, context)
        changed = zip(chain, [tombstone, *keepers], strict=True)
        return Decision(TopicChange(topics=[*changed]), _body(tombstone))

    answer = write(decide, call, world).answer
    remove_erased_content(answer.body["deleted"], call, world)
    return answer


def _body(topic: Topic) -> "DeletedTopic":
    return {"deleted": topic.id, "consistency_token": topic_token(topic)}


_RECEIVERS = {
    EventKind.PROMOTED: "child_topic_id",
    EventKind.UNDO_MERGED_BACK: "parent_topic_id",
}
"""By kind of an event that hands on lines, the key of the receiving topic in the detail."""


def withdraw_revision(key: LineKey, revision: Revision, world: World) -> None:
    """Withdraw a revision of the line. Raises LostRace after a concurrent write to a topic."""
    topics = world.topics
    holders = _holders_of(key, topics)
    departure = _departure(key, revision, holders[0], topics) if holders else None
    if departure is None:
        return
    context = change_context(SERVICE, world)
    after = [
        _version_without_revision(topic, holders[0], departure, context, topics)
        for topic in holders
    ]
    changed = list(zip(holders, after, strict=True))
    topics.apply(TopicChange(topics=changed, departed=[departure], token=context.token))


def _holders_of(line: LineKey, topics: "DynamoTopics") -> Sequence[Topic]:
    """Every topic with the line, the topic that shows the line first."""
    holders = [each for each in _reached_from(line[0], topics, line) if line in each.lines]
    return sorted(holders, key=lambda topic: topic.merged is not None)


def _reached_from(
    topic_id: str, topics: "DynamoTopics", line: LineKey | None = None
) -> Sequence[Topic]:
    """The topic, and every topic to which its lines, or the line, may have gone.

    A merge hands lines on to the keeper, and the alias keeps a list of its own. A promotion hands
    lines on to the child, the undoing of a promotion to the parent.
    """
    found: dict[str, Topic] = {}
    wanted = [topic_id]
    while wanted:
        some = topics.load_all(wanted)
        found |= some
        ids = {each for topic in some.values() for each in _receivers(topic, line, topics)}
        wanted = sorted(ids - found.keys())
    return [*found.values()]


def _receivers(topic: Topic, line: LineKey | None, topics: "DynamoTopics") -> Iterator[str]:
    if topic.merged is not None:
        yield topic.merged.into
    if line not in topic.lines:
        for event in topics.events(topic):
            pointer = _RECEIVERS.get(event.kind)
            if pointer is not None:
                yield str(event.detail[pointer])


def _departure(
    key: LineKey, revision: Revision, holder: Topic, topics: "DynamoTopics"
) -> erasing.Departure | None:
    """The place of the revision in the topic that shows the line; None if the revision is gone."""
    line = holder.lines[key]
    if topics.find_revisions([(line, revision)]):
        return erasing.Departure(line, revision)
    for archive in line.archives:
        outside = is_before(revision.valid_from, archive.oldest) or is_before(
            archive.newest, revision.valid_from
        )
        several = () if outside else topics.load_archive(line, archive)
        rest = tuple(each for each in several if each.id != revision.id)
        if len(rest) < len(several):
            rewritten = archive_of(rest)[0] if rest else None
            return erasing.Departure(line, revision, archive, rest, rewritten)
    return None


def _version_without_revision(
    topic: Topic,
    holder: Topic,
    departure: erasing.Departure,
    context: ChangeContext,
    topics: "DynamoTopics",
) -> Topic:
    shown = {  # by name of a field that shows the revision, the newest remaining revision
        name: _newest_other(field, holder, departure.revision.id, topics)
        for name, field in topic.fields.items()
        if field.current is not None and field.current.id == departure.revision.id
    }
    after, vanished = erasing.without_revision(topic, departure, shown, context)
    remove_texts, new = erasing.text_remover(vanished, after), after.trail[len(topic.trail) :]
    topics.rewrite_events(topic, remove_texts)
    return replace(after, trail=(*map(remove_texts, topic.trail), *new))


def _newest_other(
    field: Field, holder: Topic, gone: str, topics: "DynamoTopics"
) -> Revision | None:
    """The newest revision of the field but the one that is gone; `holder` knows the lines."""
    lines = tuple(holder.lines.get((each.topic_id, each.id), each) for each in field.lines)
    newest = history_of(replace(field, lines=lines), topics, limit=2, archived=True)
    return next((each for each in newest if each.id != gone), None)
