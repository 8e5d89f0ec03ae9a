"""The suite's tools that ask the client before they answer."""

from collections.abc import Callable

from membrane.adapters.aws_lambda.mcp.methods import CAPABILITIES, Call
from membrane.domain.language.json_text import JsonObject
from tests.mcp.contents import said, text
from tests.mcp.questions import (
    answers_in,
    elicitation,
    elicited,
    is_complete,
    required,
    roots,
    sampling,
    step_of,
)


def ask_name(call: Call) -> JsonObject:
    if name := elicited(call, "user_name", "name"):
        return said(text(f"Hello, {name}!"))
    return required({"user_name": elicitation("What is your name?", "name")})


def ask_model(call: Call) -> JsonObject:
    answer = answers_in(call).get("capital_question")
    if answer is None:
        return required({"capital_question": sampling("What is the capital of France?")})
    return said(text(str(answer["content"])))


def ask_roots(call: Call) -> JsonObject:
    answer = answers_in(call).get("client_roots")
    if answer is None:
        return required({"client_roots": roots()})
    return said(text(f"The client has the roots {answer['roots']}"))


def ask_confirmation(call: Call) -> JsonObject:
    if step_of(call) == "confirm" and elicited(call, "confirm", "ok"):
        return said(text("state-ok"))
    return required({"confirm": elicitation("Please confirm", "ok", "boolean")}, "confirm")


def ask_three_questions(call: Call) -> JsonObject:
    questions = {
        "user_name": elicitation("What is your name?", "name"),
        "greeting": sampling("Generate a greeting"),
        "client_roots": roots(),
    }
    if step_of(call) == "all" and is_complete(call, questions):
        return said(text(f"All of {', '.join(answers_in(call))}"))
    return required(questions, "all")


def ask_twice(call: Call) -> JsonObject:
    match step_of(call):
        case "name" if elicited(call, "step1", "name"):
            question = elicitation("Step 2: What is your favorite color?", "color")
            return required({"step2": question}, "color")
        case "color" if color := elicited(call, "step2", "color"):
            return said(text(f"The color is {color}"))
        case _:
            question = elicitation("Step 1: What is your name?", "name")
            return required({"step1": question}, "name")


def ask_what_the_client_can(call: Call) -> JsonObject:
    questions = {
        "name": elicitation("Your name?", "name"),
        "greeting": sampling("Greet"),
        "roots": roots(),
    }
    possible = {
        name: question
        for name, question in questions.items()
        if CAPABILITIES[question["method"]] in call.capabilities
    }
    if is_complete(call, possible):
        return said(text("All answered"))
    return required(possible)


ASKING: dict[str, Callable[[Call], JsonObject]] = {
    "test_missing_capability": ask_model,
    "test_streaming_elicitation": ask_name,
    "test_input_required_result_elicitation": ask_name,
    "test_input_required_result_sampling": ask_model,
    "test_input_required_result_list_roots": ask_roots,
    "test_input_required_result_request_state": ask_confirmation,
    "test_input_required_result_multiple_inputs": ask_three_questions,
    "test_input_required_result_multi_round": ask_twice,
    "test_input_required_result_tampered_state": ask_confirmation,
    "test_input_required_result_capabilities": ask_what_the_client_can,
}
