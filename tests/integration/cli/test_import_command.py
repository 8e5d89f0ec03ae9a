"""`membrane import` against the bucket of a deployed stack: moto's, through boto3."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws
from rich.console import Console

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.adapters.bucket import S3Imports
from membrane.domain.access.principals import SourcePrincipals
from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.imports import progress as import_progress
from membrane.wiring.world import World
from membrane_cli import imports as import_command
from membrane_cli.cli import main
from membrane_cli.http_client import Unreachable
from membrane_cli.imports import DeployedImports, Failures, OnSent, import_file, require_ndjson
from tests.worlds.importing import IMPORTER, Context
from tests.worlds.memory import make_world, table_of
from tests.worlds.memory_table import TableRecords

BUCKET = "memory"


@dataclass(slots=True)
class Deployed:
    """The bucket's place, where the function runs when an object was put."""

    place: DeployedImports
    services: World
    puts: list[str] = field(default_factory=list)
    tries: int = 3
    later: list[World] = field(default_factory=list)
    """Of the tries after the first, where they have others."""
    failed: list[dict[str, Any]] = field(default_factory=list)
    """Events for another try."""
    loses_objects: bool = False

    def send(self, name: str, file: Path, digest: str, told: OnSent) -> None:
        self.place.send(name, file, digest, told)
        self.puts.append(name)
        found = self.services.imports.find(f"imports/{name}")
        assert found is not None
        put = {"key": found.key, "etag": found.etag, "sequencer": f"{len(self.puts):04X}"}
        if self.loses_objects:
            self.place.client.delete_object(Bucket=BUCKET, Key=found.key)
        event = {"time": rfc3339(self.services.now()), "detail": {"object": put}}
        self.failed = [event] * self.tries
        self._try(self.services)

    def result(self, name: str) -> dict[str, Any] | None:
        """After a look at a try that failed, the next one begins."""
        result = self.place.result(name)
        if result is not None and result["status"] == "failed":
            self._try(self.later.pop(0) if self.later else self.services)
        return result

    def _try(self, services: World) -> None:
        if self.failed:
            event = self.failed.pop()
            with suppress(DomainError):  # the result says so
                import_object(event, Context(), services)
                self.failed.clear()

    def refusals(self, result: dict[str, Any]) -> Iterator[dict[str, Any]]:
        return self.place.refusals(result)

    @property
    def records(self) -> TableRecords:
        return table_of(self.services)


@pytest.fixture
def deployed() -> Iterator[Deployed]:
    """A stack with an empty bucket and an empty store."""
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        services = make_world(
            imports=S3Imports(lambda: client, BUCKET), sources=SourcePrincipals(imports=IMPORTER)
        )
        yield Deployed(DeployedImports(client, BUCKET), services)


def run(deployed: Any, file: Path, *, again: bool = False) -> tuple[dict[str, Any], list[str]]:
    """The result, and what was shown."""
    shown = StringIO()
    result = import_file(file, deployed, Console(file=shown), again=again, pause_s=0.001)
    return result, shown.getvalue().splitlines()


def written(path: Path, *lines: Any) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def event(number: int) -> dict[str, Any]:
    return {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": str(number)}


def test_the_bucket_is_told_what_the_content_is(deployed: Deployed, tmp_path: Path) -> None:
    result, shown = run(deployed, written(tmp_path / "a.ndjson", event(1), event(2)))

    assert shown[-1] == "2 lines: 2 created, 0 replayed, 0 refused"
    assert len(result["version"]) == 64
    assert deployed.puts == [f"{result['version'][:16]}-a.ndjson"]


def test_a_file_sent_in_parts_is_told_by_its_content(deployed: Deployed, tmp_path: Path) -> None:
    file = written(tmp_path / "a.ndjson", event(1))
    file.write_text(file.read_text() + 3 * (" " * 3_000_000 + "\n"))

    result, _ = run(deployed, file)

    found = deployed.services.imports.find(result["object"])
    assert found is not None
    assert found.etag.endswith("-2")
    assert found.version == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (result["created"], result["blank"]) == (1, 3)


def test_a_file_that_was_imported_is_not_sent_again(deployed: Deployed, tmp_path: Path) -> None:
    file = written(tmp_path / "a.ndjson", event(1))
    run(deployed, file)

    _, shown = run(deployed, file)

    assert shown[0] == "imported before:"
    assert len(deployed.puts) == 1


def test_a_file_is_sent_again_where_asked_for_the_lines_that_were_refused(
    deployed: Deployed, tmp_path: Path
) -> None:
    file = written(tmp_path / "a.ndjson", event(1))
    run(deployed, file)

    result, shown = run(deployed, file, again=True)

    assert (len(deployed.puts), result["replayed"]) == (2, 1)
    assert "imported before:" not in shown


def test_refusals_are_shown_from_the_parts_on(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 5)

    _, shown = run(deployed, written(tmp_path / "a.ndjson", *[{}] * 12))

    assert shown[-1].startswith("line 1 and 11 more: INVALID_ARGUMENT: rpc must be one of")


def test_each_reason_of_refusals_is_shown_once_and_counted(
    deployed: Deployed, tmp_path: Path
) -> None:
    lines = [{}, event(1) | {"scope": "project:acme"}, {}, *({"x" * n: 1} for n in range(2))]

    _, shown = run(deployed, written(tmp_path / "a.ndjson", *lines))

    counts, malformed, denied = shown[-3:]
    assert counts == "5 lines: 0 created, 0 replayed, 5 refused"
    assert malformed.startswith("line 1 and 3 more: INVALID_ARGUMENT: ")
    assert denied.startswith("line 2: PERMISSION_DENIED: the principal does not cover this scope")


def test_a_failed_import_says_why(deployed: Deployed, tmp_path: Path) -> None:
    deployed.services = make_world(imports=deployed.services.imports)

    result, shown = run(deployed, written(tmp_path / "a.ndjson", event(1)))

    assert result["status"] == "failed"
    assert shown == [
        "a try failed, Lambda tries again: imports are closed in this deployment",
        "a try failed, Lambda tries again: imports are closed in this deployment",
        "0 lines: 0 created, 0 replayed, 0 refused",
        "failed: imports are closed in this deployment",
    ]


@pytest.mark.parametrize("failures", [1, 2])
def test_an_import_whose_later_try_succeeds_is_done(
    deployed: Deployed, tmp_path: Path, failures: int
) -> None:
    open_, closed = deployed.services, make_world(imports=deployed.services.imports)
    deployed.services = closed
    deployed.later = [*[closed] * (failures - 1), open_]

    result, shown = run(deployed, written(tmp_path / "a.ndjson", event(1)))

    assert result["status"] == "done"
    assert shown[-1] == "1 lines: 1 created, 0 replayed, 0 refused"
    assert len(shown) == failures + 2


def test_tries_that_get_on_are_not_counted() -> None:
    """What comes after them may be the first try of another invocation."""
    failures = Failures()
    ends = [progress("1", number, "failed") for number in (0, 9, 9, 9)]

    assert [failures.are_final(end) for end in ends] == [False, False, False, True]


def test_a_failure_that_no_try_can_mend_is_told_at_once(deployed: Deployed, tmp_path: Path) -> None:
    deployed.loses_objects = True

    _, shown = run(deployed, written(tmp_path / "a.ndjson", event(1)))

    assert shown[-1] == "failed: the object is not there"
    assert not any(line.startswith("a try failed") for line in shown)


def test_a_try_that_never_comes_is_not_waited_for_for_ever(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_command, "PATIENCE_S", 0.005)
    deployed.services = make_world(imports=deployed.services.imports)
    deployed.tries = 1

    result, shown = run(deployed, written(tmp_path / "a.ndjson", event(1)))

    assert result["status"] == "failed"
    assert shown[-1] == "failed: imports are closed in this deployment"


def test_an_import_that_failed_is_sent_again(deployed: Deployed, tmp_path: Path) -> None:
    file, open_ = written(tmp_path / "a.ndjson", event(1)), deployed.services
    deployed.services = make_world(imports=open_.imports)
    run(deployed, file)
    deployed.services = open_

    result, _ = run(deployed, file)

    assert (result["status"], len(deployed.puts)) == ("done", 2)


@dataclass(slots=True)
class Busy:
    """A place that still imports what was sent before, and then what is sent now."""

    results: list[dict[str, Any] | BaseException | None]
    sent: int = 0

    def send(self, name: str, file: Path, digest: str, told: OnSent) -> None:  # noqa: ARG002 - an ImportPlace
        self.sent += 1

    def result(self, name: str) -> dict[str, Any] | None:  # noqa: ARG002 - the same
        result = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        if isinstance(result, BaseException):
            raise result
        return result

    def refusals(self, result: dict[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: ARG002 - the same
        return iter(())


def progress(put: str, lines: int, status: str = "running") -> dict[str, Any]:
    counts = {"created": lines, "replayed": 0, "refused": 0, "refusals": []}
    done = {"lines": lines, "bytes_done": lines, "bytes_total": 10, "reason": "away"}
    done |= {"passes": 1, "passes_done": int(status == "done")}
    return {"put": put, "status": status, **counts, **done}


def test_an_import_that_is_interrupted_and_begun_again_shows_how_it_goes_on(tmp_path: Path) -> None:
    file, shown = written(tmp_path / "a.ndjson", event(1)), StringIO()
    before = [progress("1", 2), progress("1", 2), progress("1", 6), progress("1", 10, "done")]
    place: Any = Busy([*before, progress("2", 10, "done")])

    result = import_file(file, place, Console(file=shown), again=False, pause_s=0.001)

    assert (place.sent, result["put"], result["status"]) == (1, "2", "done")
    assert shown.getvalue().splitlines() == [
        "6 lines, 60 %",
        "10 lines, 100 %",
        "10 lines: 10 created, 0 replayed, 0 refused",
    ]


@pytest.mark.parametrize("fault", [Unavailable("slow"), ResourceExhausted("busy")])
def test_a_slow_answer_ends_no_import(tmp_path: Path, fault: DomainError) -> None:
    place: Any = Busy([None, progress("1", 2), fault, fault, progress("1", 10, "done")])
    file = written(tmp_path / "a.ndjson", event(1))

    result = import_file(file, place, Console(file=StringIO()), again=False, pause_s=0.001)

    assert result["status"] == "done"


def test_a_stack_that_is_gone_ends_the_wait_and_the_words_say_how_to_go_on(tmp_path: Path) -> None:
    place: Any = Busy([None, progress("1", 2), Unreachable("nobody answers")])
    file = written(tmp_path / "a.ndjson", event(1))

    with pytest.raises(Unavailable, match=r"nobody answers; .* give the same command again"):
        import_file(file, place, Console(file=StringIO()), again=False, pause_s=0.001)


def test_ctrl_c_says_that_the_import_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place: Any = Busy([None, progress("1", 2), KeyboardInterrupt()])
    file = written(tmp_path / "a.ndjson", event(1))

    with pytest.raises(KeyboardInterrupt):
        import_file(file, place, Console(file=StringIO()), again=False, pause_s=0.001)

    assert "the import goes on in the service; give the same command" in capsys.readouterr().err


def test_the_progress_of_a_stack_of_a_former_version_is_of_one_pass(tmp_path: Path) -> None:
    """Its results do not name passes."""
    file, shown = written(tmp_path / "a.ndjson", event(1)), StringIO()
    results = [progress("1", lines) for lines in (2, 6)] + [progress("1", 10, "done")]
    for each in results:
        del each["passes"], each["passes_done"]
    place: Any = Busy([progress("0", 1), *results])

    import_file(file, place, Console(file=shown), again=False, pause_s=0.001)

    assert shown.getvalue().splitlines() == [
        "2 lines, 20 %",
        "6 lines, 60 %",
        "10 lines, 100 %",
        "10 lines: 10 created, 0 replayed, 0 refused",
    ]


@pytest.mark.parametrize("status", ["running", "failed"])
def test_what_was_sent_before_is_not_taken_for_what_is_sent(
    tmp_path: Path, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_command, "PATIENCE_S", 0.005)
    file = written(tmp_path / "a.ndjson", event(1))
    place: Any = Busy([progress("1", 2), progress("1", 4, status)])

    with pytest.raises(Unavailable, match="nothing has happened"):
        import_file(file, place, Console(file=StringIO()), again=False, pause_s=0.001)


def test_it_does_not_wait_for_ever(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_command, "PATIENCE_S", 0.005)
    deployed.tries = 0

    with pytest.raises(Unavailable, match="nothing has happened"):
        run(deployed, written(tmp_path / "a.ndjson", event(1)))


LINES = "".join(f"{json.dumps(event(number))}\n" for number in range(3))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'[{"title": "Tea", "mapping": {}}, {"title": "Milk"}]', "one JSON array"),
        (json.dumps([event(1), event(2)], indent=2).encode(), "one JSON array"),
        (json.dumps(event(1), indent=2).encode(), "several lines"),
        (LINES.encode("utf-16"), "UTF-16"),
        (LINES.encode("utf-16-be"), "UTF-16"),
        (LINES.replace("\n", "\r").encode(), "CR"),
        (b'{"a": 1}\r{"a": 2}\n{"a": 3}\n', "CR"),
        (b'{"a": [{"b": 1},\n{"b": 2}],\n"c": 1}\n', "several lines"),
        (b"title,text\ntea,green\n", "no line begins with {"),
    ],
)
def test_a_file_that_is_no_ndjson_is_refused_in_one_sentence(
    content: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(content)

    assert main(["import", str(file), "--url", "http://127.0.0.1:9", "--api-key", "key"]) == 1

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"membrane import: {file} is not NDJSON")
    assert words in line


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        LINES,
        LINES.replace("\n", "\r\n"),
        f"\ufeff{LINES}",
        f"{{broken\n{LINES}",
        "{cut",
    ],
)
def test_a_file_with_lines_of_json_is_not_refused_as_a_whole(text: str, tmp_path: Path) -> None:
    file = tmp_path / "lines.ndjson"
    file.write_text(text, newline="")

    require_ndjson(file)
