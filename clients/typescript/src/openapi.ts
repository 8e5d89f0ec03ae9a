// Written by `npm run generate` from infra/openapi.yaml.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A sign of life that touches no store. */
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
        ActionList: {
            scope: string;
            actions: components["schemas"]["TopicAction"][];
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
        };
        /** @description Link a topic to another. */
        AddRelationship: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            to_topic_id: string;
            kind: string;
            user?: components["schemas"]["User"];
        };
        Answer: {
            /** @description Whole, or with the view `brief` in brief. */
            records?: (components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"] | components["schemas"]["BriefRecord"])[];
            prompt?: components["schemas"]["Prompt"];
            /** @description How well each record that was found answers the task, by id; comparable between calls. Absent without a task. */
            scores?: {
                [key: string]: number;
            };
            selection?: components["schemas"]["Selection"];
            /** @description Tells for a week why the answer is so; absent where the receipt could not be kept in time. */
            receipt_id?: string;
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
        };
        AnswerReceipt: {
            id: string;
            principal: string;
            asked_at: components["schemas"]["Timestamp-Output"];
            /** @description The request; long texts are cut. */
            query: Record<string, never>;
            /** @description What the answer could hold at most. */
            trust: {
                max_sensitivity: components["schemas"]["Sensitivity"];
                /** @description null for every scope. */
                scopes: string[] | null;
            };
            /** @description Records on the page. */
            returned: number;
            /** @description Candidates, explained or not. */
            considered: number;
            /** @description The best first, as many as there was room for. */
            candidates: {
                id: string;
                score: number;
                parts: {
                    [key: string]: number;
                };
            }[];
            /** @description Found or let through by filters, and scored less than the floor. */
            left_out: number;
            /** @description Met, shown in full by the key, and not by the request's trust: at least so many, as nothing is searched for counting. */
            withheld: number;
            /** @description Met, and beyond what the key may see; for `admin` alone. */
            hidden?: number;
        };
        /** @description One revision more of a field. A reference that is left out stays; null and the empty text clear it. */
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
            user?: components["schemas"]["User"];
        };
        AppendedField: {
            version_id: string;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /**
         * @description What was done to a record.
         * @enum {string}
         */
        AuditAction: "create" | "revise" | "fork" | "merge" | "delete" | "reinforce" | "decay";
        /** @description Who did what to a record, when and why, chained to the entry before it. `actor` is what the caller claims, `principal` who was authenticated. The entry of what moved the salience has it as of just before and just after; that of a record that was pruned has what it decayed from, at its anchor, and to. `membrane.domain.records.audit` explains the chain. An erased entry keeps `text_hash` in place of its free text. */
        AuditEntry: {
            action: components["schemas"]["AuditAction"];
            actor: string;
            timestamp: components["schemas"]["Timestamp-Output"];
            rationale: string;
            principal: string;
            previous_hash: string;
            hash: string;
            salt?: string;
            text_hash?: string;
            salience_before?: number;
            salience_after?: number;
        };
        AuditTrail: {
            audit_log: components["schemas"]["AuditEntry"][];
            /** @description How many entries the trail has in all. */
            audit_count: number;
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
            deleted_at: components["schemas"]["Timestamp-Output"] | null;
            /** @description Whether the entries are intact; where `verify` asked for it. */
            verified?: boolean;
            /** @description Position in the trail of the first entry that is not intact. */
            broken_at?: number | null;
            /** @description How many entries were verified: from the trail's first one, or on a later page from the page's first one. */
            verified_entries?: number;
        };
        /** @description The same without the envelope. */
        BareRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
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
        BatchEntry: {
            /** @enum {unknown} */
            status: 200 | 201;
            record: components["schemas"]["BatchRecord"];
            /** @description A retrieval that carries it sees this write. */
            consistency_token?: string;
        } | {
            /** @enum {unknown} */
            status: 200 | 201;
            thread_id: string;
            /** @description Of the first message; null where a repeat finds nothing but tombstones. */
            first_turn: number | null;
            /** @description Of whatever is said next in the thread; null where a repeat finds nothing but tombstones. */
            next_turn: number | null;
            records: components["schemas"]["BatchRecord"][];
            /** @description One for each record that was not deleted. */
            consistency_tokens: string[];
        } | {
            status: number;
            error: components["schemas"]["Problem"];
        };
        /** @description The id alone where the records together are too large for a reply. */
        BatchRecord: components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"] | {
            id: string;
        };
        BatchReply: {
            results: components["schemas"]["BatchEntry"][];
        };
        /** @description A record with the view `brief`. */
        BriefRecord: {
            id: string;
            type: components["schemas"]["MemoryType"];
            /** @description What the record says; a longer text ends in an ellipsis. Null of a redacted record. */
            text: string | null;
            /** @description How well the record answers the task; null without a task, and of a record that no score is known of. */
            score: number | null;
            salience: number;
            /** @description When it happened; of a redacted record, when it was made. */
            when: components["schemas"]["Timestamp-Output"];
            /** @description Who said or reported it, else who made the record. Null of a redacted record. */
            who: string | null;
            scope: string;
            tags: string[];
        };
        BundledField: {
            name: string;
            /** @enum {unknown} */
            field_type: "string" | "int" | "float" | "bool" | "date" | "datetime" | "list" | "json";
            /** @description The topic that the field points at. */
            ref_topic_id: string | null;
            current: components["schemas"]["BundledRevision"];
            /** @description The newest first; none where `history_limit` is 0. */
            history: components["schemas"]["BundledRevision"][];
        };
        BundledRevision: {
            id: string;
            value: components["schemas"]["TopicValue"];
            valid_from: components["schemas"]["Timestamp-Output"];
            provenance: string;
            why_changed: string | null;
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
            user?: components["schemas"]["User"];
        };
        /** @description What every agent is told of its role and its surroundings, both at once. */
        ChangeSystemContext: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            system_role: string;
            runtime_context: string;
            user?: components["schemas"]["User"];
        };
        /** @description Other words for a topic, another salience from now on, archiving and taking it up again. What is left out, or null, stays; an empty text clears it. A topic stays in its scope. */
        ChangeTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            title?: string | null;
            summary?: string | null;
            topic_kind?: string | null;
            salience?: number | null;
            archived?: boolean | null;
            sensitivity?: components["schemas"]["Sensitivity"] | null;
            user?: components["schemas"]["User"];
        };
        ChangedTopic: {
            topic_id: string;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
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
         * @description What becomes of an observation that says otherwise than a fact does.
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
        /** @description Say that something speaks against a record. `contesting_ref` is the id of another record, or names evidence that is none. */
        Contest: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            contesting_ref?: string | "" | null;
            user?: components["schemas"]["User"];
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
        /** @description Of the records of one scope and type that may be seen. */
        DecayForecast: {
            /** @description Empty for what is unscoped. */
            scope: string;
            type: components["schemas"]["MemoryType"];
            /** @description Records that are not pinned. */
            candidates: number;
            /** @description Of them pruned by each instant as things stand. */
            today: number[];
            /** @description The same under what the request asks for. */
            preview: number[];
            /** @description By how much each number may be off; by more with a probability of at most 1 %. */
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
        DecayPreview: {
            now: components["schemas"]["Timestamp-Output"];
            instants: components["schemas"]["Timestamp-Output"][];
            /** @description The sum over all forecasts. */
            candidates: number;
            /** @description Whether no number is an estimate. */
            exact: boolean;
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
            user?: components["schemas"]["User"];
        };
        /** @description Delete one record; `erase` removes what it says for good, also of one that is deleted. */
        DeleteRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Hide a topic from all but its restoring. */
        DeleteTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        DeletedField: {
            deleted: string;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /** @description What a repeat gets whose record was deleted since. */
        DeletedRecord: {
            id: string;
            deleted_at: components["schemas"]["Timestamp-Output"];
        };
        DeletedTopic: {
            deleted: string;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /**
         * @description Who may delete a record: the sweep, a caller, nobody.
         * @enum {string}
         */
        DeletionPolicy: "auto_prune" | "manual_only" | "never";
        /**
         * @description What flows along an edge of a plan.
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
        FieldChange: {
            /** @description From the record down: `payload.revision.status`. */
            field: string;
            /** @description Absent where there was none. */
            before?: unknown;
            /** @description Absent where there is none. */
            after?: unknown;
            /** @description Of a list that only grew: what is new at its end. */
            added?: unknown[];
        };
        FieldSummary: {
            name: string;
            /** @enum {unknown} */
            field_type: "string" | "int" | "float" | "bool" | "date" | "datetime" | "list" | "json";
            current_value: components["schemas"]["TopicValue"];
            history_len: number;
            /** @description The topic that the field points at. */
            ref_topic_id?: string | null;
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
            user?: components["schemas"]["User"];
        };
        FoundTopics: {
            query: string;
            candidates: components["schemas"]["TopicBundle"][];
            summary_text: string;
            /** @description Where histories were cut, to how many revisions; 0: to none. */
            history_limit?: number;
        };
        /** @description A refusal or a failure that the gateway answers by itself. */
        GatewayMessage: {
            message: string | null;
        };
        GoneReply: {
            record: components["schemas"]["DeletedRecord"];
        };
        Health: {
            /** @constant */
            status: "ok";
        };
        IdempotencyKey: string;
        /** @description Requests of the ingest RPCs, each with the name of its `rpc`. */
        IngestBatch: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            items: (components["schemas"]["IngestEventItem"] | components["schemas"]["IngestToolOutputItem"] | components["schemas"]["IngestObservationItem"] | components["schemas"]["IngestOutcomeItem"] | components["schemas"]["IngestWorkingStateItem"] | components["schemas"]["IngestMessagesItem"] | components["schemas"]["IngestRecordItem"])[];
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
            user?: components["schemas"]["User"];
        };
        /** @description A discrete event. */
        IngestEventItem: {
            /** @constant */
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
            user?: components["schemas"]["User"];
        };
        /** @description Messages of one thread, in their order; `session` is another word for `thread_id`. */
        IngestMessagesItem: {
            /** @constant */
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
            user?: components["schemas"]["User"];
        };
        /** @description A fact that was observed; it holds under `conditions`, from `start` on and before `end`. */
        IngestObservationItem: {
            /** @constant */
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
            user?: components["schemas"]["User"];
        };
        /** @description How an episode, already recorded, ended. */
        IngestOutcomeItem: {
            /** @constant */
            rpc: "IngestOutcome";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            target_record_id: string;
            outcome_status: components["schemas"]["OutcomeStatus"];
            reason?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description A full record of any type. */
        IngestRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            record: components["schemas"]["RecordInput"];
            user?: components["schemas"]["User"];
        };
        /** @description A full record of any type. */
        IngestRecordItem: {
            /** @constant */
            rpc: "IngestRecord";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            record: components["schemas"]["RecordInput"];
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
            user?: components["schemas"]["User"];
        };
        /** @description One call of a tool, with what went in and what came out. */
        IngestToolOutputItem: {
            /** @constant */
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
            user?: components["schemas"]["User"];
        };
        /** @description What is told of a topic, and where it belongs: as it says, or as the service finds. Of a topic that is there, title, summary and kind stay where they are absent or null; an empty summary or kind clears it. A salience that is given counts from now; 1.0, which a new topic has anyway, stays out of it there: clients spell it out with all that they tell. The trust narrows what is shown and written; what it does not cover is refused, and no second topic is made of it. */
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
            user?: components["schemas"]["User"];
        };
        /** @description A snapshot of a task in flight. */
        IngestWorkingStateItem: {
            /** @constant */
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
            user?: components["schemas"]["User"];
        };
        IngestedTopic: {
            topic_id: string;
            /** @description What was done, in order: `field:<name>`, ... */
            applied: string[];
            /** @description By field the id of its revision. */
            version_ids: {
                [key: string]: string;
            };
            similar_topic_ids: string[];
            placement: components["schemas"]["Placement"];
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
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
            $blob: {
                sha256: string;
                /** @description Bytes of JSON text. */
                size: number;
                /**
                 * Format: uri
                 * @description Valid for minutes.
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
        /** @description One typed memory. `salience` is its value at the instant the record was read. A reply has the newest audit entries only, and their whole number in `audit_count`. */
        MemoryRecord: {
            id: string;
            type: components["schemas"]["MemoryType"];
            sensitivity: components["schemas"]["Sensitivity"];
            confidence: number;
            salience: number;
            scope?: string;
            tags?: string[];
            created_at: components["schemas"]["Timestamp-Output"];
            updated_at: components["schemas"]["Timestamp-Output"];
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            relations?: components["schemas"]["Relation-Output"][];
            payload: components["schemas"]["EpisodicPayload-Output"] | components["schemas"]["WorkingPayload-Output"] | components["schemas"]["SemanticPayload-Output"] | components["schemas"]["CompetencePayload-Output"] | components["schemas"]["PlanGraphPayload-Output"] | components["schemas"]["EntityPayload-Output"];
            audit_log: components["schemas"]["AuditEntry"][];
            audit_count?: number;
        };
        /**
         * @description What a record is.
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
            user?: components["schemas"]["User"];
        };
        /** @description What was said, or what a tool returned; `at` absent is the server's time. */
        Message: {
            role: components["schemas"]["Role"];
            content?: string | {
                /** @constant */
                type: "text";
                text: string;
            }[] | null;
            /** @description Who speaks, or which tool it was. */
            name?: string | "" | null;
            at?: components["schemas"]["Timestamp-Input"] | "" | null;
            tool_calls?: components["schemas"]["ToolCall"][] | null;
            tool_call_id?: string | "" | null;
        };
        Metrics: {
            snapshot: components["schemas"]["Snapshot"];
        };
        /** @description Show fields as one. */
        NestFields: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            field_names?: string[] | null;
            nest_key?: string | null;
            /** @default ui */
            provenance?: string | null;
            user?: components["schemas"]["User"];
        };
        NestedFields: {
            /** @constant */
            ok: true;
            topic_id: string;
            nest_key: string;
            moved_fields: string[];
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /** @description A value to come: `size` bytes of JSON text of that `sha256` (hex). */
        OpenUpload: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            size: number;
            sha256: string;
            user?: components["schemas"]["User"];
        };
        OpenedUpload: {
            upload_id: string;
            /** Format: uri */
            url: string;
            /** @constant */
            method: "PUT";
            /** @description To be sent with the value, exactly so: they are signed. */
            headers: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Timestamp-Output"];
        };
        /**
         * @description How an experience ended.
         * @enum {string}
         */
        OutcomeStatus: "success" | "failure" | "partial";
        /** @description A record for which a whole page is too small. */
        OversizedRecord: {
            id: string;
            type: components["schemas"]["MemoryType"];
            /** @description Bytes of the record in a reply, without its audit. */
            size: number;
            /** @description Where the record can be read; absent of a redacted one. */
            link?: string;
        };
        /** @description The record did harm or no good: its salience falls by `amount`. */
        Penalize: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            amount: number;
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
            user?: components["schemas"]["User"];
        };
        /** @description Where it was placed, by what, and what became of its fields. */
        Placement: {
            /** @enum {unknown} */
            decision: "new_topic" | "extend_topic" | "version_field";
            /** @enum {unknown} */
            resolved_by: "request" | "topic_id" | "title" | "content" | "similarity" | null;
            score: number | null;
            fields: {
                [key: string]: "new" | "version" | "unchanged";
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
        /** @description What would be pruned by when, if another policy applied to what there is from now on. Instants are by default 1, 7, 30 and 90 days from now; no memory type names them all. */
        PreviewDecay: {
            trust?: components["schemas"]["TrustInput"] | null;
            memory_types?: components["schemas"]["MemoryType"][] | null;
            half_life_seconds?: {
                [key: string]: number;
            } | null;
            threshold?: number | null;
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null;
            instants?: components["schemas"]["Timestamp-Input"][] | null;
            user?: components["schemas"]["User"];
        };
        /** @description A refusal of ours. */
        Problem: {
            title: string;
            status: number;
            /** @enum {unknown} */
            code: "ABORTED" | "ALREADY_EXISTS" | "FAILED_PRECONDITION" | "INTERNAL" | "INVALID_ARGUMENT" | "NOT_FOUND" | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "UNAVAILABLE";
            /** @description A sentence for the caller. */
            detail: string;
            /** @description By field; no message repeats the value. */
            errors?: {
                field: string;
                message: string;
            }[];
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
            user?: components["schemas"]["User"];
        };
        PromotedFields: {
            /** @constant */
            ok: true;
            child_topic_id: string;
            moved_fields: string[];
            relationship_kind: string;
            parent_link_field: string | null;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /** @description In place of the records with the view `prompt`. A memory without room is left out; the first is cut instead. What is redacted is left out. */
        Prompt: {
            /** @description A first line that says what follows, then a line a memory, the best first: `- date, who: "text" [id]`, the text as a JSON string. Empty where there is no memory, or no room for one. */
            text: string;
            /** @description Of the memories in the text, in their order. */
            ids: string[];
            /** @description Of the text, rather too many than too few. */
            tokens: number;
        };
        /** @description Where a record comes from; every outcome adds a source, so only its size ends the list. */
        Provenance: {
            sources: components["schemas"]["ProvenanceSource"][];
            created_by?: string;
        };
        /** @description Where a record comes from, as its sender says. */
        ProvenanceInput: {
            sources?: components["schemas"]["SourceInput"][];
            created_by?: string;
        };
        /**
         * @description What a record was made from.
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
        /** @description Something that the record was made from; `hash` is `sha256:` and the candidate's digest. */
        ProvenanceSource: {
            kind: components["schemas"]["ProvenanceKind"];
            ref: string;
            hash?: string;
            created_by?: string;
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
            user?: components["schemas"]["User"];
        };
        /** @description Look for duplicates and for what is to be forgotten in a scope; by default only look. Without a scope it is the one that the principal writes into. */
        Reason: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @default true */
            dry_run?: boolean | null;
            /** @description Goes on where an earlier call of the same request ended. */
            cursor?: string | "" | null;
            user?: components["schemas"]["User"];
        };
        Reasoned: {
            scope: string;
            dry_run: boolean;
            actions: components["schemas"]["TopicAction"][];
            planned: number;
            /** @description Whether all of the scope was gone through. */
            complete: boolean;
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
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
        /** @description Give a record another scope, sensitivity or tags, or take it up again. The empty scope is none at all. */
        Reclassify: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            scope?: components["schemas"]["Scope"] | null;
            sensitivity?: components["schemas"]["Sensitivity"] | null;
            tags?: string[] | null;
            retracted?: false | null;
            user?: components["schemas"]["User"];
        };
        RecordId: string;
        /** @description A full record as a caller sends it, or as this service returned it. What the server owns (`audit_log`, `audit_count`, `created_at`, `updated_at`, `last_reinforced_at`, hashes, relations that revisions alone make) may stand in it and is ignored. */
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
        RecordList: {
            /** @description Whole, or with the view `brief` in brief. */
            records: (components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"] | components["schemas"]["BriefRecord"])[];
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
        };
        RecordReply: {
            record: components["schemas"]["MemoryRecord"];
        };
        /** @description What a record said from one change of it to the next. */
        RecordVersion: {
            number: number;
            valid_from: components["schemas"]["Timestamp-Output"];
            /** @description Absent of the newest. */
            valid_to?: components["schemas"]["Timestamp-Output"];
            action?: components["schemas"]["AuditAction"];
            actor?: string;
            principal?: string;
            /** @description Absent where the version before this one may not be seen. */
            rationale?: string;
            /** @description None in the first version. Absent where the version itself, or the one before it, may not be seen. */
            changes?: components["schemas"]["FieldChange"][];
            /**
             * @description The scope or the sensitivity of then may not be seen.
             * @constant
             */
            withheld?: true;
            /** @description Bytes of the version in a reply: too many, so that its rationale and its changes are left out. */
            size?: number;
            /** @description With `size`: where the record of then can be read. */
            link?: string;
        };
        /** @description A record without what it says: above what may be seen, or shown before. */
        RedactedRecord: {
            id: string;
            type: components["schemas"]["MemoryType"];
            sensitivity: components["schemas"]["Sensitivity"];
            confidence: number;
            salience: number;
            scope?: string;
            tags?: string[];
            created_at: components["schemas"]["Timestamp-Output"];
            updated_at: components["schemas"]["Timestamp-Output"];
            lifecycle: {
                decay: {
                    /** @constant */
                    curve: "exponential";
                    /** @constant */
                    half_life_seconds: 0;
                };
                last_reinforced_at: components["schemas"]["Timestamp-Output"];
                /** @constant */
                deletion_policy: "auto_prune";
            };
            provenance: {
                sources: unknown[];
            };
            payload: null;
            audit_log: unknown[];
        };
        /** @description The record proved useful: its salience rises by its reinforcement gain. */
        Reinforce: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description An edge from the record that holds it to another record. */
        "Relation-Input": {
            predicate: string;
            target_id: string;
            weight?: number;
            created_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description An edge from the record that holds it to another record. */
        "Relation-Output": {
            predicate: string;
            target_id: string;
            weight?: number;
            created_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description Remove such a link. */
        RemoveRelationship: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Decide about a contested record. It is kept, retracted, or superseded by another record that is there: by default by the one that contested it last, since it is contested. */
        Resolve: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @enum {string} */
            resolution: "keep" | "supersede" | "retract";
            superseded_by?: string | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Bring a deleted record back. */
        RestoreRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Bring a deleted topic back. */
        RestoreTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Take a record back; it is kept for reading. */
        Retract: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description What is worth knowing for a task or, without a task descriptor, what is most salient. `limit` 0 is the default. For a task a page has 100 records at most. No memory type names them all. */
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
         * @description Where a fact stands.
         * @enum {string}
         */
        RevisionStatus: "active" | "contested" | "retracted";
        /**
         * @description Who speaks in a conversation.
         * @enum {string}
         */
        Role: "user" | "assistant" | "tool";
        SaidReply: {
            thread_id: string;
            /** @description Of the first message; null where a repeat finds nothing but tombstones. */
            first_turn: number | null;
            /** @description Of whatever is said next in the thread; null where a repeat finds nothing but tombstones. */
            next_turn: number | null;
            records: (components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"])[];
            /** @description One for each record that was not deleted. */
            consistency_tokens: string[];
        };
        /** @description The partition of memory; at most 256 bytes of UTF-8. */
        Scope: string;
        /** @description The ids of skills and plans, the best first. */
        Selection: {
            selected: string[];
            /** @description How far the best stands out. */
            confidence: number;
            /** @description Whether that is too little. */
            needs_more: boolean;
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
         * @description How restricted a record is, from the least to the most.
         * @enum {string}
         */
        Sensitivity: "public" | "low" | "medium" | "high" | "hyper";
        /** @description Point a field at a topic; nothing, or null, clears it. */
        SetFieldRef: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            ref_topic_id?: string | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Of all records that may be seen. */
        Snapshot: {
            collected_at: components["schemas"]["Timestamp-Output"];
            total_records: number;
            /** @description Types without records are left out. */
            records_by_type: {
                [key: string]: number;
            };
            /** @description As of `collected_at`. */
            avg_salience: number;
            avg_confidence: number;
            /** @description As of `collected_at`; the last range has all above 1, too. */
            salience_distribution: {
                "0.0-0.2": number;
                "0.2-0.4": number;
                "0.4-0.6": number;
                "0.6-0.8": number;
                "0.8-1.0": number;
            };
            /** @description With any salience at all. */
            active_records: number;
            pinned_records: number;
            total_audit_entries: number;
            /** @description Records made within the last day. */
            memory_growth_rate: number;
            /** @description Reinforcements of all audit entries. */
            retrieval_usefulness: number;
            competence_success_rate: number;
            plan_reuse_frequency: number;
            /** @description Revisions of all audit entries. */
            revision_rate: number;
            /** @description By how much an estimated field may be off, by more with a chance of 1 in 100. */
            error_bounds: {
                total_records?: number;
                records_by_type?: {
                    [key: string]: number;
                };
                pinned_records?: number;
                avg_confidence?: number;
                avg_salience?: number;
                salience_distribution?: {
                    [key: string]: number;
                };
                active_records?: number;
                memory_growth_rate?: number;
            };
            /** @description From how many records an estimated field without a bound was estimated. A field that neither this nor `error_bounds` has is exact. */
            sampled: {
                total_audit_entries?: number;
                retrieval_usefulness?: number;
                revision_rate?: number;
                competence_success_rate?: number;
                plan_reuse_frequency?: number;
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
            user?: components["schemas"]["User"];
        };
        SystemContext: {
            /** @constant */
            key: "global";
            system_role: string;
            runtime_context: string;
            created_at: components["schemas"]["Timestamp-Output"];
            updated_at: components["schemas"]["Timestamp-Output"];
            updated_by: string;
            /** @description Who changed it when. */
            changes: {
                at: components["schemas"]["Timestamp-Output"];
                by: string;
            }[];
        };
        SystemContextReply: {
            configured: boolean;
            system_context: components["schemas"]["SystemContext"] | null;
        };
        /**
         * @description Where a task stands.
         * @enum {string}
         */
        TaskState: "planning" | "executing" | "blocked" | "waiting" | "done";
        ThreadState: {
            /** @description Without what it says on a later page that it leaves no room on. */
            record: components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"];
            /** @description The newest first. */
            earlier: (components["schemas"]["MemoryRecord"] | components["schemas"]["OversizedRecord"])[];
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
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
        /** @description With the numbers that led to it. */
        TopicAction: {
            /** @description `merged:<id>->:<id>:<title>`, `archived:<id>`, ... */
            action: string;
            why: string;
            topics: string[];
            title: string;
            principal?: string;
            at?: components["schemas"]["Timestamp-Output"];
        } & {
            [key: string]: number;
        };
        TopicBundle: {
            topic_id: string;
            title: string;
            summary: string | null;
            topic_kind: string | null;
            /** @description As it was before this query added to it. */
            salience: number;
            failed_salience: number;
            neighbors: components["schemas"]["TopicNeighbour"][];
            neighbors_truncated: boolean;
            fields: components["schemas"]["BundledField"][];
            similarity: number | null;
            /**
             * @description Where there was no room for all.
             * @constant
             */
            fields_cut?: true;
            /**
             * @description Where not all histories were read.
             * @constant
             */
            history_limit?: 1;
            /** @description Where `explain` asked for it. */
            explanation?: Record<string, never>;
        };
        TopicEdge: {
            from: string;
            to: string;
            kind: string;
            /** @enum {unknown} */
            edge_type: "related" | "field_ref";
        };
        TopicEvent: {
            ts: components["schemas"]["Timestamp-Output"];
            /** @enum {unknown} */
            kind: "created" | "meta" | "fields" | "field_deleted" | "ref" | "edge_added" | "edge_removed" | "fields_nested_in_topic" | "fields_unnested_from_bundle" | "nested_topic_promoted" | "nested_topic_from_parent" | "nested_topic_undo" | "nested_topic_undo_merge_back" | "merged" | "merged_into" | "unmerged" | "summarised" | "detached" | "archived" | "revived" | "withdrawn" | "deleted" | "restored";
            /** @description A topic that it names and that may not be seen is null. */
            detail: Record<string, never>;
            principal: string;
            why: string;
        };
        TopicField: {
            /** @enum {unknown} */
            field_type: "string" | "int" | "float" | "bool" | "date" | "datetime" | "list" | "json";
            /** @description The topic that the field points at. */
            ref_topic_id: string | null;
            /** @description The newest first. */
            history: components["schemas"]["TopicRevision"][];
            salience?: number;
            /** @description Of all revisions, archived ones too. */
            history_length: number;
            detached?: boolean;
            /**
             * @description Of a group: there was no room for all.
             * @constant
             */
            fields_cut?: true;
        };
        TopicGraph: {
            nodes: components["schemas"]["TopicNode"][];
            edges: components["schemas"]["TopicEdge"][];
            /** @description Whether there is more than was looked at. */
            truncated: boolean;
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
        };
        TopicLinked: {
            /** @constant */
            ok: true;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        TopicList: {
            topic_ids: string[];
            topics: {
                id: string;
                title: string;
                kind: string;
                salience: number;
                archived: boolean;
            }[];
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
        };
        TopicNeighbour: {
            id: string;
            title: string;
            /** @description `field:<name>` where a field points at it. */
            kind: string;
            /** @enum {unknown} */
            direction: "out" | "in";
        };
        TopicNode: {
            id: string;
            label: string;
            title: string;
            summary: string;
            topic_kind: string;
            archived: boolean;
            salience: number;
            scope: string;
            sensitivity: components["schemas"]["Sensitivity"];
            fields: components["schemas"]["FieldSummary"][];
            /** @description null where the topic is newer than the last reasoning. */
            community: number | null;
            /**
             * @description Where there was no room for all of it.
             * @constant
             */
            is_cut?: true;
        };
        TopicReply: {
            id: string;
            /** @description Where the topic asked for was merged into it. */
            asked_id?: string;
            title: string;
            summary: string;
            topic_kind: string;
            salience: number;
            failed_salience: number;
            salience_parts: {
                base: number;
                access: number;
                fields: number;
            };
            archived: boolean;
            /** @enum {unknown} */
            status: "active" | "archived" | "merged" | "deleted";
            scope: string;
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description Topics that were merged into it. */
            absorbed: string[];
            created_at: components["schemas"]["Timestamp-Output"];
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description Who read it lately. */
            access_trail: {
                at: components["schemas"]["Timestamp-Output"];
                principal: string;
                fields: string[];
            }[];
            /** @description By name. */
            fields: {
                [key: string]: components["schemas"]["TopicField"];
            };
            /**
             * @description Where there was no room for all.
             * @constant
             */
            fields_cut?: true;
            /** @description The oldest event first. */
            topic_history: components["schemas"]["TopicEvent"][];
            /**
             * @description The same of older events.
             * @constant
             */
            topic_history_cut?: true;
        };
        TopicRevision: {
            id: string;
            valid_from: components["schemas"]["Timestamp-Output"];
            value: components["schemas"]["TopicValue"];
            why_changed: string | null;
            impact_expected: string | null;
            provenance: string;
            operation: string | null;
            recorded_at: components["schemas"]["Timestamp-Output"];
            principal: string;
            /** @description The record that it was taken from, if any that may be seen. */
            evidence: string;
        };
        /** @description Any JSON; a link to it where there is no room for it. */
        TopicValue: components["schemas"]["LargeValue"] | unknown;
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
        /** @description What a read asks to see; it can only narrow what the principal may see. Who asks is known from the key: `authenticated` and `actor_id` are taken and not looked at. */
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
            user?: components["schemas"]["User"];
        };
        UndonePromotion: {
            /** @constant */
            ok: true;
            parent_topic_id: string;
            restored_fields: string[];
            removed_ref_fields: string[];
            deleted_child_topic_id: string;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /** @description Take a topic out again of the one that it was merged into; `id` is its own. */
        UnmergeTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            why?: string | null;
            user?: components["schemas"]["User"];
        };
        UnmergedTopic: {
            topic_id: string;
            unmerged_from: string;
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /** @description Show the fields of a bundle by themselves again. */
        UnnestFields: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            nest_key?: string | null;
            user?: components["schemas"]["User"];
        };
        UnnestedFields: {
            /** @constant */
            ok: true;
            topic_id: string;
            nest_key: string;
            restored_fields: string[];
            /** @description A retrieval that carries it sees this write. */
            consistency_token: string;
        };
        /** @description Let the record fade again, from now on. */
        Unpin: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description A value that was uploaded, by the id of its upload. */
        UploadClaim: {
            $upload: string;
        };
        /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
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
        VersionList: {
            versions: components["schemas"]["RecordVersion"][];
            /** @description Where the next page begins; absent on the last one. */
            next_cursor?: string;
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
        WrittenReply: {
            record: components["schemas"]["MemoryRecord"];
            /** @description A retrieval that carries it sees this write. */
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
        /** @description Too large; The request, or the reply that it needs, passes a limit. */
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
        /** @description A fault, which the operator's alarm sees. */
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
        id: string;
        thread_id: string;
        /** @description The field's whole name, percent-encoded. */
        name: string;
        /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
        user: string;
        /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
export type BatchEntry = components['schemas']['BatchEntry'];
export type BatchRecord = components['schemas']['BatchRecord'];
export type BatchReply = components['schemas']['BatchReply'];
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
export type FieldChange = components['schemas']['FieldChange'];
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
export type RecipeStepInput = components['schemas']['RecipeStep-Input'];
export type RecipeStepOutput = components['schemas']['RecipeStep-Output'];
export type Reclassify = components['schemas']['Reclassify'];
export type RecordId = components['schemas']['RecordId'];
export type RecordInput = components['schemas']['RecordInput'];
export type RecordList = components['schemas']['RecordList'];
export type RecordReply = components['schemas']['RecordReply'];
export type RecordVersion = components['schemas']['RecordVersion'];
export type RedactedRecord = components['schemas']['RedactedRecord'];
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
export type TopicReply = components['schemas']['TopicReply'];
export type TopicRevision = components['schemas']['TopicRevision'];
export type TopicValue = components['schemas']['TopicValue'];
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
            /** @description How many would be pruned by when. */
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
                /** @description This scope alone. */
                scope?: components["schemas"]["Scope"];
                /** @description What is around this topic, in place of a page of a scope. */
                topic_id?: string;
                /** @description How many links away from it. */
                depth?: number;
                /** @description At most so many topics. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Topics and what links them. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. Or, without the header, the record that says the same and was reinforced. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What there is, counted. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description What is to be done, or was. */
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
                /** @description This scope alone. */
                scope?: components["schemas"]["Scope"];
                /** @description At most so many; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
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
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
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
                /** @description This scope alone. */
                scope?: components["schemas"]["Scope"];
                /** @description These types alone. */
                type?: components["schemas"]["MemoryType"][];
                /** @description Whole records, or records in brief. */
                view?: "" | "full" | "brief";
                /** @description At most so many; 0 is the default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description The record as it was then, with its salience and audit trail of then: RFC 3339, not in the future. Before it was made, and while it was deleted, it is not found. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Follow what replaced the record to the newest; 500 steps at most. Not with `as_of`. */
                resolve?: "" | "latest";
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record, with its salience as of now, or of the instant asked for. */
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
                /** @description Remove what the record says for good, its audit's free text too; needs the permission `admin` instead. */
                erase?: boolean;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description At most so many; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Check the chain of hashes: on the first page of the whole trail, as far as its first 50,000 entries; on a later page of the page's entries. */
                verify?: boolean;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description At most so many; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
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
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What agents are told. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description What agents are told now. */
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description At most so many; 0 is the default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                thread_id: components["parameters"]["thread_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread's latest state. */
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
                /** @description This scope alone. */
                scope?: components["schemas"]["Scope"];
                /** @description Whether archived topics come, too. */
                include_archived?: boolean;
                /** @description At most so many; 0 for as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the page before, of the same request. */
                cursor?: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description The topic's id. */
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description What was so then, by `valid_from`: RFC 3339, not in the future. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The topic with its fields and audit trail. */
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
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description The topic's id. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description The topic's id. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description See nothing above this level; narrows what the key may see. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description See these scopes and what has none; narrows what the key may see. */
                scope?: string[];
                /** @description Whether earlier revisions come, too. */
                with_history?: boolean;
                /** @description Whether those come, too, that were archived. */
                archived?: boolean;
                /** @description What was so then, by `valid_from`: RFC 3339, not in the future. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
                /** @description The field's whole name, percent-encoded. */
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
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                id: components["parameters"]["id"];
                /** @description The field's whole name, percent-encoded. */
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
            /** @description The field's name. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                id: components["parameters"]["id"];
                /** @description The field's whole name, percent-encoded. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description Which fields are shown as one now. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description The new topic, and the fields that it has. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description The topic that the relationship leads to. */
                to_topic_id: string;
                /** @description The relationship's kind, which may be empty. */
                kind: string;
                /** @description Act for this user alone, in the scope that the key's user prefix and the user make; refused for a key without a user prefix. A key with a user prefix refuses null. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description The topic's id. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description The topic, and the one that it was in. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
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
            /** @description Which fields are shown by themselves again. */
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
                /** @description A repeat under the same key changes nothing more; with another body it is refused. `idempotency_key` in the body wins. */
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
            /** @description A repeat under the same idempotency key: what it made, as it is now. */
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
