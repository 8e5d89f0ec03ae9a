"""Documents studied in every way: without a model, by a script, and by a model with every tool."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from membrane.adapters.dynamodb.jobs import DynamoJobs
from membrane.domain.language.json_text import JsonObject
from membrane.domain.study.jobs import Job, StudyStage
from membrane.table.keys import study_key
from membrane.usecases.study.work import keep_study
from membrane_local.storage.stores import TABLE
from membrane_local.template import read_template
from tests.worlds.chat_endpoint import Answer, ChatEndpoint, chat_endpoint, in_turn, says, sends
from tests.worlds.cloud import LARGE, Cloud
from tests.worlds.every_agent import Agents, keep_topics
from tests.worlds.every_record import add_entity, index_waiting, leave_a_change_open
from tests.worlds.template import TEMPLATE

WORKER, MACHINE = "StudyFunction", "StudyMachine"

WORDS = 130
"""Paragraphs of one word each: more fields of a piece than a transaction writes."""

TITLE = "The engine"


def study_everything(cloud: Cloud) -> None:
    """Study, study again, cancel and take back, without a model and with a model."""
    study_text(cloud)
    stop_studies(cloud)
    take_text_back(cloud)
    study_by_script(cloud)
    with chat_endpoint() as endpoint, asking(endpoint, cloud):
        study_with_every_tool(cloud, endpoint)


def run(cloud: Cloud) -> JsonObject:
    """The job that was started last, at its end, as its state machine runs the job."""
    machine, event = cloud.started.pop()
    assert machine == MACHINE
    while (step := cloud.invoke(WORKER, event))["state"] == "running":
        pass
    assert step["state"] == "done"
    return read(cloud, event["study"]["id"])


def read(cloud: Cloud, job_id: str) -> JsonObject:
    return dict(cloud.http("GET /v1/studies/{id}", record_id=job_id))


def start(cloud: Cloud, document: Any, title: str = TITLE, *, with_model: bool = False) -> str:
    """The id of the started study."""
    body = {"document": document, "title": title, "with_model": with_model}
    return str(cloud.http("POST /v1/studies", body)["id"])


def study(cloud: Cloud, document: Any, title: str = TITLE, *, with_model: bool = False) -> str:
    """The id of the document that was studied to the end."""
    start(cloud, document, title, with_model=with_model)
    done = run(cloud)
    assert done["state"] == "done", done
    return str(done["document_id"])


def remove(cloud: Cloud, document_id: str) -> JsonObject:
    """The job of the removal, which was tried before."""
    removal = {"document_id": document_id}
    cloud.http("POST /v1/studies/remove", removal)
    counted = run(cloud)
    cloud.http("POST /v1/studies/remove", {**removal, "dry_run": False})
    removed = run(cloud)
    assert removed["state"] == "done", removed
    assert removed["removed"] == counted["removed"]
    return removed


def edition(number: int) -> str:
    """A document that says something else each time, with a section that is in every second one."""
    words = "\n\n".join(f"word{each * number}" for each in range(WORDS))
    long = f"{number}{LARGE}"
    whole = "\n\n".join(long[at : at + 2_000] for at in range(0, 16_000, 2_000))
    sections = [
        ("Safety", f"Grace Hopper and Ada Lovelace said {number}. See [Care](#care)."),
        ("Care", f"Oil the Analytical Machine every {number} days."),
        ("Words", words),
        ("Whole", whole),
        *([("Now and then", f"It is {number}.")] if number % 2 else []),
    ]
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in sections)
    return f"# {TITLE}\n\nThis is edition {number}.\n\n{body}\n"


def study_text(cloud: Cloud) -> None:
    """Edition after edition, until old revisions leave the table; others write in between."""
    add_entity(cloud, "Grace Hopper")
    cloud.http("POST /v1/topics", {"topic_id": "machine", "title": "Analytical Machine"})
    first = start(cloud, edition(1))
    assert start(cloud, edition(1)) == first
    cloud.started.pop()
    document_id = str(run(cloud)["document_id"])
    topics = topics_of(cloud)
    index_waiting(cloud, [{"topic_id": each, "scopes": [""]} for each in topics.values()])
    extend(cloud, topics["Care"], "after edition 1", times=5)
    leave_a_change_open(cloud, topics["Safety"])
    for number in range(2, 8):
        document = cloud.upload(edition(number)) if number == 2 else edition(number)
        assert study(cloud, document) == document_id
        if number % 2 == 0:
            leave_a_change_open(cloud, topics["Care"], state="committed")
            extend(cloud, topics["Care"], f"after edition {number}")


def extend(cloud: Cloud, topic_id: str, said: str, times: int = 1) -> None:
    """Correct the first paragraph and add a long field, as somebody else."""
    for n in range(times):
        paragraph = {"field_name": "p0001", "value": f"{said} {n}: {LARGE}"}
        cloud.http("POST /v1/topics/{id}/fields", paragraph, topic_id)
    note = {"field_name": "note", "value": f"{said}: {LARGE}"}
    cloud.http("POST /v1/topics/{id}/fields", note, topic_id)


def topics_of(cloud: Cloud) -> dict[str, str]:
    """The ids of all topics by title."""
    found: dict[str, str] = {}
    cursor = ""
    while cursor is not None:
        page = cloud.http("GET /v1/topics", query=f"limit=100&cursor={cursor}")
        found |= {each["title"]: each["id"] for each in page["topics"]}
        cursor = page.get("next_cursor")
    return found


def stop_studies(cloud: Cloud) -> None:
    """Cancel a study that has begun to write; let one fail, and go on with it."""
    job_id = start(cloud, edition(20))
    run(cloud)
    change_job(cloud, job_id, lambda job: replace(job, stage=StudyStage.LINKING, has_claimed=False))
    cloud.http("POST /v1/studies/{id}/cancel", {}, job_id)
    assert run(cloud)["state"] == "cancelled"
    job_id = start(cloud, edition(21))
    _, event = cloud.started.pop()
    cloud.invoke(WORKER, {**event, "failure": {"Error": "States.Timeout"}})
    assert read(cloud, job_id)["state"] == "failed"
    cloud.http("POST /v1/studies/{id}/resume", {}, job_id)
    assert run(cloud)["state"] == "done"


def take_text_back(cloud: Cloud) -> None:
    """Remove the document; what others wrote into the topics of its sections stays."""
    document_id = topics_of(cloud)[TITLE]
    extend(cloud, document_id, "about the document")
    assert remove(cloud, document_id)["removed"]["kept"]


def study_by_script(cloud: Cloud) -> None:
    """Study with a model, also after a run was killed, and study again; then take it back."""
    text = f"# Script\n\n## One\n\nFirst.\n\n{LARGE[:9_000]}\n\n## Two\n\nSecond."
    job_id = start(cloud, text, "Script", with_model=True)
    change_job(cloud, job_id, lambda job: replace(job, must_scan=True))
    document_id = str(run(cloud)["document_id"])
    assert study(cloud, f"{text}\n", "Script", with_model=True) == document_id
    study(cloud, text.replace("Second", "Last"), "Script", with_model=True)
    remove(cloud, document_id)


def change_job(cloud: Cloud, job_id: str, change: Callable[[Job], Job]) -> None:
    """Replace the kept job."""
    jobs = DynamoJobs(cloud.store.dynamodb, TABLE, cloud.functions.clock.now)
    kept = jobs.find(study_key(job_id))
    assert kept is not None
    keep_study(change(Job.of_json(kept.progress)), kept, jobs)


@contextmanager
def asking(endpoint: ChatEndpoint, cloud: Cloud) -> Iterator[None]:
    """Within the block, the model of the functions is behind the endpoint."""
    usual = cloud.functions.template
    model = {"ChatModel": "obedient", "ChatUrl": endpoint.url}
    cloud.functions.template = read_template(TEMPLATE, {**usual.parameters, **model})
    cloud.functions.start_afresh()
    try:
        yield
    finally:
        cloud.functions.template = usual
        cloud.functions.start_afresh()


@dataclass(frozen=True, slots=True)
class StudyingAgents(Agents):
    """Agents that call a tool in phase B of a study each."""

    endpoint: ChatEndpoint | None = None

    @property
    def manual(self) -> str:
        """As long as a call is read."""
        return LARGE

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool that does not refuse."""
        answer = self.ask(tool, **arguments)
        assert answer.get("ok") is not False, answer
        return answer

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool."""
        assert self.endpoint is not None
        title = f"About {tool} {json.dumps(arguments)}"[:200]
        make = calls("memory_create_topic", {"title": f"Made for {title}"})
        steps = (make, says("made"), calls(tool, arguments), says("done"))
        self.endpoint.answer = in_turn(steps)
        study(self.cloud, f"# {title}\n\nA passage.", title, with_model=True)
        *_, (_, _, asked) = self.endpoint.requests
        return dict(json.loads(asked["messages"][-1]["content"]))


def study_with_every_tool(cloud: Cloud, endpoint: ChatEndpoint) -> None:
    """Let the model call each tool of phase B, with large values too, and with a wrong cursor."""
    agents = StudyingAgents(cloud, WORKER, "reader", endpoint)
    keep_topics(agents)
    agents.call("memory_get_field", topic_id=f"ada-{agents.thread}", field_name="manual")
    agents.call("memory_topics_schema_page")
    agents.call("study_graph_snapshot", study_topic_kind="none")
    key_of_cursors = {"pk": {"S": "cursors"}, "sk": {"S": "key"}}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=key_of_cursors)
    assert "cursor" in agents.ask("memory_list_topics", cursor="unknown")["error"]


def calls(tool: str, arguments: JsonObject) -> Answer:
    """Answers with the call of a tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    said = {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}
    return sends(json.dumps({"choices": [{"message": said}]}).encode())
