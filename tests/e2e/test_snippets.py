"""Every snippet of README.md, infra/README.md and docs/, run in the order of its page.

The snippets of a page run in one session of a shell, as a reader pastes them, against one local
stack. A `json` block below a snippet is a reply of the snippet, whole or in part; the lines of an
`output` block are lines of its output. PROMISES has what the prose around a snippet says of it.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from tests.builders.requests import BUS_IDENTITY, keyed_id
from tests.e2e import cloud_commands, programs
from tests.e2e.programs import NODE
from tests.e2e.stack import Stack, dev
from tests.worlds.agreed import MAX_PAYLOAD_BYTES
from tests.worlds.depth import cases, deep
from tests.worlds.pages import PAGES, ROOT, Page, Snippet

ADDRESS = "http://127.0.0.1:8765"
DEV = ".venv/bin/membrane dev"
PROGRAMS = {"python": (sys.executable, ".py"), "js": (NODE, ".mjs")}
"""By language, what runs a file, and how the file's name ends."""
RUNS = {"sh", *PROGRAMS}
SHOWS = {"json", "output"}
CONFIGURES = {"toml": tomllib.loads}
"""By language, what reads the configuration of a program that no test starts."""
END = "\N{INFORMATION SEPARATOR TWO}"
"""Printed behind the output of each snippet."""

CURL = [sys.executable, "-I", str(Path(__file__).with_name("curl.py"))]

SHELLS = {"bash": ["bash", "-e", "-s"], "zsh": ["zsh", "-f", "-i", "-e", "-s"]}
"""zsh as an interactive shell without a profile: what macOS' terminal runs by default."""

RUN_ELSEWHERE = {
    "docs/first-jobs.md",
    *(f"docs/{each}.md" for each in ("claude", "frameworks", "langgraph", "openai-agents")),
    *(f"docs/{each}.md" for each in ("pydantic-ai", "strands")),
    "docs/deploy-elsewhere.md",
}
"""Pages with a test file of their own; `make test-adapters` runs those of frameworks."""

PAGES_HERE = [page for page in PAGES if page.name not in RUN_ELSEWHERE]


def runs_here(snippet: Snippet) -> bool:
    """Whether the snippet is for a running stack; `make` and `membrane dev` have tests below."""
    starts_it = snippet.text.startswith(("make ", DEV))
    return snippet.language in RUNS and not (starts_it or cloud_commands.needs_aws(snippet))


@pytest.fixture(params=cases([*SHELLS], ["bash"]))
def shell(request: pytest.FixtureRequest) -> list[str]:
    program, *options = SHELLS[request.param]
    return [programs.shell(program), *options]


@pytest.mark.parametrize("page", PAGES_HERE, ids=lambda page: page.name)
def test_the_snippets_of_a_page_do_what_the_page_says(
    page: Page, stack: Stack, shell: list[str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    snippets = [each for each in page.snippets if runs_here(each)]
    if any(each.language == "js" for each in snippets):
        (tmp_path / "node_modules").symlink_to(request.getfixturevalue("node_modules"))
    for text, prepare in BEFORE.items():
        if text in page.text:
            prepare(stack)

    outputs = session(snippets, stack, shell, tmp_path)

    for snippet, output in zip(snippets, outputs, strict=True):
        expected = (statuses for text, statuses in REFUSALS.items() if text in snippet.text)
        assert refusals(output) == next(expected, []), output
        for text, promise in PROMISES.items():
            if text in snippet.text:
                promise(output.replace(str(tmp_path), "/tmp"), stack, tmp_path)  # noqa: S108
    for snippet, shown in examples(page):
        assert_shown(shown, outputs[snippets.index(snippet)])


def session(snippets: list[Snippet], stack: Stack, shell: list[str], folder: Path) -> list[str]:
    """The output of each snippet; the index catches up after each."""
    lines = [f'curl() {{ {shlex.join(CURL)} "$@"; }}\n']
    for number, snippet in enumerate(snippets):
        text = snippet.text.replace(ADDRESS, stack.url).replace("/tmp/", f"{folder}/")  # noqa: S108
        if snippet.language != "sh":
            program, suffix = PROGRAMS[snippet.language]
            script = folder / f"{number}{suffix}"
            script.write_text(text)
            text = f"{program} {script}\n"
        wait = f"curl -s '{stack.url}/_dev/queues?wait' -H 'Authorization: Bearer {stack.secret}'"
        lines.append(f"{text}printf '{END}'; {wait} >/dev/null\n")
    api = {"MEMBRANE_URL": stack.url, "MEMBRANE_API_KEY": stack.secret}
    done = subprocess.run(
        shell,
        input="".join(lines), capture_output=True, text=True, check=False, cwd=ROOT,
        start_new_session=True, env={**os.environ, "PATH": path_without_venv(), **api},
    )  # fmt: skip
    outputs = done.stdout.split(END)
    assert done.returncode == 0, f"snippet {len(outputs)}: {outputs[-1]}\n{done.stderr}"
    return outputs[:-1]


def path_without_venv() -> str:
    """PATH as of a new terminal: a page activates the virtual environment that the page needs."""
    venv = str(Path(sys.executable).parent)
    return os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if each != venv)


def examples(page: Page) -> Iterator[tuple[Snippet, Snippet]]:
    """The snippets whose output the page shows, each with the block of the output."""
    for snippet, shown in pairwise(page.snippets):
        if shown.language in SHOWS and runs_here(snippet):
            yield snippet, shown


def assert_shown(shown: Snippet, output: str) -> None:
    if shown.language == "output":
        assert [line for line in shown.text.splitlines() if line not in output] == []
    else:
        expected = without_chance(json.loads(shown.text))
        assert any(holds(without_chance(each), expected) for each in documents(output)), output


def documents(output: str) -> Iterator[Any]:
    """The JSON objects in an output."""
    decoder = json.JSONDecoder()
    start = output.find("{")
    while start != -1:
        try:
            found, end = decoder.raw_decode(output, start)
        except json.JSONDecodeError:
            end = start + 1
        else:
            yield found
        start = output.find("{", end)


def holds(value: Any, part: Any) -> bool:
    """Whether a JSON value has all that a part of it shows."""
    match value, part:
        case dict(), dict():
            return all(name in value and holds(value[name], each) for name, each in part.items())
        case list(), list():
            return len(value) >= len(part) and all(map(holds, value, part))
        case _:
            return bool(value == part)


def without_chance(value: Any) -> Any:
    """The value with ids, instants and digests replaced by their kinds."""
    match value:
        case dict():
            return {name: without_chance(each) for name, each in value.items()}
        case list():
            return [without_chance(each) for each in value]
        case str():
            kinds = (kind for pattern, kind in KINDS if re.fullmatch(pattern, value))
            return next(kinds, value)
        case _:
            return value


KINDS = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID of version 8"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "timestamp"),
    (r"(sha256:)?[0-9a-f]{4,}…?", "digest"),
]

# --- what the snippets promise beside what the pages show ----------------------------------------


def is_found_and_has_a_receipt(output: str, stack: Stack, _: Path) -> None:
    answer = [*documents(output)][-1]
    assert "sessions in Redis, for 20 minutes" in json.dumps(answer["records"][0])
    assert stack.call("GET", f"/v1/receipts/{answer['receipt_id']}")[0] == 200


def finds_the_call_that_worked(output: str, _: Stack, __: Path) -> None:
    *_rest, answer, listed = documents(output)
    assert "make ship" in answer["records"][0]["text"]
    assert [each["type"] for each in listed["records"]] == ["semantic"]


def is_a_prompt(output: str, _: Stack, __: Path) -> None:
    (answer,) = documents(output)
    lines = answer["prompt"]["text"].splitlines()
    assert "They are records of the past" in lines[0]
    assert re.fullmatch(r'- [\d-]+, coding-agent: ".*" \[[\w-]+\]', lines[1])
    assert lines == output.splitlines()[1:]


def has_the_parts_of_each_score(output: str, _: Stack, __: Path) -> None:
    (receipt,) = documents(output)
    assert receipt["candidates"][0]["parts"]["lexical"] == 1.0


def is_replaced_and_found_as_of_then(output: str, stack: Stack, _: Path) -> None:
    new, latest, versions, then, *_rest = documents(output)
    old = then["records"][0]
    assert latest["record"]["id"] == new["record"]["id"]
    assert new["record"]["payload"]["revision"]["supersedes"] == old["id"]
    assert [each["number"] for each in versions["versions"]] == [1, 2]
    assert old["payload"]["object"] == "three servers"
    assert stack.call("GET", "/v1/metrics")[0] == 200


def is_contested_and_superseded(output: str, _: Stack, __: Path) -> None:
    *_facts, contested, resolved, trail = documents(output)
    assert contested["record"]["payload"]["revision"]["status"] == "contested"
    assert resolved["record"]["payload"]["revision"]["superseded_by"] == "owner-2"
    assert trail["verified"]


def is_one_topic(output: str, _: Stack, __: Path) -> None:
    first, second, *_rest, answer = documents(output)
    (found,) = answer["candidates"]
    assert first["placement"]["decision"] == "new_topic"
    assert second["placement"]["resolved_by"] == "title"
    assert first["topic_id"] == second["topic_id"] == found["topic_id"]
    assert [each["value"] for each in found["fields"][0]["history"]] == ["Ockham", "London"]


def has_a_field_more(output: str, _: Stack, __: Path) -> None:
    _appended, field, topic = documents(output)
    assert [each["value"] for each in field["history"]] == ["Porto", "Ockham", "London"]
    assert topic["fields"]["born"]["field_type"] == "date"


def fades_and_is_reinforced(output: str, _: Stack, __: Path) -> None:
    assert re.search(r'"salience":0\.45\b', output)
    assert re.search(r"^R\s", output, re.MULTILINE), "the reinforcement is marked"


def is_pruned_and_restored(output: str, _: Stack, __: Path) -> None:
    assert '"today":[1,1,1,1],"preview":[0,' in output
    assert "auto-pruned: salience fell to 0.001" in output
    assert '"verified":true' in output
    assert "restored: needed after all" in output or "restored: it is needed after all" in output


def has_a_result_for_each_item(output: str, _: Stack, __: Path) -> None:
    reply = next(documents(output))
    assert {each["status"] for each in reply["results"]} == {201}


def is_taken_from_the_bus(output: str, stack: Stack, _: Path) -> None:
    (event_id,) = re.findall(r'"EventId": "(.*?)"', output)
    made = keyed_id(BUS_IDENTITY, "IngestEvent", event_id)
    assert stack.call("GET", f"/v1/records/{made}")[0] == 200


def is_listed_with_the_queued_event(output: str, _: Stack, __: Path) -> None:
    listed = [*documents(output)][-1]
    assert {each["text"] for each in listed["records"]} == {"build 17", "build 18"}


def is_redriven(output: str, _: Stack, __: Path) -> None:
    assert re.search(r"IngestEventDeadLetters\t1\t0", output)


def is_imported(output: str, _: Stack, __: Path) -> None:
    assert "4 lines: 4 created, 0 replayed, 0 refused" in output


def is_uploaded_and_linked_to(output: str, _: Stack, folder: Path) -> None:
    content = (folder / "log.json").read_bytes()
    record = [*documents(output)][-1]["record"]
    blob = record["payload"]["tool_graph"][0]["result"]["$blob"]
    assert MAX_PAYLOAD_BYTES < len(content) == blob["size"]
    assert blob["sha256"] == hashlib.sha256(content).hexdigest()
    with urlopen(blob["url"], timeout=60) as reply:  # noqa: S310 - loopback
        assert reply.read() == content


def has_two_turns(output: str, _: Stack, __: Path) -> None:
    (reply,) = documents(output)
    assert (reply["thread_id"], reply["next_turn"] - reply["first_turn"]) == ("s-1", 2)
    events = [each["payload"]["timeline"][0]["summary"] for each in reply["records"]]
    assert events == ["I moved to Lisbon", "Noted, Ada."]


def has_the_reason_of_the_outcome(output: str, _: Stack, __: Path) -> None:
    (reply,) = documents(output)
    assert reply["record"]["payload"]["outcome_reason"] == "the credentials had expired"


def is_read_back(output: str, _: Stack, __: Path) -> None:
    written, read = documents(output)
    assert read["record"]["id"] == written["record"]["id"]


def is_a_key_of_two_permissions(output: str, _: Stack, __: Path) -> None:
    assert "my-agent" in output
    assert "ingest, read" in output


def is_read_by_its_own_user_alone(output: str, _: Stack, __: Path) -> None:
    made, alices, bobs, nobodys = documents(output)
    assert made["record"]["scope"] == "tenant:acme:user:alice"
    assert made["record"]["id"] in [each["id"] for each in alices["records"]]
    assert made["record"]["id"] not in [each["id"] for each in bobs["records"]]
    assert nobodys["status"] == 403


def is_counted(output: str, _: Stack, __: Path) -> None:
    _fact, metrics = documents(output)
    assert metrics["snapshot"]["total_records"] == 1
    assert "total_records\t1\n" in output


def lists_the_person_and_the_mention(output: str, _: Stack, __: Path) -> None:
    assert "record\tis_of\terase\t1" in output
    assert "record\tis_about\terase\t1" in output
    assert re.search(r"^record\tmentions\t\S+$", output, re.MULTILINE)


def is_erased_by_the_id_of_a_list(output: str, _: Stack, __: Path) -> None:
    started = json.loads(output.splitlines()[-1])
    assert (started["dry_run"], started["state"]) == (False, "listing")


def is_erased_with_a_certificate(output: str, stack: Stack, folder: Path) -> None:
    (entry,) = json.loads((folder / "alice.json").read_text())["entries"]
    assert stack.call("GET", f"/v1/records/{entry['id']}")[0] == 404
    assert "entries\t1" in output


def is_certified(output: str, _: Stack, __: Path) -> None:
    reply = [*documents(output)][-1]
    assert reply["certificate"]["reason"] == "request 2026-118"
    assert len(reply["entries"]) == reply["certificate"]["entries"] == 1


def is_erased_by_a_program(output: str, _: Stack, __: Path) -> None:
    assert output.endswith(" 1 erased\n")


def shows_the_skill(output: str, _: Stack, __: Path) -> None:
    (skill,) = output.splitlines()
    assert "run_tests > build > deploy" in skill


def is_told_and_asked(output: str, _stack: Stack, _folder: Path) -> None:
    """What docs/chat.md says of the first conversations."""
    told, asked, *events = output.strip().splitlines()
    assert json.loads(told)["tool_log"][-1]["args"]["field_name"] == "likes"
    assert json.loads(asked)["reply"] == "Ada likes green tea"
    frames = [json.loads(each.removeprefix("data: ")) for each in events if each]
    assert frames[-1]["type"] == "done"
    assert frames[-1]["reply"] == "Ada likes green tea"


def is_studied_and_found(output: str, _: Stack, __: Path) -> None:
    studied, answer = output.split("\n", 1)
    assert "done" in studied
    (found,) = json.loads(answer)["candidates"]
    assert found["title"] == "Care"
    assert "Descale the kettle every month" in json.dumps(found["fields"])


def is_told_again_and_previewed(output: str, _: Stack, __: Path) -> None:
    assert "fields=0" in output
    assert "unchanged=3" in output
    assert "done" in output


def is_put_found_and_deleted(output: str, _: Stack, __: Path) -> None:
    written, read, found, deleted = documents(output)
    assert (written["version"], read["document"]["value"]["name"]) == (1, "Ada")
    assert [each["key"] for each in found["documents"]] == ["profile"]
    assert deleted == {"existed": True, "version": 2}


def is_a_session(output: str, _: Stack, __: Path) -> None:
    shown, role, namespaces = output.splitlines()
    assert shown == "['Which tests fail?', 'None.']"
    assert role == "assistant"
    assert namespaces == "[['sessions', 'ada']]"


def is_read_by_its_labels(output: str, _: Stack, __: Path) -> None:
    _written, batch = documents(output)
    assert batch["results"][0]["document"]["value"] == "open until six"


def is_written_for_its_version(output: str, _: Stack, __: Path) -> None:
    opened, done, refused, read = documents(output)
    assert (opened["version"], done["version"]) == (1, 2)
    assert refused["code"] == "FAILED_PRECONDITION"
    assert read["document"]["value"] == {"state": "done"}
    assert [each["value"] for each in read["document"]["history"]] == [{"state": "open"}]
    assert read["document"]["verified"]


def is_found_by_field_and_by_meaning(output: str, _: Stack, __: Path) -> None:
    *_written, filtered, ranked = documents(output)
    assert [each["key"] for each in filtered["documents"]] == ["tea"]
    assert [each["key"] for each in ranked["documents"]] == ["tea"]
    assert ranked["examined"] == 3


def is_done_in_order(output: str, _: Stack, __: Path) -> None:
    (batch,) = documents(output)
    assert [each["status"] for each in batch["results"]] == [200, 200, 200]
    assert ["users", "bob"] in batch["results"][2]["namespaces"]


PROMISES: Mapping[str, Callable[[str, Stack, Path], None]] = {
    "Who drinks tea?": is_put_found_and_deleted,
    "delete_document([": is_a_session,
    "%252F": is_read_by_its_labels,
    "plans/billing -X PUT -H 'If-None-Match: *'": is_written_for_its_version,
    "Boil the kettle": is_found_by_field_and_by_meaning,
    '"op": "namespaces"': is_done_in_order,
    "limescale": is_studied_and_found,
    "study_steps": is_told_again_and_previewed,
    '"consistency_tokens": [': is_found_and_has_a_receipt,
    '"How did we deploy?"': finds_the_call_that_worked,
    '"view": "prompt"': is_a_prompt,
    "v1/chat": is_told_and_asked,
    "/v1/receipts/": has_the_parts_of_each_score,
    '"three servers"': is_replaced_and_found_as_of_then,
    "/contest": is_contested_and_superseded,
    '"Where does Ada live?"': is_one_topic,
    '"field_name": "born"': has_a_field_more,
    '/reinforce"': fades_and_is_reinforced,
    "/v1/decay/preview": is_pruned_and_restored,
    "/v1/ingest/batch": has_a_result_for_each_item,
    "/_dev/events": is_taken_from_the_bus,
    "/_dev/queues/IngestEventQueue": is_listed_with_the_queued_event,
    "membrane redrive": is_redriven,
    "membrane import tests/": is_imported,
    "/v1/uploads": is_uploaded_and_linked_to,
    "I moved to Lisbon": has_two_turns,
    "the credentials had expired": has_the_reason_of_the_outcome,
    "/v1/threads/": is_read_back,
    "skill-deploy": is_read_back,
    "--actor my-agent --permission ingest --permission read": is_a_key_of_two_permissions,
    "--actor acme --permission": is_read_by_its_own_user_alone,
    "membrane stats\n": is_counted,
    "--scope user:alice --dry-run": lists_the_person_and_the_mention,
    "notes/monday": is_erased_by_the_id_of_a_list,
    "--verify /tmp/alice.json": is_erased_with_a_certificate,
    "/v1/erasures/$erasure/certificate": is_certified,
    'scope="user:carol"': is_erased_by_a_program,
    "membrane skills --scope team:parser": shows_the_skill,
}
"""By a text of the snippet."""

REFUSALS: Mapping[str, list[int]] = {
    "plans/billing -X PUT -H 'If-None-Match: *'": [412],
    "--actor acme --permission": [403],
    'membrane forget "$tea"': [404],
    '"subject": ""': [400],
}
"""By a text of the snippet, the statuses of refused requests; any other refusal is a failure."""


def refusals(output: str) -> list[int]:
    """The statuses of the problems in an output."""
    return [each["status"] for each in documents(output) if each.keys() >= {"status", "code"}]


def fill_a_queue_of_dead_letters(stack: Stack) -> None:
    report = {"source": "ci", "event_kind": "build", "ref": "15"}
    stack.call("POST", "/_dev/queues/IngestEventDeadLetters", {"body": report})


def freeze_the_clock(stack: Stack) -> None:
    """So that salience fades by the hours that the page names alone."""
    stack.call("POST", "/_dev/clock", {"frozen": True})


BEFORE: Mapping[str, Callable[[Stack], None]] = {
    '/reinforce"': freeze_the_clock,
    "membrane redrive --url": fill_a_queue_of_dead_letters,
}
"""By a text of the page, what must be there before its snippets run."""


# --- snippets that no stack runs -----------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_no_comment_which_an_interactive_zsh_takes_for_arguments(page: Page) -> None:
    commands = [each.text for each in page.snippets if each.language == "sh"]

    assert [each for each in commands if re.search(r"(^|\s)#", each)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_configuration_of_a_page_is_well_formed(page: Page) -> None:
    for each in page.snippets:
        if each.language in CONFIGURES:
            assert CONFIGURES[each.language](each.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_snippet_of_a_page_is_of_a_language_that_a_test_reads(page: Page) -> None:
    languages = set(re.findall(r"^```(\w*)$", page.text, re.MULTILINE)) - {""}

    assert languages <= RUNS | SHOWS | {*CONFIGURES, "hcl"}  # test_release.py reads hcl
    assert len(re.findall(r"^```", page.text, re.MULTILINE)) == 2 * len(page.snippets)


@pytest.mark.parametrize(
    "command",
    sorted({
        command
        for page in PAGES for snippet in page.snippets if cloud_commands.needs_aws(snippet)
        for command in cloud_commands.commands(snippet)
    }),
)  # fmt: skip
def test_a_command_for_aws_is_understood_and_looks_for_aws(command: str) -> None:
    cloud_commands.check(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_sets_every_variable_that_its_commands_for_aws_read(page: Page) -> None:
    assert cloud_commands.unset_variables(page) == set()


STARTS = {
    tuple(shlex.split(each.text.replace("\\\n", ""))[len(DEV.split()) :])
    for page in PAGES
    for each in page.snippets
    if each.text.startswith(DEV)
}
"""The options of every local stack that a page starts."""

WITH_PARAMETERS = sorted(each for each in STARTS if "--parameter" in each)


def test_the_stack_of_these_tests_has_the_options_that_are_shown(stack: Stack) -> None:
    port = urlsplit(ADDRESS).netloc.rpartition(":")[2]

    assert STARTS - {*WITH_PARAMETERS} == {("--port", port, "--api-key", stack.secret)}


@pytest.mark.parametrize("options", WITH_PARAMETERS, ids=lambda options: options[1])
def test_a_stack_with_the_parameters_that_a_page_shows_answers(options: tuple[str, ...]) -> None:
    with dev(*options) as stack:
        status, _ = stack.call("GET", "/v1/records")

    assert status == 200


@deep
def test_make_demo_ends_well() -> None:
    done = subprocess.run(["make", "demo"], capture_output=True, text=True, check=True, cwd=ROOT)

    assert "8. What this costs on AWS" in done.stdout


@pytest.mark.parametrize(
    "command",
    sorted({
        line
        for page in PAGES
        for each in page.snippets
        for line in each.text.splitlines()
        if line.startswith("make ")
    }),
)  # fmt: skip
def test_a_make_command_names_targets_that_there_are(command: str) -> None:
    done = subprocess.run(
        [*command.split(), "--dry-run"], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert done.returncode == 0, done.stderr


def test_make_tests_runs_the_tests_though_a_folder_has_its_name() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "tests"], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert "bin/pytest" in done.stdout


def test_make_help_lists_the_targets() -> None:
    done = subprocess.run(["make", "help"], capture_output=True, text=True, check=True, cwd=ROOT)

    assert all(f"make {target} " in done.stdout for target in ("demo", "test", "check", "bench"))
