"""The store of entries: the same contract on the fake, on moto and on dynoxide."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.dynamodb.search.entry_items import (
    ATTRIBUTES,
    decode_entry,
    entry_item,
    standing_of,
)
from membrane.adapters.dynamodb.search.entry_store import SAMPLE, DynamoEntries
from membrane.adapters.dynamodb.search.scope_states import MAX_TERMS, ScopeState, ScopeStates
from membrane.adapters.dynamodb.table.attributes import CorruptItem, size_of
from membrane.adapters.dynamodb.table.keys import entry_partition, scope_at, scope_place, shard_of
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, pack_dense, pack_terms
from membrane.domain.search.frequencies import Frequencies, Level, Snapshot, together
from membrane.usecases.ports.search import EntryStore, Standing
from tests.fakes.clock import FakeClock
from tests.fakes.entries import FakeEntries
from tests.worlds.faults import cancelled, failure, intercept
from tests.worlds.search_indexes import entry
from tests.worlds.stores import EMULATORS, TableStore

MADE_FROM = b"digest"

Counts = Callable[[str], tuple[int, dict[int, float]]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """One implementation, and what readers see of it."""

    entries: EntryStore
    clock: FakeClock
    listed: Callable[[str], list[Entry]]
    state: Callable[[str], ScopeState]

    def frequencies(self, ceiling: Sensitivity = Sensitivity.HYPER) -> Frequencies:
        """Of the team's entries, for a reader of that ceiling."""
        return together([self.state("team").snapshot], ceiling)


def fake_shelf() -> Shelf:
    entries = FakeEntries("lexical")

    def state(scope: str) -> ScopeState:
        kept = entries.scopes.get(scope)
        if kept is None:
            return ScopeState()
        return ScopeState(kept.version, kept.documents, frozenset(kept.embedders), kept.snapshot)

    clock = entries.now
    assert isinstance(clock, FakeClock)
    return Shelf(entries, clock, lambda scope: list(entries.entries(scope)), state)


def table_shelf(
    store: TableStore, *, embedder: str = "lexical", shards: int = 1, vector: bool = False
) -> Shelf:
    def listed(scope: str) -> list[Entry]:
        items = [
            item
            for shard in range(shards)
            for item in store.partition(entry_partition(scope, shard))
            if "removed" not in item
        ]
        return sorted(map(decode_entry, items), key=lambda each: each.record_id)

    entries = DynamoEntries(store.client, store.table, embedder, shards, store.clock, vector)
    states = ScopeStates(store.client, store.table, embedder)
    return Shelf(entries, store.clock, listed, lambda scope: states.states([scope])[scope])


@pytest.fixture(params=["fake", *EMULATORS])
def shelf(request: pytest.FixtureRequest) -> Shelf:
    if request.param == "fake":
        return fake_shelf()
    return table_shelf(request.getfixturevalue(request.param))


CRANE = entry("record-1", "the crane failed", thread="talk", position=1)
PLACE = ("team", "record-1")


# --- entries --------------------------------------------------------------------------------------


def test_an_entry_reads_back_as_it_was_put(shelf: Shelf) -> None:
    assert shelf.entries.put(CRANE, Standing(3, MADE_FROM))

    assert shelf.listed("team") == [CRANE]
    assert shelf.entries.standing([PLACE]) == {PLACE: Standing(3, MADE_FROM)}


def test_nothing_stands_where_nothing_was_put(shelf: Shelf) -> None:
    assert shelf.entries.standing([PLACE]) == {}
    assert shelf.entries.standing([]) == {}


def test_a_later_version_replaces_an_entry(shelf: Shelf) -> None:
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))

    other = entry("record-1", "the lighthouse")
    assert shelf.entries.put(other, Standing(2, b"other"))

    assert shelf.listed("team") == [other]


def test_a_late_older_version_never_overwrites(shelf: Shelf) -> None:
    shelf.entries.put(CRANE, Standing(2, MADE_FROM))

    assert not shelf.entries.put(entry("record-1", "older"), Standing(1, b"other"))
    assert not shelf.entries.remove(*PLACE, version=1)

    assert shelf.listed("team") == [CRANE]


def test_the_same_version_may_be_put_again(shelf: Shelf) -> None:
    shelf.entries.put(CRANE, Standing(2, MADE_FROM))

    other = entry("record-1", "by another embedder")
    assert shelf.entries.put(other, Standing(2, b"other"))

    assert shelf.listed("team") == [other]


def test_a_marker_keeps_what_is_late_away(shelf: Shelf) -> None:
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))

    assert shelf.entries.remove(*PLACE, version=2)

    assert not shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    assert not shelf.entries.put(CRANE, Standing(2, MADE_FROM))
    assert shelf.listed("team") == []
    assert shelf.entries.standing([PLACE]) == {PLACE: Standing(2, b"")}


def test_a_later_version_takes_a_markers_place(shelf: Shelf) -> None:
    shelf.entries.remove(*PLACE, version=2)

    assert shelf.entries.put(CRANE, Standing(3, MADE_FROM))

    assert shelf.listed("team") == [CRANE]


def test_a_marker_past_its_time_keeps_nothing_away(shelf: Shelf) -> None:
    shelf.entries.remove(*PLACE, version=2)

    shelf.clock.now += timedelta(days=3)

    assert shelf.entries.standing([PLACE]) == {}
    assert shelf.entries.put(CRANE, Standing(1, MADE_FROM))


def test_the_same_id_in_another_scope_is_another_entry(shelf: Shelf) -> None:
    unscoped = entry("record-1", "the crane failed", scope="")
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    shelf.entries.put(unscoped, Standing(7, MADE_FROM))

    shelf.entries.remove(*PLACE, version=2)

    assert shelf.listed("") == [unscoped]
    assert shelf.entries.standing([("", "record-1")]) == {("", "record-1"): Standing(7, MADE_FROM)}


def test_more_places_than_a_request_takes_are_looked_at(shelf: Shelf) -> None:
    for number in range(0, 130, 2):
        each = entry(f"record-{number}", "")
        shelf.entries.put(each, Standing(1, MADE_FROM))

    found = shelf.entries.standing([("team", f"record-{number}") for number in range(130)])

    assert len(found) == 65


# --- the state of a scope -------------------------------------------------------------------------


def test_a_scope_without_entries_has_the_state_of_none(shelf: Shelf) -> None:
    assert shelf.state("team") == ScopeState()


def test_a_scope_moves_and_counts(shelf: Shelf) -> None:
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    shelf.entries.moved("team", 1)
    shelf.entries.moved("team", 0)
    shelf.entries.moved("team", -1)

    state = shelf.state("team")

    assert (state.version, state.documents) == (3, 0)
    assert state.embedders == {"lexical"}


def test_frequencies_are_counted_anew_when_a_scope_has_doubled(shelf: Shelf) -> None:
    def put(*numbers: int) -> None:
        for number in numbers:
            terms = {7: 2} if number % 2 else {7: 1, 8: 1, 1_000 + number: 1}
            each = replace(CRANE, record_id=f"record-{number}", terms=pack_terms(terms))
            shelf.entries.put(each, Standing(1, MADE_FROM))
        shelf.entries.moved("team", len(numbers))

    put(0, 1, 2, 3)
    at_four = shelf.frequencies()
    put(4, 5, 6)
    at_seven = shelf.frequencies()
    put(7)
    at_eight = shelf.frequencies()

    assert at_four.documents == at_seven.documents == 4
    assert at_eight.documents == 8
    assert at_eight.average_length == pytest.approx(2.5)
    assert at_eight.shares == {7: 1.0, 8: 0.5}


def test_each_reader_counts_the_entries_up_to_the_ceiling_alone(shelf: Shelf) -> None:
    for level, terms in {"public": {7: 1, 8: 1}, "low": {7: 3}, "hyper": {7: 1, 8: 1}}.items():
        for number in (1, 2):
            shelf.entries.put(
                replace(
                    CRANE,
                    record_id=f"{level}-{number}",
                    sensitivity=Sensitivity(level),
                    terms=pack_terms(terms),
                ),
                Standing(1, MADE_FROM),
            )
    shelf.entries.moved("team", 6)

    found = [shelf.frequencies(ceiling) for ceiling in (Sensitivity.PUBLIC, Sensitivity.HIGH)]

    assert found == [Frequencies(2, 2.0, {7: 1.0, 8: 1.0}), Frequencies(4, 2.5, {7: 1.0, 8: 0.5})]
    assert shelf.frequencies() == Frequencies(6, 14 / 6, {7: 1.0, 8: 4 / 6})


def test_a_scope_that_was_emptied_keeps_nothing_of_what_was_said_in_it(shelf: Shelf) -> None:
    for number in range(3):
        shelf.entries.put(replace(CRANE, record_id=f"record-{number}"), Standing(1, MADE_FROM))
    shelf.entries.moved("team", 3)
    assert shelf.frequencies().shares

    for number in range(3):
        shelf.entries.remove("team", f"record-{number}", version=2)
    shelf.entries.moved("team", -3)

    assert shelf.state("team").snapshot == Snapshot()


def test_frequencies_are_counted_anew_when_less_than_half_of_a_scope_is_left(shelf: Shelf) -> None:
    for number in range(8):
        each = replace(CRANE, record_id=f"record-{number}", terms=pack_terms({7 + number % 2: 1}))
        shelf.entries.put(each, Standing(1, MADE_FROM))
    shelf.entries.moved("team", 8)
    for number in (1, 3, 5, 7, 0):
        shelf.entries.remove("team", f"record-{number}", version=2)

    shelf.entries.moved("team", -4)
    at_half = shelf.frequencies()
    shelf.entries.moved("team", -1)

    assert at_half.shares == {7: 0.5, 8: 0.5}
    assert shelf.frequencies() == Frequencies(3, 1.0, {7: 1.0})


def test_frequencies_are_counted_wherever_there_are_none(shelf: Shelf) -> None:
    for number in range(4):
        shelf.entries.put(replace(CRANE, record_id=f"record-{number}"), Standing(1, MADE_FROM))

    shelf.entries.moved("team", 0)  # who put them was ended before it told so

    assert shelf.frequencies().documents == 4


def test_a_settled_scope_has_as_many_entries_as_were_counted(shelf: Shelf) -> None:
    for number in range(7):
        shelf.entries.put(replace(CRANE, record_id=f"record-{number}"), Standing(1, MADE_FROM))
    shelf.entries.remove("team", "record-3", version=2)
    shelf.entries.moved("team", 0)
    entries, after = shelf.entries.count("team", None)
    while after is not None:
        some, after = shelf.entries.count("team", after)
        entries += some

    shelf.entries.settled("team", entries)

    assert entries == 6
    assert shelf.state("team").documents == shelf.frequencies().documents == 6


def test_entries_are_counted_part_by_part(
    table: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.adapters.dynamodb.search.entry_store.MEGABYTES", 1)
    shelf = table_shelf(table, shards=3)
    for number in range(9):
        shelf.entries.put(entry(f"record-{number}", "crane"), Standing(1, MADE_FROM))

    some, after = shelf.entries.count("team", None)
    parts = [some]
    while after is not None:
        some, after = shelf.entries.count("team", after)
        parts.append(some)

    assert len(parts) == 3
    assert sum(parts) == 9


def test_an_entry_in_a_shard_that_is_not_its_own_is_removed_and_no_other(
    table: TableStore,
) -> None:
    table_shelf(table).entries.put(CRANE, Standing(5, MADE_FROM))
    shelf = table_shelf(table, shards=3)
    shelf.entries.put(CRANE, Standing(5, MADE_FROM))
    own = shard_of("record-1", 3)

    removed = [shelf.entries.displace(*PLACE, shard) for shard in (0, 0, 1, own)]

    assert own == 2
    assert removed == [True, False, False, False]
    assert shelf.listed("team") == [CRANE]
    (marker,) = table.partition(entry_partition("team", 0))
    assert marker.keys() == {"pk", "sk", "source_version", "removed", "expires_at"}


def test_where_shards_are_taken_back_an_entry_may_stand_again_where_it_was(
    table: TableStore,
) -> None:
    before, after = table_shelf(table), table_shelf(table, shards=3)
    before.entries.put(CRANE, Standing(5, MADE_FROM))
    assert after.entries.displace(*PLACE, 0)

    assert before.entries.put(CRANE, Standing(5, MADE_FROM))

    assert before.listed("team") == [CRANE]


def test_only_an_entry_of_another_embedder_is_disowned_and_any_may_take_its_place(
    table: TableStore,
) -> None:
    before, after = table_shelf(table, embedder="old"), table_shelf(table, embedder="new")
    before.entries.put(CRANE, Standing(5, MADE_FROM))

    disowned = [shelf.entries.disown(*PLACE) for shelf in (before, after, after)]

    assert disowned == [False, True, False]
    assert after.listed("team") == []
    assert after.entries.put(CRANE, Standing(5, MADE_FROM))


def test_a_settled_scope_is_of_the_present_embedder_alone_and_counted_anew(
    table: TableStore,
) -> None:
    before, after = table_shelf(table, embedder="old"), table_shelf(table, embedder="new")
    before.entries.put(CRANE, Standing(1, MADE_FROM))
    before.entries.moved("team", 1)
    after.entries.put(entry("record-1", "lighthouse"), Standing(1, b"other"))
    after.entries.moved("team", 0)
    assert after.state("team").embedders == {"old", "new"}

    after.entries.settled("team", 1)

    state = after.state("team")
    assert state.embedders == {"new"}
    assert state.version == 3


def test_an_entry_of_another_embedder_stands_for_something_else(table: TableStore) -> None:
    table_shelf(table, embedder="old").entries.put(CRANE, Standing(4, MADE_FROM))

    (found,) = table_shelf(table, embedder="new").entries.standing([PLACE]).values()

    assert found.version == 4
    assert found.digest not in (MADE_FROM, b"")


def test_an_entry_written_without_a_vector_stands_for_something_else_where_one_is_needed(
    dynoxide: TableStore,
) -> None:
    table_shelf(dynoxide).entries.put(CRANE, Standing(4, MADE_FROM))

    (found,) = table_shelf(dynoxide, vector=True).entries.standing([PLACE]).values()

    assert found.digest not in (MADE_FROM, b"")


def test_an_entry_with_a_vector_stands_for_what_it_was_made_from(dynoxide: TableStore) -> None:
    shelf = table_shelf(dynoxide, vector=True)
    shelf.entries.put(CRANE, Standing(4, MADE_FROM))

    assert shelf.entries.standing([PLACE]) == {PLACE: Standing(4, MADE_FROM)}
    (item,) = dynoxide.partition(entry_partition("team", 0))
    assert len(item["vector_640"]["L"]) == 640


def test_a_text_with_nothing_in_it_has_no_vector(dynoxide: TableStore) -> None:
    shelf = table_shelf(dynoxide, vector=True)
    nothing = replace(CRANE, terms=b"", dense=pack_dense([0.0] * 384))

    assert shelf.entries.put(nothing, Standing(1, MADE_FROM))

    (item,) = dynoxide.partition(entry_partition("team", 0))
    assert "vector_640" not in item
    assert shelf.entries.standing([PLACE]) == {PLACE: Standing(1, MADE_FROM)}


def test_a_marker_holds_not_a_word_and_expires(table: TableStore) -> None:
    shelf = table_shelf(table)
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    shelf.entries.remove(*PLACE, version=2)

    (item,) = table.partition(entry_partition("team", 0))

    assert item.keys() == {"pk", "sk", "source_version", "removed", "expires_at"}


def test_a_scope_is_registered_once(table: TableStore) -> None:
    shelf = table_shelf(table)
    for scope in ("team", "", "team", "-", "="):
        shelf.entries.moved(scope, 1)

    places = [item["sk"]["S"] for item in table.partition("scopes")]

    assert sorted(map(scope_at, places)) == ["", "-", "=", "team"]


def test_entries_of_a_scope_spread_over_its_shards(table: TableStore) -> None:
    shelf = table_shelf(table, shards=4)
    for number in range(32):
        shelf.entries.put(entry(f"record-{number}", "crane"), Standing(1, MADE_FROM))
    shelf.entries.moved("team", 32)

    assert len(shelf.listed("team")) == 32
    assert all(table.partition(entry_partition("team", shard)) for shard in range(4))
    assert len(shelf.entries.standing([("team", f"record-{n}") for n in range(32)])) == 32
    assert list(shelf.frequencies().shares.values()) == [1.0]


def test_a_snapshot_that_was_made_earlier_does_not_replace_a_later_one(table: TableStore) -> None:
    shelf, states = table_shelf(table), ScopeStates(table.client, table.table, "lexical")
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    early = states.move("team", 1)
    shelf.entries.moved("team", 0)
    late = shelf.state("team").snapshot

    states.keep("team", replace(late, documents=99), early)

    assert shelf.state("team").snapshot == late
    assert late.documents == 1


def test_readers_see_a_new_snapshot_and_ask_for_it_once(table: TableStore) -> None:
    shelf, states = table_shelf(table), ScopeStates(table.client, table.table, "lexical")
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    shelf.entries.moved("team", 1)
    states.states(["team"])
    table.watched.requests.clear()

    again = states.states(["team", "other"])

    assert again["team"].snapshot.documents == 1
    assert again["other"] == ScopeState()
    assert table.watched.operations() == ["BatchGetItem"]


def test_a_snapshot_is_made_from_a_sample_of_a_large_scope(dynoxide: TableStore) -> None:
    shelf = table_shelf(dynoxide)
    terms = {7: 1}
    for number in range(SAMPLE + 40):
        each = Entry(
            record_id=f"{number:08x}",
            scope="team",
            type=MemoryType.EPISODIC,
            sensitivity=Sensitivity.LOW,
            terms=pack_terms(terms if number % 2 else {**terms, 1_000 + number: 1}),
            dense=b"",
            happened_s=0.0,
        )
        dynoxide.put(entry_item(each, Standing(1, MADE_FROM), "lexical", 1))
    shelf.entries.moved("team", SAMPLE + 40)

    frequencies = shelf.frequencies()

    assert frequencies.documents == SAMPLE + 40
    assert frequencies.shares[7] == pytest.approx(1.0)


def test_a_snapshot_fits_an_item_whatever_it_counts(table: TableStore) -> None:
    shelf, states = table_shelf(table), ScopeStates(table.client, table.table, "lexical")
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    after = states.move("team", 1)
    often = {(term * 2_654_435_761) % 2**32: term % SAMPLE for term in range(40_000)}
    level = Level(SAMPLE, 2**32 - 1, often)
    snapshot = Snapshot(10**9, dict.fromkeys(Sensitivity, level))

    states.keep("team", snapshot, after)

    (item,) = [each for each in table.partition("scope#=team") if each["sk"]["S"] == "frequencies"]
    assert size_of(item) <= 100_000
    assert states.states(["team"])["team"].snapshot == snapshot.shortened(MAX_TERMS)


@pytest.mark.parametrize("damage", [b"", b"no counts"])
def test_a_damaged_snapshot_is_never_taken_for_one(table: TableStore, damage: bytes) -> None:
    shelf = table_shelf(table)
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    shelf.entries.moved("team", 1)
    (item,) = [each for each in table.partition("scope#=team") if each["sk"]["S"] == "frequencies"]

    table.put({**item, "low": {"B": damage}})

    with pytest.raises(CorruptItem, match="low cannot be read"):
        shelf.frequencies()


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ThrottlingException", ResourceExhausted),
        ("InternalServerError", Unavailable),
        ("TransactionConflictException", Unavailable),
    ],
)
def test_a_store_that_is_busy_or_away_says_so(
    moto: TableStore, code: str, error: type[Exception]
) -> None:
    intercept(moto.client, "PutItem", lambda: failure(code))

    with pytest.raises(error):
        table_shelf(moto).entries.put(CRANE, Standing(1, MADE_FROM))


def test_of_two_that_begin_a_scope_at_once_both_are_counted(moto: TableStore) -> None:
    answers: Iterator[object] = iter([cancelled("TransactionConflict", "None")])
    intercept(moto.client, "TransactWriteItems", lambda: next(answers, None))  # type: ignore[arg-type, return-value]  # an answer

    shelf = table_shelf(moto)
    shelf.entries.moved("team", 1)

    assert shelf.state("team").documents == 1


def test_a_scope_moves_though_a_transaction_has_its_item_just_then(dynoxide: TableStore) -> None:
    shelf = table_shelf(dynoxide)
    shelf.entries.moved("team", 1)
    answers = iter([failure("TransactionConflictException")] * 3)
    intercept(dynoxide.client, "UpdateItem", lambda: next(answers, None))

    shelf.entries.moved("team", 1)

    assert shelf.state("team").documents == 2


@pytest.mark.parametrize("what", ["moved", "settled"])
def test_a_scope_that_never_gets_its_turn_is_unavailable(dynoxide: TableStore, what: str) -> None:
    shelf = table_shelf(dynoxide)
    shelf.entries.moved("team", 1)
    intercept(dynoxide.client, "UpdateItem", lambda: failure("TransactionConflictException"))

    with pytest.raises(Unavailable):
        getattr(shelf.entries, what)("team", 1)


def test_a_damaged_entry_is_never_taken_for_one(table: TableStore) -> None:
    shelf = table_shelf(table)
    shelf.entries.put(CRANE, Standing(1, MADE_FROM))
    (item,) = table.partition(entry_partition("team", 0))

    for name in ("type", "sensitivity", "terms", "dense", "happened_at"):
        with pytest.raises(CorruptItem, match=name):
            decode_entry({key: value for key, value in item.items() if key != name})
    with pytest.raises(CorruptItem):
        standing_of({key: value for key, value in item.items() if key != "source_version"})


@given(st.text(max_size=40))
def test_no_two_scopes_have_the_same_place(scope: str) -> None:
    assert scope_at(scope_place(scope)) == scope
    item = entry_item(replace(CRANE, scope=scope), Standing(1, MADE_FROM), "lexical", 3)

    assert decode_entry(item) == replace(CRANE, scope=scope)
    assert item.keys() <= {*ATTRIBUTES, "digest"}
