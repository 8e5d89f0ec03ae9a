"""A file that an earlier release has exported is restored, and answers every read as before."""

import json
import lzma
from collections import Counter
from typing import Any

from tests.samples.former_export import FILE, answers_of, kept_answers, kept_memory, stand_still
from tests.worlds.agreed import OF_DOCUMENTS, LineKind
from tests.worlds.archiving import Pair, exported, lines_in, restored

CONTENT = lzma.decompress(FILE.read_bytes())


def test_the_file_has_every_kind_of_line_and_every_type_of_record() -> None:
    kinds = Counter(line.get("kind") for line in lines_in(CONTENT))
    types = {line["record"]["type"] for line in lines_in(CONTENT) if "record" in line}

    assert kinds.keys() - {None} == set(LineKind) - OF_DOCUMENTS - {LineKind.DAMAGED}
    assert types == {"episodic", "working", "semantic", "competence", "plan_graph", "entity"}


def test_a_restored_file_of_an_earlier_release_answers_every_read_as_before(pair: Pair) -> None:
    kept = kept_answers()
    api = pair.target
    stand_still(api, kept["now"])

    result = restored(api, CONTENT)

    assert (result["status"], result["refused"]) == ("done", 0), result
    answers = answers_of(api, kept_memory(api, kept), kept["halfway"])
    for name, found in answers.items():
        assert _beside_communities(found) == _beside_communities(kept["answers"][name]), name


def test_a_restored_file_is_exported_with_the_same_lines(pair: Pair) -> None:
    stand_still(pair.target, kept_answers()["now"])
    restored(pair.target, CONTENT)

    again = exported(pair.target)

    former = ("statement", "communities")
    kept = [line for line in _inner(CONTENT) if json.loads(line)["kind"] not in former]
    assert sorted(_inner(again)) == sorted(kept)


def _beside_communities(answer: Any) -> Any:
    """The answer without the numbers of communities, which the earlier release made otherwise."""
    match answer:
        case dict():
            shown = {name: each for name, each in answer.items() if name != "community"}
            return {name: _beside_communities(each) for name, each in shown.items()}
        case list():
            return [_beside_communities(each) for each in answer]
        case _:
            return answer


def _inner(content: bytes) -> list[str]:
    """The lines between the first and the last."""
    return [json.dumps(line) for line in lines_in(content)[1:-1]]
