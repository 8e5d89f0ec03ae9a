"""The models of the local stack that follow a script, for a demo.

The chat keeps and finds sentences. It shows the way of a conversation, not the wit of a model.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from membrane.domain.capture.proposals import InterpreterPrompt, proposal_in
from membrane.domain.chat.turns import (
    Answer,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    UserTurn,
    tokens_of,
)
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.models import Proposed
from membrane.wiring.environment import PREFIX

SCRIPTED = "scripted"
"""The value of a parameter for a model that only the local stack knows, see LOCAL_VALUES."""


def word_in(text: str, word: str) -> "re.Match[str] | None":
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)


def is_scripted(environment: Mapping[str, str], setting: str) -> bool:
    return environment.get(f"{PREFIX}{setting}") == SCRIPTED


def without_scripts(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment for the settings of AWS, where a script counts as no model."""
    models = (f"{PREFIX}CHAT_MODEL", f"{PREFIX}INTERPRETER")
    return {
        name: value
        for name, value in environment.items()
        if name not in models or value != SCRIPTED
    }


_STATEMENT = re.compile(
    r"(?P<subject>[A-Z][\w-]{0,60}) (?P<verb>\w{1,30}) (?P<object>[^.!?\n]{1,200})"
)
_COMMAND = re.compile(r"/(\w+)\s*(\{.*\})?\s*", re.DOTALL)
_NOTHING = "I know nothing about this yet."


class ScriptedChat:
    """A ChatModel without a model: equal questions have equal answers.

    A question of the user is looked up, anything else is stored. Over topics, `Ada likes tea`
    becomes the field `likes` of the topic Ada. A message such as `/recall {"query": "tea"}` calls
    the tool with the arguments. Of a document to study, each passage becomes a topic.
    """

    name = SCRIPTED
    provider = SCRIPTED

    def answer(self, question: Question, timeout_s: float) -> Answer:  # noqa: ARG002 - the port's
        said, calls = _step(question)
        return Answer(said, calls, tokens_of(question), self.name)


def _step(question: Question) -> tuple[str, Sequence[ToolCall]]:
    text = next(each.text for each in reversed(question.turns) if isinstance(each, UserTurn))
    asks = text.rstrip().endswith("?")
    names = {each.name for each in question.tools}
    if not names:
        return ("query" if asks else "ingest"), ()
    answered = (turn for turn in question.turns if isinstance(turn, ResultsTurn))
    results = [result for turn in answered for result in turn.results]
    if text.startswith((FIRST_PHASE, SECOND_PHASE)):
        return _study(text, results)
    command = _COMMAND.fullmatch(text)
    if command:
        if results:
            return results[-1].text, ()
        return "", [ToolCall("1", command[1], _arguments_in(command[2] or "{}"))]
    if "recall" in names:
        if results:
            return (results[-1].text if asks else "I will remember."), ()
        if asks:
            return "", [ToolCall("1", "recall", {"query": text})]
        return "", [ToolCall("1", "remember", {"text": text})]
    return _over_topics(text, results, asks=asks)


def _arguments_in(text: str) -> JsonObject | str:
    """The JSON object; the text itself if the text is no JSON."""
    try:
        return dict(json.loads(text))
    except ValueError:
        return text


def _over_topics(
    text: str, results: Sequence[ToolResult], *, asks: bool
) -> tuple[str, Sequence[ToolCall]]:
    if not results:
        return "", [ToolCall("1", "memory_list_topics", {})]
    listed = json.loads(results[0].text).get("topics", [])
    topics = {each["title"]: each["id"] for each in listed}
    done = [json.loads(each.text) for each in results[1:]]
    return (_read if asks else _store)(text, topics, done)


def _read(
    text: str, topics: Mapping[str, str], done: Sequence[Mapping[str, Any]]
) -> tuple[str, Sequence[ToolCall]]:
    if done:
        return "\n".join(line for each in done for line in _lines_of(each)) or _NOTHING, ()
    named = [{"topic_id": topics[title]} for title in topics if word_in(text, title)]
    calls = [ToolCall(f"read-{at}", "memory_get_topic", each) for at, each in enumerate(named)]
    return ("" if calls else _NOTHING), calls


def _store(
    text: str, topics: Mapping[str, str], done: Sequence[Mapping[str, Any]]
) -> tuple[str, Sequence[ToolCall]]:
    """Make the absent topics, then write every field; each takes one round."""
    statements = list(_STATEMENT.finditer(text))
    subjects = dict.fromkeys(each["subject"] for each in statements)
    absent = [each for each in subjects if each not in topics]
    made = {title: each.get("topic_id", "") for title, each in zip(absent, done, strict=False)}
    if len(done) > len(absent) or not statements:
        return ("I noted this." if statements else _NOTHING), ()
    if len(made) < len(absent):
        asked = enumerate({"title": title} for title in absent)
        return "", [ToolCall(f"make-{at}", "memory_create_topic", each) for at, each in asked]
    known = {**topics, **made}
    return "", [
        _append(f"write-{at}", known[each["subject"]], each["verb"], each["object"].strip())
        for at, each in enumerate(statements)
    ]


def _append(call: str, topic_id: str, name: str, value: str) -> ToolCall:
    asked = {"topic_id": topic_id, "field_name": name, "value": value}
    return ToolCall(call, "memory_append_field", asked)


def _lines_of(read: Mapping[str, Any]) -> Iterator[str]:
    topic = read.get("topic", {})
    for name, field in topic.get("fields", {}).items():
        yield f"{topic['title']} {name} {field['value']}"


FIRST_PHASE, SECOND_PHASE = "Study phase A.", "Study phase B."
"""How the messages of the two phases begin; see `first_note` and `second_note`."""
_BEFORE_DOCUMENT = "\n\n---\n\n"
_CALLS = 30


def _study(text: str, results: Sequence[ToolResult]) -> tuple[str, Sequence[ToolCall]]:
    """The next text and calls: the topic of a passage, then its paragraphs; phase B looks on."""
    if text.startswith(SECOND_PHASE):
        look = [] if results else [ToolCall("look", "memory_list_topics", {})]
        return ("I left the topics as they are." if results else ""), look
    heading, *paragraphs = text.partition(_BEFORE_DOCUMENT)[2].strip().split("\n\n")
    heading = heading.lstrip("# ")
    if not results:
        return "", [ToolCall("make", "memory_create_topic", {"title": heading})]
    topic_id = json.loads(results[0].text).get("topic_id", "")
    left = list(enumerate(paragraphs, 1))[len(results) - 1 :][:_CALLS]
    if not topic_id or not left:
        return f"I made the topic {heading}.", ()
    return "", [_append(f"write-{at}", topic_id, f"p{at:04}", each) for at, each in left]


_BLOCK = re.compile(r"^BEGIN (\w+) (\w+)\n(.*?)\nEND \1 \2$", re.DOTALL | re.MULTILINE)
_FACT = re.compile(
    r"\b(?P<subject>[A-Z][\w-]{1,60}) (?P<predicate>owns|uses|runs|depends on)"
    r" (?P<object>[A-Za-z][\w-]{1,60})"
)
_CONFIDENCE = 0.9


class ScriptedInterpreter:
    """An Interpreter without a model: offered names in the content, and sentences of four verbs.

    `Ana owns billing` becomes the mentions Ana and billing and a fact with the predicate `owns`.
    Equal questions have equal answers.
    """

    name = SCRIPTED

    def interpret(self, prompt: InterpreterPrompt) -> Proposed:
        blocks = {name: text for name, _, text in _BLOCK.findall(prompt.user)}
        content = blocks.get("content", "")
        entities = [json.loads(line) for line in blocks.get("entities", "").splitlines()]
        facts = list(_FACT.finditer(content))
        mentions = {each["surface"].casefold(): each for each in _known_names(content, entities)}
        for each in facts:
            for name in (each["subject"], each["object"]):
                mentions.setdefault(name.casefold(), _mention(name, ""))
        found = {"mentions": [*mentions.values()], "facts": [_fact(each) for each in facts]}
        answer = {**found, "relations": [], "references": [], "labels": []}
        return Proposed(proposal_in(answer), prompt.tokens)


def _known_names(content: str, entities: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A mention for each offered entity whose name or alias the content has as a word."""
    for each in entities:
        for name in (each["name"], *each["aliases"]):
            found = word_in(content, name)
            if name and found:
                yield _mention(found[0], each["id"])
                break


def _mention(surface: str, entity_id: str) -> dict[str, Any]:
    found = {"surface": surface, "entity_kind": "", "entity_id": entity_id, "aliases": []}
    return {**found, "confidence": _CONFIDENCE, "words": surface}


def _fact(found: re.Match[str]) -> dict[str, Any]:
    parts = {**found.groupdict(), "predicate": found["predicate"].replace(" ", "_")}
    return {**parts, "confidence": _CONFIDENCE, "words": found[0]}
