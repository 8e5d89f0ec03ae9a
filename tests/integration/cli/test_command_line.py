"""What every command of `membrane` has in common: help, version, environment and completion."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from membrane_cli.cli import UNREAD, main
from membrane_cli.commands import COMMANDS, SHELLS, parser_of
from membrane_cli.http_client import HttpClient
from membrane_cli.options import USUAL_URL, Parser, connection, local_stack
from membrane_cli.shown_ids import note
from tests.e2e import programs
from tests.e2e.stack import MEMBRANE

SECONDS_TO_LOAD = {"boto3", "botocore", "moto", "numpy", "pydantic", "rich", "uvicorn", "urllib3"}


WHOLE = parser_of(COMMANDS)
ALL = list(WHOLE.and_below())


@pytest.mark.parametrize("parser", ALL, ids=[each.prog for each in ALL])
def test_every_help_explains_each_argument_and_ends_with_examples(parser: Parser) -> None:
    assert parser.examples
    assert all(each.help for each in parser.arguments())
    assert parser.format_help().endswith(f"{parser.examples[-1]}\n")


@pytest.mark.parametrize(
    "example",
    sorted({line for each in ALL for line in each.examples if "--help" not in line}),
)
def test_every_example_is_a_command_line_that_is_understood(
    example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMBRANE_URL", USUAL_URL)
    words = shlex.split(example.removeprefix('eval "$(').partition(")")[0].partition(" >")[0])

    assert words[0] == "membrane"
    assert parser_of(COMMANDS).parse_args(words[1:]).run


def test_help_says_defaults_and_no_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMBRANE_API_KEY", "very-secret")

    with pytest.raises(SystemExit):
        main(["dev", "--help"])
    with pytest.raises(SystemExit):
        main(["keys", "list", "--help"])

    shown = capsys.readouterr().out
    assert "(default: 8765)" in shown
    assert "(default: None)" not in shown
    assert "very-secret" not in shown


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])

    assert ended.value.code == 0
    assert capsys.readouterr().out == "membrane 0.1.0\n"


def test_help_loads_no_command() -> None:
    code = "import sys; from membrane_cli.cli import main\ntry: main(['--help'])\nfinally: "
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print(*sys.modules, file=sys.stderr)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert not SECONDS_TO_LOAD & set(done.stderr.split())


def test_the_bytes_of_a_command_line_are_utf8_whatever_the_locale(tmp_path: Path) -> None:
    file = tmp_path / "caf\u00e9.ndjson"
    file.write_text("[1]")
    document = tmp_path / "caf\u00e9.md"
    document.write_text("Text.")
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    word, path, listed = (
        subprocess.run([MEMBRANE, *words], env=plain, capture_output=True, text=True, check=False)
        for words in (
            ["caf\u00e9"],
            ["import", file, "--url", "http://127.0.0.1:9"],
            ["study", "--dry-run", document],
        )
    )

    assert r"invalid choice: 'caf\xe9'" in word.stderr
    assert "the file is one JSON array" in path.stderr
    assert listed.stdout.endswith("caf\\xe9.md\n")


def test_the_environment_says_where_the_api_is_unless_an_option_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parser = Parser("membrane")
    parser.add_connection()
    assert connection(parser.parse_args([])) == (USUAL_URL, None)

    monkeypatch.setenv("MEMBRANE_URL", "https://api.example")
    monkeypatch.setenv("MEMBRANE_API_KEY", "k")

    assert connection(parser.parse_args([])) == ("https://api.example", "k")
    assert connection(parser.parse_args(["--url", "http://a", "--api-key", "b"])) == (
        "http://a",
        "b",
    )


def test_the_environment_chooses_a_local_stack_where_no_option_chooses_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMBRANE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("MEMBRANE_API_KEY", "k")
    parser = Parser("membrane")
    parser.add_stack("where")

    assert local_stack(parser.parse_args([])) == HttpClient("http://127.0.0.1:9", "k")
    assert local_stack(parser.parse_args(["--stack", "production"])) is None


def test_an_address_of_the_environment_that_is_none_is_refused_by_its_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMBRANE_URL", "localhost:8765")
    note("7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67")  # as a command that reads a deployed stack

    assert main(["keys", "list"]) == 1

    assert capsys.readouterr().err == (
        "membrane keys: MEMBRANE_URL: expected an address that begins with http:// or https://\n"
    )


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["rember", "tea"], "remember"),
        (["list", "--limt", "3"], "--limit"),
        (["list", "--limt=3"], "--limit"),
        (["keys", "lst"], "list"),
        (["keys", "list", "--url", USUAL_URL, "--api-ky", "k"], "--api-key"),
        (["list", "--state", "deletd"], "deleted"),
    ],
)
def test_a_command_and_an_option_that_were_probably_meant_are_named(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"; did you mean {meant}?\n")


def test_a_word_like_no_other_is_refused_without_a_guess(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["list", "--zzz"])

    assert capsys.readouterr().err.endswith("membrane list: error: unrecognized arguments: --zzz\n")


@pytest.mark.parametrize("words", [["show", ""], ["history", ""], ["list", "--scope", ""]], ids=str)
def test_an_empty_word_is_refused_in_a_sentence(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--api-key", "k"]) == 1

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"membrane {words[0]}: ")


@pytest.mark.parametrize("command", [["list"], ["tail"], ["keys", "list"]], ids=str)
def test_an_address_or_a_key_that_no_request_can_have_is_refused(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for url in ("http://[::1", "http://", "http://a:b"):
        with pytest.raises(SystemExit) as ended:
            main([*command, "--url", url])
        assert ended.value.code == 2
        assert "expected an address" in capsys.readouterr().err
    assert main([*command, "--url", "http://127.0.0.1:9", "--api-key", "n\u00e9"]) == 1
    assert capsys.readouterr().err == (
        f"membrane {command[0]}: the API key has a character that no header carries\n"
    )


@pytest.mark.parametrize(
    ("words", "output", "reason"),
    [
        ("--version", ">&-", "is closed"),
        ("completion bash", ">/dev/full", "No space left on device"),
    ],
)
def test_output_that_cannot_be_written_is_told_in_a_sentence(
    words: str, output: str, reason: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {MEMBRANE} {words} {output}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_a_completion_script_is_printed_for_each_shell(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0

    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)
    assert "--max-sensitivity" in shown


COMPLETIONS = {
    "bash": """eval "$(cat)"; COMP_WORDS=(membrane rei) COMP_CWORD=1
               _shtab_membrane; echo "${COMPREPLY[@]}" """,
    "zsh": """autoload -U compinit; compinit -u -D; eval "$(cat)"; echo $_comps[membrane]""",
}
"""What completes `membrane rei`, and which function completes the command."""


@pytest.mark.parametrize(("shell", "expected"), [("bash", "reindex"), ("zsh", "_shtab_membrane")])
def test_bash_and_zsh_complete_by_it(shell: str, expected: str) -> None:
    program = programs.shell(shell)
    script = subprocess.check_output([MEMBRANE, "completion", shell], text=True)

    subprocess.run([program, "-n"], input=script, text=True, check=True)
    done = subprocess.run(
        [program, "-c", COMPLETIONS[shell]],
        input=script,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == [expected]


def test_a_command_whose_reader_leaves_ends_without_a_word() -> None:
    code = "import sys; from membrane_cli.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "completion", "bash"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    assert process.stderr

    process.stdout.close()

    with process.stderr:
        assert process.stderr.read() == ""
    assert process.wait() == UNREAD
