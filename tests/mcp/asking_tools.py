"""The suite's tools that ask the client before they answer."""

from collections.abc import Callable

from membrane.adapters.aws_lambda.mcp.features import Exchange, InputRequired, ToolResult
from membrane.adapters.aws_lambda.mcp.methods import CAPABILITIES
from tests.mcp.contents import text
from tests.mcp.questions import (
    elicitation,
    elicited,
    is_complete,
    required,
    roots,
    sampling,
    step_of,
)

Answer = ToolResult | InputRequired


def ask_name(exchange: Exchange) -> Answer:
    if name := elicited(exchange, "user_name", "name"):
        return ToolResult([text(f"Hello, {name}!")])
    return required({"user_name": elicitation("What is your name?", "name")})


def ask_model(exchange: Exchange) -> Answer:
    answer = exchange.input_responses.get("capital_question")
    if answer is None:
        return required({"capital_question": sampling("What is the capital of France?")})
    return ToolResult([text(str(answer["content"]))])


def ask_roots(exchange: Exchange) -> Answer:
    answer = exchange.input_responses.get("client_roots")
    if answer is None:
        return required({"client_roots": roots()})
    return ToolResult([text(f"The client has the roots {answer['roots']}")])


def ask_confirmation(exchange: Exchange) -> Answer:
    if step_of(exchange) == "confirm" and elicited(exchange, "confirm", "ok"):
        return ToolResult([text("state-ok")])
    return required({"confirm": elicitation("Please confirm", "ok", "boolean")}, "confirm")


def ask_three_questions(exchange: Exchange) -> Answer:
    questions = {
        "user_name": elicitation("What is your name?", "name"),
        "greeting": sampling("Generate a greeting"),
        "client_roots": roots(),
    }
    if step_of(exchange) == "all" and is_complete(exchange, questions):
        return ToolResult([text(f"All of {', '.join(exchange.input_responses)}")])
    return required(questions, "all")


def ask_twice(exchange: Exchange) -> Answer:
    match step_of(exchange):
        case "name" if elicited(exchange, "step1", "name"):
            question = elicitation("Step 2: What is your favorite color?", "color")
            return required({"step2": question}, "color")
        case "color" if color := elicited(exchange, "step2", "color"):
            return ToolResult([text(f"The color is {color}")])
        case _:
            question = elicitation("Step 1: What is your name?", "name")
            return required({"step1": question}, "name")


def ask_what_the_client_can(exchange: Exchange) -> Answer:
    questions = {
        "name": elicitation("Your name?", "name"),
        "greeting": sampling("Greet"),
        "roots": roots(),
    }
    possible = {
        name: question
        for name, question in questions.items()
        if CAPABILITIES[question["method"]] in exchange.capabilities
    }
    if is_complete(exchange, possible):
        return ToolResult([text("All answered")])
    return required(possible)


ASKING: dict[str, Callable[[Exchange], Answer]] = {
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
