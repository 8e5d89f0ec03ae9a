"""The model of the local stack: scripted for a demo, or an endpoint on this machine."""

import pytest

from membrane.adapters.models.openai_interpreter import OpenAIInterpreter
from membrane.domain.capture.acceptance import accept_proposal
from membrane.domain.capture.interpreter_prompt import Candidate, prompt_of
from membrane.domain.capture.proposals import Proposal
from membrane.wiring.environment import SettingError
from membrane_local.interpreters import ScriptedInterpreter, local_interpreter, local_settings

CONTENT = "Ana owns billing.\nBilling depends on Ledger, says ledger-svc."
LEDGER = Candidate("e-1", "Ledger", ["ledger-svc"], is_entity=True)
OTHER = Candidate("e-2", "led", is_entity=True)
SCRIPTED = {"MEMBRANE_INTERPRETER": "scripted"}
LOOPBACK = {
    "MEMBRANE_INTERPRETER": "openai",
    "MEMBRANE_INTERPRETER_MODEL": "some-model",
    "MEMBRANE_INTERPRETER_URL": "http://localhost:11434/v1/chat/completions",
}


def scripted(content: str = CONTENT) -> Proposal:
    prompt = prompt_of(content, "", [LEDGER, OTHER], "5f3a9c0e7b21d846")
    return ScriptedInterpreter().interpret(prompt).proposal


def test_the_script_finds_offered_names_and_sentences_of_a_few_verbs() -> None:
    found = scripted()

    assert [(each.surface, each.entity_id) for each in found.mentions] == [
        ("Ledger", "e-1"),
        ("Ana", ""),
        ("billing", ""),
    ]
    assert [(each.subject, each.predicate, each.object) for each in found.facts] == [
        ("Ana", "owns", "billing"),
        ("Billing", "depends_on", "Ledger"),
    ]


def test_everything_that_the_script_says_rests_on_the_content() -> None:
    found = scripted()

    accepted = accept_proposal(found, ["e-1", "e-2"], CONTENT)

    assert accepted.dropped == {}
    assert scripted() == found
    assert scripted("nothing of note").mentions == ()


def test_the_script_is_chosen_by_name() -> None:
    assert isinstance(local_interpreter(SCRIPTED), ScriptedInterpreter)
    assert local_settings(SCRIPTED).daily_tokens == 1_000_000
    assert local_interpreter({}) is None


def test_an_endpoint_on_this_machine_may_be_http() -> None:
    interpreter = local_interpreter(LOOPBACK)

    assert isinstance(interpreter, OpenAIInterpreter)
    assert interpreter.endpoint.host == "localhost"


def test_a_bad_setting_is_refused_as_in_aws() -> None:
    with pytest.raises(SettingError, match="MEMBRANE_INTERPRETER_MODEL: must be empty"):
        local_settings({**SCRIPTED, "MEMBRANE_INTERPRETER_MODEL": "some-model"})
