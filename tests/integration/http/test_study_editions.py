"""What a study makes of a document, edition after edition, with a model and without."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane_local.functions import FunctionError, LocalContext
from membrane_local.template import read_template
from tests.worlds.api import Api, Reply
from tests.worlds.chat_endpoint import Answer, ChatEndpoint, chat_endpoint, in_turn, says, sends
from tests.worlds.every_study import calls
from tests.worlds.faults import at
from tests.worlds.template import TEMPLATE
from tests.worlds.topic_client import Topics

MANUAL = """# The kettle

Fill the kettle with water before use. Ada Lovelace designed the lid.

## Safety

Never open the lid while the water boils. The steam burns.

Keep children away from the kettle.

## Care

Descale the kettle every month, see [Safety](#safety).

### Descaling

Use vinegar and water. Rinse twice.
"""
EDITION = MANUAL.replace("Keep children away", "Keep all children away").replace(
    "Use vinegar and water. Rinse twice.\n", ""
)
NESTED = "Care › Descaling"  # noqa: RUF001
TEXT = "Keep children away from the kettle."
NEWER = "Keep all children away from the kettle."
NOTHING = {
    **dict.fromkeys(("topics", "fields", "revisions", "withdrawn", "links", "partial"), 0),
    "unchanged": 5,
}
ONE = "# Tea\n\nAda likes green tea.\n"


@dataclass(slots=True)
class Student:
    """A caller whose studies run when a test says so."""

    api: Api
    key: str | None = None
    started: list[Any] = field(default_factory=list)
    """The events of executions that nobody has run."""
    document: str = MANUAL
    title: str = "The kettle"
    usual: dict[str, Any] = field(default_factory=lambda: {"with_model": False})

    def asked(self, document: str | None = None, title: str | None = None, **others: Any) -> Reply:
        """The reply to a request for a study."""
        body = {"document": document or self.document, "title": title or self.title}
        return self.api.post("/v1/studies", {**self.usual, **body, **others}, key=self.key)

    def start(self, document: str | None = None, title: str | None = None, **others: Any) -> str:
        reply = self.asked(document, title, **others)
        assert reply.status == 202, reply.body
        return str(reply.body["id"])

    def step(self) -> str:
        """The state after one run of the execution that was started last."""
        return str(self.api.invoke("StudyFunction", self.started[-1])["state"])

    def finish(self) -> None:
        while (state := self.step()) == "running":
            pass
        assert state == "done", state

    def job(self, job_id: str) -> dict[str, Any]:
        reply = self.api.get(f"/v1/studies/{job_id}", key=self.key)
        assert reply.status == 200, reply.body
        return dict(reply.body)

    def study(self, document: str | None = None, title: str | None = None, **others: Any) -> Any:
        """The job of a study that ran to its end."""
        self.api.post("/_dev/clock", {"advance_seconds": 60})
        job_id = self.start(document, title, **others)
        self.finish()
        return self.job(job_id)

    def remove(self, document_id: str, *, dry_run: bool = False) -> Any:
        """The job of a removal that ran to its end."""
        asked = {"document_id": document_id, "dry_run": dry_run}
        reply = self.api.post("/v1/studies/remove", asked, key=self.key)
        assert reply.status == 202, reply.body
        self.finish()
        return self.job(reply.body["id"])

    def cancel(self, job_id: str) -> None:
        assert self.api.post(f"/v1/studies/{job_id}/cancel", {}).status < 300

    def topics(self) -> dict[str, Any]:
        """The topics by title."""
        listed = self.api.get("/v1/topics?limit=100").body["topics"]
        found = [self.api.get(f"/v1/topics/{each['id']}").body for each in listed]
        return {each["title"]: each for each in found}

    def contents(self) -> dict[str, dict[str, Any]]:
        """The values of the fields of every topic, by title."""
        return {
            title: {name: each["history"][0]["value"] for name, each in topic["fields"].items()}
            for title, topic in self.topics().items()
        }

    def append(self, title: str, name: str, value: str) -> None:
        """Write a field of a topic as a caller."""
        path = f"/v1/topics/{self.topics()[title]['id']}/fields"
        assert self.api.post(path, {"field_name": name, "value": value}).status < 300

    def edges(self, title: str) -> set[tuple[str, str]]:
        """The kind and the target of each edge that was added to a topic."""
        events = self.topics()[title]["topic_history"]
        added = [each["detail"]["edges"] for each in events if each["kind"] == "edge_added"]
        return {(each["kind"], each["to_topic_id"]) for several in added for each in several}


@pytest.fixture
def student(api: Api) -> Iterator[Student]:
    student = Student(api)
    former = api.functions.start_execution
    api.functions.clock.freeze(frozen=True)
    api.functions.start_execution = lambda *asked: student.started.append(asked[-1])
    yield student
    api.functions.start_execution = former


# --- sections and paragraphs ---------------------------------------------------------------------


def test_sections_become_topics_and_paragraphs_become_fields_with_their_places(
    student: Student,
) -> None:
    done = student.study(sensitivity="public")

    topics = student.topics()
    assert student.contents()["Safety"] == {
        "p0001": "Never open the lid while the water boils. The steam burns.",
        "p0002": TEXT,
    }
    assert done["made"] == {**NOTHING, "topics": 4, "fields": 5, "unchanged": 0, "links": 1}
    assert done["progress"] == {
        "sections": {"done": 4, "total": 4},
        "paragraphs": {"done": 5, "total": 5},
        "sentences": {"done": 8, "total": 8},
    }
    (stored,) = topics["Safety"]["fields"]["p0002"]["history"]
    first = MANUAL.index(TEXT)
    assert stored["provenance"].startswith(f"study/text:{done['document_id']}/")
    assert stored["provenance"].endswith(f"#2:{first}-{first + len(TEXT)}")
    assert stored["why_changed"] == f"Safety, characters {first} to {first + len(TEXT)}"
    assert student.edges(NESTED) == {("section_of", topics["Care"]["id"])}
    assert student.edges("Care") == {
        ("section_of", done["document_id"]),
        ("refers_to", topics["Safety"]["id"]),
    }
    assert {each["sensitivity"] for each in topics.values()} == {"public"}
    blobs = [each.name for each in student.api.functions.store.blobs.list_blobs()]
    assert [each for each in blobs if each.startswith("studies/")] == []


def test_the_document_told_again_writes_nothing_and_a_new_link_is_counted_alone(
    student: Student,
) -> None:
    student.study()
    before = {title: each["topic_history"] for title, each in student.topics().items()}

    again = student.study()

    after = {title: each["topic_history"] for title, each in student.topics().items()}
    assert again["made"] == NOTHING
    assert {**after, "The kettle": []} == {**before, "The kettle": []}
    linked = student.study(MANUAL.replace("Use vinegar", "See [Care](#care). Use vinegar"))
    assert linked["made"]["links"] == 1


def test_a_new_edition_revises_what_changed_and_withdraws_what_is_gone(student: Student) -> None:
    student.study()

    made = student.study(EDITION)["made"]

    assert student.contents()["Safety"]["p0002"] == NEWER
    fields = student.topics()["Safety"]["fields"]
    assert [fields[name]["history_length"] for name in ("p0001", "p0002")] == [1, 2]
    assert (made["revisions"], made["unchanged"], made["withdrawn"]) == (1, 3, 1)


def test_a_section_that_is_gone_is_deleted_and_comes_back_with_its_text(student: Student) -> None:
    student.study()
    before = student.contents()

    student.study(MANUAL.partition("### Descaling")[0])

    assert NESTED not in student.topics()
    student.study()
    assert student.contents() == before


def test_an_inserted_paragraph_moves_no_other(student: Student) -> None:
    student.study()

    student.study(MANUAL.replace("Keep children", "Wear gloves.\n\nKeep children"))

    assert student.contents()["Safety"] == {
        "p0001": "Never open the lid while the water boils. The steam burns.",
        "p0001-1": "Wear gloves.",
        "p0002": TEXT,
    }


def test_what_a_caller_corrected_or_deleted_stays_until_the_document_changes_there(
    student: Student,
) -> None:
    student.study()
    student.append("Safety", "p0002", "Children may help.")
    student.study()
    assert student.contents()["Safety"]["p0002"] == "Children may help."
    student.study(EDITION)
    assert student.contents()["Safety"]["p0002"] == NEWER

    safety = student.topics()["Safety"]["id"]
    assert student.api.call("DELETE", f"/v1/topics/{safety}").status < 300
    assert student.study(EDITION)["made"]["topics"] == 0
    assert "Safety" not in student.topics()
    student.study()
    assert student.contents()["Safety"]["p0002"] == TEXT


def test_a_long_section_becomes_several_topics_and_an_insertion_moves_nothing(
    student: Student,
) -> None:
    paragraphs = [f"Paragraph {at} " + "word " * 150 for at in range(40)]

    def book(*parts: str) -> str:
        return "# Long\n\n" + "\n\n".join(parts)

    student.study(book(*paragraphs), "Book")
    before = student.contents()
    pieces = {title: each for title, each in before.items() if title.startswith("Long")}
    texts = {name: text for each in pieces.values() for name, text in each.items()}
    assert [texts[name] for name in sorted(texts)] == [each.strip() for each in paragraphs]
    assert "Long (part 2)" in pieces

    made = student.study(book(*paragraphs[:9], "New.", *paragraphs[9:]), "Book")["made"]

    after = student.contents()
    added = [n for title, each in after.items() for n in each if n not in before.get(title, {})]
    assert len(added) == 1
    assert (made["fields"], made["revisions"], made["unchanged"]) == (1, 0, 40)


@pytest.mark.parametrize(
    "document", ["No heading at all.", "# \n\ntext", "```\n# code\n```", "a\x00b"]
)
def test_any_text_can_be_studied(student: Student, document: str) -> None:
    assert student.study(document)["state"] == "done"


@pytest.mark.parametrize(
    ("document", "words"),
    [("# a\n" * 20_001, "20000 headings"), ("x\n" * 250_001, "250000 lines")],
    ids=["headings", "lines"],
)
def test_a_document_of_too_many_parts_is_refused(
    student: Student, document: str, words: str
) -> None:
    refused = student.asked(document)

    assert (refused.status, student.started) == (400, [])
    assert words in refused.body["detail"]


# --- which document ------------------------------------------------------------------------------


def test_documents_are_told_apart_by_source_and_by_who_may_see_them(student: Student) -> None:
    several: list[dict[str, str]] = [{"source": "a"}, {"source": "b"}, {"sensitivity": "public"}]

    ids = {student.study(**each)["document_id"] for each in several}

    assert len(ids) == 3


def test_documents_of_one_title_are_neither_merged_nor_taken_for_an_observation(
    student: Student,
) -> None:
    oven = "# Readme\n\nThe oven bakes bread.\n\n## Heat\n\nNever touch the door.\n"
    pump = oven.replace("oven", "pump").replace("Heat", "Water")
    kept, gone = (
        student.study(each, "Readme", source=each)["document_id"] for each in (oven, pump)
    )
    told = {"title": "Readme", "topic_kind": "document", "fields": [{"name": "n", "value": "mine"}]}

    Topics(student.api).wait()
    plan = student.api.post("/v1/reason", {"scope": ""}).body
    note = student.api.post("/v1/ingest", told).body["topic_id"]

    assert [each for each in plan["actions"] if kept in str(each) or gone in str(each)] == []
    assert note not in (kept, gone)
    assert student.remove(gone)["removed"]["topics"] == 3
    assert student.topics().keys() == {"Readme", "Heat"}
    assert student.api.get(f"/v1/topics/{gone}").status == 404
    assert student.api.post("/v1/studies/remove", {"document_id": gone}).status == 404
    assert student.api.get(f"/v1/topics/{kept}").status == 200


def test_a_removed_or_erased_document_can_be_told_again(student: Student) -> None:
    first = student.study()["document_id"]
    student.remove(first)
    again = student.study()["document_id"]
    assert student.api.call("DELETE", f"/v1/topics/{again}?erase=true").status < 300

    assert student.study()["document_id"] not in (first, again)
    assert "Safety" in student.topics()


def test_the_edition_of_another_key_needs_the_right_to_revise(student: Student) -> None:
    student.study()
    student.key = student.api.key_for(actor_id="somebody", permissions=("read", "ingest"))

    refused = student.asked(EDITION)

    assert refused.status == 403
    assert "revise" in refused.body["detail"]


# --- removals and cancellations ------------------------------------------------------------------


def test_a_removal_takes_back_what_rests_on_the_document_alone(student: Student) -> None:
    document = student.study()["document_id"]
    student.study("# Other\n\nText.", "Other")
    student.append("Safety", "note", "mine")
    before = student.contents()

    counted = student.remove(document, dry_run=True)
    assert student.contents() == before
    removed = student.remove(document)

    assert counted["removed"] == removed["removed"] == {"topics": 4, "revisions": 7, "kept": 1}
    left = student.contents()
    assert left.keys() == {"Other", "Safety"}
    assert left["Safety"] == {"note": "mine"}
    refused = student.api.post(
        "/v1/studies/remove", {"document_id": student.topics()["Safety"]["id"]}
    )
    assert (refused.status, refused.body["errors"][0]["field"]) == (400, "document_id")


def test_a_failed_study_says_why_and_goes_on_where_it_stopped(student: Student) -> None:
    job = student.start()
    event = student.started[-1]
    student.api.invoke("StudyFunction", {**event, "failure": {"Error": "Unavailable"}})
    failed = student.job(job)
    assert (failed["state"], failed["reason"]) == (
        "failed",
        "the job stopped after an error: Unavailable",
    )

    assert student.api.post(f"/v1/studies/{job}/resume", {}).status < 300
    student.api.invoke("StudyFunction", {**event, "failure": {"Error": "late"}})
    assert student.job(job)["state"] == "running"
    student.finish()

    assert student.job(job)["made"]["fields"] == 5


def test_a_job_is_seen_for_a_week_and_its_topics_for_longer(student: Student) -> None:
    job = student.study()["id"]
    assert "expires_at" in student.api.stored()[f"study#{job} study"]
    student.api.post("/_dev/clock", {"advance_seconds": 8 * 86_400})

    assert student.api.get(f"/v1/studies/{job}").status == 404
    assert "Safety" in student.topics()


@pytest.fixture
def stepwise(student: Student, monkeypatch: pytest.MonkeyPatch) -> Student:
    """A student whose functions have the time for one step of a job in each run."""
    runs: set[str] = set()

    def remaining_ms(context: LocalContext) -> int:
        is_first = context.aws_request_id not in runs
        runs.add(context.aws_request_id)
        return 60_000 if is_first else 0

    monkeypatch.setattr(LocalContext, "get_remaining_time_in_millis", remaining_ms)
    return student


def under_way(student: Student, **asked: Any) -> Iterator[tuple[str, Any]]:
    """The id and the event of a study after so many steps, one after another, from none on."""
    for number in range(0, 12, 4):
        student.api.application.reset()
        student.api.functions.clock.freeze(frozen=True)
        job = student.start(**asked)
        if any(student.step() != "running" for _ in range(number)):
            break
        yield job, student.started[-1]


@pytest.mark.parametrize("with_model", [False, True])
def test_a_study_cancelled_after_any_step_leaves_nothing(
    stepwise: Student, *, with_model: bool
) -> None:
    for job, event in under_way(stepwise, with_model=with_model):
        stepwise.cancel(job)
        assert stepwise.api.invoke("StudyFunction", event)["state"] == "done"
        stepwise.finish()

        assert stepwise.job(job)["state"] == "cancelled"
        assert stepwise.topics() == {}


def test_a_cancellation_that_meets_a_step_of_the_job_is_kept(stepwise: Student) -> None:
    job = stepwise.start()
    steps = [stepwise.step]

    def step_before_the_write(request: Any = None, **_: object) -> None:
        if request is not None and b"ConditionExpression" in request.body and steps:
            steps.pop()()

    with at(step_before_the_write, stepwise.api.functions.store.dynamodb):
        stepwise.cancel(job)
    stepwise.finish()

    assert not steps
    assert stepwise.job(job)["state"] == "cancelled"
    assert stepwise.topics() == {}


def test_a_cancelled_edition_leaves_the_edition_before_and_what_others_added(
    stepwise: Student,
) -> None:
    stepwise.study()
    stepwise.append("Safety", "note", "mine")
    before = stepwise.contents()
    job = stepwise.start(f"{EDITION}\n\n# New\n\nText.")
    for _ in range(5):
        stepwise.step()

    stepwise.cancel(job)
    stepwise.finish()

    assert stepwise.job(job)["state"] == "cancelled"
    assert stepwise.contents() == before


def test_of_two_studies_at_once_the_later_one_wins(stepwise: Student) -> None:
    stepwise.study(EDITION)
    expected = stepwise.contents()

    for job, event in under_way(stepwise):
        stepwise.study(EDITION)
        while stepwise.api.invoke("StudyFunction", event)["state"] == "running":
            pass

        assert stepwise.contents() == expected
        earlier = stepwise.job(job)
        assert earlier["state"] == "done" or "study the document again" in earlier["reason"]


def test_a_removal_ends_a_study_that_is_under_way(stepwise: Student) -> None:
    for job, event in under_way(stepwise):
        document = stepwise.job(job)["document_id"]
        if stepwise.api.get(f"/v1/topics/{document}").status == 200:
            stepwise.remove(document)
            while stepwise.api.invoke("StudyFunction", event)["state"] == "running":
                pass
            assert stepwise.topics() == {}


# --- with a model --------------------------------------------------------------------------------


@dataclass(slots=True)
class Taught(Student):
    """A student whose model answers as a test says."""

    endpoint: ChatEndpoint | None = None

    def answers(self, *several: Answer) -> None:
        """Let the model answer so, and then say that it is done."""
        assert self.endpoint is not None
        self.endpoint.answer = in_turn([*several, *[says("Done.")] * 100])
        self.endpoint.requests.clear()

    def asked_of_model(self, number: int) -> str:
        """What the user says in a question to the model."""
        assert self.endpoint is not None
        messages = self.endpoint.requests[number][2]["messages"]
        return next(str(each["content"]) for each in messages if each["role"] == "user")


@pytest.fixture
def taught(student: Student) -> Iterator[Taught]:
    functions = student.api.functions
    former = functions.template
    with chat_endpoint() as endpoint:
        parameters = {**former.parameters, "ChatModel": "obedient", "ChatUrl": endpoint.url}
        functions.template = read_template(TEMPLATE, parameters)
        functions.start_afresh()
        yield Taught(
            student.api, None, student.started, ONE, "Notes", {"with_model": True}, endpoint
        )
    functions.template = former
    functions.start_afresh()


def made(title: str = "Ada", **fields: str) -> Answer:
    return calls("memory_create_topic", {"title": title, "topic_id": f"topic-{title}", **fields})


def wrote(topic: str, value: str = "green tea", **forged: str) -> Answer:
    said = {"topic_id": topic, "field_name": "likes", "value": value}
    return calls("memory_append_field", {**said, **forged})


def old(taught: Taught) -> None:
    """A topic that somebody else has created."""
    asked = {"title": "Old", "topic_id": "topic-old"}
    assert taught.api.post("/v1/topics", asked).status < 300


def sandbox(taught: Taught) -> list[str]:
    kinds = [each["topic_kind"] for each in taught.topics().values()]
    return [each for each in kinds if each.startswith("study:")]


def test_a_passage_becomes_topics_by_the_tools_that_the_model_calls(taught: Taught) -> None:
    forged = wrote("topic-Ada", provenance="me")
    taught.answers(made(), forged, says("Ada is a person."))

    done = taught.study()

    ada = taught.topics()["Ada"]
    (field,) = ada["fields"]["likes"]["history"]
    assert field["value"] == "green tea"
    assert field["provenance"].startswith(f"study/model:{done['document_id']}/")
    assert ada["topic_kind"] == f"document:{done['document_id'][:12]}"
    assert ("made_from", done["document_id"]) in taught.edges("Ada")
    assert (done["made"]["topics"], done["made"]["fields"], done["with_model"]) == (1, 1, True)
    assert done["cost"]["questions"] == 4
    assert sandbox(taught) == []
    note = taught.asked_of_model(3)
    assert "topic-Ada: Ada" in note
    assert "Ada is a person." in note


def test_phase_a_touches_nothing_outside_the_sandbox_and_phase_b_adds_to_known_topics(
    taught: Taught,
) -> None:
    old(taught)
    named = calls("memory_update_topic", {"topic_id": "topic-Ada", "topic_kind": "person"})
    taught.answers(made(), wrote("topic-old", "black tea"), says(""), wrote("topic-old"), named)

    done = taught.study()

    assert taught.contents()["Old"] == {"likes": "green tea"}
    assert ("fed_from", done["document_id"]) in taught.edges("Old")
    kinds = {title: each["topic_kind"] for title, each in taught.topics().items()}
    assert (kinds["Old"], kinds["Ada"]) == ("", "person")
    assert taught.study()["cost"]["questions"] == 0
    taught.study(f"{ONE}\n# Coffee\n\nBob likes espresso.\n")
    assert taught.contents()["Old"] == {"likes": "green tea"}
    taught.study("# Coffee\n\nBob likes espresso.\n")
    assert taught.contents()["Old"] == {}


def test_a_topic_to_which_phase_b_gave_a_kind_goes_with_the_document(taught: Taught) -> None:
    named = calls("memory_update_topic", {"topic_id": "topic-Ada", "topic_kind": "person"})
    taught.answers(made(), wrote("topic-Ada"), says(""), named)

    taught.remove(taught.study()["document_id"])

    assert taught.topics() == {}


def test_a_model_that_fails_amid_a_passage_is_asked_again_and_writes_once(taught: Taught) -> None:
    taught.answers(made(), sends(b"{}", 500))
    job = taught.start()
    with pytest.raises(FunctionError):
        taught.step()
    assert taught.job(job)["state"] == "running"
    taught.api.invoke("StudyFunction", {**taught.started[-1], "failure": {"Error": "Unavailable"}})
    assert sandbox(taught) == []
    assert taught.api.post(f"/v1/studies/{job}/resume", {}).status < 300
    taught.answers(wrote("topic-Ada"))

    taught.finish()

    assert taught.contents()["Ada"] == {"likes": "green tea"}
    assert len(taught.topics()) == 2


def test_a_busy_model_is_waited_for_and_the_text_is_kept(taught: Taught) -> None:
    assert taught.endpoint is not None
    taught.endpoint.answer = sends(b"{}", 429)
    job = taught.start()

    waits = [taught.api.invoke("StudyFunction", taught.started[-1])["wait_s"] for _ in range(2)]
    taught.api.post("/_dev/clock", {"advance_seconds": 86_400})
    taught.api.invoke("CollectBlobsFunction", {})

    assert waits == [60, 120]
    assert taught.job(job)["waits_until"]
    taught.answers(made())
    taught.finish()
    assert "Ada" in taught.topics()


def test_a_study_without_tokens_waits_for_the_next_day_and_fails_at_last(taught: Taught) -> None:
    template = taught.api.functions.template
    few = dict.fromkeys(("ChatDailyTokens", "ChatDailyTokensOfKey"), "110000")
    taught.api.functions.template = read_template(TEMPLATE, {**template.parameters, **few})
    taught.api.functions.start_afresh()
    taught.api.post("/_dev/clock", {"set": "2027-03-01T09:00:00Z"})
    call = {"name": "memory_create_topic", "arguments": json.dumps({"title": "Ada"})}
    message = {"role": "assistant", "tool_calls": [{"id": "1", "function": call}]}
    greedy = {"choices": [{"message": message}], "usage": {"total_tokens": 110_000}}
    assert taught.endpoint is not None
    taught.endpoint.answer = sends(json.dumps(greedy).encode())
    job = taught.start()

    assert taught.step() == "waiting"
    assert taught.job(job)["waits_until"].startswith("2027-03-02T00:00")
    for _ in range(5):
        taught.api.post("/_dev/clock", {"advance_seconds": 86_401})
        taught.step()

    assert taught.job(job)["state"] == "failed"
    assert "more tokens than a day has" in taught.job(job)["reason"]


def test_without_a_model_no_study_is_asked_of_one(taught: Taught) -> None:
    parameters = {**taught.api.functions.template.parameters, "ChatModel": "none", "ChatUrl": ""}
    taught.api.functions.template = read_template(TEMPLATE, parameters)
    taught.api.functions.start_afresh()

    refused = taught.asked(with_model=True)

    assert refused.status >= 400
    assert "ChatModel" in refused.body["detail"]
    assert taught.study(MANUAL, with_model=None)["with_model"] is False


def test_passages_of_the_script_are_studied_again_where_they_changed(student: Student) -> None:
    student.usual = {"with_model": True}
    done = student.study()
    titles = ("The kettle", "The kettle › Care", "The kettle › Safety")  # noqa: RUF001
    assert {*titles} < student.topics().keys()
    assert all(each["done"] == each["total"] > 0 for each in done["progress"].values())
    assert student.study()["cost"]["questions"] == 0

    revised = student.study(MANUAL.replace("Keep children", "Keep all children"))["made"]

    assert student.contents()[titles[2]]["p0002"] == NEWER
    assert (revised["fields"], revised["unchanged"], revised["withdrawn"]) == (2, 3, 2)
    student.study(with_model=False)
    assert student.topics().keys() == {"Care", NESTED, "Safety", "The kettle"}
    student.remove(done["document_id"])
    assert student.topics() == {}
