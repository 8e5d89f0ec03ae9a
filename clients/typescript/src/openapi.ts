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
         * Count the records that another decay policy would prune by given instants.
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
         * Read topics as nodes, with edges and references: page by page, or around one topic.
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
         * Write fields and edges to a topic: to a named topic, a found topic or a new topic.
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
         * Perform up to 100 ingest requests, each taken or refused alone.
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
         * Record an event as an episodic record.
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
         * Record an observed fact: subject, predicate and object.
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
         * Record how an episode ended, in the record of the episode.
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
         * Record a tool call, with arguments and result, as an episodic record.
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
         * Record a snapshot of a task in progress as a working record.
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
         * Record the messages of one thread in order, all or none.
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
         * Count the records of the requested scopes, and their salience as of now.
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
         * Find the topics that answer a question, with fields, neighbours and histories.
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
         * Plan, or carry out, merges and forgetting steps in a scope.
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
         * Read the log of merges and forgetting steps in a scope, the newest first.
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
         * Read the receipt of a retrieval: the candidates and the parts of each score.
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
         * List records by salience, the most salient first.
         * @description Needs the permission `read`.
         */
        get: operations["ListRecords"];
        put?: never;
        /**
         * Record a full record of any type.
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
         * Replace several records by one new record.
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
         * Read one record, as of now or of an instant, or the newest successor.
         * @description Needs the permission `read`.
         */
        get: operations["RetrieveByID"];
        put?: never;
        post?: never;
        /**
         * Delete a record; with `erase` remove the content at once and for good.
         * @description Needs the permission `revise`.
         */
        delete: operations["DeleteRecord"];
        options?: never;
        head?: never;
        /**
         * Change scope, sensitivity or tags of a record, or make a retracted record active again.
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
         * Read the audit trail of a record, deleted or not, the oldest entry first.
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
         * Contest a record; the record stays in doubt until `resolve` decides.
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
         * Put a variant beside a record, which stays active.
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
         * Change the decay profile or the deletion policy of a record.
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
         * Lower the salience of a harmful or useless record by an amount.
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
         * Keep the salience of a record as of now, and keep the record from being pruned.
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
         * Raise the salience of a useful record by its reinforcement gain.
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
         * Decide the contest of a record: keep, supersede or retract the record.
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
         * Restore a deleted record.
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
         * Retract a record: no retrieval finds the record by default, and a read by id does.
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
         * Replace a record by a new record of the same type.
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
         * Let the salience of a pinned record fade again, from now on.
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
         * Read the versions of a record, the oldest first.
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
         * Retrieve the records that answer a task or, without a task, the most salient records.
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
         * Read the description of the agents' role and surroundings.
         * @description Needs the permission `read`.
         */
        get: operations["ReadSystemContext"];
        /**
         * Set the description of the agents' role and surroundings.
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
         * Read the latest working state of a thread, and the earlier working states.
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
         * List the topics of a scope or of all scopes, the most salient first.
         * @description Needs the permission `read`.
         */
        get: operations["ListTopics"];
        put?: never;
        /**
         * Create a topic without fields.
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
         * Read a topic with the histories of the fields, as of now or of an instant.
         * @description Needs the permission `read`.
         */
        get: operations["ReadTopic"];
        put?: never;
        post?: never;
        /**
         * Delete a topic softly: hidden until the topic is restored.
         * @description Needs the permission `revise`.
         */
        delete: operations["DeleteTopic"];
        options?: never;
        head?: never;
        /**
         * Change title, summary, kind, salience or sensitivity of a topic; archive or revive the topic.
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
         * Append a revision to a field.
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
         * Read a field, or a group of nested fields, with the history.
         * @description Needs the permission `read`.
         */
        get: operations["ReadField"];
        put?: never;
        post?: never;
        /**
         * Delete a field, or a group with all nested fields; the histories stay.
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
         * Let a field refer to a topic, or clear the reference.
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
         * Group fields under one name.
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
         * Move fields of a topic into a new topic, related to the first topic by an edge.
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
         * Add an edge from a topic to another topic.
         * @description Needs the permission `ingest`.
         */
        post: operations["AddRelationship"];
        /**
         * Remove an edge; a query of the past still shows the edge.
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
         * Restore a deleted topic.
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
         * Move the fields of a promoted topic back, and delete the promoted topic.
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
         * Undo a merge: the merged topic becomes a topic of its own again.
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
         * Dissolve a group: the nested fields get their own names back.
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
         * Open an upload for a value that is too large for a request.
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
        /** @description Add an edge from a topic to another topic. */
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
        /** @description Append a revision to a field. An absent reference stays; null or an empty text clears the reference. */
        AppendField: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            field_name: string;
            /** @description Any JSON value, in place. */
            value?: unknown | null;
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
         * @description The kind of change in an audit entry.
         * @enum {string}
         */
        AuditAction: "create" | "revise" | "fork" | "merge" | "delete" | "reinforce" | "decay";
        /** @description A change of a record: who, when and why, chained to the previous entry. `actor` is the name that the caller states, `principal` the authenticated identity. If the change moved the salience, the entry has the values just before and just after. The `decay` entry of a pruned record has the salience at the anchor and at the time of pruning. `hash` covers `previous_hash`, so a changed or missing entry is detected. An erased entry keeps `text_hash` in place of the free text. */
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
        /** @description The tool that a call names, with arguments. */
        CalledFunction: {
            name: string;
            arguments?: {
                [key: string]: unknown;
            } | string | null;
        };
        /** @description Change the decay profile or the deletion policy of a record. */
        ChangeLifecycle: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            decay?: components["schemas"]["DecayChange"] | null;
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Set the description of the agents' role and surroundings. */
        ChangeSystemContext: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            system_role: string;
            runtime_context: string;
            user?: components["schemas"]["User"];
        };
        /** @description Change title, summary, kind, salience or sensitivity of a topic; archive or revive the topic. Absent and null fields stay. A topic stays in the scope of its creation. */
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
        /** @description A skill: triggers, steps and performance. */
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
        /** @description A skill: triggers, steps and performance. */
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
        /** @description A limit that a task works under. */
        "Constraint-Input": {
            type?: string;
            key?: string;
            value?: components["schemas"]["JsonValue-Input"];
            required?: boolean;
        };
        /** @description A limit that a task works under. */
        "Constraint-Output": {
            type: string;
            key: string;
            value: components["schemas"]["JsonValue-Output"];
            required?: boolean;
        };
        /** @description Contest a record; the record stays in doubt until `resolve` decides. */
        Contest: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            contesting_ref?: string | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Create a topic without fields. */
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
        /** @description A change of a decay profile; absent fields stay. */
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
        /** @description A decay profile as a request states the profile; policy fills absent fields. */
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
        /** @description How the salience of a record fades. */
        DecayProfile: {
            curve: components["schemas"]["DecayCurve"];
            half_life_seconds: number;
            min_salience?: number;
            max_age_seconds?: number;
            reinforcement_gain: number;
            custom_curve?: string;
        };
        /** @description Delete a field, or a group with all nested fields; the histories stay. */
        DeleteField: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Delete a record; with `erase` remove the content at once and for good. */
        DeleteRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Delete a topic softly: hidden until the topic is restored. */
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
        /** @description An edge from the topic to another topic. */
        EdgeInput: {
            to_topic_id: string;
            kind: string;
        };
        /**
         * @description Whether an edge of a plan carries data or control.
         * @enum {string}
         */
        EdgeKind: "data" | "control";
        /** @description An alternative name; printed as a bare text where kind and locale are empty. */
        EntityAlias: {
            value: string;
            kind?: string;
            locale?: string;
        } | string;
        /** @description An identifier of an entity in another system. */
        EntityIdentifier: {
            namespace: string;
            value: string;
        };
        /** @description A named thing: a person, a place, a project. */
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
        /** @description A named thing: a person, a place, a project. */
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
        /** @description The environment in which an episode took place. */
        "EnvironmentSnapshot-Input": {
            os?: string;
            os_version?: string;
            tool_versions?: {
                [key: string]: string;
            };
            working_directory?: string;
            context?: components["schemas"]["JsonObject-Input"];
        };
        /** @description The environment in which an episode took place. */
        "EnvironmentSnapshot-Output": {
            os?: string;
            os_version?: string;
            tool_versions?: {
                [key: string]: string;
            };
            working_directory?: string;
            context?: components["schemas"]["JsonObject-Output"];
        };
        /** @description An episode: a timeline of events, and the tool calls. */
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
        /** @description An episode: a timeline of events, and the tool calls. */
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
        /** @description A new revision of a field. */
        FieldInput: {
            name: string;
            /** @description Any JSON value, in place. */
            value?: unknown;
            field_type?: components["schemas"]["FieldType"];
            ref_topic_id?: string | null;
            why_changed?: string | null;
            impact_expected?: string | null;
            /** @default api */
            provenance?: string;
            valid_from?: components["schemas"]["Timestamp-Input"] | null | "";
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
        /**
         * @description The type of the values of a field.
         * @enum {string}
         */
        FieldType: "string" | "int" | "float" | "bool" | "date" | "datetime" | "list" | "json";
        /** @description Put a variant beside a record, which stays active. */
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
        /** @description Perform up to 100 ingest requests, each taken or refused alone. */
        IngestBatch: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            items: (components["schemas"]["IngestEventItem"] | components["schemas"]["IngestToolOutputItem"] | components["schemas"]["IngestObservationItem"] | components["schemas"]["IngestOutcomeItem"] | components["schemas"]["IngestWorkingStateItem"] | components["schemas"]["IngestMessagesItem"] | components["schemas"]["IngestRecordItem"])[];
            user?: components["schemas"]["User"];
        };
        /** @description Record an event as an episodic record. */
        IngestEvent: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            event_kind: string;
            ref: string;
            summary?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record an event as an episodic record. */
        IngestEventItem: {
            /** @constant */
            rpc: "IngestEvent";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            event_kind: string;
            ref: string;
            summary?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record the messages of one thread in order, all or none. Each message becomes an episodic record at the next turn of the thread. */
        IngestMessages: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            messages: components["schemas"]["Message"][];
            thread_id?: string | "" | null;
            session?: string | "" | null;
            source?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record the messages of one thread in order, all or none. Each message becomes an episodic record at the next turn of the thread. */
        IngestMessagesItem: {
            /** @constant */
            rpc: "IngestMessages";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            messages: components["schemas"]["Message"][];
            thread_id?: string | "" | null;
            session?: string | "" | null;
            source?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record an observed fact: subject, predicate and object. Unless the conflict policy is `keep`, the observation of a known fact reinforces the known fact, where the time window of the known fact covers the window of the observation. */
        IngestObservation: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            subject: string;
            predicate: string;
            object?: components["schemas"]["JsonValue-Input"] | null;
            conditions?: components["schemas"]["JsonObject-Input"] | null;
            start?: components["schemas"]["Timestamp-Input"] | "" | null;
            end?: components["schemas"]["Timestamp-Input"] | "" | null;
            on_conflict?: components["schemas"]["ConflictPolicy"] | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record an observed fact: subject, predicate and object. Unless the conflict policy is `keep`, the observation of a known fact reinforces the known fact, where the time window of the known fact covers the window of the observation. */
        IngestObservationItem: {
            /** @constant */
            rpc: "IngestObservation";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            subject: string;
            predicate: string;
            object?: components["schemas"]["JsonValue-Input"] | null;
            conditions?: components["schemas"]["JsonObject-Input"] | null;
            start?: components["schemas"]["Timestamp-Input"] | "" | null;
            end?: components["schemas"]["Timestamp-Input"] | "" | null;
            on_conflict?: components["schemas"]["ConflictPolicy"] | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record how an episode ended, in the record of the episode. */
        IngestOutcome: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            target_record_id: string;
            outcome_status: components["schemas"]["OutcomeStatus"];
            reason?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record how an episode ended, in the record of the episode. */
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
        /** @description Record a full record of any type. */
        IngestRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            record: components["schemas"]["RecordInput"];
            user?: components["schemas"]["User"];
        };
        /** @description Record a full record of any type. */
        IngestRecordItem: {
            /** @constant */
            rpc: "IngestRecord";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            record: components["schemas"]["RecordInput"];
            user?: components["schemas"]["User"];
        };
        /** @description Record a tool call, with arguments and result, as an episodic record. */
        IngestToolOutput: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            tool_name: string;
            args?: components["schemas"]["JsonObject-Input"] | string | null;
            result?: components["schemas"]["JsonValue-Input"] | null;
            depends_on?: string[] | null;
            status?: components["schemas"]["OutcomeStatus"] | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record a tool call, with arguments and result, as an episodic record. */
        IngestToolOutputItem: {
            /** @constant */
            rpc: "IngestToolOutput";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            tool_name: string;
            args?: components["schemas"]["JsonObject-Input"] | string | null;
            result?: components["schemas"]["JsonValue-Input"] | null;
            depends_on?: string[] | null;
            status?: components["schemas"]["OutcomeStatus"] | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Write fields and edges to a topic: to a named topic, a found topic or a new topic. The write is one change, taken whole or not at all. A topic found by title or likeness keeps kind and summary, unless the request has another summary, and keeps the title, unless the topic is `untitled`. */
        IngestTopic: {
            /** @enum {unknown} */
            placement?: null | "auto" | "new_topic" | "extend_topic" | "version_field";
            topic_id?: string | null;
            title?: string;
            summary?: string | null;
            topic_kind?: string | null;
            salience?: number;
            fields?: components["schemas"]["FieldInput"][];
            edges?: components["schemas"]["EdgeInput"][];
            suggest_similar?: boolean;
            scope?: components["schemas"]["Scope"] | null | "";
            sensitivity?: components["schemas"]["Sensitivity"] | null | "";
            trust?: components["schemas"]["TrustInput"];
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record a snapshot of a task in progress as a working record. */
        IngestWorkingState: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            thread_id: string;
            state: components["schemas"]["TaskState"];
            next_actions?: string[] | null;
            open_questions?: string[] | null;
            context_summary?: string | null;
            active_constraints?: components["schemas"]["Constraint-Input"][] | components["schemas"]["UploadClaim"] | string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Record a snapshot of a task in progress as a working record. */
        IngestWorkingStateItem: {
            /** @constant */
            rpc: "IngestWorkingState";
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            source: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            tags?: string[] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
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
        /** @description Decay, reinforcement and deletion of a record. */
        Lifecycle: {
            decay: components["schemas"]["DecayProfile"];
            last_reinforced_at: components["schemas"]["Timestamp-Output"];
            pinned?: boolean;
            deletion_policy: components["schemas"]["DeletionPolicy"];
        };
        /** @description A lifecycle as a request states the lifecycle; policy fills absent fields. */
        LifecycleInput: {
            decay?: components["schemas"]["DecayInput"];
            last_reinforced_at?: unknown;
            pinned?: boolean;
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null | "";
        };
        /** @description A typed memory. `salience` is the value at the instant of reading. A reply has only the newest audit entries; `audit_count` is the number of all entries. */
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
         * @description The kind of a record.
         * @enum {string}
         */
        MemoryType: "episodic" | "working" | "semantic" | "competence" | "plan_graph" | "entity";
        /** @description Replace several records by one new record. */
        Merge: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            ids: string[];
            merged_record: components["schemas"]["RecordInput"];
            user?: components["schemas"]["User"];
        };
        /** @description A message of a conversation, or the result of a tool call. */
        Message: {
            role: components["schemas"]["Role"];
            content?: string | {
                /** @constant */
                type: "text";
                text: string;
            }[] | null;
            name?: string | "" | null;
            at?: components["schemas"]["Timestamp-Input"] | "" | null;
            tool_calls?: components["schemas"]["ToolCall"][] | null;
            tool_call_id?: string | "" | null;
        };
        Metrics: {
            snapshot: components["schemas"]["Snapshot"];
        };
        /** @description Group fields under one name. */
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
        /** @description Open an upload for a value that is too large for a request. */
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
         * @description How an episode ended.
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
        /** @description Lower the salience of a harmful or useless record by an amount. */
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
        /** @description Keep the salience of a record as of now, and keep the record from being pruned. */
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
        /** @description The order of two operations of a plan. */
        PlanEdge: {
            from: string;
            to: string;
            kind: components["schemas"]["EdgeKind"];
        };
        /** @description A plan: operations and the order of operations, without cycles. */
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
        /** @description A plan: operations and the order of operations, without cycles. */
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
        /** @description An operation of a plan. */
        "PlanNode-Input": {
            id: string;
            op: string;
            params?: components["schemas"]["JsonObject-Input"];
            guards?: components["schemas"]["JsonObject-Input"];
        };
        /** @description An operation of a plan. */
        "PlanNode-Output": {
            id: string;
            op: string;
            params?: components["schemas"]["JsonObject-Output"];
            guards?: components["schemas"]["JsonObject-Output"];
        };
        /** @description Count the records that another decay policy would prune by given instants. A preview changes nothing. */
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
        /** @description Move fields of a topic into a new topic, related to the first topic by an edge. */
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
        /** @description The sources of a record. Every outcome adds a source; only the size limit of the record bounds their number. */
        Provenance: {
            sources: components["schemas"]["ProvenanceSource"][];
            created_by?: string;
        };
        /** @description The origin of a record, as a caller states the origin. */
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
            kind: components["schemas"]["ProvenanceKind"];
            ref: string;
            hash?: string;
            created_by?: string;
            timestamp?: components["schemas"]["Timestamp-Output"];
        };
        /** @description Find the topics that answer a question, with fields, neighbours and histories. */
        QueryTopics: {
            q: string;
            /**
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
            topic_ids?: string[] | null;
            field_names?: string[] | null;
            trust?: components["schemas"]["TrustInput"];
            as_of?: components["schemas"]["Timestamp-Input"] | null | "";
            /** @default true */
            reinforce?: boolean;
            include_archived?: boolean;
            consistency_tokens?: string[];
            user?: components["schemas"]["User"];
        };
        /** @description Plan, or carry out, merges and forgetting steps in a scope. One call takes at most about 15 seconds, or 500 actions; `next_cursor` continues. */
        Reason: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @default true */
            dry_run?: boolean | null;
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
        /** @description A step of a skill. */
        "RecipeStep-Input": {
            step: string;
            tool?: string;
            args_schema?: components["schemas"]["JsonObject-Input"];
            validation?: string;
        };
        /** @description A step of a skill. */
        "RecipeStep-Output": {
            step: string;
            tool?: string;
            args_schema?: components["schemas"]["JsonObject-Output"];
            validation?: string;
        };
        /** @description Change scope, sensitivity or tags of a record, or make a retracted record active again. */
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
        /** @description A full record, as a caller writes the record or as a reply shows the record. Fields that the server sets (`audit_log`, `audit_count`, `created_at`, `updated_at`, `last_reinforced_at`, hashes, relations that only revisions make) are accepted and ignored. */
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
        /** @description Raise the salience of a useful record by its reinforcement gain. Salience rises to 1 at most; a salience above 1 comes down to 1. */
        Reinforce: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description An edge from a record to another record. */
        "Relation-Input": {
            predicate: string;
            target_id: string;
            weight?: number;
            created_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description An edge from a record to another record. */
        "Relation-Output": {
            predicate: string;
            target_id: string;
            weight?: number;
            created_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description Remove an edge; a query of the past still shows the edge. */
        RemoveRelationship: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Decide the contest of a record: keep, supersede or retract the record. */
        Resolve: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            /** @enum {string} */
            resolution: "keep" | "supersede" | "retract";
            superseded_by?: string | "" | null;
            user?: components["schemas"]["User"];
        };
        /** @description Restore a deleted record. */
        RestoreRecord: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Restore a deleted topic. */
        RestoreTopic: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            user?: components["schemas"]["User"];
        };
        /** @description Retract a record: no retrieval finds the record by default, and a read by id does. */
        Retract: {
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            actor?: string | null;
            rationale?: string | null;
            user?: components["schemas"]["User"];
        };
        /** @description Retrieve the records that answer a task or, without a task, the most salient records. Filters narrow the result; a record must pass every filter. */
        Retrieve: {
            task_descriptor?: string | null;
            trust?: components["schemas"]["TrustInput"] | null;
            memory_types?: components["schemas"]["MemoryType"][] | null;
            min_salience?: number | null;
            min_score?: number | "" | null;
            /** @default 10 */
            limit?: number | null;
            cursor?: string | "" | null;
            tags?: string[] | null;
            thread_id?: string | "" | null;
            subject?: string | "" | null;
            predicate?: string | "" | null;
            created_after?: components["schemas"]["Timestamp-Input"] | "" | null;
            created_before?: components["schemas"]["Timestamp-Input"] | "" | null;
            include_retracted?: boolean | null;
            outcome?: components["schemas"]["OutcomeStatus"][] | components["schemas"]["OutcomeStatus"] | "" | null;
            as_of?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @default full */
            view?: ("full" | "brief" | "prompt") | null;
            /** @default 1000 */
            max_tokens?: number | null;
            consistency_tokens?: string[] | null;
            user?: components["schemas"]["User"];
        };
        /** @description The state of a record after revisions. The server sets all fields, and ignores the fields in a request. */
        "RevisionState-Input": {
            supersedes?: string;
            superseded_by?: string;
            status?: components["schemas"]["RevisionStatus"] | null;
            since?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description The state of a record after revisions. The server sets all fields, and ignores the fields in a request. */
        "RevisionState-Output": {
            supersedes?: string;
            superseded_by?: string;
            status?: components["schemas"]["RevisionStatus"];
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
         * @description How confidential a record is, from the least to the most.
         * @enum {string}
         */
        Sensitivity: "public" | "low" | "medium" | "high" | "hyper";
        /** @description Let a field refer to a topic, or clear the reference. */
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
        /** @description A source of a record, as a caller states the source. */
        SourceInput: {
            kind: components["schemas"]["ProvenanceKind"];
            ref: string;
            hash?: unknown;
            created_by?: string;
            timestamp?: components["schemas"]["Timestamp-Input"] | null;
        };
        /**
         * @description A stage of a query; each stage adds a part of the answer.
         * @enum {string}
         */
        Stage: "semantic" | "structural" | "temporal";
        /** @description Replace a record by a new record of the same type. The old record is retracted and leads to the new record. */
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
         * @description The progress of a task.
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
        /** @description An event of an episode. */
        "TimelineEvent-Input": {
            t: components["schemas"]["Timestamp-Input"];
            event_kind: string;
            ref: string;
            summary?: string;
        };
        /** @description An event of an episode. */
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
        /** @description A tool call that an assistant's message makes. */
        ToolCall: {
            id: string;
            /**
             * @default function
             * @constant
             */
            type?: "function";
            function: components["schemas"]["CalledFunction"];
        };
        /** @description A tool call of an episode. */
        "ToolNode-Input": {
            id: string;
            tool: string;
            args?: components["schemas"]["JsonObject-Input"];
            result?: components["schemas"]["JsonValue-Input"];
            timestamp?: components["schemas"]["Timestamp-Input"] | null;
            depends_on?: string[];
        };
        /** @description A tool call of an episode. */
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
        /** @description A situation in which a skill is useful. */
        "Trigger-Input": {
            signal: string;
            conditions?: components["schemas"]["JsonObject-Input"];
        };
        /** @description A situation in which a skill is useful. */
        "Trigger-Output": {
            signal: string;
            conditions?: components["schemas"]["JsonObject-Output"];
        };
        /** @description The scopes and the highest sensitivity that a read may see. The trust of a request narrows the trust of the key and never widens it. */
        TrustInput: {
            max_sensitivity?: components["schemas"]["Sensitivity"] | null | "";
            scopes?: string[];
            authenticated?: boolean | null;
            actor_id?: string | null;
        };
        /** @description Move the fields of a promoted topic back, and delete the promoted topic. */
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
        /** @description Undo a merge: the merged topic becomes a topic of its own again. `id` is the id of the merged topic, not of the topic that absorbed the merged topic. */
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
        /** @description Dissolve a group: the nested fields get their own names back. */
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
        /** @description Let the salience of a pinned record fade again, from now on. */
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
        /** @description When a fact holds. */
        "Validity-Input": {
            mode: components["schemas"]["ValidityMode"];
            conditions?: components["schemas"]["JsonObject-Input"];
            start?: components["schemas"]["Timestamp-Input"] | null;
            end?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description When a fact holds. */
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
        /** @description The state of a task in progress. */
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
        /** @description The state of a task in progress. */
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
export type EdgeInput = components['schemas']['EdgeInput'];
export type EdgeKind = components['schemas']['EdgeKind'];
export type EntityAlias = components['schemas']['EntityAlias'];
export type EntityIdentifier = components['schemas']['EntityIdentifier'];
export type EntityPayloadInput = components['schemas']['EntityPayload-Input'];
export type EntityPayloadOutput = components['schemas']['EntityPayload-Output'];
export type EnvironmentSnapshotInput = components['schemas']['EnvironmentSnapshot-Input'];
export type EnvironmentSnapshotOutput = components['schemas']['EnvironmentSnapshot-Output'];
export type EpisodicPayloadInput = components['schemas']['EpisodicPayload-Input'];
export type EpisodicPayloadOutput = components['schemas']['EpisodicPayload-Output'];
export type FieldChange = components['schemas']['FieldChange'];
export type FieldInput = components['schemas']['FieldInput'];
export type FieldSummary = components['schemas']['FieldSummary'];
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
