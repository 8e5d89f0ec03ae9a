"""An act for every route and every job."""

from tests.faults.crossings import RACES
from tests.faults.job_acts import JOBS
from tests.faults.laden_acts import LADEN
from tests.faults.record_acts import RECORDS
from tests.faults.topic_acts import DOCUMENTS, TOPICS

SHARED = (
    "of a conflict",
    "of two",
    "of a retracted fact",
    "of several",
    "of a first fact",
    "after one",
    "of merged entities",
    "of an interpreted capture",
    "of a taken name",
    "of a shared word",
)
"""The states whose acts are disturbed as well as crossed."""

ACTS = (
    *RECORDS,
    *TOPICS,
    *DOCUMENTS,
    *JOBS,
    *LADEN,
    *(act for act, _ in RACES if act.name.endswith(SHARED)),
)
