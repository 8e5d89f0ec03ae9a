"""What consolidations cost: requests and units, as the strictest emulator counts."""

from collections.abc import Mapping

from membrane.domain.learning.requests import Consolidate, ListConsolidations
from membrane.usecases.learning.consolidate import consolidate_all, consolidate_thread
from membrane.usecases.learning.consolidate_by_request import consolidate
from membrane.usecases.learning.list_consolidations import list_consolidations
from membrane.wiring.world import World
from tests.bench.topics import services_over
from tests.builders.episodes import add_call, add_event, add_release, triple
from tests.builders.requests import OWNER, call
from tests.fakes.clock import MORNING
from tests.fakes.counted import counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store

SCOPE = "team"


def learning_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs; clock, ids and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    usual = services_over(store)
    services = usual.but(new_id=store.services.new_id, new_salt=counted_salts())
    spent = meter(store.client)
    release_number = iter(range(100))

    def release() -> str:
        thread = f"release-{next(release_number):02d}"
        add_release(thread, f"1.{thread[-2:]}", services, scope=SCOPE)
        return thread

    def run() -> Cost:
        """The cost of a run an hour later."""
        store.clock.advance(hours=1)
        return spent_by(lambda: consolidate_all(services), spent)

    found = {"run of a consolidation with nothing to do": run()}
    for status in ("", "success"):  # a trace like no other, which makes the decay profiles known
        add_call("odd", "pump", {"litres": 2}, "ok", services, scope=SCOPE, status=status)
    run()
    release()
    found["run of a consolidation for a trace like no other"] = run()
    release()
    found["run of a consolidation for a trace that founds a skill"] = run()
    thread = release()
    found["end of a thread that is a use of a skill"] = spent_by(
        lambda: consolidate_thread(SCOPE, thread, services), spent
    )
    release()
    store.clock.advance(hours=1)
    asked = Consolidate(scope=SCOPE)
    found["Consolidate as a dry run"] = spent_by(
        lambda: consolidate(asked, call(asked, OWNER), services), spent
    )
    done = Consolidate(scope=SCOPE, dry_run=False)
    found["Consolidate of a thread"] = spent_by(
        lambda: consolidate(done, call(done, OWNER), services), spent
    )
    listed = ListConsolidations(scope=SCOPE)
    found["ListConsolidations of one scope"] = spent_by(
        lambda: list_consolidations(listed, call(listed, OWNER), services), spent
    )
    consolidate_all(services)
    add_owners("owners", services)
    found["run of a consolidation for a trace that states three facts"] = run()
    return found


def add_owners(thread: str, services: World) -> None:
    """A thread of a task and three calls, each with a result that states a fact."""
    add_event(thread, "Look up the owners of the modules", services, scope=SCOPE)
    for module in ("parser", "lexer", "linker"):
        args, stated = {"path": module}, triple(module, "Ada")
        add_call(thread, "owner", args, stated, services, scope=SCOPE, status="success")
