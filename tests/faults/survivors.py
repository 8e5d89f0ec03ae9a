"""The mutants that no test kills, by the names that `mutants.py` gives, and why none can."""

SURVIVORS: dict[str, str] = {
    "adapters/dynamodb/erasure/fences.py remove condition 1": (
        "to delete an item that is not there changes nothing"
    ),
    "adapters/dynamodb/search/scope_registry.py register condition 1": (
        "to add a level to a set that has the level changes nothing; the condition is for the cost"
    ),
    "usecases/erasure/remove_findings.py _after_removal retry 5": (
        "the job goes on with the finding in the next run, to the same end"
    ),
    "usecases/imports/import_lines.py import_lines race 1": (
        "the run fails, and the event that comes again finds the later run's import"
    ),
    "usecases/learning/found_skills.py _write_skill once 1": (
        "the run fails, and the next run finds the skill that another run has founded"
    ),
    "usecases/topics/reasoning/passes.py take_passes retry 1": (
        "the scope waits for the next run, which takes what was noted, to the same end"
    ),
    "usecases/study/run_study.py run_study race 1": (
        "the step fails, and the state machine's next try reads what another call changed"
    ),
}
