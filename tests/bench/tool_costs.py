"""What calls of tools cost: requests and units, as the strictest emulator counts."""

from collections.abc import Mapping
from typing import Any

from membrane.domain.tools.requests import ListTools
from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.usecases.tools.list_tools import list_tools
from membrane.usecases.tools.tool import ToolAnswer
from tests.bench.topics import services_over
from tests.builders.requests import call
from tests.fakes.clock import MORNING
from tests.fakes.counted import counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store
from tests.worlds.tools import SCOPE, Agent, key

TASK = "Where does Orchid run?"


def tool_costs(store: Store) -> Mapping[str, Cost]:
    """What each tool costs; clock, ids and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    usual = services_over(store)
    services = usual.but(new_id=store.services.new_id, new_salt=counted_salts())
    agent = Agent(services, key())
    spent = meter(store.client)
    found: dict[str, Cost] = {}

    def cost(row: str, tool: str, **arguments: Any) -> ToolAnswer:
        answers = []
        found[f"CallTool {row}"] = spent_by(
            lambda: answers.append(agent.call(tool, **arguments)), spent
        )
        return answers[0]

    asked = ListTools()
    found["ListTools"] = spent_by(
        lambda: list_tools(asked, call(asked, agent.principal), services), spent
    )
    agent.remember("Nothing yet")  # from now on the decay profiles are known
    note = str(cost("remember of a text", "remember", text=TASK).reply["id"])
    fact = {"subject": "Orchid", "predicate": "runs_on", "object": "Lambda"}
    stated = str(cost("remember of a fact", "remember", **fact).reply["id"])
    index_records([ChangedSource(each, (SCOPE,)) for each in (note, stated)], services)

    recalled = cost("recall for a task", "recall", query=TASK)
    receipt = recalled.reply["receipt_id"]
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
