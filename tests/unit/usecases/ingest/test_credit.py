"""An outcome gives credit to the records that it rests on: by a receipt, or by ids."""

from contextlib import suppress

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import AlreadyExists, InvalidArgument, NotFound
from membrane.domain.lifecycle.requests import DeleteRecord, Pin
from membrane.domain.records import audit
from membrane.domain.records.records import as_json
from membrane.domain.revision.requests import Retract
from membrane.usecases.ingest.credit import NOT_HANDED_OUT
from membrane.usecases.machinery.calls import Written
from tests.builders.requests import OWNER, change, refused
from tests.worlds.credit import RIVAL, CreditWorld

SCOPED = principal_of("scoped", ["ingest", "read"], ["project:alpha"], "hyper")


@pytest.fixture
def world() -> CreditWorld:
    """An episode, and no facts yet."""
    return CreditWorld()


@pytest.mark.parametrize(
    ("status", "salience", "successes", "failures"),
    [
        ("success", 0.7, 1.0, 0.0),
        ("partial", 0.5 + 0.2 / 3, 1 / 3, 0.0),
        ("failure", 0.3, 0.0, 1.0),
    ],
)
def test_an_outcome_moves_salience_and_usefulness_of_what_was_handed_out(
    world: CreditWorld, status: str, salience: float, successes: float, failures: float
) -> None:
    world.fact("tea")

    world.ends(status, receipt_id=world.receipt())

    shown = world.shown("tea")
    assert shown.salience == pytest.approx(salience, abs=1e-5)
    assert shown.usefulness is not None
    assert shown.usefulness.successes == pytest.approx(successes, abs=1e-5)
    assert shown.usefulness.failures == pytest.approx(failures, abs=1e-5)
    assert shown.usefulness.used == 1
    assert shown.usefulness.last_used_at == "2026-03-01T09:00:00.25Z"


def test_the_audit_of_a_record_names_episode_and_receipt(world: CreditWorld) -> None:
    world.fact("tea")
    receipt_id = world.receipt()

    world.ends("failure", receipt_id=receipt_id)

    record = world.stored("tea").record
    entry = record.audit_log[-1]
    assert (entry.action, entry.principal, entry.actor) == ("decay", "agent", "agent")
    assert entry.rationale == (
        f"penalty: credit for an outcome: failure, episode {world.episode.id}, receipt {receipt_id}"
    )
    assert (entry.salience_before, entry.salience_after) == pytest.approx((0.5, 0.3))
    assert audit.first_broken(record.id, record.audit_log) is None


def test_the_audit_hides_an_episode_that_not_every_reader_may_see(world: CreditWorld) -> None:
    world.fact("tea", scope="project:alpha")

    world.ends(receipt_id=world.receipt())

    assert world.episode.id not in world.stored("tea").trail[-1].rationale


def test_records_share_by_score_and_the_named_one_gets_more(world: CreditWorld) -> None:
    world.fact("tea", salience=0.4)
    world.fact("ale", salience=0.4)

    world.ends(receipt_id=world.receipt(), used_ids=["ale"])

    assert world.salience("ale") == pytest.approx(0.55, abs=1e-5)
    assert world.salience("tea") == pytest.approx(0.45, abs=1e-5)


def test_ids_without_a_receipt_share_equally(world: CreditWorld) -> None:
    world.fact("tea")
    world.fact("ale")

    world.ends(used_ids=["tea", "ale", "tea"])

    assert world.salience("tea") == world.salience("ale") == pytest.approx(0.6)


def test_a_record_on_the_page_alone_gets_credit(world: CreditWorld) -> None:
    world.fact("tea", salience=0.9)
    world.fact("ale", salience=0.4)

    world.ends(receipt_id=world.receipt(limit=1))

    assert world.stored("tea").credit is not None
    assert world.stored("ale").credit is None


def test_a_receipt_gives_its_credit_once(world: CreditWorld) -> None:
    world.fact("tea")
    receipt_id = world.receipt()

    for _ in range(5):
        world.ends("partial", receipt_id=receipt_id)

    assert world.salience("tea") == pytest.approx(0.7, abs=1e-5)
    shown = world.shown("tea").usefulness
    assert shown is not None
    assert shown.successes == pytest.approx(1.0, abs=1e-4)
    assert shown.used == 3


def test_a_repeat_under_the_key_changes_nothing(world: CreditWorld) -> None:
    world.fact("tea")
    receipt_id = world.receipt()
    world.ends("partial", key="k", receipt_id=receipt_id)
    before = world.memory.records.everything()

    again = world.ends("partial", key="k", receipt_id=receipt_id)

    assert isinstance(again, Written)
    assert again.replayed
    assert world.memory.records.everything() == before
    with pytest.raises(AlreadyExists):
        world.ends("failure", key="k", receipt_id=receipt_id)


def test_a_repeat_is_recognised_when_the_receipt_is_over(world: CreditWorld) -> None:
    world.fact("tea")
    receipt_id = world.receipt()
    world.ends(key="k", receipt_id=receipt_id)
    world.memory.clock.advance(days=8)

    again = world.ends(key="k", receipt_id=receipt_id)

    assert isinstance(again, Written)
    assert again.replayed


@pytest.mark.parametrize("principal", [RIVAL, OWNER], ids=["rival", "admin"])
def test_a_receipt_serves_its_own_principal(world: CreditWorld, principal: Principal) -> None:
    world.fact("tea")
    receipt_id = world.receipt()

    with refused(world.memory.records, NotFound, "receipt not found"):
        world.ends(principal=principal, receipt_id=receipt_id)


@pytest.mark.parametrize("receipt_id", ["absent", "a/b", "x" * 500])
def test_a_receipt_that_is_absent_is_not_found(world: CreditWorld, receipt_id: str) -> None:
    with refused(world.memory.records, NotFound, "receipt not found"):
        world.ends(receipt_id=receipt_id)


def test_a_receipt_serves_for_a_week(world: CreditWorld) -> None:
    world.fact("tea")
    receipt_id = world.receipt()
    world.memory.clock.advance(days=7)

    with refused(world.memory.records, NotFound, "receipt not found"):
        world.ends(receipt_id=receipt_id)


def test_a_named_record_must_have_been_handed_out(world: CreditWorld) -> None:
    world.fact("tea", salience=0.9)
    world.fact("ale", salience=0.4)
    receipt_id = world.receipt(limit=1)

    with refused(world.memory.records, InvalidArgument, NOT_HANDED_OUT) as caught:
        world.ends(receipt_id=receipt_id, used_ids=["tea", "ale"])

    assert [each.field for each in caught.value.violations] == ["used_ids.1"]


@pytest.mark.parametrize("record_id", ["absent", "a/b", "hidden", "deleted"])
def test_a_named_record_without_a_receipt_must_be_visible(
    world: CreditWorld, record_id: str
) -> None:
    world.fact("hidden", scope="project:beta")
    world.fact("deleted", scope="project:alpha")
    change(DeleteRecord(id="deleted"), world.memory.services)
    world.episode = world.episode_of(SCOPED)

    with refused(world.memory.records, NotFound, "record not found"):
        world.ends(principal=SCOPED, used_ids=[record_id])


def test_more_than_ten_records_cannot_be_named(world: CreditWorld) -> None:
    with pytest.raises(InvalidArgument, match="used_ids"):
        world.ends(used_ids=[str(number) for number in range(11)])


def test_ten_of_many_records_get_credit(world: CreditWorld) -> None:
    for number in range(14):
        world.fact(f"fact-{number}", salience=0.5 - number / 100)

    world.ends(receipt_id=world.receipt(limit=14))

    credited = [world.stored(f"fact-{number}").credit is not None for number in range(14)]
    assert credited == [True] * 10 + [False] * 4


def test_a_record_takes_no_more_than_the_limit_of_a_day_through_one_principal(
    world: CreditWorld,
) -> None:
    world.fact("tea", salience=0.1)
    for _ in range(4):
        world.ends(receipt_id=world.receipt())
    assert world.salience("tea") == pytest.approx(0.5)
    assert len(world.stored("tea").trail) == 3

    world.memory.clock.advance(days=1)
    world.ends(receipt_id=world.receipt())

    credit = world.stored("tea").credit
    assert credit is not None
    assert credit.successes == pytest.approx(3.0)


def test_the_writer_of_a_record_gives_it_no_credit(world: CreditWorld) -> None:
    writer = principal_of("owner", ["ingest", "read"], ["*"], "hyper")
    world.fact("tea")

    world.ends(principal=writer, receipt_id=world.receipt(writer))

    assert world.stored("tea").credit is None
    assert world.salience("tea") == 0.5


def test_the_writer_with_the_permission_revise_gives_credit(world: CreditWorld) -> None:
    world.fact("tea")

    world.ends(principal=OWNER, receipt_id=world.receipt(OWNER))

    assert world.salience("tea") == pytest.approx(0.7)


def test_the_writer_is_known_after_the_first_entry_has_left_the_trail(world: CreditWorld) -> None:
    writer = principal_of("owner", ["ingest", "read"], ["*"], "hyper")
    world.fact("tea")
    for _ in range(15):
        for _ in range(2):
            world.ends(receipt_id=world.receipt())
        world.memory.clock.advance(days=1)
    entries = world.stored("tea").written_entries
    assert entries > 20

    world.ends(principal=writer, receipt_id=world.receipt(writer))

    assert world.stored("tea").written_entries == entries


def test_a_record_that_the_key_may_not_write_gets_nothing(world: CreditWorld) -> None:
    world.fact("shared")
    world.fact("own", scope="project:alpha")
    world.episode = world.episode_of(SCOPED)

    world.ends(principal=SCOPED, used_ids=["shared", "own"])

    assert world.stored("shared").credit is None
    assert world.salience("own") == pytest.approx(0.6)


def test_a_removed_or_retracted_record_gets_nothing_and_the_others_keep_their_share(
    world: CreditWorld,
) -> None:
    for record_id in ("tea", "ale", "milk", "rum"):
        world.fact(record_id, salience=0.4)
    receipt_id = world.receipt()
    change(DeleteRecord(id="ale"), world.memory.services)
    change(Retract(id="milk"), world.memory.services)
    change(DeleteRecord(id="rum", erase=True), world.memory.services)

    world.ends(receipt_id=receipt_id)

    assert world.salience("tea") == pytest.approx(0.45, abs=1e-5)
    assert [world.stored(each).credit for each in ("ale", "milk")] == [None, None]


def test_a_pinned_record_keeps_its_salience_and_gains_usefulness(world: CreditWorld) -> None:
    world.fact("tea")
    change(Pin(id="tea"), world.memory.services)

    world.ends(receipt_id=world.receipt())

    shown = world.shown("tea")
    assert shown.salience == 0.5
    assert shown.usefulness is not None
    assert shown.usefulness.successes == 1.0
    assert shown.audit_log[-1].action == "reinforce"


def test_a_high_salience_stays(world: CreditWorld) -> None:
    world.fact("tea", salience=3.0)

    world.ends(receipt_id=world.receipt())

    assert world.salience("tea") == pytest.approx(3.0)


def test_the_episode_itself_gets_nothing(world: CreditWorld) -> None:
    world.ends(used_ids=[world.episode.id])

    assert world.stored(world.episode.id).credit is None


def test_an_outcome_that_rests_on_nothing_reads_and_writes_no_more_than_before(
    world: CreditWorld,
) -> None:
    world.memory.receipts.failing = OSError("not asked")
    world.memory.records.requests.clear()

    world.ends()

    assert world.memory.records.requests == []
    assert as_json(world.shown(world.episode.id)).get("usefulness") is None


def test_a_thousand_receipts_and_a_hundred_failures_of_a_rival_move_a_record_little(
    world: CreditWorld,
) -> None:
    world.fact("tea", salience=1.0)
    for _ in range(10):
        world.ends(receipt_id=world.receipt())
        world.ends(receipt_id=world.receipt())
        world.memory.clock.advance(days=1)
    before, salience = world.shown("tea").usefulness, world.salience("tea")
    receipts = [world.receipt(RIVAL) for _ in range(1_000)]
    world.episode = world.episode_of(RIVAL)

    for number in range(100):
        with suppress(NotFound):
            world.ends("failure", RIVAL, receipt_id=receipts[number * 10])

    after = world.shown("tea").usefulness
    assert before is not None
    assert after is not None
    assert salience - world.salience("tea") == pytest.approx(0.4, abs=1e-5)
    assert after.failures - before.failures == pytest.approx(2.0)
    assert before.mean - after.mean < 0.1
