"""A hook with a wrong command line says so and ends with 0: code 2 would block an agent."""

import pytest

from membrane_cli.commands import run


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("stop --agent codex", "--agent: expected claude-code or gemini-cli, not codex"),
        ("stop --agent", "--agent: expected claude-code or gemini-cli, not nothing"),
        ("start", "--agent: expected claude-code or gemini-cli, not nothing"),
        ("pause --agent claude-code", "the event: expected start or stop, not pause"),
        ("--agent claude-code", "the event: expected start or stop, not nothing"),
    ],
)
def test_a_hook_with_a_wrong_word_ends_with_a_sentence_and_0(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["hook", *words.split()]) == 0
    assert capsys.readouterr() == ("", f"membrane hook: {sentence}\n")
