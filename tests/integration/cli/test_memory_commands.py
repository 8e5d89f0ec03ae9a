"""The commands over the Python client, against a `membrane dev` of its own process."""

import json
import re
import signal
import stat
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO, StringIO, TextIOWrapper
from itertools import product
from pathlib import Path
from queue import Empty, Queue

import pytest

from membrane_cli.cli import main
from membrane_client import Membrane
from tests.e2e.stack import MEMBRANE, Stack
from tests.worlds.depth import cases

HOSTILE = "red \x1b[31m, a bell \a and a \x9b31m \N{RIGHT-TO-LEFT OVERRIDE}end"
STYLE = "\x1b\\[[012]?m"
"""Bold, dim, and the end of both."""

ABSENT = "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67"
COMMANDS = [
    ["remember", "a text"],
    ["recall", "a question"],
    ["show", ABSENT],
    ["list"],
    ["history", ABSENT],
    ["correct", ABSENT, "another", "--why", "it was wrong"],
    ["forget", ABSENT, "--why", "it is old"],
    ["stats"],
    ["skills"],
    ["consolidate"],
    ["study", "README.md"],
    ["tail"],
]

Run = Callable[..., list[str]]


@pytest.fixture
def run(stack: Stack, capsys: pytest.CaptureFixture[str]) -> Run:
    """The lines that a command prints, once the index has all."""

    def lines(*words: str, code: int = 0) -> list[str]:
        assert stack.call("GET", "/_dev/queues?wait")[0] == 200
        capsys.readouterr()
        assert main(words) == code, capsys.readouterr().err
        return capsys.readouterr().out.splitlines()

    return lines


def remembered(run: Run, *words: str) -> str:
    """The id of what is remembered."""
    return str(json.loads(run("remember", *words, "--json")[0])["id"])


def test_what_is_remembered_is_recalled_with_score_time_text_reason_and_id(run: Run) -> None:
    remembered(run, "The canteen serves soup on Fridays")
    own = remembered(run, "billing", "stores its data in", "PostgreSQL on db-3")

    first, *_ = run("recall", "Which database does billing use?", "--limit", "2")

    score, when, text, why, record_id = first.split("\t")
    assert 0 < float(score) <= 1
    assert when.startswith("20")
    assert "PostgreSQL on db-3" in text
    assert "words" in why
    assert "meaning" in why
    assert record_id == own


def test_a_text_and_a_fact_are_remembered_and_two_words_are_refused(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("remember", "a text")[0].endswith("\ta text")
    assert run("remember", "Ada", "likes", "tea")[0].endswith("\tAda likes tea")

    with pytest.raises(SystemExit) as ended:
        main(["remember", "Ada", "likes"])

    assert ended.value.code == 2
    assert "expected a text in quotes" in capsys.readouterr().err


def test_an_empty_text_is_refused_and_nothing_is_stored(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["remember", "  "]) == 1
    assert capsys.readouterr().err == "membrane remember: text is empty: a note needs a text\n"
    assert main(["remember", "\u200b"]) == 1
    assert main(["remember", "Ada", "likes", ""]) == 1
    assert "membrane remember: object is empty: a fact needs an object\n" in capsys.readouterr().err

    assert run("list") == []


def test_a_character_that_the_output_cannot_encode_is_an_escape(
    run: Run, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = remembered(run, "the café opens at nine")
    assert stack.call("GET", "/_dev/queues?wait")[0] == 200

    for words in (["remember", "un café"], ["recall", "café"], ["list"], ["show", own]):
        output = TextIOWrapper(content := BytesIO(), "ascii")
        with monkeypatch.context() as within:
            within.setattr(sys, "stdout", output)
            assert main(words) == 0

        assert rb"caf\xe9" in content.getvalue()


def test_a_scope_is_written_to_and_read(run: Run) -> None:
    own = remembered(run, "a", "b", "c", "--scope", "project:one", "--tag", "x", "--tag", "y")
    remembered(run, "a", "b", "d", "--scope", "project:two")

    found = [json.loads(line) for line in run("list", "--scope", "project:one", "--json")]

    assert [(each["id"], each["scope"], each["tags"]) for each in found] == [
        (own, "project:one", ["x", "y"])
    ]
    (asked,) = run("recall", "b?", "--scope", "project:one")
    assert asked.endswith(own)


def test_a_prompt_is_printed_as_one_text(run: Run) -> None:
    own = remembered(run, "Ada", "likes", "tea")

    shown = "\n".join(run("recall", "What does Ada like?", "--prompt"))
    told = json.loads(run("recall", "What does Ada like?", "--prompt", "--json")[0])

    assert "tea" in shown
    assert (told["ids"], told["text"]) == ([own], shown)


def test_a_conflict_is_settled_and_episodes_are_recalled_as_asked(run: Run, stack: Stack) -> None:
    remembered(run, "billing", "runs_on", "three servers")
    remembered(run, "billing", "runs_on", "Lambda", "--on-conflict", "replace")
    with Membrane(stack.url, stack.secret) as client:
        client.ingest_tool_output("deploy", result="timed out", status="failure")
        worked = client.ingest_tool_output("deploy", result="release is live", status="success")

    facts = run("list", "--type", "semantic")
    lines = run("recall", "deploy the release", "--outcome", "success")

    assert [line.split("\t")[3] for line in facts] == ["billing runs_on Lambda"]
    assert [line.rpartition("\t")[2] for line in lines] == [worked.id]


def test_a_prompt_has_the_best_of_more_memories_than_are_asked_for(run: Run) -> None:
    for number in range(5):
        remembered(run, "Ada", "owns", f"book {number}")
    remembered(run, "Ada", "drinks", "green tea")

    (told,) = run("recall", "What does Ada drink?", "--prompt", "--limit", "1", "--json")

    assert "green tea" in json.loads(told)["text"]


def test_what_is_erased_is_gone_for_good(run: Run) -> None:
    own = remembered(run, "Ada", "likes", "tea")

    told = json.loads(run("forget", own, "--why", "asked to", "--erase", "--json")[0])

    assert told == {"id": own, "erased": True}
    assert run("list", "--state", "deleted") == []


def test_a_graph_is_printed_as_a_tree_from_its_roots(run: Run, stack: Stack) -> None:
    with Membrane(stack.url, stack.secret) as client:
        owner = {"subject": "checkout-service", "predicate": "is_owned_by", "object": "Ada"}
        client.capture(owner, source_kind="observation")
        client.capture({"text": HOSTILE, "service": "checkout-service"}, source_kind="pager")

    asked = ("recall", "checkout-service", "--type", "entity", "--limit", "1", "--graph")
    root, *below = run(*asked, "--max-hops", "1")
    alone = run(*asked, "--max-hops", "0")
    nodes = [json.loads(line) for line in run(*asked, "--json")]

    assert root.split("\t")[2] == "checkout-service"
    texts = [line.split("\t")[2] for line in below]
    assert all(each.startswith("  ") and not each.startswith("   ") for each in texts)
    assert "  fact_subject_of: checkout-service is_owned_by Ada" in texts
    assert any(each.startswith("  mentioned_in: red") for each in texts)
    assert not {"\x1b", "\a", "\x9b"} & set("".join(below))
    assert alone == [root]
    assert [each["record"]["id"] for each in nodes if each["root"]] == [root.split("\t")[-1]]
    assert {each["record"]["id"] for each in nodes} == {
        line.split("\t")[-1] for line in (root, *below)
    }


def test_a_fact_is_corrected_and_its_history_shows_both_newest_first(run: Run) -> None:
    old = remembered(run, "billing", "runs_on", "three servers")

    (new, now) = run("correct", old, "Lambda", "--why", "it was migrated")[0].split("\t")
    history = [line.split("\t") for line in run("history", old)]

    assert now == "Lambda"
    assert [(said, of) for _, _, _, said, of in history][::2] == [
        ("Lambda", new),
        ("three servers", old),
    ]
    assert "it was migrated" in history[0][2]
    assert {who for _, who, *_ in history} == {"local"}
    assert len(run("history", old, "--json")) == len(history)
    assert [line.rpartition("\t")[2] for line in run("list")] == [new]


def test_an_episode_cannot_be_corrected(
    run: Run, stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    with Membrane(stack.url, stack.secret) as client:
        own = client.ingest_event("build", "1").id

    run("correct", own, "2", "--why", "no", code=1)

    assert main(["correct", own, "2", "--why", "no"]) == 1
    assert "episodic, not a fact" in capsys.readouterr().err


def test_a_record_is_shown_field_by_field_then_forgotten(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    own = remembered(run, "Ada", "likes", "tea", "--sensitivity", "medium")

    shown = dict(line.split("\t") for line in run("show", own))
    whole = json.loads(run("show", own, "--json")[0])

    assert shown["id"] == whole["id"] == own
    assert shown["payload.object"] == whole["payload"]["object"] == "tea"
    assert shown["sensitivity"] == "medium"
    assert run("forget", own, "--why", "it is out of date") == [f"{own}\tdeleted"]
    assert main(["show", own]) == 1
    assert "404 NOT_FOUND" in capsys.readouterr().err


def test_records_are_listed_as_far_as_asked_and_counted(run: Run) -> None:
    for number in range(5):
        remembered(run, f"number {number}")

    assert len(run("list", "--limit", "3")) == 3
    assert all(line.split("\t")[2] == "semantic" for line in run("list", "--type", "semantic"))
    assert run("list", "--type", "working") == []
    assert "total_records\t5" in run("stats")
    assert json.loads(run("stats", "--json")[0])["total_records"] == 5


def release(stack: Stack, version: str) -> None:
    """Report a task of two calls, which succeeds."""
    with Membrane(stack.url, stack.secret, scope="crew") as client:
        thread = f"release-{version}"
        client.ingest_event(
            "task", version, summary=f"Release the parser {version}", thread_id=thread
        )
        client.ingest_tool_output("build", args={"tag": version}, thread_id=thread)
        client.ingest_tool_output("deploy", status="success", thread_id=thread)


def test_a_consolidation_is_shown_then_made_and_its_skills_are_listed(
    run: Run, stack: Stack
) -> None:
    release(stack, "1.2")
    release(stack, "1.3")
    words = ("consolidate", "--scope", "crew", "--quiet-minutes", "0")

    shown = run(*words, "--dry-run")
    made = run(*words)
    again = json.loads(run(*words, "--json")[0])

    assert shown == made
    assert sorted(line.split("\t")[:3] for line in made) == [
        ["skill", "release parser: build → deploy", "2 successes, 0 failures"],
        ["trace", "release-1.2", "3 steps, success"],
        ["trace", "release-1.3", "3 steps, success"],
    ]
    assert (again["traces"], again["skills"], again["is_left"]) == ([], [], False)
    (skill,) = run("skills", "--scope", "crew")
    rate, used, _, name, when, steps, record_id = skill.split("\t")
    assert (rate, used, steps) == ("0.75", "2 times", "build > deploy")
    assert name.startswith(when)
    assert json.loads(run("skills", "--json")[0])["id"] == record_id
    assert run("skills", "--scope", "project:other") == []


@pytest.mark.usefixtures("stack")
@pytest.mark.parametrize("view", [[], ["--graph"], ["--prompt"]], ids=str)
def test_a_recall_without_memories_says_so_without_a_row(
    view: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["recall", "Which database does billing use?", *view]) == 0

    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "(nothing)\n")


def test_texts_from_outside_do_not_command_the_terminal(run: Run) -> None:
    own = remembered(run, HOSTILE)

    shown = [*run("list"), *run("show", own), *run("recall", "bell"), *run("history", own)]

    assert not {"\x1b", "\a", "\x9b", "\N{RIGHT-TO-LEFT OVERRIDE}"} & set("".join(shown))
    (whole,) = run("show", own, "--json")
    assert whole.isascii()
    assert json.loads(whole)["payload"]["object"] == HOSTILE


def test_a_recall_outside_a_terminal_loads_neither_aws_nor_tables(stack: Stack) -> None:
    code = "import sys; from membrane_cli.cli import main; main(['recall', 'tea'])\n"
    loaded = subprocess.check_output(
        [sys.executable, "-c", f"{code}print(*sys.modules)"], text=True
    )

    assert stack.secret not in loaded
    assert "membrane_client" in loaded
    assert not {"botocore", "moto", "numpy", "pydantic", "rich", "uvicorn"} & set(loaded.split())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["recall", "x", "--limit", "0"], "expected a number from 1"),
        (["recall", "x", "--max-tokens", "-1"], "expected a number from 1"),
        (["recall", "x", "--graph", "--max-hops", "-1"], "expected a number from 0"),
        (["recall", "x", "--graph", "--max-hops", "few"], "expected a number from 0"),
        (["recall", "x", "--max-hops", "2"], "--max-hops: needs --graph"),
        (["recall", "x", "--graph", "--prompt"], "--prompt: not together with --graph"),
        (
            ["recall", "x", "--graph", "--outcome", "success"],
            "--outcome: not together with --graph",
        ),
        (["list", "--limit", "many"], "expected a number from 1"),
        (["tail", "--every", "0"], "expected seconds, more than 0"),
        (["list", "--timeout", "0"], "expected seconds, more than 0"),
        (["tail", "--every", "nan"], "expected seconds, more than 0"),
        (["forget", ABSENT], "a record needs --why"),
        (["forget", ABSENT, "--why", "x", "--dry-run"], "--dry-run: not together with the id"),
        (["forget", ABSENT, "--verify", "f"], "--verify: not together with the id"),
        (["forget", "--user", "ada", "--why", "x"], "--why: needs the id of a record"),
        (["forget"], "expected the id of a record, or --user, --scope, --subject or --ids"),
        (["forget", "--erasure", ABSENT, "--yes"], "--yes: of a new erasure"),
        (["list", "--user", "ada", "--scope", "s"], "--scope: not allowed with argument --user"),
    ],
)
def test_a_command_line_that_is_wrong_is_refused_by_option(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


class Terminal(StringIO):
    """Standard output as a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_table_with_the_ids_beneath_the_texts(
    stack: Stack, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = remembered(run, "Ada", "likes", HOSTILE)
    assert stack.call("GET", "/_dev/queues?wait")[0] == 200
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")

    assert main(["recall", "What does Ada like?"]) == 0

    shown = re.sub(STYLE, "", terminal.getvalue())
    heading, _, first, *_ = [line for line in shown.splitlines() if line.strip()]
    assert heading.split() == ["score", "when", "(UTC)", "text", "why"]
    assert "Ada likes red" in first
    assert own in shown
    assert "\x1b" not in shown, "NO_COLOR leaves bold and dim alone"


LONG_ID = f"ours:{'x' * 118}.2026"
"""As long as a client's id may be."""


def test_no_listing_breaks_or_cuts_an_id(
    stack: Stack, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release(stack, "1.2")
    release(stack, "1.3")
    own = remembered(run, "billing", "runs_on", f"server {ABSENT} of the second of three rooms")
    new = run("correct", own, "Lambda", "--why", f"as {ABSENT} says, it moved")[0].split("\t")[0]
    gone = remembered(run, "a text")
    run("forget", gone, "--why", "wrong")
    fact = {"subject": "a tale", "predicate": "says", "object": f"{'words ' * 24}{ABSENT} ends it"}
    store(stack, LONG_ID, fact)
    with Membrane(stack.url, stack.secret) as client:
        client.reinforce(LONG_ID, rationale=f"a reason of some length, {ABSENT}")
    key = client_key(stack)
    (tmp_path / "tea.md").write_text("# Tea\n\nTea is hot.\n")
    monkeypatch.chdir(tmp_path)
    run("consolidate", "--scope", "crew", "--quiet-minutes", "0")
    monkeypatch.setenv("TERM", "xterm-256color")

    listings: list[tuple[tuple[str, ...], set[str]]] = [
        (("list",), {new, LONG_ID}),
        (("list", "--state", "deleted"), {gone}),
        (("recall", "Where does billing run?"), {new}),
        (("recall", "billing", "--graph"), {new}),
        (("show", own), {own, ABSENT}),
        (("history", own), {own, new, ABSENT}),
        (("skills", "--scope", "crew"), {each.split("\t")[-1] for each in run("skills")}),
        (("consolidate", "--scope", "crew", "--dry-run"), set()),
        (("remember", "a text"), set()),
        (("salience", LONG_ID), {LONG_ID}),
        (("keys", "list"), {key}),
        (("study", "tea.md"), set()),
        (("study", "tea.md", "--dry-run"), set()),
        (("forget", "--subject", "billing", "--dry-run"), set()),
        (("doctor",), set()),
    ]
    for width, (words, whole) in product(
        cases(("40", "80", "100", "200"), ("40", "100")), listings
    ):
        terminal = Terminal()
        with monkeypatch.context() as patched:
            patched.setenv("COLUMNS", width)
            patched.setattr("sys.stdout", terminal)
            assert main(words) == 0, words

        shown = re.sub(STYLE, "", terminal.getvalue())
        assert all(each in shown for each in whole), (words, shown)
        assert not BROKEN.search(shown), (words, shown)


BROKEN = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{0,26}(?![0-9a-f-])")
"""The beginning of an id, without the end."""


def store(stack: Stack, record_id: str, fact: dict[str, str]) -> None:
    """Store a fact under an id."""
    payload = {"kind": "semantic", **fact, "validity": {"mode": "global"}}
    record = {"id": record_id, "type": "semantic", "sensitivity": "low", "payload": payload}
    assert stack.call("POST", "/v1/records", record)[0] == 201


@pytest.fixture
def shown_ids(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of the ids that commands showed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "membrane" / "shown-ids"


def test_commands_take_the_beginning_of_an_id_that_was_shown(
    run: Run, stack: Stack, shown_ids: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = remembered(run, "billing", "runs_on", "three servers")
    begin = own[:8]

    assert f"id\t{own}" in run("show", begin)
    assert run("history", begin)[0].endswith(own)
    assert run("salience", begin)[0].startswith(own)
    assert run("correct", begin, "Lambda", "--why", "it moved")[0].endswith("Lambda")
    assert stat.S_IMODE(shown_ids.stat().st_mode) == 0o600
    assert not {"billing", "Lambda", stack.secret} & set(shown_ids.read_text().split())
    assert main(["show", own[:7]]) == 1, "too short"
    assert main(["show", begin, "--api-key", "another"]) == 1
    assert f"no id shown in the last day begins with {begin}" in capsys.readouterr().err
    shown_ids.write_text(shown_ids.read_text().replace(shown_ids.read_text()[:5], "17000", 1))
    assert main(["show", begin]) == 1, "shown long ago"


def test_the_beginning_of_two_ids_is_refused_with_both(
    run: Run, stack: Stack, shown_ids: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [f"{ABSENT[:-1]}{end}".replace("-8e", "-4e") for end in "12"]  # a client's own
    for each in ids:
        store(stack, each, {"subject": each, "predicate": "is", "object": "here"})
    assert len(run("list")) == 2
    assert shown_ids.exists()

    assert main(["show", ABSENT[:8]]) == 1

    assert f"{ABSENT[:8]} begins 2 ids: " in (told := capsys.readouterr().err)
    assert all(each in told for each in ids)


@pytest.mark.parametrize("said", ["y\n", "\n", None])
@pytest.mark.usefixtures("shown_ids")
def test_forgetting_by_the_beginning_shows_the_memory_and_asks(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str | None
) -> None:
    own = remembered(run, "Ada", "likes", "tea")
    code = int(said != "y\n")
    monkeypatch.setattr("sys.stdin", StringIO() if said is None else Terminal(said))

    assert main(["forget", own[:8], "--why", "it is old"]) == code

    told = capsys.readouterr()
    assert f"{own}, semantic: Ada likes tea\n" in told.err
    assert told.out == ("" if code else f"{own}\tdeleted\n")
    again = run("forget", own[:8], "--why", "it is old", "--yes", code=1 - code)
    assert again == ([f"{own}\tdeleted"] if code else [])


@pytest.mark.usefixtures("stack")
def test_commands_side_by_side_keep_every_id_up_to_a_bound(shown_ids: Path) -> None:
    shown_ids.parent.mkdir()
    old = "".join(f"9999999999 {'0' * 16} {ABSENT[:-4]}{n:04x}\n" for n in range(3_000))
    shown_ids.write_text(f"{old}half a line")
    commands = [
        subprocess.Popen([MEMBRANE, "remember", f"number {n}"], stdout=subprocess.PIPE, text=True)
        for n in range(4)
    ]

    ids = {each.communicate()[0].split("\t")[0] for each in commands}

    lines = shown_ids.read_text().splitlines()
    assert len(ids) == 4
    assert {each.split()[-1] for each in lines[-4:]} == ids
    assert len(lines) == 2_000


def client_key(stack: Stack) -> str:
    """The id of a new key with long rights."""
    rights = {"permissions": ["ingest", "read"], "scopes": ["tenant:acme:*", "project:alpha"]}
    request = {"actor_id": "an-agent-of-acme", "max_sensitivity": "low", **rights}
    return str(stack.call("POST", "/_dev/keys", request)[1]["key_id"])


@pytest.mark.parametrize("words", COMMANDS, ids=[words[0] for words in COMMANDS])
def test_what_cannot_be_done_is_told_in_a_sentence(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMBRANE_URL", "http://127.0.0.1:9")
    assert main(words) == 1
    without_key = capsys.readouterr()
    assert main([*words, "--api-key", "k"]) == 1
    unreachable = capsys.readouterr()

    assert without_key.out == unreachable.out == ""
    assert without_key.err.startswith(f"membrane {words[0]}: no key: give --api-key, or set ")
    assert unreachable.err.startswith(f"membrane {words[0]}: nobody answers at http://127.0.0.1:9")
    assert unreachable.err.count("\n") == 1


@pytest.mark.parametrize("words", COMMANDS, ids=[words[0] for words in COMMANDS])
@pytest.mark.usefixtures("stack")
def test_a_key_that_is_refused_is_told_in_a_sentence(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--api-key", "another"]) == 1

    told = capsys.readouterr()
    reason = "403: Forbidden (the API key is unknown, expired or revoked, or lacks the right)"
    assert (told.out, told.err) == ("", f"membrane {words[0]}: {reason}\n")


@pytest.mark.parametrize("words", COMMANDS, ids=[words[0] for words in COMMANDS])
@pytest.mark.parametrize("user", ["", "\u200b"], ids=ascii)
@pytest.mark.usefixtures("stack")
def test_a_user_without_a_name_is_refused(
    words: list[str], user: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--user", user]) == 1

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"membrane {words[0]}: user is {user!r}, which names nobody")


def test_what_comes_in_is_shown_as_it_comes_until_ctrl_c(stack: Stack) -> None:
    stack.call("POST", "/_dev/clock", {"advance_seconds": 86_400})  # ahead of this machine's
    lines: Queue[str] = Queue()
    shown: list[str] = []
    with Membrane(stack.url, stack.secret) as client, tailing("--every", "0.1") as process:
        assert process.stdout
        client.remember("told before")
        reader = threading.Thread(target=lambda: deque(map(lines.put, process.stdout or ())))
        reader.start()
        while not shown:  # the command takes a while to begin
            assert process.poll() is None
            client.remember("told while it begins")
            with suppress(Empty):
                shown.append(lines.get(timeout=0.2))
        client.remember("told last")
        while "told last" not in shown[-1]:
            shown.append(lines.get(timeout=10))

        process.send_signal(signal.SIGINT)

        assert process.wait() == 0
        reader.join()
    assert lines.empty()
    assert len({line.rpartition("\t")[2] for line in shown}) == len(shown)


INTERRUPTIBLE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a command that Ctrl-C ends, also where the suite runs in the background and ignores it."""


@contextmanager
def tailing(*options: str) -> Iterator["subprocess.Popen[str]"]:
    """`membrane tail` in a process that must say nothing but lines."""
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, MEMBRANE, "tail", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
        except BaseException:
            process.kill()  # it would go on, and be waited for
            raise
        assert process.stderr
        assert process.stderr.read() == ""


def test_removed_memories_are_listed_with_the_end_of_their_restore_window(run: Run) -> None:
    record_id = remembered(run, "number 1")
    run("forget", record_id, "--why", "wrong")

    (row,) = run("list", "--state", "deleted")

    removed, restorable_until, kind, reason, shown_id = row.split("\t")
    assert (kind, reason, shown_id) == ("semantic", "deleted", record_id)
    assert restorable_until > removed
    assert run("list", "--state", "pruned") == []
