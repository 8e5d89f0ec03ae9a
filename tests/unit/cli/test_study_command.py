"""`membrane study`: jobs followed to their end, results, refusals, and the watch over the files."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from rich.console import Console

from membrane_cli.cli import main
from membrane_cli.study import command
from membrane_cli.study.command import Studying, Watch, show_states, study_changes
from membrane_cli.study.reading import File, files_of
from membrane_client import Forbidden, Membrane, ServerError, Study
from tests.builders.filled_stores import served
from tests.builders.studies import a_study

MADE = {"topics": 3, "fields": 12, "revisions": 2, "unchanged": 7, "withdrawn": 1}
ROW = "3\t12\t2\t7\t1\t7.5\tdone\tmanuals/tea.md\tdoc1\n"
CONTROL = r"\x1b\[[0-9;?]*[a-zA-Z]"
BAR_CHARACTERS = 40
REFUSAL = {"code": "INVALID_ARGUMENT", "detail": "title is too long"}


@dataclass
class Service:
    """Answers a start by the job, and each look at the job by the next state."""

    states: list[dict[str, Any]] = field(default_factory=lambda: [a_study("done", made=MADE)])
    refusals: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    """By source of the document: status and problem."""
    started: list[dict[str, Any]] = field(default_factory=list)
    on_look: Callable[[], None] = lambda: None
    _left: Iterator[dict[str, Any]] = field(default_factory=lambda: iter(()))

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            self.on_look()
            return httpx2.Response(200, json=next(self._left))
        body = json.loads(request.content)
        if body["source"] in self.refusals:
            status, problem = self.refusals[body["source"]]
            return httpx2.Response(status, json=problem)
        self.started.append(body)
        about = {name: body[name] for name in ("source", "title")}
        self._left = iter([each | about for each in self.states])
        return httpx2.Response(202, json=a_study(**about))

    @property
    def sources(self) -> list[str]:
        return [each["source"] for each in self.started]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `manuals` of the working directory, with one document; no pause takes time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("membrane_client.client.time.sleep", lambda _: None)
    (tmp_path / "manuals").mkdir()
    Path("manuals/tea.md").write_text("# Tea\n\nGreen.")
    return Path("manuals")


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service that the command reaches."""
    service = Service()

    def client(*_: Any, **options: Any) -> Membrane:
        options.pop("timeout")
        return served(service.answer, max_retries=0, **options)

    monkeypatch.setattr("membrane_client.Membrane", client)
    monkeypatch.setenv("MEMBRANE_API_KEY", "k")
    return service


def studying(service: Service) -> Studying:
    client = served(service.answer, max_retries=0)
    return Studying(client, {}, Console(file=StringIO()))


def in_turn(*calls: Callable[[], None]) -> Callable[[], None]:
    """A function that makes the calls one after another."""
    left = iter(calls)

    def call() -> None:
        next(left)()

    return call


def states(*given: dict[str, Any]) -> Iterator[Study]:
    return map(Study, given)


def test_each_document_is_studied_to_its_end_and_told_in_a_line(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.states = [a_study(stage="preparing"), a_study(total=2), *service.states]

    assert main(["study", "manuals", "--no-model", "--sensitivity", "high", "--scope", "team"]) == 0

    told = capsys.readouterr()
    assert told.out == ROW
    assert told.err.splitlines() == [
        "manuals/tea.md: preparing",
        "manuals/tea.md: studying, 0/2 paragraphs",
        "manuals/tea.md: done",
    ]
    assert service.started == [
        {
            "document": "# Tea\n\nGreen.",
            "title": "Tea",
            "source": "manuals/tea.md",
            "scope": "team",
            "sensitivity": "high",
            "with_model": False,
        }
    ]


def test_results_are_json_for_programs(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "manuals/tea.md", "--json", "--title", "Green tea", "--source", "s"]) == 0

    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == service.states[0] | {"title": "Green tea", "source": "s"}


def test_the_files_are_listed_without_the_service(
    service: Service, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.txt").write_bytes(b"\xff")

    assert main(["study", "manuals", "nowhere", "--dry-run"]) == 1

    told = capsys.readouterr()
    assert told.out == "13\tTea\tmanuals/tea.md\n"
    assert told.err.splitlines() == [
        "membrane study: nowhere is no file and no folder",
        "membrane study: manuals/bad.txt: is not UTF-8 (byte 0)",
    ]
    assert service.started == []


@pytest.mark.parametrize("words", [["manuals"], ["manuals/tea.md", "manuals/tea.md"]])
@pytest.mark.parametrize("option", ["--title", "--source"])
def test_a_title_or_a_source_of_several_documents_is_refused(
    words: list[str], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["study", *words, option, "x"])

    assert ended.value.code == 2
    assert "--title and --source go with a single document" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "reason"), [(400, "400 INVALID_ARGUMENT"), (409, "409 "), (413, "413 ")]
)
def test_a_document_that_is_refused_is_named_and_the_others_go_on(
    service: Service, folder: Path, capsys: pytest.CaptureFixture[str], status: int, reason: str
) -> None:
    (folder / "a.md").write_text("Tea.")
    service.refusals["manuals/a.md"] = (status, REFUSAL)

    assert main(["study", "manuals"]) == 1

    told = capsys.readouterr()
    assert told.out == ROW
    assert told.err.startswith(f"membrane study: manuals/a.md: {reason}")


def test_a_file_that_cannot_be_read_is_named_and_the_others_go_on(
    service: Service, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.md").write_bytes(b"\xff")
    (folder / os.fsdecode(b"\xff.md")).write_text("Tea.")

    assert main(["study", "manuals"]) == 1

    told = capsys.readouterr()
    assert service.sources == ["manuals/tea.md"]
    assert told.err.startswith("membrane study: manuals/bad.md: is not UTF-8 (byte 0)\n")
    assert "membrane study: manuals/ .md: the name of the file is not UTF-8" in told.err


@pytest.mark.usefixtures("service")
def test_a_failed_job_has_its_reason_and_the_exit_code_says_so(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.states = [a_study("failed", reason="no tokens\x1b[31m")]

    assert main(["study", "manuals"]) == 1

    told = capsys.readouterr()
    assert "membrane study: manuals/tea.md: study job1 failed: no tokens [31m\n" in told.err
    assert told.out.split("\t")[6] == "failed"


def test_a_refused_key_ends_the_command_with_the_results_so_far(
    service: Service, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "zen.md").write_text("Tea.")
    service.refusals["manuals/zen.md"] = (403, {"code": "PERMISSION_DENIED", "detail": "no right"})

    assert main(["study", "manuals"]) == 1

    told = capsys.readouterr()
    assert told.out == ROW
    assert told.err.endswith("membrane study: 403 PERMISSION_DENIED: no right\n")


def test_ctrl_c_leaves_the_job_running_and_names_the_job(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.states = [a_study(done=1, total=9)]

    def interrupt() -> None:
        raise KeyboardInterrupt

    service.on_look = in_turn(lambda: None, interrupt)

    assert main(["study", "manuals"]) == 130

    state = "studying, 1/9 paragraphs"
    assert capsys.readouterr().err.splitlines() == [
        f"manuals/tea.md: {state}",
        f"membrane study: manuals/tea.md: study job1 goes on in the service: {state}",
        "membrane: interrupted",
    ]


def test_a_terminal_shows_a_bar_that_grows() -> None:
    file = StringIO()
    console = Console(file=file, force_terminal=True, width=120, color_system=None)
    steps = states(a_study(), a_study(done=45, total=120), a_study("done", done=120, total=120))

    assert len([*show_states(steps, "manuals/\x1b[31mtea.md [bold]", console)]) == 3

    drawn = re.sub(CONTROL, "", file.getvalue())
    assert "\x1b[31m" not in file.getvalue()
    assert "manuals/ [31mtea.md [bold]" in drawn
    middle, end = drawn.index("studying, 45/120 paragraphs"), drawn.index("done, 120/120")
    assert 0 < drawn[:middle].rpartition("\r")[2].count("\u2501") < BAR_CHARACTERS
    assert drawn[:end].rpartition("\r")[2].count("\u2501") == BAR_CHARACTERS


def test_lines_say_each_new_step_once_and_until_when_a_job_waits() -> None:
    file = StringIO()
    waiting = a_study("waiting", done=2, total=3, waits_until="2026-01-03T00:00:00Z")

    steps = states(a_study(total=3), a_study(done=1, total=3), waiting, a_study(done=2, total=3))

    assert len([*show_states(steps, "tea.md", Console(file=file))]) == 4
    assert file.getvalue().splitlines() == [
        "tea.md: studying, 0/3 paragraphs",
        "tea.md: waiting until 2026-01-03 00:00 UTC, 2/3 paragraphs",
        "tea.md: studying, 2/3 paragraphs",
    ]


def the_files() -> list[File]:
    return files_of([Path("manuals")], lambda _: None)


def touched(path: Path, text: str, at_s: int) -> None:
    path.write_text(text)
    os.utime(path, (at_s, at_s))


def watched(service: Service, *changes: Callable[[], object]) -> Studying:
    """The watch over `manuals`: each change comes in a pause between two looks."""
    watch, work = Watch(), studying(service)
    watch.look(the_files())
    left = iter(changes)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        next(left, interrupt)()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study_changes([Path("manuals")], watch, work, 2.0, pause)
    assert pauses == [2.0] * (len(changes) + 1)
    return work


def test_new_and_changed_files_are_studied_again(folder: Path) -> None:
    service = Service()

    watched(
        service,
        lambda: None,
        lambda: touched(folder / "tea.md", "# Tea\n\nWhite.", 1_000),
        lambda: touched(folder / "tea.md", "# Tea\n\nWhite.", 2_000),
        lambda: touched(folder / "new.md", "New.", 1_000),
    )

    assert [(each["source"], each["document"]) for each in service.started] == [
        ("manuals/tea.md", "# Tea\n\nWhite."),
        ("manuals/new.md", "New."),
    ]


def test_a_file_that_is_gone_is_noted_with_the_hint_of_a_removal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tea, service = folder / "tea.md", Service()

    watched(service, lambda: touched(tea, "Tea.", 1), tea.unlink, lambda: touched(tea, "Tea.", 1))

    (noted,) = [line for line in capsys.readouterr().err.splitlines() if "gone" in line]
    assert noted.startswith("membrane study: manuals/tea.md is gone; the topics stay. ")
    assert "document_id doc1" in noted
    assert service.sources == ["manuals/tea.md"] * 2


def test_an_outage_is_noted_once_and_the_file_is_studied_afterwards(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Service(
        refusals={"manuals/tea.md": (503, {"code": "UNAVAILABLE", "detail": "later"})}
    )

    watched(
        service,
        lambda: touched(folder / "tea.md", "Tea.", 1),
        lambda: None,
        service.refusals.clear,
        lambda: None,
    )

    assert service.sources == ["manuals/tea.md"]
    noted = "membrane study: 503 UNAVAILABLE: later; trying again"
    assert capsys.readouterr().err.splitlines() == [noted]


def test_a_broken_file_is_noted_once_and_studied_when_it_is_whole(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tea, service = folder / "tea.md", Service()

    watched(
        service,
        lambda: tea.write_bytes(b"\xff"),
        lambda: None,
        lambda: touched(tea, "Tea.", 1),
    )

    assert capsys.readouterr().err.count("is not UTF-8") == 1
    assert service.sources == ["manuals/tea.md"]


def test_the_first_round_of_a_watch_studies_all_and_ctrl_c_ends_the_watch_quietly(
    service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "study_changes", interrupted)

    assert main(["study", "manuals", "--watch"]) == 0

    assert service.sources == ["manuals/tea.md"]
    assert capsys.readouterr().out == ROW


@pytest.mark.parametrize(("status", "kind"), [(403, Forbidden), (500, ServerError)])
def test_other_refusals_end_the_round(status: int, kind: type[Exception]) -> None:
    service = Service(refusals={"manuals/tea.md": (status, {})})

    with pytest.raises(kind):
        studying(service).study_files(the_files())
