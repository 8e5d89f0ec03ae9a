"""What tools, conversations and consolidations cost: requests and units, as an emulator counts."""

from collections.abc import Mapping
from typing import Any

from membrane.domain.chat.allowances import Limits
from membrane.usecases.learning.consolidate import consolidate_all, consolidate_thread
from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.wiring.world import World
from tests.bench.topics import ask, services_over
from tests.builders.requests import OWNER
from tests.builders.traces import add_call, add_event, add_release, triple
from tests.fakes.chat_models import FakeChatModel, calls, says
from tests.fakes.clock import MORNING, counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store
from tests.worlds.tools import SCOPE, Agent, key

TASK = "Where does Orchid run?"
TEAM = "team"
LIMITS = Limits(1_000_000, 1_000_000)


def _services(store: Store) -> World:
    """The services over a store; clock, ids and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    return services_over(store).but(new_id=store.services.new_id, new_salt=counted_salts())


def tool_costs(store: Store) -> Mapping[str, Cost]:
    """What each tool costs."""
    services = _services(store)
    agent, spent = Agent(services, key()), meter(store.client)
    found: dict[str, Cost] = {}

    def cost(row: str, tool: str, **arguments: Any) -> Mapping[str, Any]:
        answers = []
        found[f"CallTool {row}"] = spent_by(
            lambda: answers.append(agent.call(tool, **arguments)), spent
        )
        return answers[0].reply

    listing = lambda: ask("ListTools", {}, agent.principal, services)  # noqa: E731
    found["ListTools"] = spent_by(listing, spent)
    agent.remember("Nothing yet")  # from now on the decay profiles are known
    note = str(cost("remember of a text", "remember", text=TASK)["id"])
    fact = {"subject": "Orchid", "predicate": "runs_on", "object": "Lambda"}
    stated = str(cost("remember of a fact", "remember", **fact)["id"])
    index_records([ChangedSource(each, (SCOPE,)) for each in (note, stated)], services)

    receipt = cost("recall for a task", "recall", query=TASK)["receipt_id"]
    cost("read", "read", id=stated)
    cost("about", "about", name="Orchid")
    cost("record_outcome of 2", "record_outcome", task=TASK, status="success",
         receipt_id=receipt, used_ids=[note, stated])  # fmt: skip
    cost("correct", "correct", id=stated, object="Fargate", why="moved")
    cost("forget of 1", "forget", ids=[note])
    state = {"thread_id": "t1", "state": "executing"}
    cost("working_state that saves", "working_state", **state)
    cost("working_state that reads", "working_state", thread_id="t1")
    return found


def chat_costs(store: Store) -> Mapping[str, Cost]:
    """What a conversation costs without the calls of tools, and what each further round costs."""
    plain, spent = _services(store).but(chat_limits=LIMITS), meter(store.client)
    asked = {"messages": [{"role": "user", "content": "hello"}]}

    def cost(*steps: object) -> Cost:
        model = FakeChatModel([*steps])  # type: ignore[list-item]  # answers
        return spent_by(lambda: ask("Chat", asked, key(), plain.but(chat_model=model)), spent)

    refused = calls(("unknown", {}))
    return {
        "Chat without a tool": cost(says("query"), says("hi")),
        "Chat of two rounds": cost(says("query"), refused, says("hi")),
    }


def learning_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation of a consolidation costs."""
    services, spent = _services(store), meter(store.client)
    release_number = iter(range(100))

    def release() -> str:
        thread = f"release-{next(release_number):02d}"
        add_release(thread, f"1.{thread[-2:]}", services, scope=TEAM)
        return thread

    def run() -> Cost:
        """The cost of a run an hour later."""
        store.clock.advance(hours=1)
        return spent_by(lambda: consolidate_all(services), spent)

    def cost(rpc: str, **asked: Any) -> Cost:
        return spent_by(lambda: ask(rpc, {"scope": TEAM, **asked}, OWNER, services), spent)

    found = {"run of a consolidation with nothing to do": run()}
    for status in ("", "success"):  # a trace like no other, which makes the decay profiles known
        add_call("odd", "pump", {"litres": 2}, "ok", services, scope=TEAM, status=status)
    run()
    release()
    found["run of a consolidation for a trace like no other"] = run()
    release()
    found["run of a consolidation for a trace that founds a skill"] = run()
    thread = release()
    found["end of a thread that is a use of a skill"] = spent_by(
        lambda: consolidate_thread(TEAM, thread, services), spent
    )
    release()
    store.clock.advance(hours=1)
    found["Consolidate as a dry run"] = cost("Consolidate")
    found["Consolidate of a thread"] = cost("Consolidate", dry_run=False)
    found["ListConsolidations of one scope"] = cost("ListConsolidations")
    consolidate_all(services)
    add_owners("owners", services)
    found["run of a consolidation for a trace that states three facts"] = run()
    return found


def add_owners(thread: str, services: World) -> None:
    """A thread of a task and three calls, each with a result that states a fact."""
    add_event(thread, "Look up the owners of the modules", services, scope=TEAM)
    for module in ("parser", "lexer", "linker"):
        args, stated = {"path": module}, triple(module, "Ada")
        add_call(thread, "owner", args, stated, services, scope=TEAM, status="success")
