"""A question to a chat model and the answer: the turns of a dialogue, with calls of tools.

A long dialogue is shortened to the room that a question has.
"""

from collections.abc import Sequence
from typing import NamedTuple

from membrane.domain.language.errors import TooLarge
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.search.prompts import tokens_in


class UserTurn(NamedTuple):
    """What the user said."""

    text: str


class ToolCall(NamedTuple):
    """A call that the model asks for."""

    id: str
    """The model's own name for the call; the result refers to the name."""
    name: str
    arguments: JsonObject | str
    """The arguments; a text that is no JSON object where the model failed to write one."""


class ModelTurn(NamedTuple):
    """What the model said, and the calls that the model asked for."""

    text: str
    calls: Sequence[ToolCall] = ()


class ToolResult(NamedTuple):
    """The result of a call, as the model reads it."""

    call_id: str
    text: str
    is_error: bool = False


class ResultsTurn(NamedTuple):
    """The results of all calls of the model's turn before, in the order of the calls."""

    results: Sequence[ToolResult]


Turn = UserTurn | ModelTurn | ResultsTurn


class OfferedTool(NamedTuple):
    """A tool that the model may call."""

    name: str
    description: str
    schema: JsonObject
    """The JSON schema of the arguments."""


class Question(NamedTuple):
    """Everything that one request to a model has."""

    system: str
    turns: Sequence[Turn]
    """User and model alternate, and the last turn is the user's or holds results."""
    tools: Sequence[OfferedTool] = ()
    max_tokens: int = 4_000
    """The most tokens of the answer."""
    temperature: float = 0.2
    must_call: bool = False
    """Whether the answer must call a tool."""


class Answer(NamedTuple):
    """A model's answer: a text, calls of tools, or both."""

    text: str
    calls: Sequence[ToolCall]
    tokens: int | None
    """The tokens of question and answer as counted by the model; None without a count."""
    model: str
    """The name of the model that answered, as the endpoint reports the name."""


MAX_QUESTION_TOKENS = 100_000
"""The most tokens of a question: the window of common models, with room for the answer."""

MAX_KEPT_CHARACTERS = 200
"""Arguments and results up to this length are not worth shortening."""

SHORTENED = "(left out to save room; call the tool again if you need the result)"


def tokens_of(question: Question) -> int:
    """An estimate of the question's tokens, rather too many than too few."""
    tools = sum(tokens_in(compact_json(each._asdict())) for each in question.tools)
    return tokens_in(question.system) + tools + sum(map(_tokens_of_turn, question.turns))


def within_room(question: Question) -> Question:
    """The question within MAX_QUESTION_TOKENS: the oldest calls of tools are shortened first.

    The newest turn stays. Raises TooLarge if the dialogue, or the newest results, are too long.
    """
    excess = tokens_of(question) - MAX_QUESTION_TOKENS
    turns = list(question.turns)
    for at, turn in enumerate(turns[:-1]):
        if excess <= 0:
            break
        turns[at] = shorter = _shorter_turn(turn)
        excess -= _tokens_of_turn(turn) - _tokens_of_turn(shorter)
    if excess > 0:
        raise _too_long(turns)
    return question._replace(turns=turns)


def _too_long(turns: Sequence[Turn]) -> TooLarge:
    limit = f"more than {MAX_QUESTION_TOKENS} tokens"
    if isinstance(turns[-1], ResultsTurn):
        return TooLarge(f"the conversation with the results of its tools has {limit}")
    return TooLarge(
        f"the last turns of the conversation have {limit}; lower intent_turns or shorten messages"
    ).at("messages")


def _shorter_turn(turn: Turn) -> Turn:
    """The turn without long arguments and results; the words of user and model stay."""
    match turn:
        case UserTurn():
            return turn
        case ModelTurn(text, calls):
            return ModelTurn(text, [_shorter_call(each) for each in calls])
        case ResultsTurn(results):
            return ResultsTurn([_shorter_result(each) for each in results])


def _shorter_call(call: ToolCall) -> ToolCall:
    is_short = len(_argument_text(call.arguments)) <= MAX_KEPT_CHARACTERS
    return call if is_short else call._replace(arguments={"note": SHORTENED})


def _shorter_result(result: ToolResult) -> ToolResult:
    is_short = len(result.text) <= MAX_KEPT_CHARACTERS
    return result if is_short else result._replace(text=SHORTENED)


def _tokens_of_turn(turn: Turn) -> int:
    return sum(map(tokens_in, _texts_of(turn)))


def _texts_of(turn: Turn) -> Sequence[str]:
    match turn:
        case UserTurn(text):
            return [text]
        case ModelTurn(text, calls):
            return [text, *(f"{each.name}{_argument_text(each.arguments)}" for each in calls)]
        case ResultsTurn(results):
            return [each.text for each in results]


def _argument_text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else compact_json(arguments)


def tokens_of_answer(answer: Answer) -> int:
    """An estimate of the answer's tokens."""
    return _tokens_of_turn(ModelTurn(answer.text, answer.calls))
