"""Studies of a document over fakes, run at once."""

from dataclasses import dataclass, field

from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.violations import validate
from membrane.domain.study.jobs import Job
from membrane.domain.study.requests import StartStudy
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_study import StudyServices
from membrane.usecases.study.read_study import job_reply
from membrane.usecases.study.run_study import Rest, run_study
from membrane.usecases.study.start_study import start_study
from tests.fakes.study_world import studying
from tests.fakes.topic_world import fake_topics
from tests.worlds.tools import key

MANUAL = """# The kettle

Fill the kettle with water before use. Ada Lovelace designed the lid.

## Safety

Never open the lid while the water boils. The steam burns.

Keep children away from the kettle.
"""


@dataclass(slots=True)
class Student:
    """A caller with a key, and the worker that goes on with the caller's jobs."""

    principal: Principal = field(default_factory=key)
    services: StudyServices = field(default_factory=studying)

    def study(self) -> JsonObject:
        """The reply about a study that ran to its end."""
        request = validate(StartStudy, {"document": MANUAL, "title": "The kettle"})
        job_id = str(start_study(request, self.call(), self.services).body["id"])
        assert run_study(job_id, 1, self.services, lambda: False) == Rest("done")
        kept = self.services.studies.find(job_id)
        assert kept is not None
        return dict(job_reply(Job.of_json(kept.progress)))

    def call(self) -> Call:
        return Call(self.principal, "StartStudy", None, b"fingerprint")

    @property
    def topics(self) -> dict[str, Topic]:
        """The living topics by title."""
        every = fake_topics(self.services).topics.values()
        return {each.title: each for each in every if each.status is TopicStatus.ACTIVE}
