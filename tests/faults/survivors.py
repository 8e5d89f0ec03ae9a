"""The mutants that no test kills, by the names that `mutants.py` gives, and why none can."""

SURVIVORS: dict[str, str] = {
    "adapters/dynamodb/erasure/fences.py remove condition 1": (
        "to delete an item that is not there changes nothing"
    ),
    "adapters/dynamodb/records/queues.py take_ticket condition 1": (
        "nothing but a queue is ever at the key; the condition says so, as each write alone has one"
    ),
    "adapters/dynamodb/documents/lists.py note condition 1": (
        "nothing but a receipt is ever at the key; the condition says so, as each write has one"
    ),
    **dict.fromkeys(
        [
            f"usecases/integrity/anchor_table.py {each} race 1"
            for each in ("_keep", "_after_signing")
        ],
        "the run fails under another name, and the next run reads what the other has kept",
    ),
    "adapters/dynamodb/records/store.py discard race 1": (
        "whoever removes the record tries again, and finds the removal complete"
    ),
    "table/index.py register condition 1": (
        "to add a level to a set that has the level changes nothing; the condition is for the cost"
    ),
    **dict.fromkeys(
        [f"usecases/erasure/remove_findings.py _after_removal retry {each}" for each in (3, 4)],
        "the job goes on with the finding in the next run, to the same end",
    ),
    "usecases/archive/write_export.py _failures_kept race 1": (
        "no failure can be kept where another run has taken the export over"
    ),
    "usecases/archive/write_export.py write_export race 1": (
        "the run fails, and the run that has taken the export over goes on"
    ),
    "usecases/imports/import_lines.py _failures_in_result race 1": (
        "no failure is saved where another run has taken over; a refused object's is saved twice"
    ),
    "usecases/learning/consolidate.py _attempt once 1": (
        "the run fails, and the next run finds the trace that another run has made"
    ),
    "usecases/learning/learn_from_traces.py _write_skill once 1": (
        "the run fails, and the next run finds the skill that another run has founded"
    ),
    "adapters/dynamodb/erasure/erasure_store.py keep_findings condition 1": (
        "nothing but a list is ever at the key; the condition says so, as each write alone has one"
    ),
    **dict.fromkeys(
        [f"table/long.py _commit_any race {each}" for each in (1, 2)],
        "whoever settles the change fails, and goes on with what is still marked at the next try",
    ),
    "table/long.py _commit_in_steps race 1": (
        "the change stays open, and whoever meets one of its marks settles it"
    ),
    **dict.fromkeys(
        [f"table/long.py settle race {each}" for each in (1, 2)],
        "whoever settles the change fails, and finds it settled at the next try",
    ),
    "usecases/topics/reasoning/reason_in_background.py keep race 1": (
        "the run fails at its end, and the run that came first goes on"
    ),
    "usecases/lifecycle/sweep_due.py _delete_absorbed race 1": (
        "the entity waits for the next sweep, which deletes what it has absorbed"
    ),
    "usecases/revision/derived_facts.py observe_derived fence 1": (
        "the write that links the evidence is refused behind the same fence"
    ),
    "usecases/search/reindex.py reindex retry 1": (
        "the step fails, and the next one begins where the step that came first has begun"
    ),
    **dict.fromkeys(
        [f"usecases/study/run_study.py {each} race 1" for each in ("run_study", "_fail", "_wait")],
        "the step fails, and the state machine's next try reads what another call changed",
    ),
    **dict.fromkeys(
        [f"usecases/topics/reasoning/forget_topics.py follow_up retry {each}" for each in (1, 2)],
        "the topic stays due, and the next look does what is left",
    ),
    "usecases/topics/reasoning/reason_in_background.py end race 1": (
        "the run fails at its end, and the run that has taken the pass over goes on"
    ),
    "usecases/topics/reasoning/reason_in_background.py _take_passes race 1": (
        "the scope is looked at again, and the pass is found in other hands"
    ),
    "usecases/topics/reasoning/reason_in_background.py _go_on race 1": (
        "the run fails at its end, and the run that has taken the pass over goes on"
    ),
    "usecases/topics/reasoning/reason_in_background.py take_passes retry 1": (
        "the scope waits for the next run, which takes what was noted, to the same end"
    ),
}
