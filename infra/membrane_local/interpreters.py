"""The model of the local stack that follows a script, for a demo."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from membrane.domain.capture.interpreter_prompt import InterpreterPrompt
from membrane.domain.capture.proposals import proposal_in
from membrane.usecases.ports.models import Proposed
from membrane_local.chat_models import SCRIPTED, word_in

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
        answer: dict[str, Any] = {"relations": [], "references": [], "labels": []}
        answer |= {"mentions": [*mentions.values()], "facts": [_fact(each) for each in facts]}
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
