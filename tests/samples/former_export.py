"""A memory that version 1 of the export format holds, and what the memory answered to readers.

`python -m tests.samples.former_export` has written both files: the clock stands still between two
actions, and ids ascend by the prelude of the comparison. Once a release writes another format, the
files stay as they are.
"""

import json
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from membrane_local.dev_options import DevOptions
from membrane_local.events import agenda
from tests.builders.random_memories import ACTIONS, Memory, Sent
from tests.builders.whole_payloads import WHOLE
from tests.compare.sides import PRELUDE
from tests.integration.conftest import NO_SCHEDULES
from tests.worlds.api import Api, api_over
from tests.worlds.archiving import BEGINNING, DEV, exported
from tests.worlds.quick_folders import quick_folder
from tests.worlds.reads import lists_of, metrics_of, past_of, records_of, repeats_of, topics_of

_HERE = Path(__file__).parent
FILE = _HERE / "export_v1.ndjson.xz"
"""Compressed: a single value of the bucket has 128 KiB."""
ANSWERS = _HERE / "export_v1.answers.json.xz"

FIRST = ("event", "observation", "full record", "messages", "new topic", "told topic", "field")
"""What later actions change."""
LAST = ("observation", "full record", "messages", "told topic", "long history", "long trail")
TWINS = ({"title": "twin", "summary": "one of two"}, {"title": "Twin", "summary": "the other"})
"""Topics that the reasoning merges."""
SEED = 4
STEP_S = 60


def answers_of(api: Api, memory: Memory, halfway: str) -> dict[str, Any]:
    """What every read of the memory answers, in JSON."""
    found = {
        "records": records_of(api, memory.ids),
        "past": past_of(api, memory.ids, halfway),
        "topics": topics_of(api, memory.topic_ids),
        "lists": lists_of(api),
        "metrics": metrics_of(api),
        "repeats": repeats_of(api, memory.sent),
    }
    return dict(json.loads(json.dumps(found)))


def kept_answers() -> Any:
    """The instant of the export, the ids to read, and the answers."""
    return json.loads(lzma.decompress(ANSWERS.read_bytes()))


def kept_memory(api: Api, kept: Any) -> Memory:
    """The memory of the file, behind other routes."""
    sent = [Sent(*each) for each in kept["sent"]]
    return Memory(api, Random(SEED), kept["ids"], kept["topic_ids"], sent)


def stand_still(api: Api, now: str) -> None:
    for asked in ({"frozen": True}, {"set": now}):
        assert api.post(f"{DEV}clock", asked).status == 200


def _live(memory: Memory) -> str:
    """Act in every way, with plans besides; the instant halfway."""
    api, halfway = memory.api, ""
    for payload in WHOLE.values():
        record = {"type": payload["kind"], "sensitivity": "low", "payload": payload}
        memory.send("POST", "/v1/records", {"record": record})
    for topic in TWINS:
        memory.send("POST", "/v1/topics", topic)
    others = sorted(ACTIONS.keys() - {"forget topics", "sweep"})
    for number, action in enumerate([*FIRST, *others, *LAST]):
        memory.act(action)
        assert api.get(f"{DEV}queues?wait").status == 200
        assert api.post(f"{DEV}clock", {"advance_seconds": STEP_S}).status == 200
        if number == len(others) // 2:
            halfway = api.get(f"{DEV}clock").body["now"]
    return halfway


def _write() -> None:
    agenda.WORKERS = 1
    with quick_folder() as folder:
        options = DevOptions(store=str(folder / "memory.db"), parameters=NO_SCHEDULES)
        with api_over(options) as api:
            stand_still(api, BEGINNING)
            memory = Memory(api, Random(SEED))
            halfway = _live(memory)
            content = exported(api)
            kept = {
                "now": api.get(f"{DEV}clock").body["now"],
                "halfway": halfway,
                "ids": memory.ids,
                "topic_ids": memory.topic_ids,
                "sent": [[each.method, each.path, each.body, each.key] for each in memory.sent],
                "answers": answers_of(api, memory, halfway),
            }
    for file, written in ((FILE, content), (ANSWERS, json.dumps(kept).encode())):
        file.write_bytes(lzma.compress(written))


if __name__ == "__main__":
    if "COMPARE_SECONDS" in os.environ:
        _write()
    else:
        with tempfile.NamedTemporaryFile("w") as seconds:
            seconds.write("0")
            seconds.flush()
            path = os.pathsep.join((str(PRELUDE), os.environ["PYTHONPATH"]))
            frozen = {"COMPARE_SECONDS": seconds.name, "PYTHONHASHSEED": "0", "PYTHONPATH": path}
            again = [sys.executable, "-m", "tests.samples.former_export"]
            sys.exit(subprocess.run(again, env=os.environ | frozen, check=False).returncode)
