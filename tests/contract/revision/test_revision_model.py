"""Any sequence of what callers and the sweep may do, against a model that is told it too."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import (
    DeleteRecord,
    Penalize,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.machinery.calls import Result
from tests.builders.requests import (
    OWNER,
    event,
    full_record,
    observation,
    outcome,
    relation,
    working_state,
)
from tests.worlds.depth import cases, examples
from tests.worlds.revision import (
    CONTEST,
    FORK,
    KEEP,
    REPLACE,
    done,
    id_of,
)
from tests.worlds.revision_machine import (
    CONDITIONS,
    FACTS,
    LEVELS,
    OBJECTS,
    PICK,
    SCOPES,
    WHO,
    WINDOWS,
    WORDS,
    Fact,
    Machine,
    is_same,
    run_from_seed,
)
from tests.worlds.revision_model import (
    Grave,
    Known,
    covers,
    is_visible,
    is_writable,
)

STEPS, EXAMPLES, SEEDS = 200, 11, cases(range(5), range(2))
"""One example of each seed is the simplest there is: the others, 50 with `--deep`, are at random.

What is drawn for a step, and how many rules there are to draw from, is kept small: where it is
much, an example ends before its last step.
"""

HOURS = st.sampled_from([1, 1, 6, 24, 24 * 20, 24 * 31, 24 * 366])


class Revising(Machine):
    """What may be done, each as often as any other."""

    # --- What is reported ---------------------------------------------------------------------

    @rule(kind=st.sampled_from(["event", "outcome", "state", "skill"]), who=WHO, pick=PICK)
    def report(self, kind: str, who: Principal, pick: int) -> None:
        """Something that conflicts with nothing: it happens, ends, goes on, or is learned."""
        now_s = self.begin()
        if kind == "event":
            self.made(self.ask(event(scope="project:alpha"), who, may=True), now_s)
        elif kind == "state":
            self.made(self.ask(working_state(scope="project:alpha"), who, may=True), now_s)
        elif kind == "skill":
            self.learn(self.choose(pick, lambda each: each.lives), who, now_s)
        else:
            self.complete(self.choose(pick, lambda each: each.lives and each.type == "episodic"))

    def learn(self, target: Known | None, who: Principal, now_s: float) -> None:
        """A skill comes whole, pointing at another record."""
        related = [] if target is None else [relation(target.id)]
        request = full_record(scope="project:alpha", relations=related)
        may = target is None or (target.lives and is_visible(target, who))
        self.made(self.ask(request, who, may=may), now_s)

    def complete(self, target: Known | None) -> None:
        """An episode ends well."""
        if target is None:
            return
        may = target.lives and target.type == "episodic"
        if self.ask(outcome(target.id), OWNER, may=may) is not None:
            self.settle(replace(target, payload={**target.payload, "outcome": "success"}))

    @rule(fact=FACTS, scope=SCOPES, who=WHO, word=WORDS)
    def observe(self, fact: Fact, scope: str, who: Principal, word: str) -> None:
        """Somebody says something of the user; its predicate, or a word, says what is to come."""
        self.observed(fact, scope, who, word, self.begin())

    @rule(pick=PICK, said=st.sampled_from(OBJECTS), who=WHO)
    def observe_again(self, pick: int, said: str, who: Principal) -> None:
        """Of what somebody spoke before somebody says something, the same or another."""
        now_s = self.begin()
        known = self.choose(pick, lambda each: each.stands and each.type == "semantic")
        if known is not None and known.type == "semantic":
            fact = Fact.about(known.payload, said)
            self.observed(fact, known.scope, who, "", now_s)

    def observed(self, fact: Fact, scope: str, who: Principal, word: str, now_s: float) -> None:
        """What becomes of it, and of those that it conflicts with."""
        window = WINDOWS[fact.window]
        request = observation(
            predicate=fact.predicate,
            object=fact.object,
            scope=scope,
            sensitivity=fact.level,
            conditions=CONDITIONS[fact.conditions],
            on_conflict=word,
            **window,
        )
        policy = word or fact.policy
        new = fact.as_known(scope)
        rivals = [each for each in self.memory.rivals(new) if is_visible(each, who)]
        result = self.ask(request, who, may=is_writable(new, who))
        if result is None:
            return
        others = [each for each in rivals if not is_same(each, fact)]
        if policy != KEEP and any(is_same(each, fact) and covers(each, new) for each in rivals):
            known = self.memory[id_of(result)]
            same = [each for each in rivals if each not in others]
            assert known in same
            yielding = [each for each in rivals if each in others or covers(known, each)]
            replaced = [each for each in yielding if each is not known and policy == REPLACE]
            self.reinforced_by(result, replaced, now_s)
            return
        made = self.known_from(result, now_s)
        if policy == REPLACE:
            self.memory.excuse(made, who, leaving={each.id for each in rivals})
            self.replaced_by(made, rivals, now_s)
            return
        self.memory.stand_beside(made)
        if policy == FORK:
            self.varied_by(made, rivals)
        else:
            assert not made.relations
            doubted = others if policy == CONTEST else []
            self.settle(made, *(each.contested(made.id, now_s) for each in doubted))

    def reinforced_by(self, result: Result, others: Sequence[Known], now_s: float) -> None:
        """One that says the same is reinforced, and maybe replaces others."""
        after = self.memory[id_of(result)].reinforced(now_s)
        for each in others:
            after = after.replacing(each.id, now_s)
        self.settle(after, *(each.retracted(now_s, after.id) for each in others))

    def replaced_by(self, new: Known, rivals: Sequence[Known], now_s: float) -> None:
        """It stands in the place of all that it conflicts with, and tells no more openly of it."""
        assert all(new.level.level >= each.level.level for each in rivals)
        assert new.relations == {("supersedes", each.id) for each in rivals}
        assert new.supersedes in {each.id for each in rivals} or not rivals
        self.settle(new, *(each.retracted(now_s, new.id) for each in rivals))

    def varied_by(self, new: Known, rivals: Sequence[Known]) -> None:
        """It stands beside them, and comes from one of them."""
        assert len(new.relations) == min(len(rivals), 1)
        assert new.relations <= {("derived_from", each.id) for each in rivals}
        self.settle(new, *rivals)

    @rule(fact=FACTS, who=WHO, pick=PICK)
    def record_fact(self, fact: Fact, who: Principal, pick: int) -> None:
        """A fact comes whole, pointing at another record."""
        now_s = self.begin()
        target = self.choose(pick, lambda each: each.lives)
        given = fact.as_record("project:alpha")
        if target is not None:
            given["relations"] = [relation(target.id)]
        new = fact.as_known("project:alpha")
        may = is_writable(new, who) and self.has_place(new, who)
        if target is not None:
            may = may and target.lives and is_visible(target, who)
        self.taken_in(self.ask(full_record(**given), who, may=may), who, now_s)

    # --- What is revised ----------------------------------------------------------------------

    @rule(pick=PICK, fact=FACTS, who=WHO, beside=st.booleans())
    def derive(self, pick: int, fact: Fact, who: Principal, *, beside: bool) -> None:
        """A fact comes from a record, in its place or beside it."""
        (self.fork if beside else self.supersede)(pick, fact, who)

    def supersede(self, pick: int, fact: Fact, who: Principal) -> None:
        """A fact replaces one of the same type."""
        now_s = self.begin()
        old = self.choose(pick, lambda each: each.is_revisable and each.type == "semantic")
        if old is None:
            return
        new = self.placed(fact, [old], who)
        may = (
            old.is_revisable
            and old.type == "semantic"
            and is_writable(old, who)
            and is_writable(new, who)
            and self.has_place(new, who, leaving=[old.id])
        )
        request = Supersede.model_validate(
            {"id": old.id, "new_record": fact.as_record(None), "rationale": "better"}
        )
        result = self.ask(request, who, may=may)
        if result is not None:
            made = self.known_from(result, now_s)
            assert (made.scope, made.level) == (new.scope, new.level)
            assert (made.supersedes, made.status) == (old.id, "active")
            assert made.relations == {("supersedes", old.id)}
            self.memory.excuse(made, who, leaving=[old.id])
            self.settle(made, old.retracted(now_s, made.id))

    def fork(self, pick: int, fact: Fact, who: Principal) -> None:
        """A fact stands beside one that it varies."""
        now_s = self.begin()
        source = self.choose(pick, lambda each: each.is_revisable)
        if source is None:
            return
        new = self.placed(fact, [source], who)
        may = (
            source.is_revisable
            and is_writable(source, who)
            and is_writable(new, who)
            and self.has_place(new, who)
        )
        request = Fork.model_validate(
            {"id": source.id, "forked_record": fact.as_record(None), "rationale": "also"}
        )
        result = self.ask(request, who, may=may)
        if result is not None:
            made = self.known_from(result, now_s)
            assert (made.scope, made.level, made.status) == (new.scope, new.level, "")
            assert made.relations == {("derived_from", source.id)}
            self.memory.excuse(made, who)
            self.settle(made, source)

    @rule(picks=st.tuples(PICK, PICK, PICK), fact=FACTS, who=WHO)
    def merge(self, picks: tuple[int, int, int], fact: Fact, who: Principal) -> None:
        """A fact replaces several records."""
        now_s = self.begin()
        first = self.choose(picks[0], lambda each: each.is_revisable)
        if first is None:
            return
        others = [
            self.choose(pick, lambda each: each.is_revisable and each.scope == first.scope)
            for pick in picks[1:]
        ]
        sources = list({each.id: each for each in (first, *others) if each is not None}.values())
        ids = [each.id for each in sources]
        new = self.placed(fact, sources, who)
        may = (
            all(each.is_revisable and is_writable(each, who) for each in sources)
            and len({each.scope for each in sources}) == 1
            and is_writable(new, who)
            and self.has_place(new, who, leaving=ids)
        )
        request = Merge.model_validate(
            {"ids": ids, "merged_record": fact.as_record(None), "rationale": "one"}
        )
        result = self.ask(request, who, may=may)
        if result is not None:
            made = self.known_from(result, now_s)
            assert (made.scope, made.level) == (new.scope, new.level)
            assert made.relations == {("derived_from", each) for each in ids}
            self.memory.excuse(made, who, leaving=ids)
            self.settle(made, *(each.retracted(now_s, made.id) for each in sources))

    @rule(pick=PICK, who=WHO, up=st.booleans())
    def take(self, pick: int, who: Principal, *, up: bool) -> None:
        """A record is taken back, or up again."""
        (self.take_up if up else self.retract)(pick, who)

    def retract(self, pick: int, who: Principal) -> None:
        """A record is taken back."""
        now_s = self.begin()
        target = self.choose(pick, lambda each: each.is_revisable)
        if target is None:
            return
        may = target.is_revisable and is_writable(target, who)
        if self.ask(Retract(id=target.id, rationale="wrong"), who, may=may) is not None:
            self.settle(target.retracted(now_s))

    @rule(pick=PICK, by=PICK, who=WHO)
    def contest(self, pick: int, by: int, who: Principal) -> None:
        """Another record, or something outside, speaks against a record."""
        now_s = self.begin()
        target = self.choose(pick, lambda each: each.is_revisable)
        against = self.choose(by, lambda each: each.lives)
        if target is None or against is None:
            return
        is_told = by % 3 > 0
        may = (
            target.is_revisable
            and is_writable(target, who)
            and not (is_told and against.id == target.id)
        )
        reference = against.id if is_told else "a letter"
        request = Contest(id=target.id, contesting_ref=reference, rationale="doubt")
        if self.ask(request, who, may=may) is not None:
            known = is_told and against.lives and is_visible(against, who)
            self.settle(target.contested(against.id if known else None, now_s))

    @rule(pick=PICK, by=PICK, how=st.sampled_from(["keep", "supersede", "retract"]), who=WHO)
    def resolve(self, pick: int, by: int, how: str, who: Principal) -> None:
        """It is decided about a contested record."""
        now_s = self.begin()
        target = self.choose(pick, lambda each: each.lives and each.status == "contested")
        if target is None:
            return
        instead = self.choose(by, lambda each: each.stands and each.type == target.type)
        if instead is None:
            return
        may = target.lives and target.status == "contested" and is_writable(target, who)
        asked: dict[str, Any] = {"id": target.id, "resolution": how, "rationale": "decided"}
        if how == "supersede":
            asked["superseded_by"] = instead.id
            may = (
                may
                and instead.stands
                and is_writable(instead, who)
                and instead.type == target.type
                and instead.id != target.id
            )
        if self.ask(Resolve.model_validate(asked), who, may=may) is None:
            return
        if how == "keep":
            self.settle(target.in_state("active", now_s))
        elif how == "retract":
            self.settle(target.retracted(now_s))
        else:
            self.settle(target.retracted(now_s, instead.id), instead.replacing(target.id, now_s))

    def take_up(self, pick: int, who: Principal) -> None:
        """What was taken back counts again."""
        now_s = self.begin()
        target = self.choose(
            pick, lambda each: each.lives and not each.stands and not each.superseded_by
        )
        if target is None:
            return
        may = (
            target.lives
            and not target.stands
            and not target.superseded_by
            and is_writable(target, who)
            and self.has_place(target, who)
        )
        if self.ask(Reclassify(id=target.id, retracted=False), who, may=may) is not None:
            self.memory.excuse(target, who)
            self.settle(target.in_state("active", now_s).anchored(1.0, now_s))

    @rule(pick=PICK, scope=SCOPES, level=st.sampled_from(LEVELS), what=st.integers(1, 7), who=WHO)
    def reclassify(
        self, pick: int, scope: str, level: Sensitivity, what: int, who: Principal
    ) -> None:
        """A record gets another scope, sensitivity or tags."""
        self.begin()
        target = self.choose(pick, lambda each: each.lives)
        if target is None:
            return
        asked: dict[str, Any] = {"id": target.id}
        if what & 1:
            asked["scope"] = scope
        if what & 2:
            asked["sensitivity"] = level
        if what & 4:
            asked["tags"] = ("moved", scope)
        after = replace(
            target,
            scope=asked.get("scope", target.scope),
            level=asked.get("sensitivity", target.level),
            tags=asked.get("tags", target.tags),
        )
        is_lowered = after.level.level < target.level.level
        appears = after.stands and (after.scope != target.scope or is_lowered)
        may = (
            target.lives
            and is_writable(target, who)
            and is_writable(after, who)
            and (who is OWNER or not is_lowered)
            and (not appears or self.has_place(after, who))
        )
        if self.ask(Reclassify(**asked), who, may=may) is not None:
            if appears:
                self.memory.excuse(after, who)
            self.settle(after)

    # --- What proves useful, fades, ends ------------------------------------------------------

    @rule(pick=PICK, how=st.sampled_from([Reinforce, Penalize, Pin, Unpin]), who=WHO)
    def judge(self, pick: int, how: type[RecordChange], who: Principal) -> None:
        """A record proves useful or does no good, or is to stay as it is, or to fade again."""
        now_s = self.begin()
        target = self.choose(pick, lambda each: each.stands)
        if target is None:
            return
        is_penalty = how is Penalize
        request = Penalize(id=target.id, amount=0.25) if is_penalty else how(id=target.id)
        may = target.stands and is_writable(target, who)
        if self.ask(request, who, may=may) is None:
            return
        if how is Reinforce:
            self.settle(target.reinforced(now_s))
        elif is_penalty:
            self.settle(target.penalized(0.25, now_s))
        else:
            self.settle(target.held_fast(now_s, pinned=how is Pin))

    @rule(hours=HOURS, sweeping=st.booleans())
    def pass_time(self, hours: int, *, sweeping: bool) -> None:
        """Time goes by, now and then a year; then the sweep may come."""
        now_s = self.begin(hours=hours)
        if sweeping:
            self.sweep(now_s)

    def sweep(self, now_s: float) -> None:
        """What has faded is pruned, and what can be restored no longer is forgotten."""
        swept = sweep_due(self.services, lambda: False)
        assert (swept.faults, swept.failures) == ((), ())
        after = [
            replace(each, grave=Grave("deleted", now_s))
            for each in self.memory
            if each.is_due(now_s)
        ]
        after += [
            replace(each, grave=replace(each.grave, end="forgotten"))
            for each in self.memory
            if each.grave is not None
            and each.grave.end == "deleted"
            and each.grave.forgettable_s <= now_s
            and not each.is_over(now_s)
        ]
        self.settle(*after)

    @rule(pick=PICK, who=WHO, back=st.booleans())
    def end(self, pick: int, who: Principal, *, back: bool) -> None:
        """A record is deleted, or brought back."""
        (self.restore if back else self.delete)(pick, who)

    def delete(self, pick: int, who: Principal) -> None:
        """A record is deleted, or now and then erased, also where it was deleted before."""
        now_s = self.begin()
        erase = pick % 4 == 0
        target = self.choose(pick, lambda each: erase or each.lives)
        if target is None:
            return
        may = who is OWNER if erase else target.lives and is_writable(target, who)
        request = DeleteRecord(id=target.id, erase=erase, rationale="law")
        if self.ask(request, who, may=may) is None:
            return
        grave = target.grave or Grave("deleted", now_s)
        self.settle(replace(target, grave=replace(grave, end="erased") if erase else grave))

    def restore(self, pick: int, who: Principal) -> None:
        """A record that was deleted is brought back."""
        now_s = self.begin()
        target = self.choose(pick, lambda each: each.is_restorable(now_s))
        if target is None:
            return
        back = target.restored(now_s)
        may = (
            target.is_restorable(now_s)
            and is_writable(target, who)
            and (not back.stands or self.has_place(back, who))
        )
        if self.ask(RestoreRecord(id=target.id), who, may=may) is not None:
            if back.stands:
                self.memory.excuse(back, who)
            self.settle(back)

    @precondition(lambda self: self.asked)
    @rule(pick=st.integers(0, 255))
    def ask_again(self, pick: int) -> None:
        """A call that comes once more under its key changes nothing."""
        self.begin()
        asked = self.asked[-1 - pick % len(self.asked)]
        known = self.memory[asked.record_id]
        if self.is_over(known):
            return
        writes = self.writes.done
        if is_visible(known, asked.who):
            result = done(asked.request, self.services, asked.who, key=asked.key)
            assert result.replayed or not asked.has_written
            assert id_of(result) == asked.record_id
        else:
            with pytest.raises(NotFound):
                done(asked.request, self.services, asked.who, key=asked.key)
        assert self.writes.done == writes


@pytest.mark.parametrize("number", SEEDS)
def test_whatever_is_done_links_agree_audits_verify_and_nothing_is_lost(number: int) -> None:
    most = examples(EXAMPLES)

    steps = run_from_seed(Revising, number, most, STEPS, Phase.generate, Phase.shrink)

    assert steps.count(STEPS) >= most
