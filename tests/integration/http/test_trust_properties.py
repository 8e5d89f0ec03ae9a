"""No combination of key and request shows what lies outside the key, or tells that it is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.trust import ALL_SCOPES, Gate, View
from membrane.domain.language.cursors import decode, encode
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.requests import validate
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.revision.requests import Contest, Retract
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.requests import ReadReceipt, Retrieve
from membrane.usecases.search.inquiry import inquiry_of
from membrane.usecases.search.retrieve import Answer, read_receipt
from tests.builders.requests import OWNER, call, change, full_record
from tests.worlds.depth import examples
from tests.worlds.memory import CURSOR_KEY
from tests.worlds.retrieval import Memory, semantic, skill

SCOPES = ("", "alpha", "beta", "gamma")
LEVELS = tuple(Sensitivity)
TASKS = ("", "Who broke the linker cache?", "coffee in Lisbon", "turn")
WORDS = ("linker", "cache", "coffee", "Lisbon", "lamp")
OTHER_WORDS = st.lists(st.sampled_from(WORDS), max_size=12)
REVISIONS = {"contested": Contest, "retracted": Retract}
SECRET = "unspeakable"
"""In every record's content, and nowhere else."""


@dataclass(frozen=True)
class Sample:
    """A record to be remembered."""

    id: str
    kind: str
    scope: str
    level: Sensitivity
    salience: int
    words: tuple[str, ...]
    tags: tuple[str, ...]
    status: str
    subject: str = "user"
    thread: str = "t"

    def request(self) -> Any:
        """The full record that is ingested."""
        text = f"{SECRET} {' '.join(self.words)}"
        fields = {
            "scope": self.scope or None,
            "sensitivity": self.level,
            "salience": self.salience / 10,
            "tags": list(self.tags),
        }
        match self.kind:
            case "fact":
                fact = {"subject": self.subject, "object": text}
                return semantic(self.id, payload=fact, **fields)
            case "skill":
                return skill(self.id, text, **fields)
            case "state":
                state = {"kind": "working", "thread_id": self.thread, "state": "done"}
                body: dict[str, Any] = {**state, "context_summary": text}
                return full_record(id=self.id, type="working", payload=body, **fields)
            case _:
                ref = f"{self.thread}:{self.id[1:]}"
                turn = {"t": "2026-01-01T00:00:00Z", "event_kind": "turn", "ref": ref}
                body = {"kind": "episodic", "timeline": [{**turn, "summary": text}]}
                return full_record(id=self.id, type="episodic", payload=body, **fields)

    def kept(self, memory: Memory) -> None:
        """Keep the record, and revise it; an episode never is."""
        memory.add_unindexed(self.request())
        if self.kind != "turn" and self.status in REVISIONS:
            change(REVISIONS[self.status](id=self.id), memory.services)


@dataclass(frozen=True)
class Asking:
    """Who asks for what."""

    principal: Principal
    asked: Mapping[str, Any]

    @property
    def gate(self) -> Gate:
        """What the answer may hold."""
        return Gate.of(self.principal.trust, validate(Retrieve, self.asked).trust)


def samples(number: int) -> st.SearchStrategy[Sample]:
    """The record of that number."""
    return st.builds(
        Sample,
        id=st.just(f"r{number}"),
        kind=st.sampled_from(["fact", "fact", "skill", "state", "turn", "turn"]),
        scope=st.sampled_from(SCOPES),
        level=st.sampled_from(LEVELS),
        salience=st.integers(0, 12),
        words=st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)),
        tags=st.sampled_from([(), ("x",), ("x", "y")]),
        status=st.sampled_from(["active", "contested", "retracted"]),
    )


REMEMBERED = st.integers(1, 14).flatmap(
    lambda count: st.tuples(*(samples(number) for number in range(count)))
)
OWN_SCOPES = st.one_of(
    st.just((ALL_SCOPES,)), st.sets(st.sampled_from(SCOPES[1:]), min_size=1).map(tuple)
)
PRINCIPALS = st.builds(
    lambda scopes, level: principal_of("reader", ["read"], scopes, level),
    OWN_SCOPES,
    st.sampled_from(LEVELS),
)
TRUSTS = st.fixed_dictionaries(
    {},
    optional={
        "max_sensitivity": st.sampled_from(LEVELS),
        "scopes": st.lists(st.sampled_from([*SCOPES[1:], "elsewhere", ALL_SCOPES]), max_size=3),
    },
)
FILTERS = st.one_of(
    st.just({}),
    st.just({"tags": ["x"]}),
    st.just({"thread_id": "t"}),
    st.just({"thread_id": "t", "memory_types": ["working"]}),
    st.just({"subject": "user"}),
    st.just({"subject": "user", "predicate": "likes"}),
    st.just({"include_retracted": True}),
    st.just({"min_salience": 0.5}),
    st.just({"memory_types": ["competence", "episodic"]}),
)
ASKINGS = st.builds(
    lambda principal, trust, filters, task, limit, view: Asking(
        principal,
        {"trust": trust, "task_descriptor": task, "limit": limit, "view": view, **filters},
    ),
    PRINCIPALS,
    TRUSTS,
    FILTERS,
    st.sampled_from(TASKS),
    st.sampled_from([0, 20, 1, 2, 5]),
    st.sampled_from(["full", "full", "brief", "prompt"]),
)
GUESSES = st.builds(
    lambda scopes, levels, filters, task: Asking(
        principal_of("reader", ["read"], scopes, max(levels, key=LEVELS.index)),
        {
            "trust": {"max_sensitivity": min(levels, key=LEVELS.index)},
            "task_descriptor": task,
            **filters,
        },
    ),
    OWN_SCOPES,
    st.lists(st.sampled_from(LEVELS[:4]), min_size=2, max_size=2, unique=True),
    st.sampled_from(
        [
            {"memory_types": ["semantic"], "subject": "user", "predicate": "likes"},
            {"memory_types": ["working"], "thread_id": "t"},
        ]
    ),
    st.sampled_from(["", *TASKS]),
)
"""Of who narrows a request below the key's ceiling, to learn of what is above it."""


def remembering(several: Sequence[Sample], only: Gate | None = None) -> Memory:
    """A memory of these records, or of those that the gate shows in whatever form."""
    memory = Memory()
    for each in several:
        if only is None or only.view(each.scope, each.level) in (View.FULL, View.REDACTED):
            each.kept(memory)
        memory.clock.advance(seconds=1)
    if memory.records.places:
        memory.index(*memory.records.places)
    return memory


def remembering_one_by_one(several: Sequence[Sample]) -> Memory:
    """A memory whose index has learnt of each record before the next one came."""
    memory = Memory()
    for each in several:
        each.kept(memory)
        memory.index(each.id)
        memory.clock.advance(seconds=1)
    return memory


def tokens(several: Sequence[Sample], memory: Memory) -> list[str]:
    """Of every record."""
    return [memory.token(each.id) for each in several]


def require_within(answer: Answer, asking: Asking, several: Sequence[Sample]) -> None:
    """Every record is one that the gate shows so."""
    gate, own = asking.gate, asking.principal
    known = {each.id: each for each in several}
    for record in answer.records:
        sample = known[record["id"]]
        in_key = not sample.scope or ALL_SCOPES in own.scopes or sample.scope in own.scopes
        level = min(own.ceiling.level, gate.asked.ceiling.level)
        assert in_key
        assert record.get("sensitivity", sample.level) == sample.level
        if record.get("payload", record.get("text")) is not None:
            assert sample.level.level <= level
            assert gate.asked.covers(sample.scope)
        else:
            assert sample.level.level == level + 1
            assert gate.asked.covers(sample.scope)
            assert SECRET not in str(record)
    for told in [] if answer.prompt is None else answer.prompt["ids"]:
        assert gate.view(known[told].scope, known[told].level) is View.FULL
    if answer.selection is not None:
        chosen = [known[each] for each in answer.selection.selected]
        assert all(gate.view(each.scope, each.level) is View.FULL for each in chosen)


def said(pages: Sequence[Answer]) -> list[dict[str, Any]]:
    """The bodies of the replies, but for what names an answer; of cursors whether there is one."""
    return [
        {**page.body, "receipt_id": None, "next_cursor": page.next_cursor is not None}
        for page in pages
    ]


def receipts(pages: Sequence[Answer], memory: Memory, asker: Principal) -> list[dict[str, Any]]:
    """Their receipts as the asker gets them."""
    requests = [validate(ReadReceipt, {"id": page.receipt_id}) for page in pages]
    read = [read_receipt(each, call(each, asker), memory.services) for each in requests]
    return [{**each, "id": None} for each in read]


def explained(pages: Sequence[Answer], memory: Memory, asker: Principal) -> list[dict[str, Any]]:
    """The same, but for how much the own narrower request withheld."""
    return [{**each, "withheld": None} for each in receipts(pages, memory, asker)]


def but_withheld(memory: Memory) -> list[AnswerReceipt]:
    """Every receipt that is kept, but for how much the own narrower request withheld."""
    return [replace(receipt, withheld=0) for receipt in memory.receipts.kept]


@settings(max_examples=examples(60))
@given(several=REMEMBERED, asking=ASKINGS, with_tokens=st.booleans())
def test_nothing_is_shown_beyond_the_key_and_the_request(
    several: Sequence[Sample], asking: Asking, *, with_tokens: bool
) -> None:
    memory = remembering(several)
    named = {"consistency_tokens": tokens(several, memory)} if with_tokens else {}

    pages = memory.pages(asking.principal, **asking.asked, **named)

    for page in pages:
        require_within(page, asking, several)


@settings(max_examples=examples(60))
@given(several=REMEMBERED, asking=ASKINGS, with_tokens=st.booleans())
def test_what_is_hidden_changes_no_word_of_the_answer(
    several: Sequence[Sample], asking: Asking, *, with_tokens: bool
) -> None:
    everything, visible = remembering(several), remembering(several, asking.gate)
    named = {"consistency_tokens": tokens(several, everything)} if with_tokens else {}

    pages = everything.pages(asking.principal, **asking.asked, **named)
    alone = visible.pages(asking.principal, **asking.asked, **named)

    assert said(pages) == said(alone)
    asker = asking.principal
    assert explained(pages, everything, asker) == explained(alone, visible, asker)


@settings(max_examples=examples(60))
@given(several=REMEMBERED, asking=ASKINGS, data=st.data())
def test_what_is_not_seen_in_full_may_say_anything(
    several: Sequence[Sample], asking: Asking, data: st.DataObject
) -> None:
    """Each is indexed before the next one comes, so that snapshots are made on the way."""
    others = [
        each
        if asking.gate.view(each.scope, each.level) is View.FULL
        else replace(each, words=tuple(data.draw(OTHER_WORDS)))
        for each in several
    ]
    first, second = remembering_one_by_one(several), remembering_one_by_one(others)

    pages = first.pages(asking.principal, **asking.asked)
    again = second.pages(asking.principal, **asking.asked)

    assert pages == again
    assert but_withheld(first) == but_withheld(second), "what is withheld is found by what it says"


@settings(max_examples=examples(100))
@given(several=REMEMBERED, asking=GUESSES | ASKINGS, data=st.data())
def test_no_receipt_tells_what_the_key_does_not_show_in_full(
    several: Sequence[Sample], asking: Asking, data: st.DataObject
) -> None:
    """Whatever it is about, so that nobody can guess a subject or a thread."""
    own = asking.principal.trust
    others = [
        each
        if own.allows(each.scope, each.level)
        else replace(
            each,
            subject=data.draw(st.sampled_from(["user", "somebody"])),
            thread=data.draw(st.sampled_from(["t", "u"])),
            words=tuple(data.draw(OTHER_WORDS)),
        )
        for each in several
    ]
    first, second = remembering(several), remembering(others)

    pages = first.pages(asking.principal, **asking.asked)
    again = second.pages(asking.principal, **asking.asked)

    assert said(pages) == said(again)
    asker = asking.principal
    assert receipts(pages, first, asker) == receipts(again, second, asker)


@settings(max_examples=examples(50))
@given(REMEMBERED, ASKINGS, st.data())
def test_a_forged_cursor_shows_nothing_more(
    several: Sequence[Sample], asking: Asking, data: st.DataObject
) -> None:
    memory = remembering(several)
    theirs = validate(Retrieve, asking.asked)
    binding = inquiry_of(theirs, call(theirs, asking.principal), memory.services).binding
    state = data.draw(st.sampled_from(list(stolen_states(memory, asking))))

    try:
        answer = memory.retrieve(
            asking.principal, **asking.asked, cursor=encode(state, binding, CURSOR_KEY)
        )
    except InvalidArgument:
        return

    require_within(answer, asking, several)


def stolen_states(memory: Memory, asking: Asking) -> Iterator[dict[str, Any]]:
    """Of cursors of somebody who sees everything, and such as nobody was ever given."""
    yield {"at": 0, "given": ""}
    yield {"at": 1e9, "given": "", "fused": 10**9}
    yield {"at": 1e9, "given": "A" * 8, "rank": {"now_s": 0.0}}
    yield {"at": -1, "given": ""}
    yield {"at": 1e9, "given": "A"}
    yield {"at": 1e9, "given": "", "fused": True, "rank": []}
    wide = {**asking.asked, "trust": {}, "limit": 1}
    request = validate(Retrieve, wide)
    binding = inquiry_of(request, call(request, OWNER), memory.services).binding
    for page in memory.pages(OWNER, **wide)[:6]:
        if page.next_cursor is not None:
            yield decode(page.next_cursor, binding, CURSOR_KEY)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("asked", LEVELS)
def test_the_lower_of_two_levels_counts(level: Sensitivity, asked: Sensitivity) -> None:
    several = [
        Sample(f"r{number}", "fact", "", each, 5, ("linker", "cache"), (), "active")
        for number, each in enumerate(LEVELS)
    ]
    memory = remembering(several)
    reader = principal_of("reader", ["read"], ["alpha"], level)

    answer = memory.retrieve(reader, trust={"max_sensitivity": asked})

    shown = min(level.level, asked.level)
    full = {record["sensitivity"] for record in answer.records if record["payload"] is not None}
    assert full == {each for each in LEVELS if each.level <= shown}
    assert len(answer.records) == min(shown + 2, len(LEVELS))
