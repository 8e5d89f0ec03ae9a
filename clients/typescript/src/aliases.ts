/** The snake_case names of Membrane's own client, beside the camelCase names. */
import type { Operations } from "./operations.js";

export const ALIASES = {
  ingest_event: "ingestEvent",
  ingest_tool_output: "ingestToolOutput",
  ingest_observation: "ingestObservation",
  ingest_outcome: "ingestOutcome",
  ingest_working_state: "ingestWorkingState",
  capture_memory: "captureMemory",
  retrieve_with_selection: "retrieveWithSelection",
  retrieve_by_id: "retrieveById",
  get_metrics: "getMetrics",
} as const;
export type Aliases = { [Alias in keyof typeof ALIASES]: Operations[(typeof ALIASES)[Alias]] };
