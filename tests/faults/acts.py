"""An act for every route and every job."""

from tests.faults.job_acts import JOBS
from tests.faults.laden_acts import LADEN
from tests.faults.record_acts import RECORDS
from tests.faults.topic_acts import DOCUMENTS, TOPICS

ACTS = (*RECORDS, *TOPICS, *DOCUMENTS, *JOBS, *LADEN)
