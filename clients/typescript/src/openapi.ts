// Written by `npm run generate` from infra/openapi.yaml.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A sign of life, without access to the store. */
        get: operations["Health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decay/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What would be pruned by when, if another policy applied to what there is from now on.
         * @description Needs the permission `read`.
         */
        post: operations["PreviewDecay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The topics of a scope, or of all, with what links them; or those around one topic.
         * @description Needs the permission `read`.
         */
        get: operations["ReadGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What is told of a topic, and where it belongs: as it says, or as the service finds.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requests of the ingest RPCs, each with the name of its `rpc`.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A discrete event.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/observation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A fact that was observed; it holds under `conditions`, from `start` on and before `end`.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestObservation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * How an episode, already recorded, ended.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/tool-output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * One call of a tool, with what went in and what came out.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestToolOutput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/working-state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A snapshot of a task in flight.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestWorkingState"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Messages of one thread, in their order; `session` is another word for `thread_id`.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What there is, counted; `trust` names the scopes.
         * @description Needs the permission `read`.
         */
        get: operations["GetMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What topics have to say to a question.
         * @description Needs the permission `read`.
         */
        post: operations["QueryTopics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reason": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for duplicates and for what is to be forgotten in a scope; by default only look.
         * @description Needs the permission `revise`.
         */
        post: operations["Reason"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reason/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was done with the topics of a scope, the newest first.
         * @description Needs the permission `read`.
         */
        get: operations["ReadActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why a retrieval answered as it did.
         * @description Needs the permission `read`.
         */
        get: operations["ReadReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The records of a scope or of all, of a type or of all, the most salient first.
         * @description Needs the permission `read`.
         */
        get: operations["ListRecords"];
        put?: never;
        /**
         * A full record of any type.
         * @description Needs the permission `ingest`.
         */
        post: operations["IngestRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace several records by a new one.
         * @description Needs the permission `revise`.
         */
        post: operations["Merge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One record, as it is or as it was; or the newest of those that replaced it.
         * @description Needs the permission `read`.
         */
        get: operations["RetrieveByID"];
        put?: never;
        post?: never;
        /**
         * Delete one record; `erase` removes what it says for good, also of one that is deleted.
         * @description Needs the permission `revise`.
         */
        delete: operations["DeleteRecord"];
        options?: never;
        head?: never;
        /**
         * Give a record another scope, sensitivity or tags, or take it up again.
         * @description Needs the permission `revise`.
         */
        patch: operations["Reclassify"];
        trace?: never;
    };
    "/v1/records/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The audit trail of one record, which may have been deleted, the oldest entry first.
         * @description Needs the permission `read`.
         */
        get: operations["ReadAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/contest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that something speaks against a record.
         * @description Needs the permission `revise`.
         */
        post: operations["Contest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a new record beside one that stays as it is.
         * @description Needs the permission `revise`.
         */
        post: operations["Fork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/lifecycle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Another decay profile, deletion policy, or both.
         * @description Needs the permission `revise`.
         */
        patch: operations["ChangeLifecycle"];
        trace?: never;
    };
    "/v1/records/{id}/penalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The record did harm or no good: its salience falls by `amount`.
         * @description Needs the permission `revise`.
         */
        post: operations["Penalize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep the record's salience as it is now.
         * @description Needs the permission `revise`.
         */
        post: operations["Pin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/reinforce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The record proved useful: its salience rises by its reinforcement gain.
         * @description Needs the permission `revise`.
         */
        post: operations["Reinforce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide about a contested record.
         * @description Needs the permission `revise`.
         */
        post: operations["Resolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a deleted record back.
         * @description Needs the permission `admin`.
         */
        post: operations["RestoreRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/retract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a record back; it is kept for reading.
         * @description Needs the permission `revise`.
         */
        post: operations["Retract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/supersede": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace one record by a new one, which stays in its scope and is as sensitive at least.
         * @description Needs the permission `revise`.
         */
        post: operations["Supersede"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/unpin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the record fade again, from now on.
         * @description Needs the permission `revise`.
         */
        post: operations["Unpin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The versions of one record, the oldest first.
         * @description Needs the permission `read`.
         */
        get: operations["ReadVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What is worth knowing for a task or, without a task descriptor, what is most salient.
         * @description Needs the permission `read`.
         */
        post: operations["Retrieve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system-context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What agents are told of their role and surroundings.
         * @description Needs the permission `read`.
         */
        get: operations["ReadSystemContext"];
        /**
         * What every agent is told of its role and its surroundings, both at once.
         * @description Needs the permission `admin`.
         */
        put: operations["ChangeSystemContext"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of a thread: its latest working state, and the earlier ones behind it.
         * @description Needs the permission `read`.
         */
        get: operations["ReadThread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The topics of a scope, or of all, by the salience that they were given; as ListRecords.
         * @description Needs the permission `read`.
         */
        get: operations["ListTopics"];
        put?: never;
        /**
         * A topic without fields.
         * @description Needs the permission `ingest`.
         */
        post: operations["CreateTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One topic with the histories of its fields, as they are or as they were.
         * @description Needs the permission `read`.
         */
        get: operations["ReadTopic"];
        put?: never;
        post?: never;
        /**
         * Hide a topic from all but its restoring.
         * @description Needs the permission `revise`.
         */
        delete: operations["DeleteTopic"];
        options?: never;
        head?: never;
        /**
         * Other words for a topic, another salience from now on, archiving and taking it up again.
         * @description Needs the permission `revise`.
         */
        patch: operations["ChangeTopic"];
        trace?: never;
    };
    "/v1/topics/{id}/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * One revision more of a field.
         * @description Needs the permission `ingest`.
         */
        post: operations["AppendField"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/fields/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One field of a topic, by its whole name; `archived` also reads what left the table.
         * @description Needs the permission `read`.
         */
        get: operations["ReadField"];
        put?: never;
        post?: never;
        /**
         * Delete a field, or a nested bundle with all its fields; their histories are kept.
         * @description Needs the permission `revise`.
         */
        delete: operations["DeleteField"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/fields/{name}/ref": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Point a field at a topic; nothing, or null, clears it.
         * @description Needs the permission `revise`.
         */
        put: operations["SetFieldRef"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/nest-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show fields as one.
         * @description Needs the permission `revise`.
         */
        post: operations["NestFields"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/promote-nested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make fields a topic of their own, to which their topic is related then.
         * @description Needs the permission `revise`.
         */
        post: operations["PromoteFields"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/relationships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link a topic to another.
         * @description Needs the permission `ingest`.
         */
        post: operations["AddRelationship"];
        /**
         * Remove such a link.
         * @description Needs the permission `revise`.
         */
        delete: operations["RemoveRelationship"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a deleted topic back.
         * @description Needs the permission `revise`.
         */
        post: operations["RestoreTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/undo-nested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the fields of a topic back that was made of them.
         * @description Needs the permission `revise`.
         */
        post: operations["UndoPromotion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/unmerge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a topic out again of the one that it was merged into; `id` is its own.
         * @description Needs the permission `revise`.
         */
        post: operations["UnmergeTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}/unnest-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the fields of a bundle by themselves again.
         * @description Needs the permission `revise`.
         */
        post: operations["UnnestFields"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A value to come: `size` bytes of JSON text of that `sha256` (hex).
         * @description Needs the permission `ingest`.
         */
        post: operations["OpenUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A page of the action log, the newest action first. */
        ActionList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The scope of the topics. */
            scope: string;
            /** @description The actions. */
            actions: components["schemas"]["TopicAction"][];
        };
        /** @description Link a topic to another. */
        AddRelationship: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            to_topic_id: string;
            kind: string;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The answer to a retrieval: records, or with the view `prompt` a prompt. */
        Answer: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The records, the best first: whole, or brief with the view `brief`. Absent with the view `prompt`. */
            records?: (components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"] | components["schemas"]["BriefRecord"])[];
            /** @description The memories as one text; absent unless the view is `prompt`. */
            prompt?: components["schemas"]["Prompt"];
            /** @description How well each found record answers the task, by id, comparable between calls; absent without a task. */
            scores?: {
                [key: string]: number;
            };
            /** @description The choice among skills and plans; absent without candidates. */
            selection?: components["schemas"]["Selection"];
            /** @description The receipt explains the answer for 7 days; absent where the receipt could not be stored in time. */
            receipt_id?: string;
        };
        /** @description Why a retrieval answered as it did. */
        AnswerReceipt: {
            /** @description The id of the receipt. */
            id: string;
            /** @description Who asked. */
            principal: string;
            /** @description When the retrieval ran. */
            asked_at: components["schemas"]["Timestamp-Output"];
            /** @description The request; long texts are cut. */
            query: {
                [key: string]: unknown;
            };
            /** @description The trust of key and request together: the most that the answer could hold. */
            trust: components["schemas"]["ReceiptTrust"];
            /** @description The number of records on the page. */
            returned: number;
            /** @description The number of candidates, explained or not. */
            considered: number;
            /** @description The explained candidates, the best first, as many as the receipt has room for. */
            candidates: components["schemas"]["ExplainedCandidate"][];
            /** @description The number of candidates below the score floor. */
            left_out: number;
            /** @description The number of candidates that the key shows in full and the trust of the request does not: a lower bound, since no search runs for the count. */
            withheld: number;
            /** @description The number of candidates beyond the rights of the key; absent unless the reader is `admin`. */
            hidden?: number;
        };
        /** @description One revision more of a field. */
        AppendField: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            field_name: string;
            /** @description Any JSON value, in place. */
            value?: unknown | null;
            /** @description Absent: the field's own, and of a new field the value's. */
            field_type?: components["schemas"]["FieldType"] | null;
            ref_topic_id?: string | null;
            why_changed?: string | null;
            impact_expected?: string | null;
            /** @default ui */
            provenance?: string | null;
            valid_from?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @default 500 */
            max_history?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A new revision of a field. */
        AppendedField: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The id of the revision. */
            version_id: string;
        };
        /**
         * @description The kind of change in an audit entry.
         * @enum {string}
         */
        AuditAction: "create" | "revise" | "fork" | "merge" | "delete" | "reinforce" | "decay";
        /** @description A change of a record: who, when and why, chained to the previous entry. */
        AuditEntry: {
            /** @description What was done. */
            action: components["schemas"]["AuditAction"];
            /** @description Who did so, as the caller states; empty once erased. */
            actor: string;
            /** @description When the change was written. */
            timestamp: components["schemas"]["Timestamp-Output"];
            /** @description Why, as the caller states; empty once erased. */
            rationale: string;
            /** @description The authenticated identity behind the change. */
            principal: string;
            /** @description The `hash` of the previous entry. */
            previous_hash: string;
            /** @description The hash of the entry; covers `previous_hash`. */
            hash: string;
            /** @description Random hex under the hash of the free text; absent once erased. */
            salt?: string;
            /** @description The hash of actor and rationale, in place of the erased text; else absent. */
            text_hash?: string;
            /** @description The salience before the change; absent unless the change moved the salience. */
            salience_before?: number;
            /** @description The salience after the change; absent unless the change moved the salience. */
            salience_after?: number;
        };
        /** @description A page of the audit trail of a record, the oldest entry first. */
        AuditTrail: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The entries of the page. */
            audit_log: components["schemas"]["AuditEntry"][];
            /** @description The number of entries of the whole trail. */
            audit_count: number;
            /** @description When the record was deleted; null for a record that is not deleted. */
            deleted_at: components["schemas"]["Timestamp-Output"] | null;
            /** @description Whether the entries are intact; absent unless the request has `verify`. */
            verified?: boolean;
            /** @description The position in the trail of the first entry that is not intact; null where all are. */
            broken_at?: number | null;
            /** @description The number of verified entries, from the first of the trail, or on a later page of the page. */
            verified_entries?: number;
        };
        /** @description A record without the envelope. */
        BareRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            id?: components["schemas"]["RecordId"] | null;
            type: components["schemas"]["MemoryType"];
            sensitivity: components["schemas"]["Sensitivity"];
            /** @default 1 */
            confidence?: number;
            /** @default 1 */
            salience?: number;
            scope?: components["schemas"]["Scope"] | null | "";
            tags?: string[];
            lifecycle?: components["schemas"]["LifecycleInput"];
            provenance?: components["schemas"]["ProvenanceInput"];
            relations?: components["schemas"]["Relation-Input"][];
            payload: components["schemas"]["EpisodicPayload-Input"] | components["schemas"]["WorkingPayload-Input"] | components["schemas"]["SemanticPayload-Input"] | components["schemas"]["CompetencePayload-Input"] | components["schemas"]["PlanGraphPayload-Input"] | components["schemas"]["EntityPayload-Input"];
            created_at?: unknown;
            updated_at?: unknown;
            audit_log?: unknown;
            audit_count?: unknown;
        };
        /** @description The id of a record of a batch whose records together are too large for a reply. */
        BatchRecordId: {
            /** @description The id of the record. */
            id: string;
        };
        /** @description The results of a batch. */
        BatchReply: {
            /** @description An entry for each item, in the order of the items. */
            results: (components["schemas"]["BatchedRecord"] | components["schemas"]["BatchedMessages"] | components["schemas"]["RefusedItem"])[];
        };
        /** @description An item of a batch that became the records of messages. */
        BatchedMessages: {
            /**
             * @description The HTTP status that the item would have had alone.
             * @enum {integer}
             */
            status: 200 | 201;
            /** @description The thread of the messages. */
            thread_id: string;
            /** @description The turn of the first message; null where a repeat finds nothing but tombstones. */
            first_turn: number | null;
            /** @description The turn of the next message of the thread; null where a repeat finds nothing but tombstones. */
            next_turn: number | null;
            /** @description A token for each record that was not deleted: a retrieval with the tokens sees the messages before the index does. */
            consistency_tokens: string[];
            /** @description The records in the order of the turns, or their ids alone where the records of the batch together are too large for a reply. */
            records: (components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"] | components["schemas"]["BatchRecordId"])[];
        };
        /** @description An item of a batch that became a record. */
        BatchedRecord: {
            /**
             * @description The HTTP status that the item would have had alone.
             * @enum {integer}
             */
            status: 200 | 201;
            /** @description The record, or the id alone where the records together are too large for a reply. */
            record: components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"] | components["schemas"]["BatchRecordId"];
            /** @description A retrieval with the token sees the write before the index does; absent for a deleted record. */
            consistency_token?: string;
        };
        /** @description A record with the view `brief`. */
        BriefRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description The memory type of the record. */
            type: components["schemas"]["MemoryType"];
            /** @description The content as text; a longer text ends in an ellipsis. Null for a redacted record. */
            text: string | null;
            /** @description How well the record answers the task; null without a task, and for a record without a known score. */
            score: number | null;
            /** @description The salience as of the instant of reading. */
            salience: number;
            /** @description When the content happened; for a redacted record, when the record was made. */
            when: components["schemas"]["Timestamp-Output"];
            /** @description Who said or reported the content, else who made the record. Null for a redacted record. */
            who: string | null;
            /** @description The scope of the record; empty for an unscoped record. */
            scope: string;
            /** @description The tags of the record. */
            tags: string[];
        };
        /** @description A field of a found topic, or a group of fields. */
        BundledField: {
            /** @description The name of the field or of the group. */
            name: string;
            /** @description The type of the values. */
            field_type: components["schemas"]["FieldType"];
            /** @description The topic that the field refers to; null without a reference or for a hidden topic. */
            ref_topic_id: string | null;
            /** @description The current revision. */
            current: components["schemas"]["BundledRevision"];
            /** @description The revisions, the newest first; empty where `history_limit` is 0. */
            history: components["schemas"]["BundledRevision"][];
        };
        /** @description A revision of a found field. */
        BundledRevision: {
            /** @description The id of the revision. */
            id: string;
            /** @description The value, any JSON; a link where the reply has no room for a large value. */
            value: components["schemas"]["JsonValue-Output"];
            /** @description The instant from which the value holds. */
            valid_from: components["schemas"]["Timestamp-Output"];
            /** @description The origin of the value, in the words of the caller. */
            provenance: string;
            /** @description Why the value changed; null where nobody said, or the reason names a hidden topic. */
            why_changed: string | null;
            /** @description The expected effect of the change; null where nobody said. */
            impact_expected: string | null;
        };
        /** @description Which tool was called, and with which arguments: an object, or its JSON text. */
        CalledFunction: {
            name: string;
            arguments?: {
                [key: string]: unknown;
            } | string | null;
        };
        /** @description Another decay profile, deletion policy, or both. */
        ChangeLifecycle: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            decay?: components["schemas"]["DecayChange"] | null;
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What every agent is told of its role and its surroundings, both at once. */
        ChangeSystemContext: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            system_role: string;
            runtime_context: string;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Other words for a topic, another salience from now on, archiving and taking it up again. */
        ChangeTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            title?: string | null;
            summary?: string | null;
            topic_kind?: string | null;
            salience?: number | null;
            archived?: boolean | null;
            sensitivity?: components["schemas"]["Sensitivity"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A topic that was made or changed. */
        ChangedTopic: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The id of the topic. */
            topic_id: string;
        };
        /** @description A skill: what triggers it, its steps, how well it works. */
        "CompetencePayload-Input": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "competence";
            skill_name: string;
            triggers: components["schemas"]["Trigger-Input"][];
            recipe: components["schemas"]["RecipeStep-Input"][];
            required_tools?: string[];
            failure_modes?: string[];
            fallbacks?: string[];
            performance?: components["schemas"]["PerformanceStats-Input"] | null;
            version?: string;
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A skill: what triggers it, its steps, how well it works. */
        "CompetencePayload-Output": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "competence";
            skill_name: string;
            triggers: components["schemas"]["Trigger-Output"][];
            recipe: components["schemas"]["RecipeStep-Output"][];
            required_tools?: string[];
            failure_modes?: string[];
            fallbacks?: string[];
            performance?: components["schemas"]["PerformanceStats-Output"];
            version?: string;
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /**
         * @description The answer to an observation that conflicts with a fact.
         * @enum {string}
         */
        ConflictPolicy: "keep" | "replace" | "fork" | "contest";
        /** @description A limit that the task works under. */
        "Constraint-Input": {
            type?: string;
            key?: string;
            value?: components["schemas"]["JsonValue-Input"];
            required?: boolean;
        };
        /** @description A limit that the task works under. */
        "Constraint-Output": {
            type: string;
            key: string;
            value: components["schemas"]["JsonValue-Output"];
            required?: boolean;
        };
        /** @description Say that something speaks against a record. */
        Contest: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            contesting_ref?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A change of the system context. */
        ContextChange: {
            /** @description When the context changed. */
            at: components["schemas"]["Timestamp-Output"];
            /** @description Who changed the context. */
            by: string;
        };
        /** @description A topic without fields. */
        CreateTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @default untitled */
            title?: string | null;
            summary?: string | null;
            topic_kind?: string | null;
            /** @default 1 */
            salience?: number | null;
            topic_id?: components["schemas"]["RecordId"] | "" | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Of a decay profile what is to be another; what is left out stays. */
        DecayChange: {
            curve?: components["schemas"]["DecayCurve"] | null;
            half_life_seconds?: number | null;
            min_salience?: number | null;
            max_age_seconds?: number | null;
            reinforcement_gain?: number | null;
            custom_curve?: string | null;
        };
        /**
         * @description The shape in which salience fades.
         * @enum {string}
         */
        DecayCurve: "exponential" | "linear" | "custom";
        /** @description How many of the visible records of one scope and type would be pruned, by instant. */
        DecayForecast: {
            /** @description The scope; empty for unscoped records. */
            scope: string;
            /** @description The memory type of the records. */
            type: components["schemas"]["MemoryType"];
            /** @description The number of records that fade: all but pinned and retracted ones. */
            candidates: number;
            /** @description By instant, how many would be pruned under the present settings. */
            today: number[];
            /** @description By instant, how many would be pruned if the policy of the request applied from now on. */
            preview: number[];
            /** @description By how much each number may be off, by more with a probability of at most 1 %; 0 where the numbers are exact. */
            error_bound: number;
        };
        /** @description A decay profile of which policy fills what is absent. */
        DecayInput: {
            curve?: components["schemas"]["DecayCurve"] | null | "";
            half_life_seconds?: number | null;
            min_salience?: number;
            max_age_seconds?: number;
            reinforcement_gain?: number | null;
            custom_curve?: string;
        };
        /** @description How many records a decay policy would prune, by instant. */
        DecayPreview: {
            /** @description The instant of the preview. */
            now: components["schemas"]["Timestamp-Output"];
            /** @description The instants that the numbers of a forecast stand for, in order. */
            instants: components["schemas"]["Timestamp-Output"][];
            /** @description The sum of the candidates of all forecasts. */
            candidates: number;
            /** @description Whether every number is a count, and none an estimate. */
            exact: boolean;
            /** @description A forecast for each scope and type with candidates. */
            forecasts: components["schemas"]["DecayForecast"][];
        };
        /** @description How salience fades; `half_life_seconds` and `max_age_seconds` (0 = none) in seconds. */
        DecayProfile: {
            curve: components["schemas"]["DecayCurve"];
            half_life_seconds: number;
            min_salience?: number;
            max_age_seconds?: number;
            reinforcement_gain: number;
            /** @description Which curve of the settings, where `curve` is `custom`. */
            custom_curve?: string;
        };
        /** @description Delete a field, or a nested bundle with all its fields; their histories are kept. */
        DeleteField: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Delete one record; `erase` removes what it says for good, also of one that is deleted. */
        DeleteRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Hide a topic from all but its restoring. */
        DeleteTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A field that was deleted. */
        DeletedField: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The name of the field, or of a group of fields. */
            deleted: string;
        };
        /** @description The answer to a repeat whose record was deleted since. */
        DeletedRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description When the record was deleted. */
            deleted_at: components["schemas"]["Timestamp-Output"];
        };
        /** @description A topic that was deleted. */
        DeletedTopic: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The id of the topic. */
            deleted: string;
        };
        /**
         * @description Who may delete a record: the sweep, a caller, nobody.
         * @enum {string}
         */
        DeletionPolicy: "auto_prune" | "manual_only" | "never";
        /**
         * @description Whether a link leads from a topic (`out`) or to the topic (`in`).
         * @enum {string}
         */
        Direction: "out" | "in";
        /**
         * @description Whether an edge of a plan carries data or control.
         * @enum {string}
         */
        EdgeKind: "data" | "control";
        /** @description A link from the topic to another. */
        EdgeTold: {
            to_topic_id: string;
            kind: string;
        };
        /** @description Another name; a bare string on the wire when it has neither kind nor locale. */
        EntityAlias: {
            value: string;
            kind?: string;
            locale?: string;
        } | string;
        /** @description The entity's name in some other system. */
        EntityIdentifier: {
            namespace: string;
            value: string;
        };
        /** @description A canonical named thing. */
        "EntityPayload-Input": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "entity";
            canonical_name: string;
            primary_type?: string;
            types?: string[];
            aliases?: components["schemas"]["EntityAlias"][];
            identifiers?: components["schemas"]["EntityIdentifier"][];
            summary?: string;
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A canonical named thing. */
        "EntityPayload-Output": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "entity";
            canonical_name: string;
            primary_type?: string;
            types?: string[];
            aliases?: components["schemas"]["EntityAlias"][];
            identifiers?: components["schemas"]["EntityIdentifier"][];
            summary?: string;
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /** @description Where an experience was had. */
        "EnvironmentSnapshot-Input": {
            os?: string;
            os_version?: string;
            tool_versions?: {
                [key: string]: string;
            };
            working_directory?: string;
            context?: components["schemas"]["JsonObject-Input"];
        };
        /** @description Where an experience was had. */
        "EnvironmentSnapshot-Output": {
            os?: string;
            os_version?: string;
            tool_versions?: {
                [key: string]: string;
            };
            working_directory?: string;
            context?: components["schemas"]["JsonObject-Output"];
        };
        /** @description Raw experience: a timeline and the tools that were called. */
        "EpisodicPayload-Input": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "episodic";
            timeline: components["schemas"]["TimelineEvent-Input"][];
            tool_graph?: components["schemas"]["ToolNode-Input"][];
            environment?: components["schemas"]["EnvironmentSnapshot-Input"] | null;
            outcome?: components["schemas"]["OutcomeStatus"] | null;
            outcome_reason?: string;
            artifacts?: string[];
            tool_graph_ref?: string;
        };
        /** @description Raw experience: a timeline and the tools that were called. */
        "EpisodicPayload-Output": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "episodic";
            timeline: components["schemas"]["TimelineEvent-Output"][];
            tool_graph?: components["schemas"]["ToolNode-Output"][];
            environment?: components["schemas"]["EnvironmentSnapshot-Output"];
            outcome?: components["schemas"]["OutcomeStatus"];
            outcome_reason?: string;
            artifacts?: string[];
            tool_graph_ref?: string;
        };
        /** @description By how much an estimated field may be off, by more with a chance of 1 in 100. */
        ErrorBounds: {
            /** @description The error bound of `total_records`. */
            total_records?: number;
            /** @description The error bound of each number of `records_by_type`. */
            records_by_type?: {
                [key: string]: number;
            };
            /** @description The error bound of `pinned_records`. */
            pinned_records?: number;
            /** @description The error bound of `avg_confidence`. */
            avg_confidence?: number;
            /** @description The error bound of `avg_salience`. */
            avg_salience?: number;
            /** @description The error bound of each number of `salience_distribution`. */
            salience_distribution?: {
                [key: string]: number;
            };
            /** @description The error bound of `active_records`. */
            active_records?: number;
            /** @description The error bound of `memory_growth_rate`. */
            memory_growth_rate?: number;
        };
        /**
         * @description What was done to a topic; `topic_history` shows the word.
         * @enum {string}
         */
        EventKind: "created" | "meta" | "fields" | "field_deleted" | "ref" | "edge_added" | "edge_removed" | "fields_nested_in_topic" | "fields_unnested_from_bundle" | "nested_topic_promoted" | "nested_topic_from_parent" | "nested_topic_undo" | "nested_topic_undo_merge_back" | "merged" | "merged_into" | "unmerged" | "summarised" | "detached" | "archived" | "revived" | "withdrawn" | "deleted" | "restored";
        /** @description A candidate of an answer, with the parts of the score. */
        ExplainedCandidate: {
            /** @description The id of the record. */
            id: string;
            /** @description The score of the record. */
            score: number;
            /** @description The weighted parts of the score, by name; parts of 0 are left out. */
            parts: {
                [key: string]: number;
            };
        };
        /** @description What a version has otherwise than the version before. */
        FieldChange: {
            /** @description The path from the record down to the field: `payload.revision.status`. */
            field: string;
            /** @description The earlier value; absent where the field had none. */
            before?: unknown;
            /** @description The later value; absent where the field has none. */
            after?: unknown;
            /** @description The new elements at the end of a list that only grew. */
            added?: unknown[];
        };
        /** @enum {string} */
        FieldDecision: "new" | "version" | "unchanged";
        /** @description What is wrong with a field of a request. */
        FieldProblem: {
            /** @description The path of the field in the request. */
            field: string;
            /** @description A sentence for the caller, without the value of the field. */
            message: string;
        };
        /** @description A field of a node, or a group of fields. */
        FieldSummary: {
            /** @description The name of the field or of the group. */
            name: string;
            /** @description The type of the values. */
            field_type: components["schemas"]["FieldType"];
            /** @description The current value; null without a value, or without room for the value. */
            current_value: components["schemas"]["JsonValue-Output"];
            /** @description The number of revisions. */
            history_len: number;
            /** @description The topic that the field refers to; null without a reference or for a hidden topic. */
            ref_topic_id?: string | null;
            /** @description The fields of a group; absent for a single field. */
            nested_fields?: components["schemas"]["FieldSummary"][];
        };
        /** @description One revision of a field; what is not named of `field_type` and `ref_topic_id` stays. */
        FieldTold: {
            name: string;
            /** @description Any JSON value, in place. */
            value?: unknown;
            field_type?: components["schemas"]["FieldType"];
            /** @description Null and an empty one clear it. */
            ref_topic_id?: string | null;
            why_changed?: string | null;
            impact_expected?: string | null;
            /** @default api */
            provenance?: string;
            /** @description Since when it is so; absent: since now. */
            valid_from?: components["schemas"]["Timestamp-Input"] | null | "";
        };
        /**
         * @description What the values of a field are.
         * @enum {string}
         */
        FieldType: "string" | "int" | "float" | "bool" | "date" | "datetime" | "list" | "json";
        /** @description Put a new record beside one that stays as it is. */
        Fork: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            forked_record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The topics that answer a query. */
        FoundTopics: {
            /** @description The question. */
            query: string;
            /** @description The topics, the best first. */
            candidates: components["schemas"]["TopicBundle"][];
            /** @description A line for each of the first topics. */
            summary_text: string;
            /** @description The number of revisions that histories were cut to; 0 where each value is given once, as `current`. Absent where no history was cut. */
            history_limit?: number;
        };
        /** @description A refusal or a failure that the gateway answers without the service. */
        GatewayMessage: {
            /** @description What happened, in the words of the gateway. */
            message: string | null;
        };
        /** @description The answer to a repeated write whose record was deleted since. */
        GoneReply: {
            /** @description The id of the record, and when the record was deleted. */
            record: components["schemas"]["DeletedRecord"];
        };
        /** @description A sign of life. */
        Health: {
            /**
             * @description Always `ok`: a function that fails answers with an error.
             * @constant
             */
            status: "ok";
        };
        IdempotencyKey: string;
        /** @description Requests of the ingest RPCs, each with the name of its `rpc`. */
        IngestBatch: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            items: (components["schemas"]["IngestEventItem"] | components["schemas"]["IngestToolOutputItem"] | components["schemas"]["IngestObservationItem"] | components["schemas"]["IngestOutcomeItem"] | components["schemas"]["IngestWorkingStateItem"] | components["schemas"]["IngestMessagesItem"] | components["schemas"]["IngestRecordItem"])[];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A discrete event. */
        IngestEvent: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            event_kind: string;
            ref: string;
            summary?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A discrete event. */
        IngestEventItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestEvent";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            event_kind: string;
            ref: string;
            summary?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Messages of one thread, in their order; `session` is another word for `thread_id`. */
        IngestMessages: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            messages: components["schemas"]["Message"][];
            thread_id?: string | "" | null;
            session?: string | "" | null;
            source?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Messages of one thread, in their order; `session` is another word for `thread_id`. */
        IngestMessagesItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestMessages";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            messages: components["schemas"]["Message"][];
            thread_id?: string | "" | null;
            session?: string | "" | null;
            source?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A fact that was observed; it holds under `conditions`, from `start` on and before `end`. */
        IngestObservation: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            subject: string;
            predicate: string;
            object?: components["schemas"]["JsonValue-Input"] | null;
            conditions?: components["schemas"]["JsonObject-Input"] | null;
            start?: components["schemas"]["Timestamp-Input"] | "" | null;
            end?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Absent: as the setting for its predicate has it. */
            on_conflict?: components["schemas"]["ConflictPolicy"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A fact that was observed; it holds under `conditions`, from `start` on and before `end`. */
        IngestObservationItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestObservation";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            subject: string;
            predicate: string;
            object?: components["schemas"]["JsonValue-Input"] | null;
            conditions?: components["schemas"]["JsonObject-Input"] | null;
            start?: components["schemas"]["Timestamp-Input"] | "" | null;
            end?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Absent: as the setting for its predicate has it. */
            on_conflict?: components["schemas"]["ConflictPolicy"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description How an episode, already recorded, ended. */
        IngestOutcome: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            target_record_id: string;
            outcome_status: components["schemas"]["OutcomeStatus"];
            reason?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description How an episode, already recorded, ended. */
        IngestOutcomeItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestOutcome";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            target_record_id: string;
            outcome_status: components["schemas"]["OutcomeStatus"];
            reason?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A full record of any type. */
        IngestRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A full record of any type. */
        IngestRecordItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestRecord";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description One call of a tool, with what went in and what came out. */
        IngestToolOutput: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            tool_name: string;
            args?: components["schemas"]["JsonObject-Input"] | string | null;
            result?: components["schemas"]["JsonValue-Input"] | null;
            depends_on?: string[] | null;
            /** @description The outcome of the episode that the report becomes. */
            status?: components["schemas"]["OutcomeStatus"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description One call of a tool, with what went in and what came out. */
        IngestToolOutputItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestToolOutput";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            tool_name: string;
            args?: components["schemas"]["JsonObject-Input"] | string | null;
            result?: components["schemas"]["JsonValue-Input"] | null;
            depends_on?: string[] | null;
            /** @description The outcome of the episode that the report becomes. */
            status?: components["schemas"]["OutcomeStatus"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What is told of a topic, and where it belongs: as it says, or as the service finds. */
        IngestTopic: {
            /**
             * @description One of the peer's three, or null or `auto`.
             * @enum {unknown}
             */
            placement?: null | "auto" | "new_topic" | "extend_topic" | "version_field";
            topic_id?: string | null;
            title?: string;
            summary?: string | null;
            topic_kind?: string | null;
            salience?: number;
            fields?: components["schemas"]["FieldTold"][];
            edges?: components["schemas"]["EdgeTold"][];
            suggest_similar?: boolean;
            scope?: components["schemas"]["Scope"] | null | "";
            sensitivity?: components["schemas"]["Sensitivity"] | null | "";
            trust?: components["schemas"]["TrustInput"];
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A snapshot of a task in flight. */
        IngestWorkingState: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            thread_id: string;
            state: components["schemas"]["TaskState"];
            next_actions?: string[] | null;
            open_questions?: string[] | null;
            context_summary?: string | null;
            active_constraints?: components["schemas"]["Constraint-Input"][] | components["schemas"]["UploadClaim"] | string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A snapshot of a task in flight. */
        IngestWorkingStateItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestWorkingState";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Policy fills what is absent. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            thread_id: string;
            state: components["schemas"]["TaskState"];
            next_actions?: string[] | null;
            open_questions?: string[] | null;
            context_summary?: string | null;
            active_constraints?: components["schemas"]["Constraint-Input"][] | components["schemas"]["UploadClaim"] | string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What an ingest wrote, and where. */
        IngestedTopic: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The id of the topic. */
            topic_id: string;
            /** @description The changes in order, in the words of MemState: `field:<name>`, ... */
            applied: string[];
            /** @description By field the id of the new revision. */
            version_ids: {
                [key: string]: string;
            };
            /** @description Ids of similar topics; empty unless `suggest_similar` asked. */
            similar_topic_ids: string[];
            /** @description How the service found the topic. */
            placement: components["schemas"]["Placement"];
        };
        /** @description Any JSON of at most 10485760 bytes and 64 levels. */
        "JsonObject-Input": components["schemas"]["UploadClaim"] | unknown;
        /** @description Any JSON. */
        "JsonObject-Output": components["schemas"]["LargeValue"] | unknown;
        /** @description Any JSON of at most 10485760 bytes and 64 levels. */
        "JsonValue-Input": components["schemas"]["UploadClaim"] | unknown;
        /** @description Any JSON. */
        "JsonValue-Output": components["schemas"]["LargeValue"] | unknown;
        /** @description A value too large for the reply, and where to get it. */
        LargeValue: {
            /** @description Where to get the value. */
            $blob: {
                /** @description SHA-256 of the JSON text, in hex. */
                sha256: string;
                /** @description Bytes of JSON text. */
                size: number;
                /**
                 * Format: uri
                 * @description The address of the value, valid for 5 minutes.
                 */
                url: string;
            };
        };
        /** @description Decay, reinforcement and deletion of one record. */
        Lifecycle: {
            decay: components["schemas"]["DecayProfile"];
            last_reinforced_at: components["schemas"]["Timestamp-Output"];
            pinned?: boolean;
            deletion_policy: components["schemas"]["DeletionPolicy"];
        };
        /** @description A lifecycle of which policy fills what is absent; the server sets when it was reinforced. */
        LifecycleInput: {
            decay?: components["schemas"]["DecayInput"];
            last_reinforced_at?: unknown;
            pinned?: boolean;
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null | "";
        };
        /** @enum {string} */
        LinkType: "related" | "field_ref";
        /** @description A topic of a list. */
        ListedTopic: {
            /** @description The id of the topic. */
            id: string;
            /** @description The title. */
            title: string;
            /** @description The kind. */
            kind: string;
            /** @description The salience as of now. */
            salience: number;
            /** @description Whether the topic is archived. */
            archived: boolean;
        };
        /** @description A typed memory. `salience` is the value at the instant of reading. */
        MemoryRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description The memory type; decides the shape of the payload. */
            type: components["schemas"]["MemoryType"];
            /** @description How confidential the record is. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description How sure the record is, from 0 to 1. */
            confidence: number;
            /** @description How much the record matters as of the instant of reading. */
            salience: number;
            /** @description The partition of memory; absent for an unscoped record. */
            scope?: string;
            /** @description Labels for filters; absent without tags. */
            tags?: string[];
            /** @description When the record was made. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description When the record last changed. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description How the salience fades, and how the record may be deleted. */
            lifecycle: components["schemas"]["Lifecycle"];
            /** @description Where the record comes from. */
            provenance: components["schemas"]["Provenance"];
            /** @description Edges to related records; absent without edges. */
            relations?: components["schemas"]["Relation-Output"][];
            /** @description The content. */
            payload: components["schemas"]["EpisodicPayload-Output"] | components["schemas"]["WorkingPayload-Output"] | components["schemas"]["SemanticPayload-Output"] | components["schemas"]["CompetencePayload-Output"] | components["schemas"]["PlanGraphPayload-Output"] | components["schemas"]["EntityPayload-Output"];
            /** @description The newest audit entries, the oldest of them first. */
            audit_log: components["schemas"]["AuditEntry"][];
            /** @description The number of all audit entries. */
            audit_count?: number;
        };
        /**
         * @description The kind of a record.
         * @enum {string}
         */
        MemoryType: "episodic" | "working" | "semantic" | "competence" | "plan_graph" | "entity";
        /** @description Replace several records by a new one. */
        Merge: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            ids: string[];
            merged_record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What was said, or what a tool returned; `at` absent is the server's time. */
        Message: {
            role: components["schemas"]["Role"];
            content?: string | {
                /**
                 * @description The kind of the part: text alone.
                 * @constant
                 */
                type: "text";
                /** @description The text of the part. */
                text: string;
            }[] | null;
            /** @description Who speaks, or which tool it was. */
            name?: string | "" | null;
            at?: components["schemas"]["Timestamp-Input"] | "" | null;
            tool_calls?: components["schemas"]["ToolCall"][] | null;
            tool_call_id?: string | "" | null;
        };
        /** @description The metrics of the visible records. */
        Metrics: {
            /** @description The numbers as of one instant. */
            snapshot: components["schemas"]["Snapshot"];
        };
        /** @description Show fields as one. */
        NestFields: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            field_names?: string[] | null;
            nest_key?: string | null;
            /** @default ui */
            provenance?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Fields that are shown as a group from now on. */
        NestedFields: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /**
             * @description The change is made.
             * @constant
             */
            ok: true;
            /** @description The id of the topic. */
            topic_id: string;
            /** @description The name of the group. */
            nest_key: string;
            /** @description The names of the fields in the group. */
            moved_fields: string[];
        };
        /** @description A value to come: `size` bytes of JSON text of that `sha256` (hex). */
        OpenUpload: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            size: number;
            sha256: string;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Where and how to put a value that is too large for a request. */
        OpenedUpload: {
            /** @description The id by which a later request claims the value. */
            upload_id: string;
            /**
             * Format: uri
             * @description The address to send the value to.
             */
            url: string;
            /**
             * @description The HTTP method of the upload.
             * @constant
             */
            method: "PUT";
            /** @description Headers to send with the value, unchanged: the headers are signed. */
            headers: {
                [key: string]: string;
            };
            /** @description When the address expires. */
            expires_at: components["schemas"]["Timestamp-Output"];
        };
        /**
         * @description How an episode ended.
         * @enum {string}
         */
        OutcomeStatus: "success" | "failure" | "partial";
        /** @description A record for which a whole page is too small. */
        OversizedRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description The memory type of the record. */
            type: components["schemas"]["MemoryType"];
            /** @description Bytes of the record in a reply, without the audit trail. */
            size: number;
            /** @description The path that answers with the record; absent for a redacted record. */
            link?: string;
        };
        /** @description The record did harm or no good: its salience falls by `amount`. */
        Penalize: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            amount: number;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description How a skill has done so far. */
        "PerformanceStats-Input": {
            success_count?: number;
            failure_count?: number;
            success_rate?: number;
            avg_latency_ms?: number;
            last_used_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description How a skill has done so far. */
        "PerformanceStats-Output": {
            success_count?: number;
            failure_count?: number;
            success_rate?: number;
            avg_latency_ms?: number;
            last_used_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description Keep the record's salience as it is now. */
        Pin: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Where an ingest was placed, by what, and what became of the fields. */
        Placement: {
            /**
             * @description Whether the ingest made a topic, extended one, or added a revision to one field.
             * @enum {string}
             */
            decision: "new_topic" | "extend_topic" | "version_field";
            /** @description What led to the topic; null where no topic was found. */
            resolved_by: ("request" | "topic_id" | "title" | "content" | "similarity") | null;
            /** @description The similarity to the topic; null unless the similarity decided. */
            score: number | null;
            /** @description By field: new, another revision, or unchanged. */
            fields: {
                [key: string]: components["schemas"]["FieldDecision"];
            };
        };
        /** @description `to` comes after `from`. */
        PlanEdge: {
            from: string;
            to: string;
            kind: components["schemas"]["EdgeKind"];
        };
        /** @description A plan: operations and the order between them, which must have no cycle. */
        "PlanGraphPayload-Input": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "plan_graph";
            plan_id: string;
            version: string;
            nodes: components["schemas"]["PlanNode-Input"][];
            edges: components["schemas"]["PlanEdge"][];
            intent?: string;
            constraints?: components["schemas"]["JsonObject-Input"];
            inputs_schema?: components["schemas"]["JsonObject-Input"];
            outputs_schema?: components["schemas"]["JsonObject-Input"];
            metrics?: components["schemas"]["PlanMetrics-Input"] | null;
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A plan: operations and the order between them, which must have no cycle. */
        "PlanGraphPayload-Output": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "plan_graph";
            plan_id: string;
            version: string;
            nodes: components["schemas"]["PlanNode-Output"][];
            edges: components["schemas"]["PlanEdge"][];
            intent?: string;
            constraints?: components["schemas"]["JsonObject-Output"];
            inputs_schema?: components["schemas"]["JsonObject-Output"];
            outputs_schema?: components["schemas"]["JsonObject-Output"];
            metrics?: components["schemas"]["PlanMetrics-Output"];
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /** @description How a plan has done so far. */
        "PlanMetrics-Input": {
            avg_latency_ms?: number;
            failure_rate?: number;
            execution_count?: number;
            last_executed_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description How a plan has done so far. */
        "PlanMetrics-Output": {
            avg_latency_ms?: number;
            failure_rate?: number;
            execution_count?: number;
            last_executed_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description One operation of a plan. */
        "PlanNode-Input": {
            id: string;
            op: string;
            params?: components["schemas"]["JsonObject-Input"];
            guards?: components["schemas"]["JsonObject-Input"];
        };
        /** @description One operation of a plan. */
        "PlanNode-Output": {
            id: string;
            op: string;
            params?: components["schemas"]["JsonObject-Output"];
            guards?: components["schemas"]["JsonObject-Output"];
        };
        /** @description What would be pruned by when, if another policy applied to what there is from now on. */
        PreviewDecay: {
            trust?: components["schemas"]["TrustInput"] | null;
            memory_types?: components["schemas"]["MemoryType"][] | null;
            half_life_seconds?: {
                [key: string]: number;
            } | null;
            threshold?: number | null;
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null;
            instants?: components["schemas"]["Timestamp-Input"][] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A refusal by the service. */
        Problem: {
            /** @description What happened, the same for each error of the code and status. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /**
             * @description The error code, for programs.
             * @enum {string}
             */
            code: "ABORTED" | "ALREADY_EXISTS" | "FAILED_PRECONDITION" | "INTERNAL" | "INVALID_ARGUMENT" | "NOT_FOUND" | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "UNAVAILABLE";
            /** @description A sentence for the caller. */
            detail: string;
            /** @description The faults by field; absent unless fields are at fault. */
            errors?: components["schemas"]["FieldProblem"][];
        };
        /** @description Make fields a topic of their own, to which their topic is related then. */
        PromoteFields: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            field_names?: string[] | null;
            child_title?: string | null;
            child_summary?: string | null;
            child_topic_id?: components["schemas"]["RecordId"] | "" | null;
            /** @default has_detail */
            relationship_kind?: string | null;
            parent_link_field?: string | "" | null;
            /** @default ui */
            provenance?: string | null;
            /** @default 500 */
            max_history?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Fields that are a topic of their own from now on. */
        PromotedFields: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /**
             * @description The change is made.
             * @constant
             */
            ok: true;
            /** @description The id of the new topic. */
            child_topic_id: string;
            /** @description The names of the fields. */
            moved_fields: string[];
            /** @description The kind of the link from the parent to the child. */
            relationship_kind: string;
            /** @description The field of the parent that refers to the child; null without such a field. */
            parent_link_field: string | null;
        };
        /** @description Memories as one text, with the view `prompt`, in place of the records. */
        Prompt: {
            /** @description A heading, then a line for each memory, the best first: `- date, who: "text" [id]`, the text as a JSON string. Empty without memories or without room for one. */
            text: string;
            /** @description The ids of the memories in the text, in order. */
            ids: string[];
            /** @description The tokens of the text, an estimate on the high side. */
            tokens: number;
        };
        /** @description The sources of a record. */
        Provenance: {
            /** @description The sources, the oldest first. */
            sources: components["schemas"]["ProvenanceSource"][];
            /** @description Who made the record; absent where unknown. */
            created_by?: string;
        };
        /** @description Where a record comes from, as its sender says. */
        ProvenanceInput: {
            sources?: components["schemas"]["SourceInput"][];
            created_by?: string;
        };
        /**
         * @description The kind of a source that a record was made from.
         * @enum {string}
         */
        ProvenanceKind: "event" | "artifact" | "tool_call" | "observation" | "outcome";
        /** @description A piece of evidence for a fact. */
        "ProvenanceRef-Input": {
            source_type: string;
            source_id: string;
            timestamp: components["schemas"]["Timestamp-Input"];
        };
        /** @description A piece of evidence for a fact. */
        "ProvenanceRef-Output": {
            source_type: string;
            source_id: string;
            timestamp: components["schemas"]["Timestamp-Output"];
        };
        /** @description A source of the record; `hash` is `sha256:` and the digest of the candidate. */
        ProvenanceSource: {
            /** @description Whether the source is an event, an artifact, a tool call, an observation or an outcome. */
            kind: components["schemas"]["ProvenanceKind"];
            /** @description The id of the source, in the system of the caller. */
            ref: string;
            /** @description `sha256:` and the digest of the candidate; absent without a digest. */
            hash?: string;
            /** @description Who reported the source; absent where unknown. */
            created_by?: string;
            /** @description The time of the source; absent where unknown. */
            timestamp?: components["schemas"]["Timestamp-Output"];
        };
        /** @description What topics have to say to a question. */
        QueryTopics: {
            /** @description May be empty: then salience alone decides. */
            q: string;
            /**
             * @description Order and repeats mean nothing.
             * @default [
             *       "semantic",
             *       "structural",
             *       "temporal"
             *     ]
             */
            stages?: components["schemas"]["Stage"][];
            explain?: boolean;
            /** @default 8 */
            top_k?: number;
            /** @description None, or none at all, is every topic. */
            topic_ids?: string[] | null;
            /** @description The same of fields. */
            field_names?: string[] | null;
            trust?: components["schemas"]["TrustInput"];
            /** @description What was so then is shown; what is searched is what is so now. */
            as_of?: components["schemas"]["Timestamp-Input"] | null | "";
            /**
             * @description Whether what is shown becomes more salient by it.
             * @default true
             */
            reinforce?: boolean;
            include_archived?: boolean;
            consistency_tokens?: string[];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Look for duplicates and for what is to be forgotten in a scope; by default only look. */
        Reason: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @default true */
            dry_run?: boolean | null;
            /** @description Goes on where an earlier call of the same request ended. */
            cursor?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What reasoning did in a scope, or would do. */
        Reasoned: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The scope of the topics. */
            scope: string;
            /** @description The actions. */
            actions: components["schemas"]["TopicAction"][];
            /** @description Whether the actions are planned alone. */
            dry_run: boolean;
            /** @description The number of actions in the reply. */
            planned: number;
            /** @description Whether the call went through the whole scope. */
            complete: boolean;
        };
        /** @description The trust that limited an answer. */
        ReceiptTrust: {
            /** @description The highest sensitivity. */
            max_sensitivity: components["schemas"]["Sensitivity"];
            /** @description The scopes; null for every scope. */
            scopes: string[] | null;
        };
        /** @description One step of a skill. */
        "RecipeStep-Input": {
            step: string;
            tool?: string;
            args_schema?: components["schemas"]["JsonObject-Input"];
            validation?: string;
        };
        /** @description One step of a skill. */
        "RecipeStep-Output": {
            step: string;
            tool?: string;
            args_schema?: components["schemas"]["JsonObject-Output"];
            validation?: string;
        };
        /** @description Give a record another scope, sensitivity or tags, or take it up again. */
        Reclassify: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            scope?: components["schemas"]["Scope"] | null;
            sensitivity?: components["schemas"]["Sensitivity"] | null;
            tags?: string[] | null;
            retracted?: false | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        RecordId: string;
        /** @description A full record as a caller sends it, or as this service returned it. */
        RecordInput: {
            id?: components["schemas"]["RecordId"] | null;
            type: components["schemas"]["MemoryType"];
            sensitivity: components["schemas"]["Sensitivity"];
            /** @default 1 */
            confidence?: number;
            /** @default 1 */
            salience?: number;
            scope?: components["schemas"]["Scope"] | null | "";
            tags?: string[];
            lifecycle?: components["schemas"]["LifecycleInput"];
            provenance?: components["schemas"]["ProvenanceInput"];
            relations?: components["schemas"]["Relation-Input"][];
            payload: components["schemas"]["EpisodicPayload-Input"] | components["schemas"]["WorkingPayload-Input"] | components["schemas"]["SemanticPayload-Input"] | components["schemas"]["CompetencePayload-Input"] | components["schemas"]["PlanGraphPayload-Input"] | components["schemas"]["EntityPayload-Input"];
            created_at?: unknown;
            updated_at?: unknown;
            audit_log?: unknown;
            audit_count?: unknown;
        };
        /** @description A page of records, by salience. */
        RecordList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The records: whole, or brief with the view `brief`. */
            records: (components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"] | components["schemas"]["BriefRecord"])[];
        };
        /** @description A record that was read. */
        RecordReply: {
            /** @description The record, with the salience as of the instant of reading. */
            record: components["schemas"]["MemoryRecord"];
        };
        /** @description The state of a record from one change of the content to the next. */
        RecordVersion: {
            /** @description The place among the versions, from 1 for the creation. */
            number: number;
            /** @description When the version began. */
            valid_from: components["schemas"]["Timestamp-Output"];
            /** @description When the next version began; absent for the newest version. */
            valid_to?: components["schemas"]["Timestamp-Output"];
            /** @description The audited action that made the version; absent where `withheld`. */
            action?: components["schemas"]["AuditAction"];
            /** @description Who made the version, as the caller claims; absent where `withheld`. */
            actor?: string;
            /** @description Who made the version, as authenticated; absent where `withheld`. */
            principal?: string;
            /** @description Why the version was made; absent where the version before may not be seen. */
            rationale?: string;
            /** @description What the version changed: nothing for the first version. Absent where the version or the version before may not be seen. */
            changes?: components["schemas"]["FieldChange"][];
            /**
             * @description The trust does not cover the scope or the sensitivity that the version had.
             * @constant
             */
            withheld?: true;
            /** @description Bytes of a version that is too large for a reply, so that rationale and changes are left out. */
            size?: number;
            /** @description With `size`: the path that answers with the record of the version. */
            link?: string;
        };
        RedactedDecay: {
            /**
             * @description A constant: the decay of a redacted record is not shown.
             * @constant
             */
            curve: "exponential";
            /**
             * @description A constant: the decay of a redacted record is not shown.
             * @constant
             */
            half_life_seconds: 0;
        };
        RedactedLifecycle: {
            /** @description A constant: the decay of a redacted record is not shown. */
            decay: components["schemas"]["RedactedDecay"];
            /** @description A constant in place of the instant. */
            last_reinforced_at: components["schemas"]["Timestamp-Output"];
            /**
             * @description A constant: the deletion policy of a redacted record is not shown.
             * @constant
             */
            deletion_policy: "auto_prune";
        };
        RedactedProvenance: {
            /** @description Always empty: the sources of a redacted record are not shown. */
            sources: unknown[];
        };
        /** @description A record without content: above the trust by one level, or shown on an earlier page. */
        RedactedRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description The memory type of the record. */
            type: components["schemas"]["MemoryType"];
            /** @description The sensitivity of the record. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description How sure the record is, from 0 to 1. */
            confidence: number;
            /** @description The salience as of the instant of reading. */
            salience: number;
            /** @description The scope of the record; absent for an unscoped record. */
            scope?: string;
            /** @description The tags of the record; absent without tags. */
            tags?: string[];
            /** @description When the record was made. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description When the record last changed. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description Constants in place of the lifecycle. */
            lifecycle: components["schemas"]["RedactedLifecycle"];
            /** @description Constants in place of the provenance. */
            provenance: components["schemas"]["RedactedProvenance"];
            /** @description Always null: the payload of a redacted record is not shown. */
            payload: null;
            /** @description Always empty: the audit trail of a redacted record is not shown. */
            audit_log: unknown[];
        };
        /** @description An item of a batch that was refused. */
        RefusedItem: {
            /** @description The HTTP status that the item would have had alone. */
            status: number;
            /** @description Why the item was refused. */
            error: components["schemas"]["Problem"];
        };
        /** @description The record proved useful: its salience rises by its reinforcement gain. */
        Reinforce: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description An edge from the record to a second record, `target_id`. */
        "Relation-Input": {
            predicate: string;
            target_id: string;
            weight?: number;
            created_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description An edge from the record to a second record, `target_id`. */
        "Relation-Output": {
            predicate: string;
            target_id: string;
            weight?: number;
            created_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description Remove such a link. */
        RemoveRelationship: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Decide about a contested record. */
        Resolve: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @enum {string} */
            resolution: "keep" | "supersede" | "retract";
            superseded_by?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Bring a deleted record back. */
        RestoreRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Bring a deleted topic back. */
        RestoreTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Take a record back; it is kept for reading. */
        Retract: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What is worth knowing for a task or, without a task descriptor, what is most salient. */
        Retrieve: {
            task_descriptor?: string | null;
            trust?: components["schemas"]["TrustInput"] | null;
            memory_types?: components["schemas"]["MemoryType"][] | null;
            min_salience?: number | null;
            /** @description Records that score less for the task are left out; None = the operator's `ScoreFloor`. */
            min_score?: number | "" | null;
            /** @default 10 */
            limit?: number | null;
            cursor?: string | "" | null;
            /** @description A record must have every one of them. */
            tags?: string[] | null;
            thread_id?: string | "" | null;
            subject?: string | "" | null;
            predicate?: string | "" | null;
            /** @description That very instant included. */
            created_after?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description That very instant not included. */
            created_before?: components["schemas"]["Timestamp-Input"] | "" | null;
            include_retracted?: boolean | null;
            /** @description An episode must have ended in one of them; one word may stand without a list. */
            outcome?: components["schemas"]["OutcomeStatus"][] | components["schemas"]["OutcomeStatus"] | "" | null;
            /** @description What was believed then of one subject and predicate. */
            as_of?: components["schemas"]["Timestamp-Input"] | "" | null;
            /**
             * @description Whole records, records in brief, or one text for a system message.
             * @default full
             */
            view?: ("full" | "brief" | "prompt") | null;
            /**
             * @description Of the text, where `view` is `prompt`.
             * @default 1000
             */
            max_tokens?: number | null;
            consistency_tokens?: string[] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Which record this one replaced, which replaced it, and where it stands; the server's own. */
        "RevisionState-Input": {
            supersedes?: string;
            superseded_by?: string;
            status?: components["schemas"]["RevisionStatus"] | null;
            /** @description When it came to stand there. */
            since?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description Which record this one replaced, which replaced it, and where it stands; the server's own. */
        "RevisionState-Output": {
            supersedes?: string;
            superseded_by?: string;
            status?: components["schemas"]["RevisionStatus"];
            /** @description When it came to stand there. */
            since?: components["schemas"]["Timestamp-Output"];
        };
        /**
         * @description The revision state of a record.
         * @enum {string}
         */
        RevisionStatus: "active" | "contested" | "retracted";
        /**
         * @description Who speaks in a conversation.
         * @enum {string}
         */
        Role: "user" | "assistant" | "tool";
        /** @description The records of messages. */
        SaidReply: {
            /** @description The thread of the messages. */
            thread_id: string;
            /** @description The turn of the first message; null where a repeat finds nothing but tombstones. */
            first_turn: number | null;
            /** @description The turn of the next message of the thread; null where a repeat finds nothing but tombstones. */
            next_turn: number | null;
            /** @description A token for each record that was not deleted: a retrieval with the tokens sees the messages before the index does. */
            consistency_tokens: string[];
            /** @description The records, in the order of the turns. */
            records: (components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"])[];
        };
        /** @description The partition of memory; at most 256 bytes of UTF-8. */
        Scope: string;
        /** @description The candidate skills and plans, the best first, and the lead of the best. */
        Selection: {
            /** @description The ids of the skills and plans, the best first. */
            selected: string[];
            /** @description How far the best stands out, from 0 to 1. */
            confidence: number;
            /** @description Whether the confidence is too low for a choice. */
            needs_more: boolean;
            /** @description The score of each skill and plan, by id. */
            scores: {
                [key: string]: number;
            };
        };
        /** @description A fact: subject, predicate, object. */
        "SemanticPayload-Input": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "semantic";
            subject: string;
            predicate: string;
            object?: components["schemas"]["JsonValue-Input"];
            validity: components["schemas"]["Validity-Input"];
            evidence?: components["schemas"]["ProvenanceRef-Input"][];
            revision_policy?: string;
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A fact: subject, predicate, object. */
        "SemanticPayload-Output": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "semantic";
            subject: string;
            predicate: string;
            object: components["schemas"]["JsonValue-Output"];
            validity: components["schemas"]["Validity-Output"];
            evidence?: components["schemas"]["ProvenanceRef-Output"][];
            revision_policy?: string;
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /**
         * @description How confidential a record is, from the least to the most.
         * @enum {string}
         */
        Sensitivity: "public" | "low" | "medium" | "high" | "hyper";
        /** @description Point a field at a topic; nothing, or null, clears it. */
        SetFieldRef: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            ref_topic_id?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The metrics of all visible records at one instant. */
        Snapshot: {
            /** @description The instant of the metrics. */
            collected_at: components["schemas"]["Timestamp-Output"];
            /** @description The number of records. */
            total_records: number;
            /** @description The number of records of each type; types without records are left out. */
            records_by_type: {
                [key: string]: number;
            };
            /** @description The mean salience as of `collected_at`. */
            avg_salience: number;
            /** @description The mean confidence. */
            avg_confidence: number;
            /** @description The number of records in each range of salience as of `collected_at`; the last range has all above 1, too. */
            salience_distribution: {
                [key: string]: number;
            };
            /** @description The number of records with a salience above 0. */
            active_records: number;
            /** @description The number of pinned records. */
            pinned_records: number;
            /** @description The number of audit entries. */
            total_audit_entries: number;
            /** @description The share of records made within the last day. */
            memory_growth_rate: number;
            /** @description The share of reinforcements among all audit entries. */
            retrieval_usefulness: number;
            /** @description The mean success rate of skills. */
            competence_success_rate: number;
            /** @description The mean number of executions of a plan. */
            plan_reuse_frequency: number;
            /** @description The share of revisions among all audit entries. */
            revision_rate: number;
            /** @description The error bound of each estimated field, where a bound can be given. */
            error_bounds: components["schemas"]["ErrorBounds"];
            /** @description By estimated field without an error bound, the number of records of the sample. A field absent here and in `error_bounds` is exact. */
            sampled: {
                [key: string]: number;
            };
        };
        /** @description A provenance source; the server makes the hash. */
        SourceInput: {
            kind: components["schemas"]["ProvenanceKind"];
            ref: string;
            hash?: unknown;
            created_by?: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | null;
        };
        /**
         * @description What a query does: each adds something to the answer.
         * @enum {string}
         */
        Stage: "semantic" | "structural" | "temporal";
        /** @description Replace one record by a new one, which stays in its scope and is as sensitive at least. */
        Supersede: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            new_record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The system context: what every agent learns of the role and of the surroundings. */
        SystemContext: {
            /**
             * @description Always `global`: one context serves all scopes.
             * @constant
             */
            key: "global";
            /** @description The role of the agents. */
            system_role: string;
            /** @description The surroundings of the agents. */
            runtime_context: string;
            /** @description When the context was first written. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description When the context last changed. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description Who changed the context last. */
            updated_by: string;
            /** @description The latest changes, the oldest first. */
            changes: components["schemas"]["ContextChange"][];
        };
        /** @description The system context, if configured. */
        SystemContextReply: {
            /** @description Whether there is a system context. */
            configured: boolean;
            /** @description The system context; null where none is configured. */
            system_context: components["schemas"]["SystemContext"] | null;
        };
        /**
         * @description The progress of a task.
         * @enum {string}
         */
        TaskState: "planning" | "executing" | "blocked" | "waiting" | "done";
        /** @description The working states of a thread. */
        ThreadState: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The latest state; redacted on a later page without room for the content. */
            record: components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"];
            /** @description The earlier states, the newest first. */
            earlier: (components["schemas"]["MemoryRecord"] | components["schemas"]["OversizedRecord"])[];
        };
        /** @description Something that happened at `t`. */
        "TimelineEvent-Input": {
            t: components["schemas"]["Timestamp-Input"];
            event_kind: string;
            ref: string;
            summary?: string;
        };
        /** @description Something that happened at `t`. */
        "TimelineEvent-Output": {
            t: components["schemas"]["Timestamp-Output"];
            event_kind: string;
            ref: string;
            summary?: string;
        };
        /**
         * Format: date-time
         * @description RFC 3339 with a zone; kept in UTC, to the nanosecond.
         */
        "Timestamp-Input": string;
        /**
         * Format: date-time
         * @description RFC 3339 in UTC.
         */
        "Timestamp-Output": string;
        /** @description One call of a tool; the message with its result names `id`. */
        ToolCall: {
            id: string;
            /**
             * @default function
             * @constant
             */
            type?: "function";
            function: components["schemas"]["CalledFunction"];
        };
        /** @description One call of a tool; `depends_on` names the nodes whose results it used. */
        "ToolNode-Input": {
            id: string;
            tool: string;
            args?: components["schemas"]["JsonObject-Input"];
            result?: components["schemas"]["JsonValue-Input"];
            timestamp?: components["schemas"]["Timestamp-Input"] | null;
            depends_on?: string[];
        };
        /** @description One call of a tool; `depends_on` names the nodes whose results it used. */
        "ToolNode-Output": {
            id: string;
            tool: string;
            args?: components["schemas"]["JsonObject-Output"];
            result?: components["schemas"]["JsonValue-Output"];
            timestamp?: components["schemas"]["Timestamp-Output"];
            depends_on?: string[];
        };
        /** @description Something that reasoning did with topics, or would do. */
        TopicAction: {
            /** @description The share of common fields with equal values, of a merge. */
            agreement?: number;
            /** @description The similarity of the two topics, of a merge by meaning. */
            similarity?: number;
            /** @description The salience of the topic, of a step of the ladder. */
            salience?: number;
            /** @description The action in one line: `merged:<id>->:<id>:<title>`, `archived:<id>`, ... */
            action: string;
            /** @description The reason. */
            why: string;
            /** @description The ids of the topics: of a merge, the alias and the kept topic. */
            topics: string[];
            /** @description The title of the first topic. */
            title: string;
            /** @description On whose behalf the action was taken; absent for a planned action. */
            principal?: string;
            /** @description When the action was taken; absent for a planned action. */
            at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description A found topic, as much as the stages of the query show. */
        TopicBundle: {
            /**
             * @description Fields are missing for want of room; absent where none is.
             * @constant
             */
            fields_cut?: true;
            /** @description The id of the topic. */
            topic_id: string;
            /** @description The title. */
            title: string;
            /** @description The summary; null where empty. */
            summary: string | null;
            /** @description The kind; null where empty. */
            topic_kind: string | null;
            /** @description The salience before this query added to the salience. */
            salience: number;
            /** @description Always 0: a field that clients of MemState expect. */
            failed_salience: number;
            /** @description The linked topics, with the stage `structural`. */
            neighbors: components["schemas"]["TopicNeighbour"][];
            /** @description Whether the topic has more neighbours. */
            neighbors_truncated: boolean;
            /** @description The fields, with the stages `structural` and `temporal`. */
            fields: components["schemas"]["BundledField"][];
            /** @description How well the topic answers the question; null where the search did not find the topic. */
            similarity: number | null;
            /**
             * @description Some histories of the topic were not read; absent where all were.
             * @constant
             */
            history_limit?: 1;
            /** @description The parts of similarity and salience; absent unless `explain` asked. */
            explanation?: {
                [key: string]: unknown;
            };
        };
        TopicEdge: {
            /** @description The topic at the beginning. */
            from: string;
            /** @description The topic at the end. */
            to: string;
            /** @description The kind; `field:<name>` for the reference of a field. */
            kind: string;
            /** @description A link between topics, or the reference of a field. */
            edge_type: components["schemas"]["LinkType"];
        };
        /** @description An entry of the audit trail of a topic. */
        TopicEvent: {
            /** @description When the event happened. */
            ts: components["schemas"]["Timestamp-Output"];
            /** @description What happened. */
            kind: components["schemas"]["EventKind"];
            /** @description The details; the id of a hidden topic is null. */
            detail: {
                [key: string]: unknown;
            };
            /** @description On whose behalf the event happened. */
            principal: string;
            /** @description The reason; empty where nobody said. */
            why: string;
        };
        /** @description A field of a topic, or a group of fields. */
        TopicField: {
            /**
             * @description Fields are missing for want of room; absent where none is.
             * @constant
             */
            fields_cut?: true;
            /** @description The type of the values. */
            field_type: components["schemas"]["FieldType"];
            /** @description The topic that the field refers to; null without a reference or for a hidden topic. */
            ref_topic_id: string | null;
            /** @description The revisions, the newest first. */
            history: components["schemas"]["TopicRevision"][];
            /** @description The number of all revisions, archived ones included. */
            history_length: number;
            /** @description The salience of the field; absent for a group. */
            salience?: number;
            /** @description Whether the field left the working set; absent for a group. */
            detached?: boolean;
        };
        /** @description A part of the graph of topics. */
        TopicGraph: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The topics. */
            nodes: components["schemas"]["TopicNode"][];
            /** @description Links between topics, and references of fields to topics. */
            edges: components["schemas"]["TopicEdge"][];
            /** @description Whether the service examined a part of the links alone, or shows a part alone. */
            truncated: boolean;
        };
        /** @description A link or a reference that was changed. */
        TopicLinked: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /**
             * @description The change is made.
             * @constant
             */
            ok: true;
        };
        /** @description A page of topics, by salience. */
        TopicList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The ids of the topics, in order. */
            topic_ids: string[];
            /** @description The topics, in the same order. */
            topics: components["schemas"]["ListedTopic"][];
        };
        /** @description A topic that is linked with a found topic. */
        TopicNeighbour: {
            /** @description The id of the neighbour. */
            id: string;
            /** @description The title of the neighbour. */
            title: string;
            /** @description The kind of the link; `field:<name>` where a field refers to the neighbour. */
            kind: string;
            /** @description Whether the link leads to the neighbour (`out`) or comes from the neighbour (`in`). */
            direction: components["schemas"]["Direction"];
        };
        /** @description A topic of the graph. */
        TopicNode: {
            /** @description The id of the topic. */
            id: string;
            /** @description The beginning of the title, else the id. */
            label: string;
            /** @description The title. */
            title: string;
            /** @description The summary. */
            summary: string;
            /** @description The kind. */
            topic_kind: string;
            /** @description Whether the topic is archived. */
            archived: boolean;
            /** @description The salience as of now. */
            salience: number;
            /** @description The scope; empty for an unscoped topic. */
            scope: string;
            /** @description The sensitivity. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description The fields and groups, detached ones left out. */
            fields: components["schemas"]["FieldSummary"][];
            /** @description The community of closely linked topics; null for a topic newer than the last reasoning. */
            community: number | null;
            /**
             * @description Values, fields or the end of the summary are missing for want of room; absent where none is.
             * @constant
             */
            is_cut?: true;
        };
        /** @description A read that reinforced a topic. */
        TopicReading: {
            /** @description When the topic was read. */
            at: components["schemas"]["Timestamp-Output"];
            /** @description Who read the topic. */
            principal: string;
            /** @description The names of the fields that the reader asked for. */
            fields: string[];
        };
        /** @description A topic with fields and audit trail. */
        TopicReply: {
            /** @description The id of the topic. */
            id: string;
            /** @description The id of the request, where the topic of the request was merged into this topic. */
            asked_id?: string;
            /** @description The title. */
            title: string;
            /** @description The summary. */
            summary: string;
            /** @description The kind. */
            topic_kind: string;
            /** @description The salience as of now: the sum of `salience_parts`. */
            salience: number;
            /** @description Always 0: a field that clients of MemState expect. */
            failed_salience: number;
            /** @description The parts of the salience. */
            salience_parts: components["schemas"]["TopicSalience"];
            /** @description Whether the topic is archived. */
            archived: boolean;
            /** @description The status of the topic. */
            status: components["schemas"]["TopicStatus"];
            /** @description The scope; empty for an unscoped topic. */
            scope: string;
            /** @description The sensitivity. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description Ids of topics that were merged into the topic. */
            absorbed: string[];
            /** @description When the topic was made. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description When the topic last changed. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description The latest reads, the oldest first. */
            access_trail: components["schemas"]["TopicReading"][];
            /** @description The audit trail, the oldest event first. */
            topic_history: components["schemas"]["TopicEvent"][];
            /**
             * @description Older events are missing for want of room; absent where none is.
             * @constant
             */
            topic_history_cut?: true;
            /**
             * @description Fields are missing for want of room; absent where none is.
             * @constant
             */
            fields_cut?: true;
            /** @description The fields and groups, by name. */
            fields: {
                [key: string]: components["schemas"]["TopicField"];
            };
        };
        /** @description A revision of a field. */
        TopicRevision: {
            /** @description The id of the revision. */
            id: string;
            /** @description The value, any JSON; a link where the reply has no room for a large value. */
            value: components["schemas"]["JsonValue-Output"];
            /** @description The instant from which the value holds. */
            valid_from: components["schemas"]["Timestamp-Output"];
            /** @description The origin of the value, in the words of the caller. */
            provenance: string;
            /** @description Why the value changed; null where nobody said, or the reason names a hidden topic. */
            why_changed: string | null;
            /** @description The expected effect of the change; null where nobody said. */
            impact_expected: string | null;
            /** @description The operation that made the revision, such as `nested_topic_link`; null for a write. */
            operation: string | null;
            /** @description When the revision was written. */
            recorded_at: components["schemas"]["Timestamp-Output"];
            /** @description Who wrote the revision, as authenticated. */
            principal: string;
            /** @description The record that the value was taken from; empty without one, and for a hidden record. */
            evidence: string;
        };
        /** @description The three parts of the salience of a topic at one instant. */
        TopicSalience: {
            /** @description What is left of the salience that the topic was given. */
            base: number;
            /** @description What reads added. */
            access: number;
            /** @description What the fields added, on average. */
            fields: number;
        };
        /** @enum {string} */
        TopicStatus: "active" | "archived" | "merged" | "deleted";
        /** @description What calls for a skill. */
        "Trigger-Input": {
            signal: string;
            conditions?: components["schemas"]["JsonObject-Input"];
        };
        /** @description What calls for a skill. */
        "Trigger-Output": {
            signal: string;
            conditions?: components["schemas"]["JsonObject-Output"];
        };
        /** @description What a read asks to see; it can only narrow what the principal may see. */
        TrustInput: {
            max_sensitivity?: components["schemas"]["Sensitivity"] | null | "";
            scopes?: string[];
            authenticated?: boolean | null;
            actor_id?: string | null;
        };
        /** @description Take the fields of a topic back that was made of them. */
        UndoPromotion: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            child_topic_id?: string | null;
            relationship_kind?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Fields that are back in the parent; the child is deleted. */
        UndonePromotion: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /**
             * @description The change is made.
             * @constant
             */
            ok: true;
            /** @description The id of the parent. */
            parent_topic_id: string;
            /** @description The names of the fields that are back. */
            restored_fields: string[];
            /** @description The fields of the parent that referred to the child and were removed. */
            removed_ref_fields: string[];
            /** @description The id of the child. */
            deleted_child_topic_id: string;
        };
        /** @description Take a topic out again of the one that it was merged into; `id` is its own. */
        UnmergeTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            why?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A topic that was taken out of a merge. */
        UnmergedTopic: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The id of the topic. */
            topic_id: string;
            /** @description The id of the topic that kept both until now. */
            unmerged_from: string;
        };
        /** @description Show the fields of a bundle by themselves again. */
        UnnestFields: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            nest_key?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Fields that are shown without their group again. */
        UnnestedFields: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /**
             * @description The change is made.
             * @constant
             */
            ok: true;
            /** @description The id of the topic. */
            topic_id: string;
            /** @description The name of the group. */
            nest_key: string;
            /** @description The names of the fields. */
            restored_fields: string[];
        };
        /** @description Let the record fade again, from now on. */
        Unpin: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description An uploaded value, by the id of the upload. */
        UploadClaim: {
            /** @description The id of the upload. */
            $upload: string;
        };
        /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
        User: string | null;
        /** @description When a fact holds; `conditions`, `start` and `end` go with the mode. */
        "Validity-Input": {
            mode: components["schemas"]["ValidityMode"];
            conditions?: components["schemas"]["JsonObject-Input"];
            start?: components["schemas"]["Timestamp-Input"] | null;
            end?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description When a fact holds; `conditions`, `start` and `end` go with the mode. */
        "Validity-Output": {
            mode: components["schemas"]["ValidityMode"];
            conditions?: components["schemas"]["JsonObject-Output"];
            start?: components["schemas"]["Timestamp-Output"];
            end?: components["schemas"]["Timestamp-Output"];
        };
        /**
         * @description When a fact holds.
         * @enum {string}
         */
        ValidityMode: "global" | "conditional" | "timeboxed";
        /** @description A page of the versions of a record. */
        VersionList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The versions, the oldest first. */
            versions: components["schemas"]["RecordVersion"][];
        };
        /** @description The state of a task in flight. */
        "WorkingPayload-Input": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "working";
            thread_id: string;
            state: components["schemas"]["TaskState"];
            active_constraints?: components["schemas"]["Constraint-Input"][] | components["schemas"]["UploadClaim"];
            next_actions?: string[];
            open_questions?: string[];
            context_summary?: string;
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description The state of a task in flight. */
        "WorkingPayload-Output": {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "working";
            thread_id: string;
            state: components["schemas"]["TaskState"];
            active_constraints?: components["schemas"]["Constraint-Output"][] | components["schemas"]["LargeValue"];
            next_actions?: string[];
            open_questions?: string[];
            context_summary?: string;
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /** @description A record that was written. */
        WrittenReply: {
            /** @description The record, with the salience as of the instant of reading. */
            record: components["schemas"]["MemoryRecord"];
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
        };
    };
    responses: {
        /** @description The request is not valid. */
        400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 400;
                    /** @enum {unknown} */
                    code?: "INVALID_ARGUMENT";
                    /** @enum {unknown} */
                    title?: "The request is not valid";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description No API key. */
        401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
        /** @description Not allowed; An API key that is unknown, expired or revoked. */
        403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 403;
                    /** @enum {unknown} */
                    code?: "PERMISSION_DENIED";
                    /** @enum {unknown} */
                    title?: "Not allowed";
                } & components["schemas"]["Problem"];
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
        /** @description Not found. */
        404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                    /** @enum {unknown} */
                    title?: "Not found";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Not in this state; The search index must be made anew; Already exists; Lost to other writers. */
        409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "FAILED_PRECONDITION" | "FAILED_PRECONDITION" | "ALREADY_EXISTS" | "ABORTED";
                    /** @enum {unknown} */
                    title?: "Not in this state" | "The search index must be made anew" | "Already exists" | "Lost to other writers";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Too large; The request or the reply passes a limit. */
        413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 413;
                    /** @enum {unknown} */
                    code?: "INVALID_ARGUMENT";
                    /** @enum {unknown} */
                    title?: "Too large";
                } & components["schemas"]["Problem"];
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
        /** @description Too many requests. */
        429: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 429;
                    /** @enum {unknown} */
                    code?: "RESOURCE_EXHAUSTED";
                    /** @enum {unknown} */
                    title?: "Too many requests";
                } & components["schemas"]["Problem"];
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
        /** @description A fault, which raises the alarm of the operator. */
        500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
        /** @description Unavailable; The function did not answer in time. */
        503: {
            headers: {
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 503;
                    /** @enum {unknown} */
                    code?: "UNAVAILABLE";
                    /** @enum {unknown} */
                    title?: "Unavailable";
                } & components["schemas"]["Problem"];
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
    };
    parameters: {
        /** @description The id of the record, topic or receipt. */
        id: string;
        /** @description The thread. */
        thread_id: string;
        /** @description The whole name of the field, percent-encoded. */
        name: string;
        /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
        user: string;
        /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
        "idempotency-key": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ActionList = components['schemas']['ActionList'];
export type AddRelationship = components['schemas']['AddRelationship'];
export type Answer = components['schemas']['Answer'];
export type AnswerReceipt = components['schemas']['AnswerReceipt'];
export type AppendField = components['schemas']['AppendField'];
export type AppendedField = components['schemas']['AppendedField'];
export type AuditAction = components['schemas']['AuditAction'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditTrail = components['schemas']['AuditTrail'];
export type BareRecord = components['schemas']['BareRecord'];
export type BatchRecordId = components['schemas']['BatchRecordId'];
export type BatchReply = components['schemas']['BatchReply'];
export type BatchedMessages = components['schemas']['BatchedMessages'];
export type BatchedRecord = components['schemas']['BatchedRecord'];
export type BriefRecord = components['schemas']['BriefRecord'];
export type BundledField = components['schemas']['BundledField'];
export type BundledRevision = components['schemas']['BundledRevision'];
export type CalledFunction = components['schemas']['CalledFunction'];
export type ChangeLifecycle = components['schemas']['ChangeLifecycle'];
export type ChangeSystemContext = components['schemas']['ChangeSystemContext'];
export type ChangeTopic = components['schemas']['ChangeTopic'];
export type ChangedTopic = components['schemas']['ChangedTopic'];
export type CompetencePayloadInput = components['schemas']['CompetencePayload-Input'];
export type CompetencePayloadOutput = components['schemas']['CompetencePayload-Output'];
export type ConflictPolicy = components['schemas']['ConflictPolicy'];
export type ConstraintInput = components['schemas']['Constraint-Input'];
export type ConstraintOutput = components['schemas']['Constraint-Output'];
export type Contest = components['schemas']['Contest'];
export type ContextChange = components['schemas']['ContextChange'];
export type CreateTopic = components['schemas']['CreateTopic'];
export type DecayChange = components['schemas']['DecayChange'];
export type DecayCurve = components['schemas']['DecayCurve'];
export type DecayForecast = components['schemas']['DecayForecast'];
export type DecayInput = components['schemas']['DecayInput'];
export type DecayPreview = components['schemas']['DecayPreview'];
export type DecayProfile = components['schemas']['DecayProfile'];
export type DeleteField = components['schemas']['DeleteField'];
export type DeleteRecord = components['schemas']['DeleteRecord'];
export type DeleteTopic = components['schemas']['DeleteTopic'];
export type DeletedField = components['schemas']['DeletedField'];
export type DeletedRecord = components['schemas']['DeletedRecord'];
export type DeletedTopic = components['schemas']['DeletedTopic'];
export type DeletionPolicy = components['schemas']['DeletionPolicy'];
export type Direction = components['schemas']['Direction'];
export type EdgeKind = components['schemas']['EdgeKind'];
export type EdgeTold = components['schemas']['EdgeTold'];
export type EntityAlias = components['schemas']['EntityAlias'];
export type EntityIdentifier = components['schemas']['EntityIdentifier'];
export type EntityPayloadInput = components['schemas']['EntityPayload-Input'];
export type EntityPayloadOutput = components['schemas']['EntityPayload-Output'];
export type EnvironmentSnapshotInput = components['schemas']['EnvironmentSnapshot-Input'];
export type EnvironmentSnapshotOutput = components['schemas']['EnvironmentSnapshot-Output'];
export type EpisodicPayloadInput = components['schemas']['EpisodicPayload-Input'];
export type EpisodicPayloadOutput = components['schemas']['EpisodicPayload-Output'];
export type ErrorBounds = components['schemas']['ErrorBounds'];
export type EventKind = components['schemas']['EventKind'];
export type ExplainedCandidate = components['schemas']['ExplainedCandidate'];
export type FieldChange = components['schemas']['FieldChange'];
export type FieldDecision = components['schemas']['FieldDecision'];
export type FieldProblem = components['schemas']['FieldProblem'];
export type FieldSummary = components['schemas']['FieldSummary'];
export type FieldTold = components['schemas']['FieldTold'];
export type FieldType = components['schemas']['FieldType'];
export type Fork = components['schemas']['Fork'];
export type FoundTopics = components['schemas']['FoundTopics'];
export type GatewayMessage = components['schemas']['GatewayMessage'];
export type GoneReply = components['schemas']['GoneReply'];
export type Health = components['schemas']['Health'];
export type IdempotencyKey = components['schemas']['IdempotencyKey'];
export type IngestBatch = components['schemas']['IngestBatch'];
export type IngestEvent = components['schemas']['IngestEvent'];
export type IngestEventItem = components['schemas']['IngestEventItem'];
export type IngestMessages = components['schemas']['IngestMessages'];
export type IngestMessagesItem = components['schemas']['IngestMessagesItem'];
export type IngestObservation = components['schemas']['IngestObservation'];
export type IngestObservationItem = components['schemas']['IngestObservationItem'];
export type IngestOutcome = components['schemas']['IngestOutcome'];
export type IngestOutcomeItem = components['schemas']['IngestOutcomeItem'];
export type IngestRecord = components['schemas']['IngestRecord'];
export type IngestRecordItem = components['schemas']['IngestRecordItem'];
export type IngestToolOutput = components['schemas']['IngestToolOutput'];
export type IngestToolOutputItem = components['schemas']['IngestToolOutputItem'];
export type IngestTopic = components['schemas']['IngestTopic'];
export type IngestWorkingState = components['schemas']['IngestWorkingState'];
export type IngestWorkingStateItem = components['schemas']['IngestWorkingStateItem'];
export type IngestedTopic = components['schemas']['IngestedTopic'];
export type JsonObjectInput = components['schemas']['JsonObject-Input'];
export type JsonObjectOutput = components['schemas']['JsonObject-Output'];
export type JsonValueInput = components['schemas']['JsonValue-Input'];
export type JsonValueOutput = components['schemas']['JsonValue-Output'];
export type LargeValue = components['schemas']['LargeValue'];
export type Lifecycle = components['schemas']['Lifecycle'];
export type LifecycleInput = components['schemas']['LifecycleInput'];
export type LinkType = components['schemas']['LinkType'];
export type ListedTopic = components['schemas']['ListedTopic'];
export type MemoryRecord = components['schemas']['MemoryRecord'];
export type MemoryType = components['schemas']['MemoryType'];
export type Merge = components['schemas']['Merge'];
export type Message = components['schemas']['Message'];
export type Metrics = components['schemas']['Metrics'];
export type NestFields = components['schemas']['NestFields'];
export type NestedFields = components['schemas']['NestedFields'];
export type OpenUpload = components['schemas']['OpenUpload'];
export type OpenedUpload = components['schemas']['OpenedUpload'];
export type OutcomeStatus = components['schemas']['OutcomeStatus'];
export type OversizedRecord = components['schemas']['OversizedRecord'];
export type Penalize = components['schemas']['Penalize'];
export type PerformanceStatsInput = components['schemas']['PerformanceStats-Input'];
export type PerformanceStatsOutput = components['schemas']['PerformanceStats-Output'];
export type Pin = components['schemas']['Pin'];
export type Placement = components['schemas']['Placement'];
export type PlanEdge = components['schemas']['PlanEdge'];
export type PlanGraphPayloadInput = components['schemas']['PlanGraphPayload-Input'];
export type PlanGraphPayloadOutput = components['schemas']['PlanGraphPayload-Output'];
export type PlanMetricsInput = components['schemas']['PlanMetrics-Input'];
export type PlanMetricsOutput = components['schemas']['PlanMetrics-Output'];
export type PlanNodeInput = components['schemas']['PlanNode-Input'];
export type PlanNodeOutput = components['schemas']['PlanNode-Output'];
export type PreviewDecay = components['schemas']['PreviewDecay'];
export type Problem = components['schemas']['Problem'];
export type PromoteFields = components['schemas']['PromoteFields'];
export type PromotedFields = components['schemas']['PromotedFields'];
export type Prompt = components['schemas']['Prompt'];
export type Provenance = components['schemas']['Provenance'];
export type ProvenanceInput = components['schemas']['ProvenanceInput'];
export type ProvenanceKind = components['schemas']['ProvenanceKind'];
export type ProvenanceRefInput = components['schemas']['ProvenanceRef-Input'];
export type ProvenanceRefOutput = components['schemas']['ProvenanceRef-Output'];
export type ProvenanceSource = components['schemas']['ProvenanceSource'];
export type QueryTopics = components['schemas']['QueryTopics'];
export type Reason = components['schemas']['Reason'];
export type Reasoned = components['schemas']['Reasoned'];
export type ReceiptTrust = components['schemas']['ReceiptTrust'];
export type RecipeStepInput = components['schemas']['RecipeStep-Input'];
export type RecipeStepOutput = components['schemas']['RecipeStep-Output'];
export type Reclassify = components['schemas']['Reclassify'];
export type RecordId = components['schemas']['RecordId'];
export type RecordInput = components['schemas']['RecordInput'];
export type RecordList = components['schemas']['RecordList'];
export type RecordReply = components['schemas']['RecordReply'];
export type RecordVersion = components['schemas']['RecordVersion'];
export type RedactedDecay = components['schemas']['RedactedDecay'];
export type RedactedLifecycle = components['schemas']['RedactedLifecycle'];
export type RedactedProvenance = components['schemas']['RedactedProvenance'];
export type RedactedRecord = components['schemas']['RedactedRecord'];
export type RefusedItem = components['schemas']['RefusedItem'];
export type Reinforce = components['schemas']['Reinforce'];
export type RelationInput = components['schemas']['Relation-Input'];
export type RelationOutput = components['schemas']['Relation-Output'];
export type RemoveRelationship = components['schemas']['RemoveRelationship'];
export type Resolve = components['schemas']['Resolve'];
export type RestoreRecord = components['schemas']['RestoreRecord'];
export type RestoreTopic = components['schemas']['RestoreTopic'];
export type Retract = components['schemas']['Retract'];
export type Retrieve = components['schemas']['Retrieve'];
export type RevisionStateInput = components['schemas']['RevisionState-Input'];
export type RevisionStateOutput = components['schemas']['RevisionState-Output'];
export type RevisionStatus = components['schemas']['RevisionStatus'];
export type Role = components['schemas']['Role'];
export type SaidReply = components['schemas']['SaidReply'];
export type Scope = components['schemas']['Scope'];
export type Selection = components['schemas']['Selection'];
export type SemanticPayloadInput = components['schemas']['SemanticPayload-Input'];
export type SemanticPayloadOutput = components['schemas']['SemanticPayload-Output'];
export type Sensitivity = components['schemas']['Sensitivity'];
export type SetFieldRef = components['schemas']['SetFieldRef'];
export type Snapshot = components['schemas']['Snapshot'];
export type SourceInput = components['schemas']['SourceInput'];
export type Stage = components['schemas']['Stage'];
export type Supersede = components['schemas']['Supersede'];
export type SystemContext = components['schemas']['SystemContext'];
export type SystemContextReply = components['schemas']['SystemContextReply'];
export type TaskState = components['schemas']['TaskState'];
export type ThreadState = components['schemas']['ThreadState'];
export type TimelineEventInput = components['schemas']['TimelineEvent-Input'];
export type TimelineEventOutput = components['schemas']['TimelineEvent-Output'];
export type TimestampInput = components['schemas']['Timestamp-Input'];
export type TimestampOutput = components['schemas']['Timestamp-Output'];
export type ToolCall = components['schemas']['ToolCall'];
export type ToolNodeInput = components['schemas']['ToolNode-Input'];
export type ToolNodeOutput = components['schemas']['ToolNode-Output'];
export type TopicAction = components['schemas']['TopicAction'];
export type TopicBundle = components['schemas']['TopicBundle'];
export type TopicEdge = components['schemas']['TopicEdge'];
export type TopicEvent = components['schemas']['TopicEvent'];
export type TopicField = components['schemas']['TopicField'];
export type TopicGraph = components['schemas']['TopicGraph'];
export type TopicLinked = components['schemas']['TopicLinked'];
export type TopicList = components['schemas']['TopicList'];
export type TopicNeighbour = components['schemas']['TopicNeighbour'];
export type TopicNode = components['schemas']['TopicNode'];
export type TopicReading = components['schemas']['TopicReading'];
export type TopicReply = components['schemas']['TopicReply'];
export type TopicRevision = components['schemas']['TopicRevision'];
export type TopicSalience = components['schemas']['TopicSalience'];
export type TopicStatus = components['schemas']['TopicStatus'];
export type TriggerInput = components['schemas']['Trigger-Input'];
export type TriggerOutput = components['schemas']['Trigger-Output'];
export type TrustInput = components['schemas']['TrustInput'];
export type UndoPromotion = components['schemas']['UndoPromotion'];
export type UndonePromotion = components['schemas']['UndonePromotion'];
export type UnmergeTopic = components['schemas']['UnmergeTopic'];
export type UnmergedTopic = components['schemas']['UnmergedTopic'];
export type UnnestFields = components['schemas']['UnnestFields'];
export type UnnestedFields = components['schemas']['UnnestedFields'];
export type Unpin = components['schemas']['Unpin'];
export type UploadClaim = components['schemas']['UploadClaim'];
export type User = components['schemas']['User'];
export type ValidityInput = components['schemas']['Validity-Input'];
export type ValidityOutput = components['schemas']['Validity-Output'];
export type ValidityMode = components['schemas']['ValidityMode'];
export type VersionList = components['schemas']['VersionList'];
export type WorkingPayloadInput = components['schemas']['WorkingPayload-Input'];
export type WorkingPayloadOutput = components['schemas']['WorkingPayload-Output'];
export type WrittenReply = components['schemas']['WrittenReply'];
export type Response400 = components['responses']['400'];
export type Response401 = components['responses']['401'];
export type Response403 = components['responses']['403'];
export type Response404 = components['responses']['404'];
export type Response409 = components['responses']['409'];
export type Response413 = components['responses']['413'];
export type Response429 = components['responses']['429'];
export type Response500 = components['responses']['500'];
export type Response503 = components['responses']['503'];
export type ParameterId = components['parameters']['id'];
export type ParameterThreadId = components['parameters']['thread_id'];
export type ParameterName = components['parameters']['name'];
export type ParameterUser = components['parameters']['user'];
export type ParameterIdempotencyKey = components['parameters']['idempotency-key'];
export type $defs = Record<string, never>;
export interface operations {
    Health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    PreviewDecay: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewDecay"];
            };
        };
        responses: {
            /** @description How many records would be pruned, by instant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecayPreview"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadGraph: {
        parameters: {
            query?: {
                /** @description One scope. */
                scope?: components["schemas"]["Scope"];
                /** @description Show the topics around this topic, in place of a page of a scope. */
                topic_id?: string;
                /** @description The number of links from `topic_id`. */
                depth?: number;
                /** @description The number of topics at most. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Topics, and the links between topics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicGraph"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestTopic"];
            };
        };
        responses: {
            /** @description What was written, and where. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestedTopic"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestBatch"];
            };
        };
        responses: {
            /** @description An entry for each item, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestEvent"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestObservation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestObservation"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. Or, without the header, the record that says the same and was reinforced. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestOutcome: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestOutcome"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestToolOutput: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestToolOutput"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestWorkingState: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestWorkingState"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestMessages: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestMessages"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SaidReply"];
                };
            };
            /** @description The records of the messages, in the order of their turns. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SaidReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    GetMetrics: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metrics"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    QueryTopics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryTopics"];
            };
        };
        responses: {
            /** @description The topics, the likeliest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTopics"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Reason: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The actions, planned or done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reasoned"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadActions: {
        parameters: {
            query?: {
                /** @description One scope. */
                scope?: components["schemas"]["Scope"];
                /** @description The size of a page; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest actions first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionList"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadReceipt: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why the answer was as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerReceipt"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ListRecords: {
        parameters: {
            query?: {
                /** @description One scope. */
                scope?: components["schemas"]["Scope"];
                /** @description Memory types; without any, all. */
                type?: components["schemas"]["MemoryType"][];
                /** @description Whole records, or records in brief. */
                view?: "" | "full" | "brief";
                /** @description The size of a page; 0 is the default. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records, the most salient first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordList"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    IngestRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestRecord"] | components["schemas"]["BareRecord"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Merge: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Merge"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    RetrieveByID: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description The record as of this instant, with salience and audit trail: RFC 3339, not in the future. Not found before the creation, and while the record was deleted. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Follow the successors of the record to the newest; 500 steps at most. Not with `as_of`. */
                resolve?: "" | "latest";
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record, with the salience as of now, or as of the instant asked for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    DeleteRecord: {
        parameters: {
            query?: {
                /** @description Remove the content for good, with the free text of the audit; needs the permission `admin` instead. */
                erase?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteRecord"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Reclassify: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reclassify"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadAudit: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description The size of a page; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Check the hash chain: on the first page the whole trail, up to 50,000 entries; on a later page the entries of the page. */
                verify?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The audit trail, the oldest entry first, 1,000 a page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditTrail"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Contest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Contest"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Fork: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Fork"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ChangeLifecycle: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeLifecycle"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Penalize: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Penalize"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Pin: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Pin"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Reinforce: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reinforce"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Resolve: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Resolve"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    RestoreRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RestoreRecord"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Retract: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Retract"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Supersede: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Supersede"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            /** @description The record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Unpin: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Unpin"];
            };
        };
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReply"] | components["schemas"]["GoneReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadVersions: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description The size of a page; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions, the oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    Retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Retrieve"];
            };
        };
        responses: {
            /** @description The records, the best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Answer"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadSystemContext: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The system context. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemContextReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ChangeSystemContext: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSystemContext"];
            };
        };
        responses: {
            /** @description The new system context. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemContextReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadThread: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description The size of a page; 0 is the default. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["parameters"]["thread_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest state of the thread. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadState"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ListTopics: {
        parameters: {
            query?: {
                /** @description One scope. */
                scope?: components["schemas"]["Scope"];
                /** @description Whether to show archived topics. */
                include_archived?: boolean;
                /** @description The size of a page; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before; every other parameter stays the same. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The topics, the most salient first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicList"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    CreateTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTopic"];
            };
        };
        responses: {
            /** @description The id of the topic. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedTopic"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadTopic: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description The values as of this instant, by `valid_from`: RFC 3339, not in the future. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The topic with fields and audit trail. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicReply"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    DeleteTopic: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteTopic"];
            };
        };
        responses: {
            /** @description The id of the topic. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedTopic"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ChangeTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeTopic"];
            };
        };
        responses: {
            /** @description The id of the topic. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedTopic"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    AppendField: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppendField"];
            };
        };
        responses: {
            /** @description The id of the revision. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendedField"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ReadField: {
        parameters: {
            query?: {
                /** @description Show nothing above this level; narrows the rights of the key. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Show these scopes and unscoped records; narrows the rights of the key. */
                scope?: string[];
                /** @description Whether to show earlier revisions. */
                with_history?: boolean;
                /** @description Whether to show archived revisions. */
                archived?: boolean;
                /** @description The values as of this instant, by `valid_from`: RFC 3339, not in the future. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
                /** @description The whole name of the field, percent-encoded. */
                name: components["parameters"]["name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The field, the newest revision first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicField"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    DeleteField: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
                /** @description The whole name of the field, percent-encoded. */
                name: components["parameters"]["name"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteField"];
            };
        };
        responses: {
            /** @description The name of the field. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedField"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    SetFieldRef: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
                /** @description The whole name of the field, percent-encoded. */
                name: components["parameters"]["name"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SetFieldRef"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicLinked"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    NestFields: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NestFields"];
            };
        };
        responses: {
            /** @description The fields that are shown as a group from now on. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NestedFields"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    PromoteFields: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PromoteFields"];
            };
        };
        responses: {
            /** @description The new topic, and the fields of the new topic. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromotedFields"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    AddRelationship: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddRelationship"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicLinked"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    RemoveRelationship: {
        parameters: {
            query: {
                /** @description The topic at the end of the relationship. */
                to_topic_id: string;
                /** @description The kind of the relationship; may be empty. */
                kind: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RemoveRelationship"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicLinked"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    RestoreTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RestoreTopic"];
            };
        };
        responses: {
            /** @description The id of the topic. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedTopic"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    UndoPromotion: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UndoPromotion"];
            };
        };
        responses: {
            /** @description The fields that are back. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndonePromotion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    UnmergeTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UnmergeTopic"];
            };
        };
        responses: {
            /** @description The topic, and the topic that kept both until now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnmergedTopic"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    UnnestFields: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic or receipt. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UnnestFields"];
            };
        };
        responses: {
            /** @description The fields that are shown alone again. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnnestedFields"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    OpenUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenUpload"];
            };
        };
        responses: {
            /** @description A repeat under the same idempotency key: the earlier result, as of now. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed": "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedUpload"];
                };
            };
            /** @description Where to put the value. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedUpload"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
}
