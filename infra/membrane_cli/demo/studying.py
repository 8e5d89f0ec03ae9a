"""Screen 6: a manual becomes topics, says where each fact stands, and is told again."""

from pathlib import Path
from tempfile import TemporaryDirectory

from membrane_cli.demo.stage import Stage, require

MANUAL = """# The kettle

Fill the kettle with water before use.

## Safety

Never open the lid while the water boils.

## Care

Descale the kettle every month.
"""
EDITION = MANUAL.replace("every month", "every two weeks")
HOW_OFTEN = "How often is limescale to be removed?"
HEADINGS = ("topics", "fields", "revisions", "unchanged", "withdrawn", "seconds", "state")


def show_study(stage: Stage) -> None:
    """Study a manual, ask, look up the place of the answer, and study the next edition."""
    stage.screen(
        "6. A manual becomes topics",
        "Sections become topics, paragraphs become fields; the next edition changes one field.",
    )
    client = stage.first.client
    with TemporaryDirectory() as folder:
        file = Path(folder, "kettle.md")
        for edition in (MANUAL, EDITION):
            file.write_text(edition, "utf-8")
            words = ("study", str(file), "--no-model", "--source", "kettle.md")
            stage.command(stage.first, HEADINGS, *words)
    stage.settle()
    answer = client.query_topics(HOW_OFTEN, top_k=1)
    found = answer.candidates[0]
    require(found.title == "Care", f"the question finds the topic {found.title}")
    field = client.read_field(found.topic_id, "p0001", with_history=True)
    rows = [(each.value, each.why_changed or "", each.provenance) for each in field.history]
    stage.say(f"{HOW_OFTEN} The topic {found.title}:")
    stage.show(("value", "why", "provenance"), rows)
    require(len(rows) == 2, f"the field has the history {rows}")  # noqa: PLR2004 - two editions
