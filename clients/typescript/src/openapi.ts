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
    "/v1/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture an event, a tool output, an observation or a working state as evidence.
         * @description The service finds what the content mentions, links the record to the entities, and derives a fact where the content states one. Needs the permission `ingest`.
         */
        post: operations["CaptureMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lead a conversation: a model reads and writes memory with tools under the caller's key.
         * @description `POST /v1/chat/stream` takes the same request, and sends each step as a server-sent event. Needs the permission `read` or `ingest`.
         */
        post: operations["Chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consolidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what the evidence of a scope would become; with `dry_run: false` make it.
         * @description Ended threads become traces, traces become skills and plans. Every piece of evidence counts once, so a repeat makes only what the first call left. Needs the permission `revise`.
         */
        post: operations["Consolidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consolidations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the traces, skills and plans that were made of evidence, the newest first.
         * @description Needs the permission `read`.
         */
        get: operations["ListConsolidations"];
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
         * @description A preview changes nothing. Needs the permission `read`.
         */
        post: operations["PreviewDecay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/document-operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the receipt of a write with an `operation_id`, by the same caller.
         * @description Needs the permission `read`.
         */
        get: operations["ReadOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do up to 100 operations in order: put, get, delete, append, search, namespaces.
         * @description The results come in the same order, each with `status` and its reply, or `error`. Every operation needs its own permission. An operation without a key gets one from the batch's key. Each operation needs a permission of its own.
         */
        post: operations["BatchDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find documents in and below a namespace: by fields of the value, by words and meaning.
         * @description Without `query` in the order of namespace and key. With `query` the best first; documents without searchable texts follow, with `score` null. A call examines 5,000 documents at most and ranks them: `examined` says how many, and `next_cursor` goes on with the next best, then with the documents behind. Needs the permission `read`.
         */
        post: operations["SearchDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a document.
         * @description Needs the permission `read`.
         */
        get: operations["GetDocument"];
        /**
         * Write a document, whatever was there before.
         * @description Needs `ingest`; `revise` to overwrite a value that another actor wrote. The value before becomes a former version. Needs the permission `ingest`.
         */
        put: operations["PutDocument"];
        /**
         * Append items to the list beside a document's value; makes the document if it is absent.
         * @description Needs `ingest`. Items are immutable; the newest can be taken off. Needs the permission `ingest`.
         */
        post: operations["AppendItems"];
        /**
         * Delete a document, or take the newest items off its list.
         * @description Needs `ingest`; `revise` for a value or an item that another actor wrote; `admin` to erase. An absent document is no error. Needs the permission `ingest`.
         */
        delete: operations["DeleteDocument"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entities by name, or the entities most like a given entity.
         * @description Needs the permission `read`.
         */
        get: operations["ListEntities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what is known of an entity: the record, and the facts about it.
         * @description Needs the permission `read`.
         */
        get: operations["ReadEntity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities/{id}/mentions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records that mention an entity, the newest first.
         * @description Needs the permission `read`.
         */
        get: operations["ListMentions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make several entities one: the given entity absorbs entities of the same scope.
         * @description Names and edges of the absorbed entities lead to the entity from then on. `SplitEntity` undoes the merge. Needs the permission `revise`.
         */
        post: operations["MergeEntities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities/{id}/split": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo the merge of an entity: the absorbed entity stands by itself again.
         * @description Needs the permission `revise`.
         */
        post: operations["SplitEntity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List what an erasure removes and why; with `dry_run: false` then remove it for good.
         * @description Needs the permission `admin` for the scopes concerned and, except for `ids`, a key with the highest sensitivity. The target is `scope`, `user`, `subject` or `ids`; `subject` may come with `scope` or `user`, which narrows the search. Needs the permission `admin`.
         */
        post: operations["StartErasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an erasure, with the findings page by page.
         * @description Needs the permission `admin`.
         */
        get: operations["ReadErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the signed certificate of a finished erasure, with the entries page by page.
         * @description Needs the permission `admin`.
         */
        get: operations["ReadCertificate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the exports of the key, the newest first.
         * @description Needs the permission `admin`.
         */
        get: operations["ListExports"];
        put?: never;
        /**
         * Write the memory of one scope, or of every scope of the key, into a file.
         * @description The file holds every record up to the highest sensitivity of the key. The reply comes at once; the file is complete when the state of the export is `done`. Needs the permission `admin`.
         */
        post: operations["CreateExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of an export of the key, with links to the parts of a finished file.
         * @description Needs the permission `admin`.
         */
        get: operations["ReadExport"];
        put?: never;
        post?: never;
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
         * @description With a `topic_id` the graph has no pages. Needs the permission `read`.
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
         * @description The write is one change, taken whole or not at all. A topic found by title or likeness keeps kind and summary, unless the request has another summary, and keeps the title, unless the topic is `untitled`. Needs the permission `ingest`.
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
         * @description Unless the conflict policy is `keep`, the observation of a known fact reinforces the known fact, where the time window of the known fact covers the window of the observation. Needs the permission `ingest`.
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
         * @description Each message becomes an episodic record at the next turn of the thread. Needs the permission `ingest`.
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
         * @description Needs the permission `read` or `admin`.
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
    "/v1/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the namespaces that have documents.
         * @description In the order of their labels, and `a` behind `a/-` and before `a/b`: by code points, with `/` behind each label and behind the namespace. The namespaces of a reply are distinct; namespaces that share their first 900 bytes have no order, and a later page may have them again. `*` in prefix or suffix stands for exactly one label. Needs the permission `read`.
         */
        get: operations["ListNamespaces"];
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
         * @description One call takes at most about 15 seconds, or 500 actions; `next_cursor` continues. Needs the permission `revise`.
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
         * @description Needs the permission `read` or `admin`.
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
         * List records by salience, the most salient first; or removed records, the newest first.
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
         * @description Needs the permission `revise`; with `erase`, the permission `admin` instead.
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
         * @description Salience rises to 1 at most; a salience above 1 comes down to 1. Needs the permission `revise`.
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
         * @description The old record is retracted and leads to the new record. Needs the permission `revise`.
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
         * @description Filters narrow the result; a record must pass every filter. Needs the permission `read`.
         */
        post: operations["Retrieve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retrieve/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retrieve the records for a task, and the records that relations connect with them.
         * @description The roots are the records that answer the task, with the entities that the task names first; without a task, the most salient records. The expansion goes from the roots along relations, in both directions. Needs the permission `read`.
         */
        post: operations["RetrieveGraph"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/studies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Study a document: its sections become topics, and its paragraphs become fields.
         * @description The reply comes at once; the job goes on in the background, and `GET /v1/studies/{id}` reads its progress. A document is known by scope and `source`, without a source by scope and `title`: the same document told again changes what differs, and leaves everything else as it is. Needs the permission `ingest`.
         */
        post: operations["StartStudy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/studies/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back what rests on a document alone; with `dry_run`, which is the default, count it.
         * @description Topics that rest on the document alone are deleted, and can be restored. From other topics, the values of the document go for good. What others wrote stays. The reply comes at once; `GET /v1/studies/{id}` reads the counts. Needs the permission `revise`.
         */
        post: operations["RemoveDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/studies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of a study or a removal: progress by unit, what was made, and the cost.
         * @description Needs the permission `read`.
         */
        get: operations["ReadStudy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/studies/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a study that is under way: everything that the job has made is removed.
         * @description Only the principal that began the job may do so. A job that has ended stays as it is: 409. Needs the permission `ingest`.
         */
        post: operations["CancelStudy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/studies/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a failed or interrupted job from where it stopped.
         * @description Only the principal that began the job may do so. A job that is done or cancelled stays as it is: 409. Needs the permission `ingest`.
         */
        post: operations["ResumeStudy"];
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
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools for agents that the key may call, as JSON schemas.
         * @description Each tool needs a permission of its own.
         */
        get: operations["ListTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool for agents.
         * @description Each tool needs a permission of its own.
         */
        post: operations["CallTool"];
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
         * Delete a topic, hidden until it is restored; with `erase` remove the content for good.
         * @description Needs the permission `revise`; with `erase`, the permission `admin` instead.
         */
        delete: operations["DeleteTopic"];
        options?: never;
        head?: never;
        /**
         * Change title, summary, kind, salience or sensitivity of a topic; archive or revive the topic.
         * @description Absent and null fields stay. A topic stays in the scope of its creation. Needs the permission `revise`.
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
         * @description An absent reference stays; null or an empty text clears the reference. Needs the permission `ingest`.
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
         * Undo the newest merge of a topic: the merged topic becomes a topic of its own again.
         * @description `id` is the id of the merged topic, not of the topic that absorbed the merged topic. After an older merge, 409 names the newer merge to undo first. Needs the permission `revise`.
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
        /**
         * @description What an erasure does with a finding.
         * @enum {string}
         */
        Action: "erase" | "remove" | "rewrite" | "keep";
        /** @description A page of the action log, the newest action first. */
        ActionList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The scope of the topics. */
            scope: string;
            /** @description The actions. */
            actions: components["schemas"]["TopicAction"][];
        };
        /** @description Add an edge from a topic to another topic. */
        AddRelationship: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Id of the topic at the far end. */
            to_topic_id: string;
            /** @description Meaning of the edge; at most 256 characters, may be empty. */
            kind: string;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The comparison of an audit trail with the newest signed anchor. */
        AnchoredHead: {
            /** @description The instant of the anchor. */
            instant: components["schemas"]["Timestamp-Output"];
            /** @description The number of audit entries that the anchor recorded; absent if the anchor itself does not hold. */
            entries?: number;
            /** @description Whether the trail passes through the entry that was the last at the anchor. Without later entries, also whether the content is unchanged. False as well if the signature or the stored leaves of the anchor do not hold. */
            holds: boolean;
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
            /** @description The number of candidates beyond the rights of the key; absent unless the reader is `admin` over all scopes, with a highest sensitivity that reaches the receipt's. */
            hidden?: number;
        };
        /** @description Append a revision to a field. */
        AppendField: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the field, 1 to 256 characters without control characters. A nested field has the name `<group>.<name>`. */
            field_name: string;
            /** @description New value: any JSON value of the field's type, or null; without `$upload` and `$blob`. Absent: the empty text. */
            value?: unknown | null;
            /** @description Type of the field: `string`, `int`, `float`, `bool`, `date`, `datetime`, `list` or `json`. Absent: the type of the field; for a new field the type of the value. */
            field_type?: components["schemas"]["FieldType"] | null;
            /** @description Id of the topic that the field refers to. null or empty: no reference any more. Absent: the reference stays. */
            ref_topic_id?: string | null;
            /** @description Reason for the new value, kept with the revision. */
            why_changed?: string | null;
            /** @description Expected effect of the new value, kept with the revision. */
            impact_expected?: string | null;
            /**
             * @description Origin of the value in the caller's words, kept with the revision.
             * @default ui
             */
            provenance?: string | null;
            /** @description Instant from which the value holds, in RFC 3339, not in the future. Absent or empty: now. */
            valid_from?: components["schemas"]["Timestamp-Input"] | "" | null;
            /**
             * @description Accepted without effect: the operator's `TopicMaxHistory` applies.
             * @default 500
             */
            max_history?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Append items to the list beside a document's value; makes the document if it is absent. */
        AppendItems: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description 1 to 100 JSON values, in order; 128 KiB at most together. */
            items: unknown[];
            /** @description Of a new document. Absent or empty: the deployment's `DefaultSensitivity`. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Of a new document. In a document with a period, each item expires that long after its append, and an append begins the document's period anew. Absent: never. */
            ttl_seconds?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Append items to the list beside a document's value; makes the document if it is absent. */
        AppendItemsOperation: {
            /**
             * @description The operation.
             * @constant
             */
            op: "append";
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The labels of the namespace, 1 to 16, of 1 to 128 bytes each. */
            namespace: components["schemas"]["Label"][];
            /** @description The key within the namespace, 1 to 512 bytes. */
            key: components["schemas"]["DocumentKey"];
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description 1 to 100 JSON values, in order; 128 KiB at most together. */
            items: unknown[];
            /** @description Of a new document. Absent or empty: the deployment's `DefaultSensitivity`. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Of a new document. In a document with a period, each item expires that long after its append, and an append begins the document's period anew. Absent: never. */
            ttl_seconds?: number | null;
        };
        /** @description A new revision of a field. */
        AppendedField: {
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
            /** @description The id of the revision. */
            version_id: string;
        };
        /** @description The result of an append. */
        AppendedItems: {
            /** @description The document beside the list. Absent after a repeat if the document was deleted since. */
            document?: components["schemas"]["StoredDocument"];
            /** @description The position of the newest item; the first item ever appended has position 1. */
            end: number;
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
            /** @description The number of verified entries: on the first page of the whole trail, on a later page of the page alone. */
            verified_entries?: number;
            /** @description The comparison with the newest anchor; null without an anchor, or for a record younger than the anchor. Absent unless the request has `verify`. */
            anchor?: components["schemas"]["AnchoredHead"] | null;
        };
        /** @description A record without the envelope. */
        BareRecord: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description Id of the new record: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is refused with 409, a UUID of version 8 with 400. Absent: the server makes an id. */
            id?: components["schemas"]["RecordId"] | null;
            /** @description Type of the record. Must equal `kind` of the payload. */
            type: components["schemas"]["MemoryType"];
            /** @description Sensitivity of the record, at most the highest sensitivity of the key. A record made by a revision gets at least the sensitivity of every source, unless the key has `admin`. */
            sensitivity: components["schemas"]["Sensitivity"];
            /**
             * @description How certain the content is, from 0 to 1.
             * @default 1
             */
            confidence?: number;
            /**
             * @description Salience of the new record now, 0 or more. A salience above 1 needs the permission `revise`.
             * @default 1
             */
            salience?: number;
            /** @description Scope of the record, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. A record made by a revision is in the scope of the sources; only `admin` may choose another scope. */
            scope?: components["schemas"]["Scope"] | null | "";
            /** @description Labels to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[];
            /** @description How the record fades and whether a sweep may prune the record. Absent fields get the deployment's defaults for the type. */
            lifecycle?: components["schemas"]["LifecycleInput"];
            /** @description Where the record comes from. */
            provenance?: components["schemas"]["ProvenanceInput"];
            /** @description Edges to other records, at most 30, without repeats. `supersedes` and `contested_by` are ignored: only revisions make them. */
            relations?: components["schemas"]["Relation-Input"][];
            /** @description The content, of the kind that `type` names. */
            payload: components["schemas"]["EpisodicPayload-Input"] | components["schemas"]["WorkingPayload-Input"] | components["schemas"]["SemanticPayload-Input"] | components["schemas"]["CompetencePayload-Input"] | components["schemas"]["PlanGraphPayload-Input"] | components["schemas"]["EntityPayload-Input"];
            /** @description Accepted and ignored: only captures and traces have an interpretation. */
            interpretation?: unknown;
            /** @description Accepted and ignored: the server sets the time. */
            created_at?: unknown;
            /** @description Accepted and ignored: the server sets the time. */
            updated_at?: unknown;
            /** @description Accepted and ignored: a new record begins a new audit trail. */
            audit_log?: unknown;
            /** @description Accepted and ignored: a new record begins a new audit trail. */
            audit_count?: unknown;
            /** @description Accepted and ignored: outcomes alone give a record credit. */
            usefulness?: unknown;
        };
        /** @description Do up to 100 operations in order: put, get, delete, append, search, namespaces. */
        BatchDocuments: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Each a request of this page with its word in `op`: `{"op": "get", "namespace": ["users"], "key": "ann"}`. */
            operations: (components["schemas"]["PutDocumentOperation"] | components["schemas"]["GetDocumentOperation"] | components["schemas"]["DeleteDocumentOperation"] | components["schemas"]["AppendItemsOperation"] | components["schemas"]["SearchDocumentsOperation"] | components["schemas"]["ListNamespacesOperation"])[];
            /** @description Whether an operation that is not valid or not permitted refuses the whole batch before any effect. Absent: such an operation fails alone. */
            check_first?: boolean | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The id of a record of a batch whose records together are too large for a reply. */
        BatchRecordId: {
            /** @description The id of the record. */
            id: string;
        };
        /** @description The results of a batch. */
        BatchReply: {
            /** @description An entry for each item, in the order of the items. */
            results: (components["schemas"]["BatchedRecord"] | components["schemas"]["BatchedMessages"] | components["schemas"]["BatchedCapture"] | components["schemas"]["RefusedItem"])[];
        };
        /** @description An item of a batch that captured evidence. */
        BatchedCapture: {
            /**
             * @description The HTTP status that the item would have had alone.
             * @enum {integer}
             */
            status: 200 | 201;
            /** @description The edges of the records, each from both ends: first of the mentions, then of the references, of the derived fact, and of the entities of the fact. */
            edges: components["schemas"]["GraphEdge"][];
            /** @description A token for each of the records: a retrieval with the tokens sees the records before the index does. */
            consistency_tokens: string[];
            /** @description The evidence, or the id alone where the records of the batch together are too large for a reply. */
            primary_record: components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"] | components["schemas"]["BatchRecordId"];
            /** @description The records that the capture brought along, or their ids alone. */
            created_records: (components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"] | components["schemas"]["BatchRecordId"])[];
        };
        /** @description The replies to a batch. */
        BatchedDocuments: {
            /** @description An entry for each operation, in order: `status`, and the fields of its reply or `error`. */
            results: {
                [key: string]: unknown;
            }[];
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
            /** @description How often tasks succeeded and failed in which the record had a part; absent for a record without credit, and for a redacted record. */
            usefulness?: components["schemas"]["Usefulness"];
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
        /** @description Call a tool for agents. */
        CallTool: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Arguments of the tool, as the tool's schema describes the object. Absent: no arguments. */
            arguments?: {
                [key: string]: unknown;
            } | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The tool that a call names, with arguments. */
        CalledFunction: {
            /** @description Name of the tool, 1 to 256 characters. */
            name: string;
            /** @description Arguments of the call: a JSON object or the JSON text of an object, without `$upload` and `$blob`. Absent, null or "": an empty object. Any other text, such as JSON that was cut, is kept as the argument `text`. */
            arguments?: {
                [key: string]: unknown;
            } | string | null;
        };
        /** @description The answer of a tool. */
        CalledTool: {
            /** @description The answer as a JSON object. */
            result: {
                [key: string]: unknown;
            };
            /** @description The answer as text for a language model, at most 2,000 tokens by an estimate. */
            text: string;
            /** @description True where the tool had no effect, as the text says; absent otherwise. */
            is_error?: boolean;
        };
        /** @description Cancel a study that is under way: everything that the job has made is removed. */
        CancelStudy: {
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Capture an event, a tool output, an observation or a working state as evidence. */
        CaptureMemory: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Required. Empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source: string;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description What was seen: `event`, `tool_output`, `observation`, `working_state`, `agent_turn`, or a word of the caller. `tool_output` and `working_state` need the fields of these reports in `content`. Absent or empty: `event`. */
            source_kind?: string | null;
            /** @description What was seen: any JSON value, or an `$upload`. Required. Of an object, the fields `subject`, `project`, `file`, `person`, `service` and the like name entities, `ref` and `record_id` name records, and texts are read for names. */
            content: components["schemas"]["JsonValue-Input"];
            /** @description What was around: any JSON value, or an `$upload`. Stored with the content; references in an object are followed, but no text is read for names. Absent: null. */
            context?: components["schemas"]["JsonValue-Input"] | null;
            /** @description Why the content matters, in words; not read for names. Absent: no reason. */
            reason_to_remember?: string | null;
            /** @description Memory type that suits the content. A label: the type of the record follows `source_kind`. With `semantic`, a fact is derived from the content as from an observation. */
            proposed_type?: components["schemas"]["MemoryType"] | "" | null;
            /** @description The content in short; a search reads this text, too. Read for names where the content has no text. Absent: the reason, else the beginning of the content. */
            summary?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Capture an event, a tool output, an observation or a working state as evidence. */
        CaptureMemoryItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "CaptureMemory";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Required. Empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source: string;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description What was seen: `event`, `tool_output`, `observation`, `working_state`, `agent_turn`, or a word of the caller. `tool_output` and `working_state` need the fields of these reports in `content`. Absent or empty: `event`. */
            source_kind?: string | null;
            /** @description What was seen: any JSON value, or an `$upload`. Required. Of an object, the fields `subject`, `project`, `file`, `person`, `service` and the like name entities, `ref` and `record_id` name records, and texts are read for names. */
            content: components["schemas"]["JsonValue-Input"];
            /** @description What was around: any JSON value, or an `$upload`. Stored with the content; references in an object are followed, but no text is read for names. Absent: null. */
            context?: components["schemas"]["JsonValue-Input"] | null;
            /** @description Why the content matters, in words; not read for names. Absent: no reason. */
            reason_to_remember?: string | null;
            /** @description Memory type that suits the content. A label: the type of the record follows `source_kind`. With `semantic`, a fact is derived from the content as from an observation. */
            proposed_type?: components["schemas"]["MemoryType"] | "" | null;
            /** @description The content in short; a search reads this text, too. Read for names where the content has no text. Absent: the reason, else the beginning of the content. */
            summary?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What a capture stored, all or nothing. */
        CaptureReply: {
            /** @description The edges of the records, each from both ends: first of the mentions, then of the references, of the derived fact, and of the entities of the fact. */
            edges: components["schemas"]["GraphEdge"][];
            /** @description A token for each of the records: a retrieval with the tokens sees the records before the index does. */
            consistency_tokens: string[];
            /** @description The evidence, with the interpretation; what is left of the record where a repeat finds a deleted record. */
            primary_record: components["schemas"]["MemoryRecord"] | components["schemas"]["DeletedRecord"];
            /** @description The records that the capture brought along: entities in the order of the mentions, then the derived fact. A known fact is reinforced, and not among these. */
            created_records: components["schemas"]["MemoryRecord"][];
        };
        /** @description What an erasure removed, without a word of the content. */
        Certificate: {
            /** @description The id of the erasure. */
            erasure: string;
            /** @description The target, by a digest. */
            target: components["schemas"]["ErasedTarget"];
            /** @description Why the erasure was made, as the caller states. */
            reason: string;
            /** @description The actor of the key. */
            requested_by: string;
            /** @description When the request came. */
            requested_at: components["schemas"]["Timestamp-Output"];
            /** @description When a walk over the whole table found nothing more. */
            done_at: components["schemas"]["Timestamp-Output"];
            /** @description What was removed. */
            removed: components["schemas"]["FindingCount"][];
            /** @description The number of entries, over all pages. */
            entries: number;
            /** @description SHA-256 over the entries: each as canonical JSON with a line feed. */
            entries_sha256: string;
            /** @description Items that stay because they are damaged, or aliases that cannot be erased alone; 0 in a proof. */
            unreadable: number;
            /** @description What stays, why, and for how long. */
            stays: components["schemas"]["Remainder"][];
        };
        /** @description The signed certificate of an erasure, with a page of entries. */
        CertificateReply: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description What the signature covers. */
            certificate: components["schemas"]["Certificate"];
            /** @description The signature. */
            signature: components["schemas"]["SignatureReply"];
            /** @description The erased records, topics and documents, in the order of `entries_sha256`. */
            entries: components["schemas"]["FindingReply"][];
        };
        /** @description Change the decay profile or the deletion policy of a record. */
        ChangeLifecycle: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description Fields of the decay profile to change. The salience of now fades on under the new profile. Absent: unchanged; `decay` or `deletion_policy` is required. */
            decay?: components["schemas"]["DecayChange"] | null;
            /** @description New deletion policy: `auto_prune` (sweep and callers may delete), `manual_only` (callers alone) or `never`. Absent: unchanged; `decay` or `deletion_policy` is required. */
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Set the description of the agents' role and surroundings. */
        ChangeSystemContext: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Role of the agents; not blank, at most 30,000 characters. */
            system_role: string;
            /** @description Surroundings of the agents, such as systems and tools; not blank, at most 30,000 characters. */
            runtime_context: string;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Change title, summary, kind, salience or sensitivity of a topic; archive or revive the topic. */
        ChangeTopic: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description New title, at most 1,000 characters; empty: `untitled`. Absent: unchanged. */
            title?: string | null;
            /** @description New summary; empty: no summary. Absent: unchanged. */
            summary?: string | null;
            /** @description New kind, at most 256 characters; empty: no kind. Absent: unchanged. */
            topic_kind?: string | null;
            /** @description Salience from now on, 0 or more. Absent: unchanged. */
            salience?: number | null;
            /** @description `true`: take the topic out of retrieval. `false`: revive an archived topic. Absent: unchanged. */
            archived?: boolean | null;
            /** @description New sensitivity. A lower sensitivity needs `admin`. Absent: unchanged. */
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
        /** @description Lead a conversation: a model reads and writes memory with tools under the caller's key. */
        Chat: {
            /** @description The caller's name for this conversation: 1 to 255 printable ASCII characters. A repeat asks the model again; calls of tools with equal arguments then write nothing a second time. Takes precedence over the header `Idempotency-Key`. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The conversation so far, the oldest message first; the last message is the user's. */
            messages: components["schemas"]["ChatMessage"][];
            /** @description The tools that the model may call: `memstate`, `agent` or `search`, as at `GET /v1/tools`. Absent or empty: `memstate`. */
            profile?: components["schemas"]["Profile"] | "" | null;
            /**
             * @description The newest turns that the model reads. A turn is a message of the user with the messages until the next message of the user.
             * @default 8
             */
            intent_turns?: number | null;
            /** @description `query`, `ingest` or `both`, in place of the route that a question to the model finds. */
            intent_override?: components["schemas"]["Route"] | "" | null;
            /**
             * @description Whether a last message of more than 10,000 characters that is to be stored is studied as a document, in two phases; with the profile `memstate` alone.
             * @default true
             */
            study_ingest?: boolean | null;
            /**
             * @description The most questions to the model; each answer may call several tools.
             * @default 32
             */
            max_tool_rounds?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A message of the conversation. */
        ChatMessage: {
            /** @description `user` or `assistant`; messages of other roles are left out. */
            role: string;
            /** @description The text, at most 100,000 characters; another JSON value counts as its JSON text. A message with a blank text is left out. */
            content?: unknown;
        };
        /** @description The model's answer, with every call of a tool. */
        ChatReply: {
            /** @description The text for the user. */
            reply: string;
            /** @description The calls in order. Large arguments and results are cut, with links to what they name. */
            tool_log: components["schemas"]["LoggedCall"][];
            /** @description The name of the model that answered last, as the endpoint reports the name. */
            model: string;
            /** @description Who runs the model: `bedrock`, `openai` for a compatible endpoint, or `scripted`. */
            provider: string;
            /** @description The route of the conversation. */
            intent: components["schemas"]["Route"];
            /** @description `classifier` or `override`. */
            intent_source: string;
            /** @description The most questions to the model that the request allows. */
            max_tool_rounds: number;
            /** @description What the conversation took of the day's tokens. */
            tokens: components["schemas"]["ChatTokens"];
            /** @description Present and true if the last message was studied as a document. */
            study_ingest?: boolean;
            /** @description The kind that the topics of the session had until the end of the session. */
            study_session_kind?: string;
            /** @description The phases of the session: 2. */
            study_phases?: number;
            /** @description Present if the conversation ended early after tools had run: what they wrote stands. */
            stopped?: components["schemas"]["ChatStop"];
        };
        /** @description Why a conversation ended before an answer of the model. */
        ChatStop: {
            /** @description The error code, as in a problem. */
            code: string;
            /** @description The HTTP status of the error, had no tool run. */
            status: number;
            /** @description A sentence for the caller. */
            detail: string;
        };
        /** @description The tokens of questions and answers, as the model counted them or estimated. */
        ChatTokens: {
            /** @description The tokens of this conversation's questions. */
            used: number;
            /** @description The questions to the model, with the question about the route. */
            questions: number;
        };
        /** @description A skill: triggers, steps and performance. */
        "CompetencePayload-Input": {
            /**
             * @description Kind of the payload: always `competence`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "competence";
            /** @description Name of the skill. */
            skill_name: string;
            /** @description Situations in which the skill is useful. */
            triggers: components["schemas"]["Trigger-Input"][];
            /** @description Steps of the skill, in order. */
            recipe: components["schemas"]["RecipeStep-Input"][];
            /** @description Names of the tools that the skill needs. */
            required_tools?: string[];
            /** @description Ways in which the skill fails, in words. */
            failure_modes?: string[];
            /** @description What to do when the skill fails, in words. */
            fallbacks?: string[];
            /** @description How the skill has done so far. Absent: unknown. */
            performance?: components["schemas"]["PerformanceStats-Input"] | null;
            /** @description Version of the skill, in the caller's words. */
            version?: string;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A skill: triggers, steps and performance. */
        "CompetencePayload-Output": {
            /**
             * @description Kind of the payload: always `competence`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "competence";
            /** @description Name of the skill. */
            skill_name: string;
            /** @description Situations in which the skill is useful. */
            triggers: components["schemas"]["Trigger-Output"][];
            /** @description Steps of the skill, in order. */
            recipe: components["schemas"]["RecipeStep-Output"][];
            /** @description Names of the tools that the skill needs. */
            required_tools?: string[];
            /** @description Ways in which the skill fails, in words. */
            failure_modes?: string[];
            /** @description What to do when the skill fails, in words. */
            fallbacks?: string[];
            /** @description How the skill has done so far. Absent: unknown. */
            performance?: components["schemas"]["PerformanceStats-Output"];
            /** @description Version of the skill, in the caller's words. */
            version?: string;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /**
         * @description The answer to an observation that conflicts with a fact.
         * @enum {string}
         */
        ConflictPolicy: "keep" | "replace" | "fork" | "contest";
        /** @description Show what the evidence of a scope would become; with `dry_run: false` make it. */
        Consolidate: {
            /** @description Scope of the evidence, which the key must be able to write. Absent or empty: the first scope of the key; the unscoped evidence for a key of all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /**
             * @description Whether to show only. Absent: true.
             * @default true
             */
            dry_run?: boolean | null;
            /** @description Minutes without a step after which a thread has ended, 0 to 10,080. With 0, every thread has ended. Absent: the deployment's `ThreadQuietMinutes`. */
            quiet_minutes?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A record that was made of evidence. */
        Consolidation: {
            /** @description The id of the record. */
            id: string;
            /** @description `episodic` for a trace, `competence` for a skill, `plan_graph` for a plan. */
            type: components["schemas"]["MemoryType"];
            /** @description The thread of a trace, the name of a skill, the purpose of a plan. */
            name: string;
            /** @description The scope; empty for an unscoped record. */
            scope: string;
            /** @description How the thread of a trace ended; null without an outcome, and for skills and plans. */
            outcome: components["schemas"]["OutcomeStatus"] | null;
            /** @description When the record was made. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description When the record was last changed, such as by further evidence. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description The newest records that the record was made of, the oldest of these first; at most 20. */
            evidence: components["schemas"]["EvidenceReply"][];
            /** @description The number of all records that the record was made of, up to 100. */
            evidence_count: number;
            /** @description Why the record is as it is: the newest reasons in the audit trail, the oldest first; at most 5. */
            reasons: string[];
        };
        /** @description A page of records that were made of evidence, the newest first. */
        ConsolidationList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The records, the newest first. Retracted records are left out. */
            consolidations: components["schemas"]["Consolidation"][];
        };
        /** @description What a consolidation has made or, in a dry run, would make. */
        ConsolidationReply: {
            /** @description Whether nothing was written. */
            dry_run: boolean;
            /** @description The scope of the evidence; empty for the unscoped evidence. */
            scope: string;
            /** @description Whether time was up before the end; a further call does the rest. */
            is_left: boolean;
            /** @description The new traces. */
            traces: components["schemas"]["MadeTrace"][];
            /** @description The new skills. */
            skills: components["schemas"]["MadeSkill"][];
            /** @description The new plans. */
            plans: components["schemas"]["MadePlan"][];
            /** @description The known skills that gained evidence. */
            grown: components["schemas"]["MadeSkill"][];
            /** @description The traces that are like no other trace and no skill so far. */
            unmatched: components["schemas"]["MadeTrace"][];
            /** @description Threads that could not be consolidated; the next run tries again. */
            failed: number;
        };
        /** @description A limit that a task works under. */
        "Constraint-Input": {
            /** @description Kind of the limit, in the caller's words. Absent: empty. */
            type?: string;
            /** @description What the limit is about. Absent: empty. */
            key?: string;
            /** @description The limit: any JSON value. Absent: null. */
            value?: components["schemas"]["JsonValue-Input"];
            /** @description Whether the task must keep the limit. */
            required?: boolean;
        };
        /** @description A limit that a task works under. */
        "Constraint-Output": {
            /** @description Kind of the limit, in the caller's words. Absent: empty. */
            type: string;
            /** @description What the limit is about. Absent: empty. */
            key: string;
            /** @description The limit: any JSON value. Absent: null. */
            value: components["schemas"]["JsonValue-Output"];
            /** @description Whether the task must keep the limit. */
            required?: boolean;
        };
        /** @description Contest a record; the record stays in doubt until `resolve` decides. */
        Contest: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description Id of the record that speaks against the contested record, or a reference to other evidence, kept as text. Absent or empty: no evidence is named. */
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
        /** @description Write the memory of one scope, or of every scope of the key, into a file. */
        CreateExport: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Scope to export. Absent or empty: every scope of the key; unscoped records are included with a key for all scopes alone. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Create a topic without fields. */
        CreateTopic: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /**
             * @description Title, at most 1,000 characters. Blank: `untitled`.
             * @default untitled
             */
            title?: string | null;
            /** @description Summary of the topic. */
            summary?: string | null;
            /** @description Kind of the topic in the caller's words, at most 256 characters. */
            topic_kind?: string | null;
            /**
             * @description Salience of the topic; above 1 needs the permission `revise`.
             * @default 1
             */
            salience?: number | null;
            /** @description Id of the new topic: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is refused with 409, a UUID of version 8 with 400. Absent or empty: the server makes an id. */
            topic_id?: components["schemas"]["RecordId"] | "" | null;
            /** @description Scope of the topic, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the topic, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A change of a decay profile; absent fields stay. */
        DecayChange: {
            /** @description New shape: `exponential`, `linear` or `custom`. Absent: unchanged. */
            curve?: components["schemas"]["DecayCurve"] | null;
            /** @description New half-life in seconds, 1 to 3,162,240,000 (100 years). Absent: unchanged. */
            half_life_seconds?: number | null;
            /** @description New floor of the salience, 0 or more. Absent: unchanged. */
            min_salience?: number | null;
            /** @description New age in seconds from which salience is 0, at most 31,622,400,000 (1,000 years); 0 = no maximum age. Absent: unchanged. */
            max_age_seconds?: number | null;
            /** @description New salience that one reinforcement adds, 0 or more. Absent: unchanged. */
            reinforcement_gain?: number | null;
            /** @description Name of a curve in the deployment's `CustomCurves`; only with the `curve` `custom`. Absent: unchanged, or none where `curve` becomes `exponential` or `linear`. */
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
        /** @description A decay profile as a request states the profile; policy fills absent fields. */
        DecayInput: {
            /** @description Shape of the curve: `exponential`, `linear` or `custom`. Absent or empty: the deployment's `DecayCurve`. */
            curve?: components["schemas"]["DecayCurve"] | null | "";
            /** @description Half-life in seconds, 1 to 3,162,240,000 (100 years). An exponential curve halves salience in a half-life, a linear curve reaches 0 after two. Absent: the deployment's half-life for the record type, or for messages. */
            half_life_seconds?: number | null;
            /** @description The floor: decay does not go below this salience. 0 or more; a floor above 1 needs the permission `revise`. */
            min_salience?: number;
            /** @description Age in seconds from which salience is 0 and the record may be pruned, at most 31,622,400,000 (1,000 years). 0 = no maximum age. */
            max_age_seconds?: number;
            /** @description Salience that one reinforcement adds, 0 or more; a gain above 1 needs the permission `revise`. Absent: the deployment's `ReinforcementGain`. */
            reinforcement_gain?: number | null;
            /** @description Name of a curve in the deployment's `CustomCurves`; only with the `curve` `custom`. Absent: the deployment's `CustomCurve`, if `curve` is absent too. */
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
            /** @description The records with credit by outcomes among the 100 that the previewed policy would prune first, by the last instant; the most useful first. */
            used: components["schemas"]["UsedRecord"][];
        };
        /** @description How the salience of a record fades. */
        DecayProfile: {
            /** @description Shape of the curve: `exponential`, `linear` or `custom`. */
            curve: components["schemas"]["DecayCurve"];
            /** @description Seconds in which an exponential curve halves salience. A linear curve reaches 0 after two half-lives. The points of a custom curve are given in half-lives. */
            half_life_seconds: number;
            /** @description The floor: decay does not go below this salience. */
            min_salience?: number;
            /** @description Age in seconds from which salience is 0; 0 = no maximum age. */
            max_age_seconds?: number;
            /** @description Salience that one reinforcement adds. */
            reinforcement_gain: number;
            /** @description Name of the curve in the deployment's `CustomCurves`, where `curve` is `custom`. */
            custom_curve?: string;
        };
        /** @description Delete a document, or take the newest items off its list. */
        DeleteDocument: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description The version that the document must have; 0 = there must be no document. Any other version: 409. In HTTP also as the header `If-Match: "3"`, then 412. */
            expected_version?: number | null;
            /** @description Whether there must be a document. In HTTP also as the header `If-Match: *`, then 412. */
            must_exist?: boolean | null;
            /** @description Why, for the audit trail; 1,000 characters at most. */
            rationale?: string | null;
            /** @description The idempotency key of a write whose receipt the caller wants to read later, by `GET /v1/document-operations`. Takes precedence over `idempotency_key`. */
            operation_id?: components["schemas"]["IdempotencyKey"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Delete a document, or take the newest items off its list. */
        DeleteDocumentOperation: {
            /**
             * @description The operation.
             * @constant
             */
            op: "delete";
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The labels of the namespace, 1 to 16, of 1 to 128 bytes each. */
            namespace: components["schemas"]["Label"][];
            /** @description The key within the namespace, 1 to 512 bytes. */
            key: components["schemas"]["DocumentKey"];
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description The version that the document must have; 0 = there must be no document. Any other version: 409. In HTTP also as the header `If-Match: "3"`, then 412. */
            expected_version?: number | null;
            /** @description Whether there must be a document. In HTTP also as the header `If-Match: *`, then 412. */
            must_exist?: boolean | null;
            /** @description Why, for the audit trail; 1,000 characters at most. */
            rationale?: string | null;
            /** @description The idempotency key of a write whose receipt the caller wants to read later, by `GET /v1/document-operations`. Takes precedence over `idempotency_key`. */
            operation_id?: components["schemas"]["IdempotencyKey"] | "" | null;
            /** @description Take off and return this many of the newest items, fewer beyond 384 KiB of items or the items of 99 appends; the document stays. Absent: delete. */
            items?: number | null;
            /** @description Whether all content goes for good, former versions and list included. Absent: former versions stay for the deployment's `TombstoneDays`. */
            erase?: boolean | null;
        };
        /** @description Delete a field, or a group with all nested fields; the histories stay. */
        DeleteField: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Delete a record; with `erase` remove the content at once and for good. */
        DeleteRecord: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Delete a topic, hidden until it is restored; with `erase` remove the content for good. */
        DeleteTopic: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Reason, kept in the audit trail. */
            why?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The result of a deletion. */
        DeletedDocument: {
            /** @description Whether there was a document. */
            existed: boolean;
            /** @description The version that the deletion made. */
            version?: number;
            /** @description The items that were taken off, oldest first. */
            items?: components["schemas"]["DocumentItem"][];
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
         * @description What made a version.
         * @enum {string}
         */
        DocumentAction: "put" | "delete" | "erase";
        /** @description An item of a list. */
        DocumentItem: {
            /** @description The item, any JSON. */
            value: unknown;
            /** @description The time of the append. */
            at: components["schemas"]["Timestamp-Output"];
            /** @description The actor that appended the item. */
            principal: string;
        };
        /** @description The key of a document; at most 512 bytes of UTF-8. */
        DocumentKey: string;
        /** @description A document that was read. */
        DocumentReply: {
            /** @description The document. */
            document: components["schemas"]["ShownDocument"];
        };
        /** @description A version with its audit entry; an erased version has no value. */
        DocumentVersion: {
            /** @description The number of the version, from 1. */
            version: number;
            /** @description The write that made the version. */
            action: components["schemas"]["DocumentAction"];
            /** @description The time of the write. */
            at: components["schemas"]["Timestamp-Output"];
            /** @description The actor that wrote the version. */
            principal: string;
            /** @description The reason for the write; empty if none was given, or if the version was erased. */
            rationale: string;
            /** @description The value; absent in a deletion, and in an erased version. */
            value?: components["schemas"]["JsonValue-Output"];
            /** @description The hash of the version before; empty for the first version. */
            previous_hash: string;
            /** @description The hash over the audit entry and the previous hash. */
            hash: string;
        };
        /** @description How many of a kind are finished. */
        DoneOfTotal: {
            /** @description The number that is finished. */
            done: number;
            /** @description The number in the document; 0 until the document is divided. */
            total: number;
        };
        /** @description An edge from the topic to another topic. */
        EdgeInput: {
            /** @description Id of the topic at the far end, which must exist and be visible. */
            to_topic_id: string;
            /** @description Meaning of the edge, such as `has_detail`; at most 256 characters, may be empty. */
            kind: string;
        };
        /**
         * @description Whether an edge of a plan carries data or control.
         * @enum {string}
         */
        EdgeKind: "data" | "control";
        /** @description An alternative name; printed as a bare text where kind and locale are empty. */
        EntityAlias: {
            /** @description The name. */
            value: string;
            /** @description Kind of the name, in the caller's words. */
            kind?: string;
            /** @description Locale of the name, such as `de-DE`. */
            locale?: string;
        } | string;
        /** @description A fact about an entity. */
        EntityFact: {
            /** @description `subject`, `object` or both: the places of the entity in the fact. */
            roles: string[];
            /** @description The fact. */
            record: components["schemas"]["MemoryRecord"] | components["schemas"]["OversizedRecord"];
        };
        /** @description An identifier of an entity in another system. */
        EntityIdentifier: {
            /** @description The system. */
            namespace: string;
            /** @description The identifier. */
            value: string;
        };
        /** @description A page of entities. */
        EntityList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description With `q`, the topics that refer to entities on the page and that the key shows, at most 50; absent without such a topic. */
            topics?: components["schemas"]["membrane__domain__entities__replies__ListedTopic"][];
            /** @description The entities: by name, or the most similar first. */
            entities: (components["schemas"]["ListedEntity"] | components["schemas"]["SimilarEntity"])[];
        };
        /** @description A record that mentions an entity. */
        EntityMention: {
            /** @description How the record refers to the entity, such as `mentions_entity`. */
            predicates: string[];
            /** @description When the record was made. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description The record. */
            record: components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"];
        };
        /** @description What is known of an entity, with a page of facts. */
        EntityPage: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The entity. */
            entity: components["schemas"]["MemoryRecord"];
            /** @description The facts about the entity that the key shows in full, neither retracted nor outside their time: the newest first, at most 50 on a page. With `next_cursor`, older facts may follow, also where the page has fewer. */
            facts: components["schemas"]["EntityFact"][];
            /** @description The topics that refer to the entity and that the key shows, at most 50. */
            topics: components["schemas"]["TopicOfEntity"][];
        };
        /** @description A named thing: a person, a place, a project. */
        "EntityPayload-Input": {
            /**
             * @description Kind of the payload: always `entity`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "entity";
            /** @description The name to use. */
            canonical_name: string;
            /** @description Main type of the entity, in the caller's words. */
            primary_type?: string;
            /** @description Further types of the entity. */
            types?: string[];
            /** @description Alternative names: each a text, or an object with kind and locale. */
            aliases?: components["schemas"]["EntityAlias"][];
            /** @description Identifiers of the entity in other systems. */
            identifiers?: components["schemas"]["EntityIdentifier"][];
            /** @description What is known about the entity, in words. */
            summary?: string;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A named thing: a person, a place, a project. */
        "EntityPayload-Output": {
            /**
             * @description Kind of the payload: always `entity`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "entity";
            /** @description The name to use. */
            canonical_name: string;
            /** @description Main type of the entity, in the caller's words. */
            primary_type?: string;
            /** @description Further types of the entity. */
            types?: string[];
            /** @description Alternative names: each a text, or an object with kind and locale. */
            aliases?: components["schemas"]["EntityAlias"][];
            /** @description Identifiers of the entity in other systems. */
            identifiers?: components["schemas"]["EntityIdentifier"][];
            /** @description What is known about the entity, in words. */
            summary?: string;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /** @description The environment in which an episode took place, or of a task in progress. */
        "EnvironmentSnapshot-Input": {
            /** @description Operating system. */
            os?: string;
            /** @description Version of the operating system. */
            os_version?: string;
            /** @description Versions of tools, by the name of the tool. */
            tool_versions?: {
                [key: string]: string;
            };
            /** @description Directory in which the agent worked. */
            working_directory?: string;
            /** @description Further facts about the environment, as a JSON object. */
            context?: components["schemas"]["JsonObject-Input"];
        };
        /** @description The environment in which an episode took place, or of a task in progress. */
        "EnvironmentSnapshot-Output": {
            /** @description Operating system. */
            os?: string;
            /** @description Version of the operating system. */
            os_version?: string;
            /** @description Versions of tools, by the name of the tool. */
            tool_versions?: {
                [key: string]: string;
            };
            /** @description Directory in which the agent worked. */
            working_directory?: string;
            /** @description Further facts about the environment, as a JSON object. */
            context?: components["schemas"]["JsonObject-Output"];
        };
        /** @description An episode: a timeline of events, and the tool calls. */
        "EpisodicPayload-Input": {
            /**
             * @description Kind of the payload: always `episodic`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "episodic";
            /** @description The events, in the order of the caller; retrieval dates the episode by the first event. */
            timeline: components["schemas"]["TimelineEvent-Input"][];
            /** @description The tool calls; `depends_on` makes the calls a graph. */
            tool_graph?: components["schemas"]["ToolNode-Input"][];
            /** @description The environment in which the episode took place. Absent: unknown. */
            environment?: components["schemas"]["EnvironmentSnapshot-Input"] | null;
            /** @description How the episode ended: `success`, `failure` or `partial`. Absent: unknown. `IngestOutcome` sets the outcome. */
            outcome?: components["schemas"]["OutcomeStatus"] | null;
            /** @description Why the episode ended like this, in words. */
            outcome_reason?: string;
            /** @description References to results of the episode, such as files or patches; a search reads the texts. */
            artifacts?: string[];
            /** @description Reference to a tool graph outside the record. Stored as given. */
            tool_graph_ref?: string;
            /** @description Thread of the task that the episode is a step of, or the whole trace. Absent: neither. */
            thread_id?: string;
        };
        /** @description An episode: a timeline of events, and the tool calls. */
        "EpisodicPayload-Output": {
            /**
             * @description Kind of the payload: always `episodic`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "episodic";
            /** @description The events, in the order of the caller; retrieval dates the episode by the first event. */
            timeline: components["schemas"]["TimelineEvent-Output"][];
            /** @description The tool calls; `depends_on` makes the calls a graph. */
            tool_graph?: components["schemas"]["ToolNode-Output"][];
            /** @description The environment in which the episode took place. Absent: unknown. */
            environment?: components["schemas"]["EnvironmentSnapshot-Output"];
            /** @description How the episode ended: `success`, `failure` or `partial`. Absent: unknown. `IngestOutcome` sets the outcome. */
            outcome?: components["schemas"]["OutcomeStatus"];
            /** @description Why the episode ended like this, in words. */
            outcome_reason?: string;
            /** @description References to results of the episode, such as files or patches; a search reads the texts. */
            artifacts?: string[];
            /** @description Reference to a tool graph outside the record. Stored as given. */
            tool_graph_ref?: string;
            /** @description Thread of the task that the episode is a step of, or the whole trace. Absent: neither. */
            thread_id?: string;
        };
        /** @description The target, by a digest. */
        ErasedTarget: {
            /** @description Whether a scope (also a user's), a subject or single ids were erased. */
            kind: components["schemas"]["TargetKind"];
            /** @description SHA-256 of the target's parts: the erasure's id, the kind, the scope, the subject, the sorted spellings and the sorted ids, each as UTF-8 behind its length in four bytes. */
            sha256: string;
        };
        /** @description An erasure, with a page of the records, topics and documents of the listing. */
        ErasureReply: {
            /** @description The id of the erasure. */
            id: string;
            /**
             * @description `listing` and `removing` are under way; a dry run ends as `listed`, an erasure as `done`.
             * @enum {string}
             */
            state: "listing" | "listed" | "removing" | "done";
            /** @description Whether the erasure only lists. */
            dry_run: boolean;
            /** @description Why the erasure is made, as the caller states. */
            reason: string;
            /** @description The actor of the key. */
            requested_by: string;
            /** @description When the request came. */
            started_at: components["schemas"]["Timestamp-Output"];
            /** @description When the erasure ended; null before. */
            done_at: components["schemas"]["Timestamp-Output"] | null;
            /** @description What the listing found, so far. */
            found: components["schemas"]["FindingCount"][];
            /** @description What was removed, so far; after a write during the erasure more than was listed. */
            removed: components["schemas"]["FindingCount"][];
            /** @description Damaged items that the erasure could not read; `membrane verify` names them. */
            unreadable: number;
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description Spellings of the subject that the listing found, so far. At the end, only of a dry run that found spellings to confirm; such a dry run is gone 7 days later. */
            spellings: components["schemas"]["SpellingCount"][];
            /** @description Records, topics and documents of the listing; of other kinds the counts tell. */
            findings: components["schemas"]["FindingReply"][];
        };
        /** @description The state of an erasure. */
        ErasureState: {
            /** @description The id of the erasure. */
            id: string;
            /**
             * @description `listing` and `removing` are under way; a dry run ends as `listed`, an erasure as `done`.
             * @enum {string}
             */
            state: "listing" | "listed" | "removing" | "done";
            /** @description Whether the erasure only lists. */
            dry_run: boolean;
            /** @description Why the erasure is made, as the caller states. */
            reason: string;
            /** @description The actor of the key. */
            requested_by: string;
            /** @description When the request came. */
            started_at: components["schemas"]["Timestamp-Output"];
            /** @description When the erasure ended; null before. */
            done_at: components["schemas"]["Timestamp-Output"] | null;
            /** @description What the listing found, so far. */
            found: components["schemas"]["FindingCount"][];
            /** @description What was removed, so far; after a write during the erasure more than was listed. */
            removed: components["schemas"]["FindingCount"][];
            /** @description Damaged items that the erasure could not read; `membrane verify` names them. */
            unreadable: number;
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
         * @description The operation on a topic, shown in the `topic_history` of a reply.
         * @enum {string}
         */
        EventKind: "created" | "meta" | "fields" | "field_deleted" | "ref" | "edge_added" | "edge_removed" | "fields_nested_in_topic" | "fields_unnested_from_bundle" | "nested_topic_promoted" | "nested_topic_from_parent" | "nested_topic_undo" | "nested_topic_undo_merge_back" | "merged" | "merged_into" | "unmerged" | "summarised" | "detached" | "archived" | "revived" | "withdrawn" | "deleted" | "restored" | "erased";
        /** @description A piece of evidence. */
        EvidenceReply: {
            /** @description The id of the record. */
            id: string;
            /** @description The outcome of the record; null without an outcome, and for a record that the key does not show in full. */
            outcome: components["schemas"]["OutcomeStatus"] | null;
        };
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
            /** @description Whether the page had the record. An outcome that names the receipt gives credit to such records alone. */
            handed_out: boolean;
        };
        /** @description The exports of a key. */
        ExportList: {
            /** @description The exports, the newest first. */
            exports: components["schemas"]["ExportView"][];
        };
        /** @description A part of the file of an export. */
        ExportPart: {
            /** @description A signed address of the part, valid for five minutes. */
            url: string;
            /** @description The size of the part. */
            bytes: number;
        };
        /** @description One export. */
        ExportReply: {
            /** @description The state of the export. */
            export: components["schemas"]["ExportView"];
            /** @description A page of the parts of the file, which joined in order make the file; absent before the file is complete. */
            parts?: components["schemas"]["ExportPart"][];
            /** @description Of the next page of parts; absent on the last page. */
            next_cursor?: string;
        };
        /**
         * @description Whether the file is being written, is complete, or was given up.
         * @enum {string}
         */
        ExportState: "running" | "done" | "failed";
        /** @description The state of an export. */
        ExportView: {
            /** @description Id of the export. */
            id: string;
            /** @description `running`, `done` or `failed`; the service tries a failed export again for a while. */
            state: components["schemas"]["ExportState"];
            /** @description Why the last attempt failed; absent without a failure. */
            reason?: string;
            /** @description The highest sensitivity of exported records. */
            max_sensitivity: string;
            /** @description The exported scopes; absent for all scopes. */
            scopes?: string[];
            /** @description When the export was requested. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description When the export last made progress. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description When the export and the file are removed. */
            expires_at: components["schemas"]["Timestamp-Output"];
            /** @description The number of lines written so far. */
            lines: number;
            /** @description The size of the lines written so far. */
            bytes: number;
            /** @description The number of lines by kind. */
            counts: {
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
        /**
         * @description Whether a field is new, gets a new version, or has the value already.
         * @enum {string}
         */
        FieldDecision: "new" | "version" | "unchanged";
        /** @description A new revision of a field. */
        FieldInput: {
            /** @description Name of the field, 1 to 256 characters without control characters. A nested field has the name `<group>.<name>`. */
            name: string;
            /** @description New value: any JSON value of the field's type, or null; without `$upload` and `$blob`. Absent: the empty text. */
            value?: unknown;
            /** @description Type of the field: `string`, `int`, `float`, `bool`, `date`, `datetime`, `list` or `json`. Absent: the type of the field; for a new field the type of the value. */
            field_type?: components["schemas"]["FieldType"];
            /** @description Id of the topic that the field refers to. null or empty: no reference any more. Absent: the reference stays. */
            ref_topic_id?: string | null;
            /** @description Reason for the new value, kept with the revision. */
            why_changed?: string | null;
            /** @description Expected effect of the new value, kept with the revision. */
            impact_expected?: string | null;
            /**
             * @description Origin of the value in the caller's words, kept with the revision.
             * @default api
             */
            provenance?: string;
            /** @description Instant from which the value holds, in RFC 3339, not in the future. Absent or empty: now. */
            valid_from?: components["schemas"]["Timestamp-Input"] | null | "";
        };
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
        /**
         * @description The type of the values of a field.
         * @enum {string}
         */
        FieldType: "string" | "int" | "float" | "bool" | "date" | "datetime" | "list" | "json";
        /** @description How many findings have one kind, ground and action. */
        FindingCount: {
            /** @description What was found. */
            kind: components["schemas"]["Kind"];
            /** @description Why the erasure found it: `is_of` the scope, `named` by id, `is_about` the subject, `rests_on` erased evidence alone, or only `mentions` the subject. */
            ground: components["schemas"]["Ground"];
            /** @description What the erasure does: `erase`, `remove`, `rewrite`, or `keep` for a person to decide. */
            action: components["schemas"]["Action"];
            /** @description The number of findings. */
            count: number;
        };
        /** @description A record, topic or keyed document that an erasure found. */
        FindingReply: {
            /** @description `record`, `topic`, `document`, or `evidence` for a record that loses references alone. */
            kind: components["schemas"]["Kind"];
            /** @description The id of the record or topic; of a document the id for `ids` of a further erasure. */
            id: string;
            /** @description Why the erasure found the record, topic or document. */
            ground: components["schemas"]["Ground"];
            /** @description What the erasure does. */
            action: components["schemas"]["Action"];
            /** @description The number of audit entries after the erasure; absent before. */
            audit_count?: number;
            /** @description The head of the audit's hash chain before the erasure. */
            hash_before?: string;
            /** @description The head of the audit's hash chain after the erasure. */
            hash_after?: string;
            /** @description In a listing, where the document is: for `TombstoneDays`, or until the document is erased. */
            place?: components["schemas"]["FoundPlace"];
        };
        /** @description Put a variant beside a record, which stays active. */
        Fork: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The variant, of any type but `episodic`. A fact needs `evidence` in the payload or `sources` in the provenance. */
            forked_record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A document that a search found. */
        FoundDocument: {
            /** @description The labels of the namespace. */
            namespace: string[];
            /** @description The key within the namespace. */
            key: string;
            /** @description The scope; empty for an unscoped document. */
            scope: string;
            /** @description The sensitivity; a key with a lower ceiling does not see the document. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description The number of the newest version, from 1. */
            version: number;
            /** @description The time of the first write since the document was last absent. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description The time of the newest version. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description The actor that wrote the value. */
            principal: string;
            /** @description Why the newest version was written; absent without a reason. */
            rationale?: string;
            /** @description The time from which the document is hidden; absent without a period. */
            expires_at?: components["schemas"]["Timestamp-Output"];
            /** @description The salience now, of a document that fades. */
            salience?: number;
            /** @description The paths of the texts that a search by `query` finds; absent without any. */
            index?: string[];
            /** @description Absent in a document that is only a list, or deleted. */
            value?: components["schemas"]["JsonValue-Output"];
            /** @description True for a deleted document whose history was asked for. */
            deleted?: boolean;
            /** @description The newest items of the list, oldest first; absent unless asked for. */
            items?: components["schemas"]["DocumentItem"][];
            /** @description `items_before` of the next request; absent if the list has no older items. The last page may be empty. */
            next_items_before?: number;
            /** @description Former versions, newest first; absent unless asked for. */
            history?: components["schemas"]["DocumentVersion"][];
            /** @description `history_before` of the next request; absent if there are no older versions. The last page may be empty. */
            next_history_before?: number;
            /** @description Whether the hash chain holds. */
            verified?: boolean;
            /** @description The first version that breaks the chain. */
            first_broken?: number;
            /** @description How well the document fits `query`; null for a document without searchable texts. */
            score?: number | null;
        };
        /** @description A page of a search. */
        FoundDocuments: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The documents: with `query` the best first, else in the order of namespace and key. */
            documents: components["schemas"]["FoundDocument"][];
            /** @description How many documents the call compared with the request, of those that the key may see. */
            examined: number;
        };
        /** @description Where a keyed document is. */
        FoundPlace: {
            /** @description The scope; empty for an unscoped document. */
            scope: string;
            /** @description The labels of the namespace. */
            namespace: string[];
            /** @description The key within the namespace. */
            key: string;
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
        /** @description Read a document. */
        GetDocumentOperation: {
            /**
             * @description The operation.
             * @constant
             */
            op: "get";
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description The labels of the namespace, 1 to 16, of 1 to 128 bytes each. */
            namespace: components["schemas"]["Label"][];
            /** @description The key within the namespace, 1 to 512 bytes. */
            key: components["schemas"]["DocumentKey"];
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Whether `ttl_seconds` and salience begin anew; ignored for a key that may not write there. */
            refresh?: boolean | null;
            /** @description How many of the newest items of the document's list to return, oldest first. Items and former versions of a reply have 5 MiB at most together; the items come first. */
            items?: number | null;
            /** @description `next_items_before` of a reply, to return the items before the items of the reply. Without `items` of no effect. Absent: from the newest item. */
            items_before?: number | null;
            /** @description How many former versions to return, newest first; also of a deleted document. A document that is made anew, or whose sensitivity is lowered, begins a new history. */
            history?: number | null;
            /** @description `next_history_before` of a reply, to return the versions before the versions of the reply. Without `history` of no effect. Absent: from the newest former version. */
            history_before?: number | null;
            /** @description Whether to check the hash chain of the newest 10,000 versions. */
            verify?: boolean | null;
        };
        /** @description The answer to a repeated write whose record was deleted since. */
        GoneReply: {
            /** @description The id of the record, and when the record was deleted. */
            record: components["schemas"]["DeletedRecord"];
        };
        /** @description The graph around the records for a task. */
        Graph: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The nodes on the page, by worth: roots and further nodes together, the best first. */
            nodes: components["schemas"]["GraphNode"][];
            /** @description The relations of a node on the page with nodes on this page or on pages before. */
            edges: components["schemas"]["GraphEdge"][];
            /** @description The ids of the roots on the page, in the order of the nodes. */
            root_ids: string[];
            /** @description The choice among the skills and plans for the task, or among those that are roots; absent without candidates. */
            selection?: components["schemas"]["Selection"];
        };
        /** @description An edge from one record to another. */
        GraphEdge: {
            /** @description The id of the record at the beginning. */
            source_id: string;
            /** @description The meaning of the edge, such as `mentions_entity`. */
            predicate: string;
            /** @description The id of the record at the end. */
            target_id: string;
            /** @description The strength of the edge, from 0 to 1. */
            weight: number;
            /** @description When the edge was made. */
            created_at: components["schemas"]["Timestamp-Output"];
        };
        /** @description A record of the graph. */
        GraphNode: {
            /** @description The record. */
            record: components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"];
            /** @description Whether the record is a root. */
            root: boolean;
            /** @description The number of edges between the node and its root; 0 for a root. */
            hop: number;
            /** @description How well the record answers the task; absent without a task, and for a record that the search did not find. */
            score?: number;
            /** @description The edges from the root to the node, in order; empty for a root. */
            path: components["schemas"]["PathStep"][];
        };
        /**
         * @description Why an erasure finds something.
         * @enum {string}
         */
        Ground: "is_of" | "named" | "is_about" | "rests_on" | "mentions";
        /** @description A sign of life. */
        Health: {
            /**
             * @description Always `ok`: a function that fails answers with an error.
             * @constant
             */
            status: "ok";
        };
        /** @description The caller's name for a write. */
        IdempotencyKey: string;
        /** @description Perform up to 100 ingest requests, each taken or refused alone. */
        IngestBatch: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Ingest requests, at most 100, each with the name of the operation in `rpc`, such as `"rpc": "IngestEvent"`. Where the batch has an idempotency key, an item without a key gets a key made from the key of the batch and the content of the item. */
            items: (components["schemas"]["IngestEventItem"] | components["schemas"]["IngestToolOutputItem"] | components["schemas"]["IngestObservationItem"] | components["schemas"]["IngestOutcomeItem"] | components["schemas"]["IngestWorkingStateItem"] | components["schemas"]["IngestMessagesItem"] | components["schemas"]["CaptureMemoryItem"] | components["schemas"]["IngestRecordItem"])[];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record an event as an episodic record. */
        IngestEvent: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description Kind of the event in the caller's words, such as `build` or `file_edit`. Required. */
            event_kind: string;
            /** @description Identifier of the event in the system of its origin, such as a build number or `chat/turn-7`. Required. A retrieval with `thread_id` finds events by the beginning of `ref`. */
            ref: string;
            /** @description What happened, in words; a search reads this text. Absent: a search reads `event_kind` and `ref`. */
            summary?: string | null;
            /** @description Thread of the task that the event is a step of. The steps of a thread become a trace, from which skills and plans are learned. Absent: the event is no step. */
            thread_id?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record an event as an episodic record. */
        IngestEventItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestEvent";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description Kind of the event in the caller's words, such as `build` or `file_edit`. Required. */
            event_kind: string;
            /** @description Identifier of the event in the system of its origin, such as a build number or `chat/turn-7`. Required. A retrieval with `thread_id` finds events by the beginning of `ref`. */
            ref: string;
            /** @description What happened, in words; a search reads this text. Absent: a search reads `event_kind` and `ref`. */
            summary?: string | null;
            /** @description Thread of the task that the event is a step of. The steps of a thread become a trace, from which skills and plans are learned. Absent: the event is no step. */
            thread_id?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record the messages of one thread in order, all or none. */
        IngestMessages: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description The messages, 1 to 100, in the order of the conversation. Messages of `system` and `developer` at the beginning, and of `reasoning` anywhere, are skipped. */
            messages: components["schemas"]["Message"][];
            /** @description Thread that the messages belong to, at most 256 characters, not blank. Required, unless `session` names the thread. */
            thread_id?: string | "" | null;
            /** @description An alternative name of `thread_id`. If both are given, both must be equal. */
            session?: string | "" | null;
            /** @description Name of the reporter for the audit trail. Absent: the name or role of each message's speaker. */
            source?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record the messages of one thread in order, all or none. */
        IngestMessagesItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestMessages";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description The messages, 1 to 100, in the order of the conversation. Messages of `system` and `developer` at the beginning, and of `reasoning` anywhere, are skipped. */
            messages: components["schemas"]["Message"][];
            /** @description Thread that the messages belong to, at most 256 characters, not blank. Required, unless `session` names the thread. */
            thread_id?: string | "" | null;
            /** @description An alternative name of `thread_id`. If both are given, both must be equal. */
            session?: string | "" | null;
            /** @description Name of the reporter for the audit trail. Absent: the name or role of each message's speaker. */
            source?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record an observed fact: subject, predicate and object. */
        IngestObservation: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description What the fact is about, such as a person or a service. Required. */
            subject: string;
            /** @description Property or relation that the fact states, such as `lives_in`. Required. The deployment's `ConflictPolicies` are set by predicate. */
            predicate: string;
            /** @description Value of the property: any JSON value, or an `$upload` for a large value. Absent: null. The text of a note, whose predicate is `noted`, must not be blank. */
            object?: components["schemas"]["JsonValue-Input"] | null;
            /** @description Circumstances under which the fact holds, as a JSON object. Facts with different conditions do not conflict. Absent or empty: the fact holds unconditionally. */
            conditions?: components["schemas"]["JsonObject-Input"] | null;
            /** @description First instant at which the fact holds, in RFC 3339. Absent or empty: no beginning. */
            start?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Instant from which the fact no longer holds, in RFC 3339; later than `start`. Absent or empty: no end. */
            end?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Answer to known facts that this fact contradicts. `keep`: all facts stay active. `replace`: this fact supersedes the known facts. `fork`: this fact becomes a variant of a known fact. `contest`: the known facts are contested by this fact. Absent or empty: the deployment's policy for `predicate`. A word that differs from the policy needs the permission `revise`. */
            on_conflict?: components["schemas"]["ConflictPolicy"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record an observed fact: subject, predicate and object. */
        IngestObservationItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestObservation";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description What the fact is about, such as a person or a service. Required. */
            subject: string;
            /** @description Property or relation that the fact states, such as `lives_in`. Required. The deployment's `ConflictPolicies` are set by predicate. */
            predicate: string;
            /** @description Value of the property: any JSON value, or an `$upload` for a large value. Absent: null. The text of a note, whose predicate is `noted`, must not be blank. */
            object?: components["schemas"]["JsonValue-Input"] | null;
            /** @description Circumstances under which the fact holds, as a JSON object. Facts with different conditions do not conflict. Absent or empty: the fact holds unconditionally. */
            conditions?: components["schemas"]["JsonObject-Input"] | null;
            /** @description First instant at which the fact holds, in RFC 3339. Absent or empty: no beginning. */
            start?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Instant from which the fact no longer holds, in RFC 3339; later than `start`. Absent or empty: no end. */
            end?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Answer to known facts that this fact contradicts. `keep`: all facts stay active. `replace`: this fact supersedes the known facts. `fork`: this fact becomes a variant of a known fact. `contest`: the known facts are contested by this fact. Absent or empty: the deployment's policy for `predicate`. A word that differs from the policy needs the permission `revise`. */
            on_conflict?: components["schemas"]["ConflictPolicy"] | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record how an episode ended, in the record of the episode. */
        IngestOutcome: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Id of the episodic record that the outcome belongs to. Required. */
            target_record_id: string;
            /** @description How the episode ended: `success`, `failure` or `partial`. Required. Replaces an earlier outcome. */
            outcome_status: components["schemas"]["OutcomeStatus"];
            /** @description Why the episode ended like this. Stored as `outcome_reason` of the payload and in the audit trail. Absent: the record keeps no reason, also where an earlier outcome had one. */
            reason?: string | null;
            /** @description Id of the receipt of the retrieval that the outcome rests on. The records that the receipt shows as handed out share credit: a success reinforces them, a failure penalizes them. The same principal must have made the retrieval, within the last 7 days. Absent or empty: no receipt. */
            receipt_id?: string | null;
            /** @description Ids of the records that the episode used, at most 10; repeats are dropped. With a `receipt_id`, the records get more of the credit than the others, and must be among the records that the receipt shows as handed out. Without, the records share the credit equally. */
            used_ids?: string[] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record how an episode ended, in the record of the episode. */
        IngestOutcomeItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestOutcome";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Id of the episodic record that the outcome belongs to. Required. */
            target_record_id: string;
            /** @description How the episode ended: `success`, `failure` or `partial`. Required. Replaces an earlier outcome. */
            outcome_status: components["schemas"]["OutcomeStatus"];
            /** @description Why the episode ended like this. Stored as `outcome_reason` of the payload and in the audit trail. Absent: the record keeps no reason, also where an earlier outcome had one. */
            reason?: string | null;
            /** @description Id of the receipt of the retrieval that the outcome rests on. The records that the receipt shows as handed out share credit: a success reinforces them, a failure penalizes them. The same principal must have made the retrieval, within the last 7 days. Absent or empty: no receipt. */
            receipt_id?: string | null;
            /** @description Ids of the records that the episode used, at most 10; repeats are dropped. With a `receipt_id`, the records get more of the credit than the others, and must be among the records that the receipt shows as handed out. Without, the records share the credit equally. */
            used_ids?: string[] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record a full record of any type. */
        IngestRecord: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The record. The body may also be the record itself, without this envelope. */
            record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record a full record of any type. */
        IngestRecordItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestRecord";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The record. The body may also be the record itself, without this envelope. */
            record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record a tool call, with arguments and result, as an episodic record. */
        IngestToolOutput: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description Name of the tool. Required. */
            tool_name: string;
            /** @description Arguments of the call: a JSON object, the JSON text of an object, or an `$upload` of an object. Absent, null or "": an empty object. */
            args?: components["schemas"]["JsonObject-Input"] | string | null;
            /** @description Result of the call: any JSON value, or an `$upload` for a large value. Absent: null. */
            result?: components["schemas"]["JsonValue-Input"] | null;
            /** @description Ids of the earlier calls whose results this call used. Stored as given; a trace joins the ids of calls, of records and of refs in the thread. */
            depends_on?: string[] | null;
            /** @description Outcome of the call: `success`, `failure` or `partial`. Absent or empty: no outcome, until an `IngestOutcome` names the record. */
            status?: components["schemas"]["OutcomeStatus"] | "" | null;
            /** @description Thread of the task that the call is a step of. The steps of a thread become a trace, from which skills and plans are learned. Absent: the call is no step. */
            thread_id?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record a tool call, with arguments and result, as an episodic record. */
        IngestToolOutputItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestToolOutput";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description Name of the tool. Required. */
            tool_name: string;
            /** @description Arguments of the call: a JSON object, the JSON text of an object, or an `$upload` of an object. Absent, null or "": an empty object. */
            args?: components["schemas"]["JsonObject-Input"] | string | null;
            /** @description Result of the call: any JSON value, or an `$upload` for a large value. Absent: null. */
            result?: components["schemas"]["JsonValue-Input"] | null;
            /** @description Ids of the earlier calls whose results this call used. Stored as given; a trace joins the ids of calls, of records and of refs in the thread. */
            depends_on?: string[] | null;
            /** @description Outcome of the call: `success`, `failure` or `partial`. Absent or empty: no outcome, until an `IngestOutcome` names the record. */
            status?: components["schemas"]["OutcomeStatus"] | "" | null;
            /** @description Thread of the task that the call is a step of. The steps of a thread become a trace, from which skills and plans are learned. Absent: the call is no step. */
            thread_id?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Write fields and edges to a topic: to a named topic, a found topic or a new topic. */
        IngestTopic: {
            /**
             * @description Where the write goes. `new_topic`: into a new topic. `extend_topic`: into the topic `topic_id`. `version_field`: the same, with exactly one field. `auto`, null or absent: the service finds the topic by `topic_id`, by title or by likeness, or makes a new topic.
             * @enum {unknown}
             */
            placement?: null | "auto" | "new_topic" | "extend_topic" | "version_field";
            /** @description Id of an existing topic. Required for `extend_topic` and `version_field`; ignored for `new_topic`. */
            topic_id?: string | null;
            /** @description Title, at most 1,000 characters. With `auto` and without `topic_id`, a topic of the same scope, kind and title is found, whatever the case, width and white space. Absent or blank: the title of a named topic stays, a new topic is `untitled`. */
            title?: string;
            /** @description Summary of the topic. Absent or null: an existing summary stays. Empty: a topic named by `topic_id` loses the summary. */
            summary?: string | null;
            /** @description Kind of the topic, at most 256 characters. Absent or null: an existing kind stays. Empty: a topic named by `topic_id` loses the kind. */
            topic_kind?: string | null;
            /** @description Salience of the topic from now on; above 1 needs the permission `revise`. Absent: 1 for a new topic. Absent or 1.0: an existing salience stays, because some clients always send 1.0. */
            salience?: number;
            /** @description New revisions of fields. */
            fields?: components["schemas"]["FieldInput"][];
            /** @description New edges to other topics. An existing edge stays as is. */
            edges?: components["schemas"]["EdgeInput"][];
            /** @description Return ids of similar topics in `similar_topic_ids`. */
            suggest_similar?: boolean;
            /** @description Scope of the topic. A topic named by `topic_id` must be in this scope. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes; for a named topic the topic's own scope. */
            scope?: components["schemas"]["Scope"] | null | "";
            /** @description Sensitivity of a new topic; an existing sensitivity rises to this level and never falls. Absent or empty: the deployment's `DefaultSensitivity` for a new topic. */
            sensitivity?: components["schemas"]["Sensitivity"] | null | "";
            /** @description Narrows what the key may see and write. A write beyond the narrowed trust is refused with 403, and makes no second topic. */
            trust?: components["schemas"]["TrustInput"];
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record a snapshot of a task in progress as a working record. */
        IngestWorkingState: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description Thread that the task belongs to. Required. `GET /v1/threads/{thread_id}/state` returns the latest working state of a thread. */
            thread_id: string;
            /** @description State of the task: `planning`, `executing`, `blocked`, `waiting` or `done`. Required. */
            state: components["schemas"]["TaskState"];
            /** @description What is to be done next, one text for an action. */
            next_actions?: string[] | null;
            /** @description Questions without an answer yet, one text for a question. */
            open_questions?: string[] | null;
            /** @description Summary of the task so far, in words. Absent: no summary. */
            context_summary?: string | null;
            /** @description Limits that the task works under: a JSON array of constraints, the JSON text of an array, or an `$upload` of an array. Absent, null or "": no constraints. */
            active_constraints?: components["schemas"]["Constraint-Input"][] | components["schemas"]["UploadClaim"] | string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Record a snapshot of a task in progress as a working record. */
        IngestWorkingStateItem: {
            /**
             * @description The operation of the item.
             * @constant
             */
            rpc: "IngestWorkingState";
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the key. Stored in the provenance of the record and in the audit trail. */
            source?: string | null;
            /** @description When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which the server takes the report. */
            timestamp?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[] | null;
            /** @description Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name a scope or a `user`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty: the deployment's `DefaultSensitivity`, `low` unless changed. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description How the new records fade, and whether a sweep may prune them. Absent fields, or an absent lifecycle, get the deployment's defaults for the record type, or for messages. */
            lifecycle?: components["schemas"]["LifecycleInput"] | null;
            /** @description Thread that the task belongs to. Required. `GET /v1/threads/{thread_id}/state` returns the latest working state of a thread. */
            thread_id: string;
            /** @description State of the task: `planning`, `executing`, `blocked`, `waiting` or `done`. Required. */
            state: components["schemas"]["TaskState"];
            /** @description What is to be done next, one text for an action. */
            next_actions?: string[] | null;
            /** @description Questions without an answer yet, one text for a question. */
            open_questions?: string[] | null;
            /** @description Summary of the task so far, in words. Absent: no summary. */
            context_summary?: string | null;
            /** @description Limits that the task works under: a JSON array of constraints, the JSON text of an array, or an `$upload` of an array. Absent, null or "": no constraints. */
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
        /** @description What the service, or a model, read out of captured content. */
        Interpretation: {
            /** @description `resolved`, or `tentative` while a mention, reference or relation lacks a record; `failed` while no try of a model succeeded. */
            status?: components["schemas"]["InterpretationStatus"];
            /** @description Why the last try of a model failed. Absent: the status is not `failed`. */
            failure?: components["schemas"]["InterpretationFailure"];
            /** @description The content in short. Absent: no summary. */
            summary?: string;
            /** @description The memory type that suits the content. Absent: none was proposed. */
            proposed_type?: components["schemas"]["MemoryType"];
            /** @description Labels of the content, from the tags of the request and from a model. */
            topical_labels?: string[];
            /** @description Names in the content, in the order of appearance. */
            mentions?: components["schemas"]["Mention"][];
            /** @description Relations that the content states; `derived_semantic` leads to a fact of a model. */
            relation_candidates?: components["schemas"]["RelationCandidate"][];
            /** @description References to other records, in the order of appearance. */
            reference_candidates?: components["schemas"]["ReferenceCandidate"][];
            /** @description How sure the interpretation is, from 0 to 1. */
            extraction_confidence?: number;
        };
        /**
         * @description Why no model could interpret a capture.
         * @enum {string}
         */
        InterpretationFailure: "busy" | "unavailable" | "malformed" | "out_of_tokens" | "not_written" | "fault";
        /**
         * @description Whether every name, reference and relation of a capture was resolved, or a model failed.
         * @enum {string}
         */
        InterpretationStatus: "tentative" | "resolved" | "failed";
        /** @description Any JSON of at most 10485760 bytes and 64 levels. */
        "JsonObject-Input": components["schemas"]["UploadClaim"] | unknown;
        /** @description Any JSON. */
        "JsonObject-Output": components["schemas"]["LargeValue"] | unknown;
        /** @description Any JSON of at most 10485760 bytes and 64 levels. */
        "JsonValue-Input": components["schemas"]["UploadClaim"] | unknown;
        /** @description Any JSON. */
        "JsonValue-Output": components["schemas"]["LargeValue"] | unknown;
        /**
         * @description What an erasure finds.
         * @enum {string}
         */
        Kind: "record" | "topic" | "evidence" | "head" | "entity_names" | "vector" | "idempotency_key" | "topic_reply" | "answer_receipt" | "upload" | "dead_letter" | "import_file" | "export" | "restore_file" | "study" | "document" | "scope_state";
        /** @description A label of a namespace; at most 128 bytes of UTF-8. */
        Label: string;
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
        /** @description Decay, reinforcement and deletion of a record. */
        Lifecycle: {
            /** @description How salience fades. */
            decay: components["schemas"]["DecayProfile"];
            /** @description When the record was last reinforced; at first, when the record was made. */
            last_reinforced_at: components["schemas"]["Timestamp-Output"];
            /** @description Whether salience stays constant and no sweep prunes the record. */
            pinned?: boolean;
            /** @description Who may delete the record: the sweep and callers (`auto_prune`), callers alone (`manual_only`), or nobody (`never`). An erase works under every policy. */
            deletion_policy: components["schemas"]["DeletionPolicy"];
        };
        /** @description A lifecycle as a request states the lifecycle; policy fills absent fields. */
        LifecycleInput: {
            /** @description How salience fades. Absent: the deployment's decay profile for the record type, or for messages. */
            decay?: components["schemas"]["DecayInput"];
            /** @description Accepted and ignored: the server sets the time. */
            last_reinforced_at?: unknown;
            /** @description Keep salience constant and keep the record from being pruned. `true` needs the permission `revise`. */
            pinned?: boolean;
            /** @description Who may delete the record: the sweep and callers (`auto_prune`), callers alone (`manual_only`), or nobody (`never`, which needs the permission `revise`). An erase works under every policy. Absent or empty: the deployment's `DefaultDeletionPolicy`. */
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null | "";
        };
        /**
         * @description Whether a link is an edge (`related`) or the reference of a field (`field_ref`).
         * @enum {string}
         */
        LinkType: "related" | "field_ref";
        /** @description List the namespaces that have documents. */
        ListNamespacesOperation: {
            /**
             * @description The operation.
             * @constant
             */
            op: "namespaces";
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description Absent or empty: as in `GetDocument`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description The first labels. */
            prefix?: components["schemas"]["Label"][] | null;
            /** @description The last labels. */
            suffix?: components["schemas"]["Label"][] | null;
            /** @description Cut each namespace to this many labels. */
            max_depth?: number | null;
            /**
             * @description The most namespaces to return.
             * @default 100
             */
            limit?: number | null;
            /** @description `next_cursor` of the same listing. */
            cursor?: string | null;
        };
        /** @description An entity on a list. */
        ListedEntity: {
            /** @description The id of the entity. */
            id: string;
            /** @description The canonical name. */
            name: string;
            /** @description The primary type; empty where unknown. */
            type: string;
            /** @description The further names. */
            aliases: string[];
            /** @description The scope; empty for an unscoped entity. */
            scope: string;
        };
        /** @description A call of a tool in a conversation. */
        LoggedCall: {
            /** @description The name of the tool. */
            tool: string;
            /** @description The arguments of the model, or a CutPart; a text that is no object is `unreadable`. */
            args: unknown;
            /** @description The answer of the tool, or a CutPart. */
            result: unknown;
            /** @description `study_a` or `study_b`, for a call of a study session. */
            phase?: string;
            /** @description Where the topics and memories of a cut call are read. */
            links?: string[];
        };
        /** @description A plan, with the traces that the plan was learned from. */
        MadePlan: {
            /** @description The id of the plan. */
            id: string;
            /** @description The purpose of the plan, or its `plan_id`. */
            name: string;
            /** @description The number of operations. */
            steps: number;
            /** @description The ids of the traces, the oldest first; at most 100. */
            traces: string[];
            /** @description The newest reason in the audit trail of the plan. */
            why: string;
        };
        /** @description A skill, with the traces that the skill was learned from. */
        MadeSkill: {
            /** @description The id of the skill. */
            id: string;
            /** @description The name of the skill. */
            name: string;
            /** @description The ids of the traces, the oldest first; at most 100. */
            traces: string[];
            /** @description The successful uses. */
            successes: number;
            /** @description The failed uses. */
            failures: number;
            /** @description The expected share of successful uses, from 0 to 1. */
            success_rate: number;
            /** @description The newest reason in the audit trail of the skill. */
            why: string;
        };
        /** @description A trace: the steps of a thread in order. */
        MadeTrace: {
            /** @description The id of the trace. */
            id: string;
            /** @description The thread of the steps. */
            thread_id: string;
            /** @description The number of records that the trace was made of. */
            steps: number;
            /** @description How the thread ended; null without an outcome. */
            outcome: components["schemas"]["OutcomeStatus"] | null;
            /** @description The newest reason in the audit trail of the trace. */
            why: string;
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
            /** @description What the content mentions, refers to and relates to; of captures, and of traces that a model reads. */
            interpretation?: components["schemas"]["Interpretation"];
            /** @description The newest audit entries, the oldest of them first. */
            audit_log: components["schemas"]["AuditEntry"][];
            /** @description The number of all audit entries. */
            audit_count?: number;
            /** @description How often tasks succeeded and failed in which the record had a part; absent until an outcome gives the record credit. */
            usefulness?: components["schemas"]["Usefulness"];
        };
        /**
         * @description The kind of a record.
         * @enum {string}
         */
        MemoryType: "episodic" | "working" | "semantic" | "competence" | "plan_graph" | "entity";
        /** @description A name in the captured content, and the entity that bears the name. */
        Mention: {
            /** @description The name as written in the content; for the number of a ticket beside a repository, both: `owner/repo#12`. */
            surface: string;
            /** @description Kind of the named thing: `person`, `tool`, `project`, `file`, `concept`, `other`, or a word of the caller. Absent: unknown. */
            entity_kind?: string;
            /** @description Id of the entity. Absent: the mention is not resolved. */
            canonical_entity_id?: string;
            /** @description How sure the mention is, from 0 to 1. */
            confidence?: number;
            /** @description Further names of the same thing in the content. */
            aliases?: string[];
            /** @description The words of the content on which a model rests the mention, cut after 200 characters. Absent: the rules read the mention. */
            words?: string;
        };
        /** @description A page of the records that mention an entity, the newest first. */
        MentionList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The records, the newest first: neither retracted nor outside their time. */
            mentions: components["schemas"]["EntityMention"][];
        };
        /** @description Replace several records by one new record. */
        Merge: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description Ids of the records to replace, 1 to 22. Repeats count once. */
            ids: string[];
            /** @description The record that replaces the sources, of any type but `episodic`. A fact needs `evidence` in the payload or `sources` in the provenance. Sources of several scopes need `admin`, and a `scope` here. */
            merged_record: components["schemas"]["RecordInput"];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Make several entities one: the given entity absorbs entities of the same scope. */
        MergeEntities: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description Ids of the entities to absorb, 1 to 10. Repeats count once. */
            entity_ids: string[];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A message of a conversation, or the result of a tool call. */
        Message: {
            /** @description Who speaks: `user` (also `human`), `assistant` (also `model` and `ai`) or `tool` (also `function`), in any case. Messages of `system` and `developer` at the beginning are skipped, and refused elsewhere: instructions are not memories. Messages of `reasoning`, or with thoughts alone, are skipped: nobody said them. */
            role: components["schemas"]["Role"];
            /** @description The text of the message, at most 100,000 characters: a text, or a list of parts, joined by line breaks. An image or a file is named by type, size and address; a call or a result among the parts goes to `tool_calls` or to the role `tool`. Required; only an assistant's message with `tool_calls` may leave out the content, and one whose content is null or blank is skipped. For the role `tool`: the result of the call. */
            content?: string | (({
                /**
                 * @description The kind of the part. Absent: a text.
                 * @enum {unknown}
                 */
                type?: "text" | "input_text" | "output_text";
                /** @description The text of the part. */
                text: string;
            } & {
                [key: string]: unknown;
            }) | {
                [key: string]: unknown;
            })[] | null;
            /** @description Name of the speaker; for the role `tool`, of the tool. At most 256 characters. Absent or empty: the role stands for the speaker, and the call that `tool_call_id` names gives the tool. */
            name?: string | "" | null;
            /** @description When the message was said, in RFC 3339. Absent or empty: the server's time; messages of one request follow in their order. */
            at?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Tool calls that the message makes, at most 100. Only for the role `assistant`. */
            tool_calls?: components["schemas"]["ToolCall"][] | null;
            /** @description Id of the call whose result the message has, at most 256 characters. Only for the role `tool`, where `tool_call_id` or `name` is required. */
            tool_call_id?: string | "" | null;
            /** @description Google's name for a list as `content`. */
            parts?: (({
                /**
                 * @description The kind of the part. Absent: a text.
                 * @enum {unknown}
                 */
                type?: "text" | "input_text" | "output_text";
                /** @description The text of the part. */
                text: string;
            } & {
                [key: string]: unknown;
            }) | {
                [key: string]: unknown;
            })[] | null;
            /** @description Words in place of an answer: a line. */
            refusal?: string | null;
            /** @description Audio, whose `transcript` becomes a line. */
            audio?: {
                [key: string]: unknown;
            } | null;
            /** @description A call in OpenAI's older form. */
            function_call?: {
                [key: string]: unknown;
            } | null;
            /** @description Left out. */
            annotations?: unknown;
            /** @description Left out. */
            container?: unknown;
            /** @description Left out. */
            id?: unknown;
            /** @description Left out. */
            model?: unknown;
            /** @description Left out. */
            phase?: unknown;
            /** @description Left out. */
            prefix?: unknown;
            /** @description Left out. */
            status?: unknown;
            /** @description Left out. */
            stop_details?: unknown;
            /** @description Left out. */
            stop_reason?: unknown;
            /** @description Left out. */
            stop_sequence?: unknown;
            /** @description Left out. */
            usage?: unknown;
            /** @description Left out. */
            reasoning?: unknown;
            /** @description Left out. */
            reasoning_content?: unknown;
            /** @description Left out. */
            reasoning_details?: unknown;
            /** @description Left out. */
            thinking?: unknown;
            /** @description Left out. */
            thinking_blocks?: unknown;
            /** @description Left out. */
            tool_plan?: unknown;
            /** @description Left out. */
            additional_kwargs?: unknown;
            /** @description Left out. */
            artifact?: unknown;
            /** @description Left out. */
            example?: unknown;
            /** @description Left out. */
            metadata?: unknown;
            /** @description Left out. */
            createdAt?: unknown;
            /** @description Left out. */
            provider_specific_fields?: unknown;
            /** @description Left out. */
            response_metadata?: unknown;
            /** @description Left out. */
            usage_metadata?: unknown;
        };
        /** @description The records of messages. */
        MessagesReply: {
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
            /** @description Leading messages of `system` or `developer`, and thoughts, which became no records; absent without any. */
            skipped?: number;
        };
        /** @description The metrics of the visible records. */
        Metrics: {
            /** @description The numbers as of one instant. */
            snapshot: components["schemas"]["Snapshot"];
        };
        /** @description A page of namespaces. */
        NamespaceList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The labels of each namespace, sorted. */
            namespaces: string[][];
            /** @description How many documents the call compared with the request, of those that the key may see. */
            examined: number;
        };
        /** @description Group fields under one name. */
        NestFields: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Names of the fields to group. Required; blank names and repeats are dropped. */
            field_names?: string[] | null;
            /** @description Name of the group. Required; neither an existing field nor a grouped one. The fields get the names `<nest_key>.<name>`, of at most 256 characters. */
            nest_key?: string | null;
            /**
             * @description Origin of the grouping in the caller's words, kept with the group.
             * @default ui
             */
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
        /** @description Open an upload for a value that is too large for a request. */
        OpenUpload: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Bytes of the JSON text to upload, 1 to 10,485,760. */
            size: number;
            /** @description SHA-256 of the JSON text, as 64 lower-case hexadecimal digits. */
            sha256: string;
            /** @description Scope that the value belongs to, for the erasure of the scope; a record of any scope may claim the upload. Absent or empty: the first scope of the key that is no prefix, unscoped without such a scope. */
            scope?: components["schemas"]["Scope"] | "" | null;
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
        /** @description What a write with an `operation_id` did. */
        OperationReceipt: {
            /** @description The labels of the namespace. */
            namespace: string[];
            /** @description The key within the namespace. */
            key: string;
            /** @description The scope; empty for an unscoped document. */
            scope: string;
            /** @description The version that the write made. */
            version: number;
            /** @description Whether there was a document before the write. */
            existed: boolean;
        };
        /** @description What would put a candidate before the first, all else unchanged: each entry alone would. */
        OtherChoice: {
            /** @description The id of the candidate. */
            id: string;
            /** @description How far the score is below the score of the first. */
            gap: number;
            /** @description The part in which the candidate loses most to the first: `applicability`, `success` or `recency`. Empty for a candidate that loses in no part. */
            behind_in: string;
            /** @description The number of further uses, successes from now on, that would put the candidate first. Null where 1,000 successes would not. */
            successes: number | null;
            /** @description The number of further uses of the first, failures from now on, that would put the candidate before the first. Null where 1,000 failures would not. */
            failures: number | null;
            /** @description The value of a part, by name, from which the candidate would be first. A part is absent where not even 1 would do. */
            parts: {
                [key: string]: number;
            };
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
        /** @description One edge on the way from a root to a node. */
        PathStep: {
            /** @description The id of the record at the near end of the edge. */
            from_id: string;
            /** @description The predicate of the edge, as seen from the near end: `mentioned_in` from an entity to a record that mentions the entity. */
            predicate: string;
        };
        /** @description Lower the salience of a harmful or useless record by an amount. */
        Penalize: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description Salience to subtract from the salience of now; 0 or more. The result does not go below the floor `min_salience`. */
            amount: number;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description How a skill has done so far. */
        "PerformanceStats-Input": {
            /** @description Successful uses. The selection of skills counts successes among all uses. */
            success_count?: number;
            /** @description Failed uses. */
            failure_count?: number;
            /** @description Share of successful uses, from 0 to 1, as the caller states the share. */
            success_rate?: number;
            /** @description Mean duration of a use, in milliseconds. */
            avg_latency_ms?: number;
            /** @description When the skill was last used, in RFC 3339. Absent: unknown. */
            last_used_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description How a skill has done so far. */
        "PerformanceStats-Output": {
            /** @description Successful uses. The selection of skills counts successes among all uses. */
            success_count?: number;
            /** @description Failed uses. */
            failure_count?: number;
            /** @description Share of successful uses, from 0 to 1, as the caller states the share. */
            success_rate?: number;
            /** @description Mean duration of a use, in milliseconds. */
            avg_latency_ms?: number;
            /** @description When the skill was last used, in RFC 3339. Absent: unknown. */
            last_used_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description Keep the salience of a record as of now, and keep the record from being pruned. */
        Pin: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
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
        /** @description The order of two operations of a plan. */
        PlanEdge: {
            /** @description Id of the earlier operation. */
            from: string;
            /** @description Id of the later operation. */
            to: string;
            /** @description What passes along the edge: `data` or `control`. */
            kind: components["schemas"]["EdgeKind"];
        };
        /** @description A plan: operations and the order of operations, without cycles. */
        "PlanGraphPayload-Input": {
            /**
             * @description Kind of the payload: always `plan_graph`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "plan_graph";
            /** @description Name of the plan, in the caller's words. */
            plan_id: string;
            /** @description Version of the plan, in the caller's words. */
            version: string;
            /** @description Operations of the plan, with distinct ids. */
            nodes: components["schemas"]["PlanNode-Input"][];
            /** @description Order of the operations; edges must not form a cycle. */
            edges: components["schemas"]["PlanEdge"][];
            /** @description Purpose of the plan, in words. */
            intent?: string;
            /** @description Limits that the plan works under, as a JSON object. */
            constraints?: components["schemas"]["JsonObject-Input"];
            /** @description Schema of the inputs, as a JSON object. */
            inputs_schema?: components["schemas"]["JsonObject-Input"];
            /** @description Schema of the outputs, as a JSON object. */
            outputs_schema?: components["schemas"]["JsonObject-Input"];
            /** @description How the plan has done so far. Absent: unknown. */
            metrics?: components["schemas"]["PlanMetrics-Input"] | null;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A plan: operations and the order of operations, without cycles. */
        "PlanGraphPayload-Output": {
            /**
             * @description Kind of the payload: always `plan_graph`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "plan_graph";
            /** @description Name of the plan, in the caller's words. */
            plan_id: string;
            /** @description Version of the plan, in the caller's words. */
            version: string;
            /** @description Operations of the plan, with distinct ids. */
            nodes: components["schemas"]["PlanNode-Output"][];
            /** @description Order of the operations; edges must not form a cycle. */
            edges: components["schemas"]["PlanEdge"][];
            /** @description Purpose of the plan, in words. */
            intent?: string;
            /** @description Limits that the plan works under, as a JSON object. */
            constraints?: components["schemas"]["JsonObject-Output"];
            /** @description Schema of the inputs, as a JSON object. */
            inputs_schema?: components["schemas"]["JsonObject-Output"];
            /** @description Schema of the outputs, as a JSON object. */
            outputs_schema?: components["schemas"]["JsonObject-Output"];
            /** @description How the plan has done so far. Absent: unknown. */
            metrics?: components["schemas"]["PlanMetrics-Output"];
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /** @description How a plan has done so far. */
        "PlanMetrics-Input": {
            /** @description Mean duration of an execution, in milliseconds. */
            avg_latency_ms?: number;
            /** @description Share of failed executions, from 0 to 1; counts in the selection of plans. */
            failure_rate?: number;
            /** @description Number of executions. */
            execution_count?: number;
            /** @description When the plan was last executed, in RFC 3339. Absent: unknown. */
            last_executed_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description How a plan has done so far. */
        "PlanMetrics-Output": {
            /** @description Mean duration of an execution, in milliseconds. */
            avg_latency_ms?: number;
            /** @description Share of failed executions, from 0 to 1; counts in the selection of plans. */
            failure_rate?: number;
            /** @description Number of executions. */
            execution_count?: number;
            /** @description When the plan was last executed, in RFC 3339. Absent: unknown. */
            last_executed_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description An operation of a plan. */
        "PlanNode-Input": {
            /** @description Id of the operation, unique in the plan. */
            id: string;
            /** @description Name of the operation. */
            op: string;
            /** @description Parameters of the operation, as a JSON object. */
            params?: components["schemas"]["JsonObject-Input"];
            /** @description Conditions for the operation, as a JSON object. */
            guards?: components["schemas"]["JsonObject-Input"];
        };
        /** @description An operation of a plan. */
        "PlanNode-Output": {
            /** @description Id of the operation, unique in the plan. */
            id: string;
            /** @description Name of the operation. */
            op: string;
            /** @description Parameters of the operation, as a JSON object. */
            params?: components["schemas"]["JsonObject-Output"];
            /** @description Conditions for the operation, as a JSON object. */
            guards?: components["schemas"]["JsonObject-Output"];
        };
        /** @description Count the records that another decay policy would prune by given instants. */
        PreviewDecay: {
            /** @description Scopes and highest sensitivity of the records to count; unscoped records are always included. A key for all scopes, or with prefixes, must name scopes or a `user`; at most 50 scopes. */
            trust?: components["schemas"]["TrustInput"] | null;
            /** @description Types of the records to count. Absent or empty: all types. */
            memory_types?: components["schemas"]["MemoryType"][] | null;
            /** @description Assumed half-lives in seconds by memory type, 1 to 3,162,240,000 each. A record of an absent type keeps the half-life of its profile. */
            half_life_seconds?: {
                [key: string]: number;
            } | null;
            /** @description Assumed salience at which a record is pruned, above 0. Absent: the deployment's `PruneThreshold`. */
            threshold?: number | null;
            /** @description Assumed deletion policy of all records. Absent: the policy of each record. */
            deletion_policy?: components["schemas"]["DeletionPolicy"] | null;
            /** @description Instants by which to count, 1 to 24, in RFC 3339. Absent: 1, 7, 30 and 90 days from now. */
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
            /** @description The id of the request in the logs: the header `apigw-requestid` of the reply. */
            request_id?: string;
            /** @description The faults by field; absent unless fields are at fault. */
            errors?: components["schemas"]["FieldProblem"][];
        };
        /**
         * @description A set of tools under one switch.
         * @enum {string}
         */
        Profile: "agent" | "search" | "memstate";
        /** @description Move fields of a topic into a new topic, related to the first topic by an edge. */
        PromoteFields: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Names of the fields and groups to move. Required; blank names and repeats are dropped. */
            field_names?: string[] | null;
            /** @description Title of the new topic, at most 1,000 characters. Required. */
            child_title?: string | null;
            /** @description Summary of the new topic. */
            child_summary?: string | null;
            /** @description Id of the new topic: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is refused with 409, a UUID of version 8 with 400. Absent or empty: the server makes an id. */
            child_topic_id?: components["schemas"]["RecordId"] | "" | null;
            /**
             * @description Kind of the edge from the topic to the new topic, at most 256 characters, not blank.
             * @default has_detail
             */
            relationship_kind?: string | null;
            /** @description Name of a new field of the topic that refers to the new topic; no existing field and no moved one. Absent or empty: no such field. */
            parent_link_field?: string | "" | null;
            /**
             * @description Origin of the link in the caller's words, kept with the field `parent_link_field`.
             * @default ui
             */
            provenance?: string | null;
            /**
             * @description Accepted without effect: the operator's `TopicMaxHistory` applies.
             * @default 500
             */
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
        /** @description The origin of a record, as a caller states the origin. */
        ProvenanceInput: {
            /** @description The events, artifacts, tool calls, observations and outcomes that the record was made from. */
            sources?: components["schemas"]["SourceInput"][];
            /** @description Who or what made the record. Absent: `ingestion-service`. */
            created_by?: string;
        };
        /**
         * @description The kind of a source that a record was made from.
         * @enum {string}
         */
        ProvenanceKind: "event" | "artifact" | "tool_call" | "observation" | "outcome";
        /** @description A piece of evidence for a fact. */
        "ProvenanceRef-Input": {
            /** @description Kind of the evidence, such as `observation`. */
            source_type: string;
            /** @description Identifier of the evidence in the system of its origin. */
            source_id: string;
            /** @description When the evidence was found, in RFC 3339. */
            timestamp: components["schemas"]["Timestamp-Input"];
        };
        /** @description A piece of evidence for a fact. */
        "ProvenanceRef-Output": {
            /** @description Kind of the evidence, such as `observation`. */
            source_type: string;
            /** @description Identifier of the evidence in the system of its origin. */
            source_id: string;
            /** @description When the evidence was found, in RFC 3339. */
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
        /**
         * @description What a job does with a document.
         * @enum {string}
         */
        Purpose: "study" | "removal";
        /** @description Write a document, whatever was there before. */
        PutDocument: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description The version that the document must have; 0 = there must be no document. Any other version: 409. In HTTP also as the header `If-Match: "3"`, then 412. */
            expected_version?: number | null;
            /** @description Whether there must be a document. In HTTP also as the header `If-Match: *`, then 412. */
            must_exist?: boolean | null;
            /** @description Why, for the audit trail; 1,000 characters at most. */
            rationale?: string | null;
            /** @description The idempotency key of a write whose receipt the caller wants to read later, by `GET /v1/document-operations`. Takes precedence over `idempotency_key`. */
            operation_id?: components["schemas"]["IdempotencyKey"] | "" | null;
            /** @description Any JSON value but null, 10 MiB at most. A value beyond a request's limit goes through `POST /v1/uploads`: `{"$upload": "<upload_id>"}`. */
            value: components["schemas"]["JsonValue-Input"];
            /** @description Absent or empty: as before, for a new document the deployment's `DefaultSensitivity`. Lower than before needs `admin`. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description What a search by `query` finds: true for all texts of the value, or up to 8 paths such as `profile.name`, `tags[*]`. Absent: nothing. */
            index?: boolean | string[] | null;
            /** @description Seconds after which the document is hidden and then removed. Absent: never. */
            ttl_seconds?: number | null;
            /** @description Seconds in which the salience of the document halves; it is hidden below 0.001, after about ten of them. Absent: the document does not fade. */
            half_life_seconds?: number | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Write a document, whatever was there before. */
        PutDocumentOperation: {
            /**
             * @description The operation.
             * @constant
             */
            op: "put";
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The labels of the namespace, 1 to 16, of 1 to 128 bytes each. */
            namespace: components["schemas"]["Label"][];
            /** @description The key within the namespace, 1 to 512 bytes. */
            key: components["schemas"]["DocumentKey"];
            /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description The version that the document must have; 0 = there must be no document. Any other version: 409. In HTTP also as the header `If-Match: "3"`, then 412. */
            expected_version?: number | null;
            /** @description Whether there must be a document. In HTTP also as the header `If-Match: *`, then 412. */
            must_exist?: boolean | null;
            /** @description Why, for the audit trail; 1,000 characters at most. */
            rationale?: string | null;
            /** @description The idempotency key of a write whose receipt the caller wants to read later, by `GET /v1/document-operations`. Takes precedence over `idempotency_key`. */
            operation_id?: components["schemas"]["IdempotencyKey"] | "" | null;
            /** @description Any JSON value but null, 10 MiB at most. A value beyond a request's limit goes through `POST /v1/uploads`: `{"$upload": "<upload_id>"}`. */
            value: components["schemas"]["JsonValue-Input"];
            /** @description Absent or empty: as before, for a new document the deployment's `DefaultSensitivity`. Lower than before needs `admin`. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description What a search by `query` finds: true for all texts of the value, or up to 8 paths such as `profile.name`, `tags[*]`. Absent: nothing. */
            index?: boolean | string[] | null;
            /** @description Seconds after which the document is hidden and then removed. Absent: never. */
            ttl_seconds?: number | null;
            /** @description Seconds in which the salience of the document halves; it is hidden below 0.001, after about ten of them. Absent: the document does not fade. */
            half_life_seconds?: number | null;
        };
        /** @description Find the topics that answer a question, with fields, neighbours and histories. */
        QueryTopics: {
            /** @description The question, in words; at most 100,000 characters. Blank: topics are ranked by salience. */
            q: string;
            /**
             * @description Stages to run: `semantic` ranks by the question, `structural` adds neighbours and values of fields, `temporal` adds values of fields and, with `explain`, histories. Order and repeats have no meaning. Absent: all stages.
             * @default [
             *       "semantic",
             *       "structural",
             *       "temporal"
             *     ]
             */
            stages?: components["schemas"]["Stage"][];
            /** @description Explain the similarity and the salience of each topic; with the stage `temporal`, add the histories of fields. */
            explain?: boolean;
            /**
             * @description Most topics in the answer, 1 to 100.
             * @default 8
             */
            top_k?: number;
            /** @description Ids of the topics to consider, at most 1,000, archived topics too. With `reinforce`, a named archived topic becomes active. Absent, null or empty: all topics. */
            topic_ids?: string[] | null;
            /** @description Names of the fields to show, at most 200, also of fields that were detached. With `reinforce`, a named field becomes more salient. Absent, null or empty: all fields but detached ones. */
            field_names?: string[] | null;
            /** @description Scopes to query, and the highest sensitivity. Without scopes: all scopes that the key covers, at most 50. */
            trust?: components["schemas"]["TrustInput"];
            /** @description Instant to show the values of fields of, in RFC 3339, not in the future; the search itself uses the topics of now. Absent or empty: now. */
            as_of?: components["schemas"]["Timestamp-Input"] | null | "";
            /**
             * @description Raise the salience of the topics in the answer.
             * @default true
             */
            reinforce?: boolean;
            /** @description Consider archived topics, too. */
            include_archived?: boolean;
            /** @description The `consistency_token` of earlier writes, at most 100, of at most 256 characters. The query sees the topics of the tokens, even where the index does not yet have the topics. */
            consistency_tokens?: string[];
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Plan, or carry out, merges and forgetting steps in a scope. */
        Reason: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Scope to reason about. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /**
             * @description `true`: show the plan. `false`: carry out the plan.
             * @default true
             */
            dry_run?: boolean | null;
            /** @description The `next_cursor` of an earlier call of the same request. Absent or empty: begin anew. */
            cursor?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description What reasoning did in a scope, or would do. */
        ReasoningReply: {
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
        /** @description A step of a skill. */
        "RecipeStep-Input": {
            /** @description What to do, in words. */
            step: string;
            /** @description Name of the tool to use. */
            tool?: string;
            /** @description Schema of the tool's arguments, as a JSON object. */
            args_schema?: components["schemas"]["JsonObject-Input"];
            /** @description How to check the result of the step, in words. */
            validation?: string;
        };
        /** @description A step of a skill. */
        "RecipeStep-Output": {
            /** @description What to do, in words. */
            step: string;
            /** @description Name of the tool to use. */
            tool?: string;
            /** @description Schema of the tool's arguments, as a JSON object. */
            args_schema?: components["schemas"]["JsonObject-Output"];
            /** @description How to check the result of the step, in words. */
            validation?: string;
        };
        /** @description Change scope, sensitivity or tags of a record, or make a retracted record active again. */
        Reclassify: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description New scope, at most 256 bytes of UTF-8, which the key must cover; empty: unscoped, which needs a key for all scopes. Absent: unchanged. */
            scope?: components["schemas"]["Scope"] | null;
            /** @description New sensitivity. A lower sensitivity needs `admin`. Absent: unchanged. */
            sensitivity?: components["schemas"]["Sensitivity"] | null;
            /** @description New tags, which replace all earlier tags: at most 100, of at most 256 characters. Absent: unchanged. */
            tags?: string[] | null;
            /** @description `false`: a retracted record is active again, as salient as a new record. Refused for a record that was superseded or merged. Absent: unchanged. */
            retracted?: false | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The id of a record or topic. */
        RecordId: string;
        /** @description A full record, as a caller writes the record or as a reply shows the record. */
        RecordInput: {
            /** @description Id of the new record: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is refused with 409, a UUID of version 8 with 400. Absent: the server makes an id. */
            id?: components["schemas"]["RecordId"] | null;
            /** @description Type of the record. Must equal `kind` of the payload. */
            type: components["schemas"]["MemoryType"];
            /** @description Sensitivity of the record, at most the highest sensitivity of the key. A record made by a revision gets at least the sensitivity of every source, unless the key has `admin`. */
            sensitivity: components["schemas"]["Sensitivity"];
            /**
             * @description How certain the content is, from 0 to 1.
             * @default 1
             */
            confidence?: number;
            /**
             * @description Salience of the new record now, 0 or more. A salience above 1 needs the permission `revise`.
             * @default 1
             */
            salience?: number;
            /** @description Scope of the record, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. A record made by a revision is in the scope of the sources; only `admin` may choose another scope. */
            scope?: components["schemas"]["Scope"] | null | "";
            /** @description Labels to filter by: at most 100, of at most 256 characters. Repeats are dropped. */
            tags?: string[];
            /** @description How the record fades and whether a sweep may prune the record. Absent fields get the deployment's defaults for the type. */
            lifecycle?: components["schemas"]["LifecycleInput"];
            /** @description Where the record comes from. */
            provenance?: components["schemas"]["ProvenanceInput"];
            /** @description Edges to other records, at most 30, without repeats. `supersedes` and `contested_by` are ignored: only revisions make them. */
            relations?: components["schemas"]["Relation-Input"][];
            /** @description The content, of the kind that `type` names. */
            payload: components["schemas"]["EpisodicPayload-Input"] | components["schemas"]["WorkingPayload-Input"] | components["schemas"]["SemanticPayload-Input"] | components["schemas"]["CompetencePayload-Input"] | components["schemas"]["PlanGraphPayload-Input"] | components["schemas"]["EntityPayload-Input"];
            /** @description Accepted and ignored: only captures and traces have an interpretation. */
            interpretation?: unknown;
            /** @description Accepted and ignored: the server sets the time. */
            created_at?: unknown;
            /** @description Accepted and ignored: the server sets the time. */
            updated_at?: unknown;
            /** @description Accepted and ignored: a new record begins a new audit trail. */
            audit_log?: unknown;
            /** @description Accepted and ignored: a new record begins a new audit trail. */
            audit_count?: unknown;
            /** @description Accepted and ignored: outcomes alone give a record credit. */
            usefulness?: unknown;
        };
        /** @description A page of records, by salience or, once removed, by the time of removal. */
        RecordList: {
            /** @description Where the next page begins; absent on the last page. */
            next_cursor?: string;
            /** @description The records: whole, or brief with the view `brief`; removed records without content. */
            records: (components["schemas"]["MemoryRecord"] | components["schemas"]["RedactedRecord"] | components["schemas"]["OversizedRecord"] | components["schemas"]["BriefRecord"] | components["schemas"]["RemovedRecord"])[];
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
        /** @description Constants in place of the decay of a redacted record. */
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
        /** @description Constants in place of the lifecycle of a redacted record. */
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
        /** @description Constants in place of the provenance of a redacted record. */
        RedactedProvenance: {
            /** @description Always empty: the sources of a redacted record are not shown. */
            sources: components["schemas"]["ProvenanceSource"][];
        };
        /** @description No content: a level above the trust, or a thread's latest state, repeated on a later page. */
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
            audit_log: components["schemas"]["AuditEntry"][];
        };
        /** @description A reference in the content to another record. */
        ReferenceCandidate: {
            /** @description The reference as written: a record id, the ref of an event, or `<thread_id>:<turn>`. */
            ref: string;
            /** @description Id of the record. Absent: the target is an entity, or unknown. */
            target_record_id?: string;
            /** @description Id of the entity. Absent: the target is another record, or unknown. */
            target_entity_id?: string;
            /** @description How sure the reference is, from 0 to 1. */
            confidence?: number;
            /** @description Whether the target is known. */
            resolved?: boolean;
            /** @description The words of the content on which a model rests the reference, cut after 200 characters. Absent: the rules read the reference. */
            words?: string;
        };
        /** @description An item of a batch that was refused. */
        RefusedItem: {
            /** @description The HTTP status that the item would have had alone. */
            status: number;
            /** @description Why the item was refused. */
            error: components["schemas"]["Problem"];
        };
        /** @description Raise the salience of a useful record by its reinforcement gain. */
        Reinforce: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description An edge from a record to another record. */
        "Relation-Input": {
            /** @description Meaning of the edge, such as `derived_from`; 1 to 256 characters. Revisions make `supersedes`, `derived_from` and `contested_by`. */
            predicate: string;
            /** @description Id of the other record, which the key must be able to see. */
            target_id: string;
            /** @description Strength of the edge, from 0 to 1. Absent or 0: 1. */
            weight?: number;
            /** @description When the edge was made. The server sets the time, and ignores the time in a request. */
            created_at?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description An edge from a record to another record. */
        "Relation-Output": {
            /** @description Meaning of the edge, such as `derived_from`; 1 to 256 characters. Revisions make `supersedes`, `derived_from` and `contested_by`. */
            predicate: string;
            /** @description Id of the other record, which the key must be able to see. */
            target_id: string;
            /** @description Strength of the edge, from 0 to 1. Absent or 0: 1. */
            weight?: number;
            /** @description When the edge was made. The server sets the time, and ignores the time in a request. */
            created_at?: components["schemas"]["Timestamp-Output"];
        };
        /** @description A relation that the content states between the record and another record. */
        RelationCandidate: {
            /** @description Meaning of the relation, such as `depends_on`. */
            predicate: string;
            /** @description Id of the record at the other end. Absent: the other end is an entity, or unknown. */
            target_record_id?: string;
            /** @description Id of the entity at the other end. Absent: the other end is another record, or unknown. */
            target_entity_id?: string;
            /** @description How sure the relation is, from 0 to 1. */
            confidence?: number;
            /** @description Whether the other end is known. */
            resolved?: boolean;
            /** @description The words of the content on which a model rests the relation, cut after 200 characters. Absent: the rules read the relation. */
            words?: string;
        };
        /** @description What stays after an erasure. */
        Remainder: {
            /** @description What stays. */
            what: string;
            /** @description What for. */
            why: string;
            /** @description For how many days at most; null for good. */
            days: number | null;
        };
        /** @description Take back what rests on a document alone; with `dry_run`, which is the default, count it. */
        RemoveDocument: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Id of the document's topic, from the reply about a study of the document. */
            document_id: components["schemas"]["RecordId"];
            /**
             * @description Whether to count only. Absent: true.
             * @default true
             */
            dry_run?: boolean | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Remove an edge; a query of the past still shows the edge. */
        RemoveRelationship: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The rest of a deleted or pruned record, without content. */
        RemovedRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description The memory type. */
            type: components["schemas"]["MemoryType"];
            /** @description The scope; empty for an unscoped record. */
            scope: string;
            /** @description The sensitivity. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description When the record was deleted or pruned. */
            deleted_at: components["schemas"]["Timestamp-Output"];
            /** @description The reason: `deleted`, or the sweep's own words. */
            reason: string;
            /** @description Until when the record can be restored; null if the content is gone. */
            restorable_until: components["schemas"]["Timestamp-Output"] | null;
            /** @description When the audit trail goes, and the record leaves the list. */
            expires_at: components["schemas"]["Timestamp-Output"];
        };
        /** @description Decide the contest of a record: keep, supersede or retract the record. */
        Resolve: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /**
             * @description `keep`: the record is active again. `retract`: the record is retracted. `supersede`: an existing record takes the place of the record.
             * @enum {string}
             */
            resolution: "keep" | "supersede" | "retract";
            /** @description Id of the record that supersedes, of the same type; only with `supersede`. Absent or empty: the record that contested last. */
            superseded_by?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Restore a deleted record. */
        RestoreRecord: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Restore a deleted topic. */
        RestoreTopic: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Go on with a failed or interrupted job from where it stopped. */
        ResumeStudy: {
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Retract a record: no retrieval finds the record by default, and a read by id does. */
        Retract: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Retrieve the records that answer a task or, without a task, the most salient records. */
        Retrieve: {
            /** @description The task, question or situation to rank records by, in words; at most 100,000 characters. Absent or blank: records are ranked by salience. */
            task_descriptor?: string | null;
            /** @description Scopes to retrieve from, and the highest sensitivity. Without scopes: all scopes that the key covers; at most 50. */
            trust?: components["schemas"]["TrustInput"] | null;
            /** @description Types of the records. Absent or empty: all types. */
            memory_types?: components["schemas"]["MemoryType"][] | null;
            /** @description Least salience of a record, as of now; 0 or more. */
            min_salience?: number | null;
            /** @description Least score of a record for the task, from 0 to 1. Absent or empty: the deployment's `ScoreFloor`. Without a task: no effect. */
            min_score?: number | "" | null;
            /**
             * @description Records on the page, 0 to 10,000, for a task at most 100. 0 or absent: 10.
             * @default 10
             */
            limit?: number | null;
            /** @description The `next_cursor` of the previous page of the same request; `limit`, `max_tokens` and `consistency_tokens` may differ. Absent or empty: the first page. */
            cursor?: string | "" | null;
            /** @description Tags that a record must have, all of them; at most 100. */
            tags?: string[] | null;
            /** @description Thread that a working state, a message or the beginning of an event's `ref` must name. Leaves out all types but `working` and `episodic`. Absent or empty: any thread. */
            thread_id?: string | "" | null;
            /** @description Subject of a fact, in any spelling: case, width, blanks and `_` make no difference. Leaves out all types but `semantic`. Absent or empty: any subject. */
            subject?: string | "" | null;
            /** @description Predicate of a fact, in any spelling. Leaves out all types but `semantic`. Absent or empty: any predicate. */
            predicate?: string | "" | null;
            /** @description Earliest creation time of a record, inclusive, in RFC 3339. Absent or empty: no limit. */
            created_after?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Latest creation time of a record, exclusive, in RFC 3339. Absent or empty: no limit. */
            created_before?: components["schemas"]["Timestamp-Input"] | "" | null;
            /** @description Include retracted records. */
            include_retracted?: boolean | null;
            /** @description Outcomes of an episode, as a list or a single word: `success`, `failure`, `partial`. An episode must have one of the outcomes. Leaves out all types but `episodic`. Absent or empty: any outcome or none. */
            outcome?: components["schemas"]["OutcomeStatus"][] | components["schemas"]["OutcomeStatus"] | "" | null;
            /** @description Instant to show the facts of `subject` and `predicate` of, in RFC 3339, not in the future. Needs both fields, and no `task_descriptor`. Absent or empty: now. */
            as_of?: components["schemas"]["Timestamp-Input"] | "" | null;
            /**
             * @description Form of the records: `full` records, `brief` records (text, score, time and speaker), or `prompt`, a text with a line for each record to put into a system message.
             * @default full
             */
            view?: ("full" | "brief" | "prompt") | null;
            /**
             * @description Most tokens of the text, 1 to 20,000, where `view` is `prompt`; counted by an estimate.
             * @default 1000
             */
            max_tokens?: number | null;
            /** @description The `consistency_token` of earlier writes, at most 100, of at most 256 characters. The retrieval sees the records of the tokens, even where the index does not yet have the records. */
            consistency_tokens?: string[] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Retrieve the records for a task, and the records that relations connect with them. */
        RetrieveGraph: {
            /** @description The task, question or situation to find roots by, in words; at most 100,000 characters. Absent or blank: the roots are the most salient records. */
            task_descriptor?: string | null;
            /** @description Scopes of the nodes, and the highest sensitivity. Without scopes: all scopes that the key covers; at most 50. */
            trust?: components["schemas"]["TrustInput"] | null;
            /** @description Types of the roots. Absent or empty: all types. */
            memory_types?: components["schemas"]["MemoryType"][] | null;
            /** @description Least salience of a node, as of now; 0 or more. */
            min_salience?: number | null;
            /** @description Least score of a root for the task, from 0 to 1; entities that the task names need none. Absent or empty: the deployment's `ScoreFloor`. Without a task: no effect. */
            min_score?: number | "" | null;
            /** @description Tags that a root must have, all of them; at most 100. */
            tags?: string[] | null;
            /**
             * @description Roots, 0 to 10,000; at most 100 count. 0 or absent: 10.
             * @default 10
             */
            root_limit?: number | null;
            /**
             * @description Nodes on the page, 0 to 10,000; all pages together have at most 400. 0 or absent: 25.
             * @default 25
             */
            node_limit?: number | null;
            /**
             * @description Edges on the page, 0 to 10,000; at most 1,000 count. 0 or absent: 100.
             * @default 100
             */
            edge_limit?: number | null;
            /**
             * @description Relations between a root and the furthest node, -1 to 10,000; at most 10 count. 0 or -1: the roots alone. Absent: 1.
             * @default 1
             */
            max_hops?: number | null;
            /** @description Predicates of the edges to follow and to list, named from either end: `mentions_entity` or `mentioned_in`; at most 100. Absent or empty: every predicate. */
            predicates?: string[] | null;
            /** @description Types of the nodes that the expansion may add. Absent or empty: all types. */
            node_types?: components["schemas"]["MemoryType"][] | null;
            /** @description The `next_cursor` of the previous page of the same request; `node_limit`, `edge_limit` and `consistency_tokens` may differ. Absent or empty: the first page. */
            cursor?: string | "" | null;
            /** @description The `consistency_token` of earlier writes, at most 100, of at most 256 characters. The roots are found among the records of the tokens, too, even where the index does not yet have them. */
            consistency_tokens?: string[] | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description The state of a record after revisions. */
        "RevisionState-Input": {
            /** @description Id of the record that this record replaced. */
            supersedes?: string;
            /** @description Id of the record that replaced this record. */
            superseded_by?: string;
            /** @description `active`, `contested` or `retracted`. Absent: the record was never revised. */
            status?: components["schemas"]["RevisionStatus"] | null;
            /** @description When the record got this status. */
            since?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description The state of a record after revisions. */
        "RevisionState-Output": {
            /** @description Id of the record that this record replaced. */
            supersedes?: string;
            /** @description Id of the record that replaced this record. */
            superseded_by?: string;
            /** @description `active`, `contested` or `retracted`. Absent: the record was never revised. */
            status?: components["schemas"]["RevisionStatus"];
            /** @description When the record got this status. */
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
        Role: "user" | "assistant" | "tool" | "system" | "developer" | "reasoning";
        /**
         * @description What the last message of the user asks of memory.
         * @enum {string}
         */
        Route: "query" | "ingest" | "both";
        /** @description The partition of memory; at most 256 bytes of UTF-8. */
        Scope: string;
        /** @description Find documents in and below a namespace: by fields of the value, by words and meaning. */
        SearchDocuments: {
            /** @description The first labels of the namespaces. Absent or empty: every namespace of the scope. */
            namespace_prefix?: components["schemas"]["Label"][] | null;
            /** @description Absent or empty: as in `GetDocument`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Conditions on the value, all of which must hold: `{"kind": "note", "score": {"$gte": 3}, "user.name": "Ann"}`. Operators: `$eq $ne $gt $gte $lt $lte`. */
            filter?: {
                [key: string]: unknown;
            } | null;
            /** @description What to look for, in words. Absent or empty: no ranking. */
            query?: string | null;
            /**
             * @description The most documents to return.
             * @default 10
             */
            limit?: number | null;
            /** @description `next_cursor` of the same search. */
            cursor?: string | null;
            /** @description As in `GetDocument`, for the documents in the reply. */
            refresh?: boolean | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Find documents in and below a namespace: by fields of the value, by words and meaning. */
        SearchDocumentsOperation: {
            /**
             * @description The operation.
             * @constant
             */
            op: "search";
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
            /** @description The first labels of the namespaces. Absent or empty: every namespace of the scope. */
            namespace_prefix?: components["schemas"]["Label"][] | null;
            /** @description Absent or empty: as in `GetDocument`. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Conditions on the value, all of which must hold: `{"kind": "note", "score": {"$gte": 3}, "user.name": "Ann"}`. Operators: `$eq $ne $gt $gte $lt $lte`. */
            filter?: {
                [key: string]: unknown;
            } | null;
            /** @description What to look for, in words. Absent or empty: no ranking. */
            query?: string | null;
            /**
             * @description The most documents to return.
             * @default 10
             */
            limit?: number | null;
            /** @description `next_cursor` of the same search. */
            cursor?: string | null;
            /** @description As in `GetDocument`, for the documents in the reply. */
            refresh?: boolean | null;
        };
        /** @description The candidate skills and plans, the best first, and what the choice rests on. */
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
            /** @description Why the first is first, and what would change the choice, in one or two sentences. */
            why: string;
            /** @description The ids of further candidates within 0.02 of the first score: a choice among these and the first matters little. */
            as_good: string[];
            /** @description The reasons for the best 10 scores, the best first. */
            reasons: components["schemas"]["SelectionReason"][];
            /** @description What would put each of the explained candidates before the first. */
            otherwise: components["schemas"]["OtherChoice"][];
        };
        /** @description Why a candidate has its score. */
        SelectionReason: {
            /** @description The id of the skill or plan. */
            id: string;
            /** @description The parts of the score. */
            parts: components["schemas"]["SelectorParts"];
            /** @description The signal of the trigger, or the intent of the plan, that the task met best; a long text is cut. Empty where the task met none, and without a task. */
            trigger: string;
            /** @description The uses that `success` and `recency` rest on. */
            track_record: components["schemas"]["TrackRecord"];
        };
        /** @description The parts of a selector's score, each from 0 to 1. */
        SelectorParts: {
            /** @description How well the skill or plan fits the task; without a task, the confidence of the record. */
            applicability: number;
            /** @description The success rate that the record of uses proves: the 10 % quantile of the Beta posterior. */
            success: number;
            /** @description The recency of the last use, halved every 30 days. */
            recency: number;
        };
        /** @description A fact: subject, predicate, object. */
        "SemanticPayload-Input": {
            /**
             * @description Kind of the payload: always `semantic`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "semantic";
            /** @description What the fact is about. */
            subject: string;
            /** @description Property or relation that the fact states. */
            predicate: string;
            /** @description Value of the property: any JSON value. Absent: null. */
            object?: components["schemas"]["JsonValue-Input"];
            /** @description When the fact holds. */
            validity: components["schemas"]["Validity-Input"];
            /** @description Evidence for the fact. */
            evidence?: components["schemas"]["ProvenanceRef-Input"][];
            /** @description Stored as given and without effect; observations have `replace`. */
            revision_policy?: string;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description A fact: subject, predicate, object. */
        "SemanticPayload-Output": {
            /**
             * @description Kind of the payload: always `semantic`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "semantic";
            /** @description What the fact is about. */
            subject: string;
            /** @description Property or relation that the fact states. */
            predicate: string;
            /** @description Value of the property: any JSON value. Absent: null. */
            object: components["schemas"]["JsonValue-Output"];
            /** @description When the fact holds. */
            validity: components["schemas"]["Validity-Output"];
            /** @description Evidence for the fact. */
            evidence?: components["schemas"]["ProvenanceRef-Output"][];
            /** @description Stored as given and without effect; observations have `replace`. */
            revision_policy?: string;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /**
         * @description How confidential a record is, from the least to the most.
         * @enum {string}
         */
        Sensitivity: "public" | "low" | "medium" | "high" | "hyper";
        /** @description Let a field refer to a topic, or clear the reference. */
        SetFieldRef: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Id of the topic to refer to. Absent, null or empty: the reference is cleared. */
            ref_topic_id?: string | "" | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A document with its value. */
        ShownDocument: {
            /** @description The labels of the namespace. */
            namespace: string[];
            /** @description The key within the namespace. */
            key: string;
            /** @description The scope; empty for an unscoped document. */
            scope: string;
            /** @description The sensitivity; a key with a lower ceiling does not see the document. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description The number of the newest version, from 1. */
            version: number;
            /** @description The time of the first write since the document was last absent. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description The time of the newest version. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description The actor that wrote the value. */
            principal: string;
            /** @description Why the newest version was written; absent without a reason. */
            rationale?: string;
            /** @description The time from which the document is hidden; absent without a period. */
            expires_at?: components["schemas"]["Timestamp-Output"];
            /** @description The salience now, of a document that fades. */
            salience?: number;
            /** @description The paths of the texts that a search by `query` finds; absent without any. */
            index?: string[];
            /** @description Absent in a document that is only a list, or deleted. */
            value?: components["schemas"]["JsonValue-Output"];
            /** @description True for a deleted document whose history was asked for. */
            deleted?: boolean;
            /** @description The newest items of the list, oldest first; absent unless asked for. */
            items?: components["schemas"]["DocumentItem"][];
            /** @description `items_before` of the next request; absent if the list has no older items. The last page may be empty. */
            next_items_before?: number;
            /** @description Former versions, newest first; absent unless asked for. */
            history?: components["schemas"]["DocumentVersion"][];
            /** @description `history_before` of the next request; absent if there are no older versions. The last page may be empty. */
            next_history_before?: number;
            /** @description Whether the hash chain holds. */
            verified?: boolean;
            /** @description The first version that breaks the chain. */
            first_broken?: number;
        };
        /** @description A signature over the canonical JSON of the certificate. */
        SignatureReply: {
            /** @description The key. */
            key_id: string;
            /** @description The algorithm, in the words of AWS KMS. */
            algorithm: string;
            /** @description The signature in base64. */
            value: string;
        };
        /** @description An entity that may be the same thing as the given entity. */
        SimilarEntity: {
            /** @description The id of the entity. */
            id: string;
            /** @description The canonical name. */
            name: string;
            /** @description The primary type; empty where unknown. */
            type: string;
            /** @description The further names. */
            aliases: string[];
            /** @description The scope; empty for an unscoped entity. */
            scope: string;
            /** @description How much names and descriptions have in common, from 0 to 1. */
            similarity: number;
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
        /** @description A source of a record, as a caller states the source. */
        SourceInput: {
            /** @description Kind of the source: `event`, `artifact`, `tool_call`, `observation` or `outcome`. */
            kind: components["schemas"]["ProvenanceKind"];
            /** @description Identifier of the source in the system of its origin. */
            ref: string;
            /** @description Accepted and ignored: the server computes the hash. */
            hash?: unknown;
            /** @description Who or what made the source. */
            created_by?: string;
            /** @description When the source was made, in RFC 3339. Absent: unknown. */
            timestamp?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description How many records and topics are about the subject in one spelling. */
        SpellingCount: {
            /** @description The subject as a fact, entity or topic names it; empty for long or many further spellings. */
            text: string;
            /** @description The number of records and topics of the listing. */
            found: number;
            /** @description Whether the request confirms the spelling; other spellings are kept. */
            erases: boolean;
        };
        /** @description Undo the merge of an entity: the absorbed entity stands by itself again. */
        SplitEntity: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description Id of the absorbed entity. */
            entity_id: string;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /**
         * @description A stage of a query; each stage adds a part of the answer.
         * @enum {string}
         */
        Stage: "semantic" | "structural" | "temporal";
        /** @description List what an erasure removes and why; with `dry_run: false` then remove it for good. */
        StartErasure: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Scope whose records, topics and all that belongs to them are erased. With `subject`: the only scope that is searched. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Name of a person or thing, as written. Facts about the subject, the entity of the name and the topic of the title are erased; those in another spelling, and records and topics that only mention the subject, are listed and kept. */
            subject?: string | null;
            /** @description Further spellings of `subject` to erase, 100 at most, from the `spellings` of a listing: they differ in case, width, blanks, `_` or a leading `@` alone. */
            spellings?: string[] | null;
            /** @description Ids of records and topics to erase, and of keyed documents by the ids of a listing: 1,000 at most. */
            ids?: components["schemas"]["RecordId"][] | null;
            /**
             * @description Whether to list only. Absent: true.
             * @default true
             */
            dry_run?: boolean | null;
            /** @description Why the erasure is made, such as the number of a request; the certificate has the reason, so name no person here. */
            reason?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description Study a document: its sections become topics, and its paragraphs become fields. */
        StartStudy: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description The text, plain or in Markdown, at most 10 MiB in UTF-8, 250,000 lines and 20,000 headings. A text beyond a request's limit goes through `POST /v1/uploads`, as a JSON string: `{"$upload": "<upload_id>"}`. Front matter becomes a field of the document's topic. */
            document: string | components["schemas"]["UploadClaim"];
            /** @description The title of the document, 300 characters at most. */
            title: string;
            /** @description Where the document comes from, such as a path or an address: the identity of the document in its scope. Absent or empty: the title is the identity. */
            source?: string | null;
            /** @description Scope of the topics. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
            scope?: components["schemas"]["Scope"] | "" | null;
            /** @description Sensitivity of the topics. Absent or empty: the deployment's `DefaultSensitivity`. */
            sensitivity?: components["schemas"]["Sensitivity"] | "" | null;
            /** @description Whether a model studies the document; false for the sections and paragraphs as they are. Absent: true if the deployment has a `ChatModel`. */
            with_model?: boolean | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description A document without its value, as a write returns it. */
        StoredDocument: {
            /** @description The labels of the namespace. */
            namespace: string[];
            /** @description The key within the namespace. */
            key: string;
            /** @description The scope; empty for an unscoped document. */
            scope: string;
            /** @description The sensitivity; a key with a lower ceiling does not see the document. */
            sensitivity: components["schemas"]["Sensitivity"];
            /** @description The number of the newest version, from 1. */
            version: number;
            /** @description The time of the first write since the document was last absent. */
            created_at: components["schemas"]["Timestamp-Output"];
            /** @description The time of the newest version. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description The actor that wrote the value. */
            principal: string;
            /** @description Why the newest version was written; absent without a reason. */
            rationale?: string;
            /** @description The time from which the document is hidden; absent without a period. */
            expires_at?: components["schemas"]["Timestamp-Output"];
            /** @description The salience now, of a document that fades. */
            salience?: number;
            /** @description The paths of the texts that a search by `query` finds; absent without any. */
            index?: string[];
        };
        /** @description What the model took; nothing without a model. */
        StudyCost: {
            /** @description Questions to the model. */
            questions: number;
            /** @description Tokens of questions and answers. */
            tokens: number;
        };
        /** @description What a study has written. */
        StudyMade: {
            /** @description New topics. */
            topics: number;
            /** @description New fields. */
            fields: number;
            /** @description New values of fields that there were. */
            revisions: number;
            /** @description Fields that had the value already. */
            unchanged: number;
            /** @description Fields and topics that the document no longer has. */
            withdrawn: number;
            /** @description Links between topics by names and references. */
            links: number;
            /** @description Passages that the model could not finish in the time of two steps; the next study of the document reads them again. */
            partial: number;
        };
        /** @description The progress of a study, by unit. */
        StudyProgress: {
            /** @description Sections, as headings make them; a document without headings is one section. */
            sections: components["schemas"]["DoneOfTotal"];
            /** @description Paragraphs in the sections. */
            paragraphs: components["schemas"]["DoneOfTotal"];
            /** @description Sentences in the paragraphs. */
            sentences: components["schemas"]["DoneOfTotal"];
        };
        /** @description What was taken back, or would be by a removal without `dry_run`. */
        StudyRemoved: {
            /** @description Topics that rest on the document alone. */
            topics: number;
            /** @description Values of fields that the document brought. */
            revisions: number;
            /** @description Topics that lose values of the document, and stay for what others wrote. */
            kept: number;
        };
        /** @description A study of a document, or a removal. */
        StudyReply: {
            /** @description Id of the job. */
            id: string;
            /** @description `study`, or `removal`. */
            purpose: components["schemas"]["Purpose"];
            /**
             * @description `running`, `waiting` for an allowance of tokens, `cancelling`, `done`, `cancelled` or `failed`.
             * @enum {string}
             */
            state: "running" | "waiting" | "cancelling" | "done" | "cancelled" | "failed";
            /** @description The present step of the job: `preparing`, `studying`, `linking`, `tidying` or `removing`, or its end; of a failed job the step that failed. */
            stage: components["schemas"]["StudyStage"];
            /** @description Id of the document's topic. The topic is there from the stage `studying` on. */
            document_id: string;
            /** @description Title of the document. */
            title: string;
            /** @description Where the document comes from; empty if not said. */
            source: string;
            /** @description Scope of the topics; empty for unscoped ones. */
            scope: string;
            /** @description Sensitivity of the topics. */
            sensitivity: string;
            /** @description The length of the document. */
            characters: number;
            /** @description SHA-256 of the document's text in UTF-8, in hex; empty for a removal. */
            sha256: string;
            /** @description Whether a removal only counts; false for a study. */
            dry_run: boolean;
            /** @description Whether a model studies the document; without a model the sections become topics, the paragraphs fields, and names and links are recognised by their form. */
            with_model: boolean;
            /** @description How far the study is. */
            progress: components["schemas"]["StudyProgress"];
            /** @description What the study has written so far. */
            made: components["schemas"]["StudyMade"];
            /** @description What was taken back, by a removal or by a cancelled study. */
            removed: components["schemas"]["StudyRemoved"];
            /** @description What the model took. */
            cost: components["schemas"]["StudyCost"];
            /** @description Why the job failed; absent otherwise. */
            reason?: string;
            /** @description When a waiting job goes on. */
            waits_until?: components["schemas"]["Timestamp-Output"];
            /** @description When the request came. */
            started_at: components["schemas"]["Timestamp-Output"];
            /** @description When the job last made progress. */
            updated_at: components["schemas"]["Timestamp-Output"];
            /** @description When the service forgets the job; the topics stay. */
            expires_at: components["schemas"]["Timestamp-Output"];
        };
        /**
         * @description The step at which a job is, or its end.
         * @enum {string}
         */
        StudyStage: "preparing" | "studying" | "linking" | "tidying" | "removing" | "done" | "cancelled" | "failed";
        /** @description Replace a record by a new record of the same type. */
        Supersede: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The record that takes the place of the old record, of the same type. A fact needs `evidence` in the payload or `sources` in the provenance. */
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
         * @description What a request names to be erased.
         * @enum {string}
         */
        TargetKind: "scope" | "subject" | "ids";
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
        /** @description An event of an episode. */
        "TimelineEvent-Input": {
            /** @description When the event happened, in RFC 3339. */
            t: components["schemas"]["Timestamp-Input"];
            /** @description Kind of the event: the caller's word, `tool_call`, or `message:` with a role. */
            event_kind: string;
            /** @description Identifier of the event in the system of its origin; for a message `<thread_id>:<turn>`. */
            ref: string;
            /** @description What happened, in words; a search reads this text. */
            summary?: string;
        };
        /** @description An event of an episode. */
        "TimelineEvent-Output": {
            /** @description When the event happened, in RFC 3339. */
            t: components["schemas"]["Timestamp-Output"];
            /** @description Kind of the event: the caller's word, `tool_call`, or `message:` with a role. */
            event_kind: string;
            /** @description Identifier of the event in the system of its origin; for a message `<thread_id>:<turn>`. */
            ref: string;
            /** @description What happened, in words; a search reads this text. */
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
            /** @description Id of the call, 1 to 256 characters. The message with the result repeats the id in `tool_call_id`. */
            id: string;
            /**
             * @description Kind of the call; `function` is the only kind.
             * @default function
             * @constant
             */
            type?: "function";
            /** @description The tool that is called, with arguments. */
            function: components["schemas"]["CalledFunction"];
        };
        /** @description The tools that a key may call. */
        ToolList: {
            /** @description The tools in the form that the request names: name, description, schema of the arguments. */
            tools: {
                [key: string]: unknown;
            }[];
        };
        /** @description A tool call of an episode. */
        "ToolNode-Input": {
            /** @description Id of the call. */
            id: string;
            /** @description Name of the tool. */
            tool: string;
            /** @description Arguments of the call, as a JSON object. */
            args?: components["schemas"]["JsonObject-Input"];
            /** @description Result of the call: any JSON value. */
            result?: components["schemas"]["JsonValue-Input"];
            /** @description When the tool was called, in RFC 3339. Absent: unknown. */
            timestamp?: components["schemas"]["Timestamp-Input"] | null;
            /** @description Ids of the calls whose results this call used. */
            depends_on?: string[];
        };
        /** @description A tool call of an episode. */
        "ToolNode-Output": {
            /** @description Id of the call. */
            id: string;
            /** @description Name of the tool. */
            tool: string;
            /** @description Arguments of the call, as a JSON object. */
            args?: components["schemas"]["JsonObject-Output"];
            /** @description Result of the call: any JSON value. */
            result?: components["schemas"]["JsonValue-Output"];
            /** @description When the tool was called, in RFC 3339. Absent: unknown. */
            timestamp?: components["schemas"]["Timestamp-Output"];
            /** @description Ids of the calls whose results this call used. */
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
            /** @description The entity of the same name and type that the key shows, with the stage `structural`; absent without one. */
            entity_id?: string;
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
        /** @description A link between two topics, or the reference of a field to a topic. */
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
            topics: components["schemas"]["membrane__domain__topics__replies__reading__ListedTopic"][];
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
            /** @description The number of the group of nodes that the edges of the reply connect, from 0. */
            community: number;
            /** @description The entity of the same name and type that the key shows; absent without one. */
            entity_id?: string;
            /**
             * @description Values, fields or the end of the summary are missing for want of room; absent where none is.
             * @constant
             */
            is_cut?: true;
        };
        /** @description A topic that refers to an entity. */
        TopicOfEntity: {
            /** @description The id of the topic. */
            id: string;
            /** @description The title, which is a name of the entity. */
            title: string;
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
            /** @description The entity of the same name and type that the key shows; absent without one. */
            entity_id?: string;
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
            /** @description In former exports, the record that gave the value; empty without one, or for a hidden one. */
            evidence: string;
        };
        /** @description The three parts of the salience of a topic at one instant. */
        TopicSalience: {
            /** @description The rest of the salience set at the creation or by a caller. */
            base: number;
            /** @description The salience added by reads. */
            access: number;
            /** @description The mean salience added by the fields. */
            fields: number;
        };
        /**
         * @description Whether a topic is in use, archived, merged into another topic, or deleted.
         * @enum {string}
         */
        TopicStatus: "active" | "archived" | "merged" | "deleted" | "erased";
        /** @description How a skill or plan has done so far. */
        TrackRecord: {
            /** @description Successful uses; of a plan, the executions without the share that failed. */
            successes: number;
            /** @description Failed uses. */
            failures: number;
            /** @description The last use or, where unknown, the last reinforcement; null where both are unknown. */
            last_used_at: components["schemas"]["Timestamp-Output"] | null;
        };
        /** @description A situation in which a skill is useful. */
        "Trigger-Input": {
            /** @description The sign of the situation, in words. */
            signal: string;
            /** @description Conditions of the situation, as a JSON object. */
            conditions?: components["schemas"]["JsonObject-Input"];
        };
        /** @description A situation in which a skill is useful. */
        "Trigger-Output": {
            /** @description The sign of the situation, in words. */
            signal: string;
            /** @description Conditions of the situation, as a JSON object. */
            conditions?: components["schemas"]["JsonObject-Output"];
        };
        /** @description The scopes and the highest sensitivity that a read may see. */
        TrustInput: {
            /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
            max_sensitivity?: components["schemas"]["Sensitivity"] | null | "";
            /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
            scopes?: string[];
            /** @description Accepted for compatibility and ignored: the API key authenticates the caller. */
            authenticated?: boolean | null;
            /** @description Accepted for compatibility and ignored: the API key names the actor. */
            actor_id?: string | null;
        };
        /** @description Move the fields of a promoted topic back, and delete the promoted topic. */
        UndoPromotion: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Id of the promoted topic. Required. */
            child_topic_id?: string | null;
            /** @description Kind of the edge that the promotion made. Absent: the only kind between both topics; required where several edges exist. */
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
        /** @description Undo the newest merge of a topic: the merged topic becomes a topic of its own again. */
        UnmergeTopic: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Reason, kept in the audit trail. */
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
        /** @description Dissolve a group: the nested fields get their own names back. */
        UnnestFields: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the group. Required. */
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
        /** @description Let the salience of a pinned record fade again, from now on. */
        Unpin: {
            /** @description The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same content changes nothing and returns the first result; with other content the key is refused. Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has no key. */
            idempotency_key?: components["schemas"]["IdempotencyKey"] | null;
            /** @description Name of the agent that asks for the change, as stated by the caller; the audit trail keeps the actor beside the authenticated principal. Absent or empty: the actor of the key. */
            actor?: string | null;
            /** @description Reason for the change, kept in the audit trail. */
            rationale?: string | null;
            /** @description The person on whose behalf the request acts. */
            user?: components["schemas"]["User"];
        };
        /** @description An uploaded value, by the id of the upload. */
        UploadClaim: {
            /** @description The id of the upload. */
            $upload: string;
        };
        /** @description A record with credit by outcomes that the previewed policy would prune. */
        UsedRecord: {
            /** @description The id of the record. */
            id: string;
            /** @description The scope; empty for an unscoped record. */
            scope: string;
            /** @description When the previewed policy would prune the record. */
            prunable_at: components["schemas"]["Timestamp-Output"];
            /** @description How often tasks succeeded and failed in which the record had a part. */
            usefulness: components["schemas"]["Usefulness"];
            /** @description The use in words, as in `used 3 times, last on 2026-03-01`. */
            note: string;
        };
        /** @description How often tasks succeeded and failed in which a record had a part. */
        Usefulness: {
            /** @description Successful tasks, each counted by the share of the record in the task. */
            successes: number;
            /** @description Failed tasks, each counted by the share of the record in the task. */
            failures: number;
            /** @description The number of outcomes that gave the record credit. */
            used: number;
            /** @description When the last outcome gave the record credit. */
            last_used_at: components["schemas"]["Timestamp-Output"];
            /** @description The expected rate of success; 0.5 for a record without any credit. */
            mean: number;
            /** @description The standard deviation of the rate: small once much is known. */
            width: number;
        };
        /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
        User: string | null;
        /** @description When a fact holds. */
        "Validity-Input": {
            /** @description `global`: always. `conditional`: under `conditions`. `timeboxed`: from `start` to `end`. The time window counts in every mode. */
            mode: components["schemas"]["ValidityMode"];
            /** @description Circumstances under which the fact holds, as a JSON object. Facts with different conditions do not conflict. */
            conditions?: components["schemas"]["JsonObject-Input"];
            /** @description First instant at which the fact holds, in RFC 3339. Absent: no beginning. */
            start?: components["schemas"]["Timestamp-Input"] | null;
            /** @description Instant from which the fact no longer holds, in RFC 3339; later than `start`. Absent: no end. */
            end?: components["schemas"]["Timestamp-Input"] | null;
        };
        /** @description When a fact holds. */
        "Validity-Output": {
            /** @description `global`: always. `conditional`: under `conditions`. `timeboxed`: from `start` to `end`. The time window counts in every mode. */
            mode: components["schemas"]["ValidityMode"];
            /** @description Circumstances under which the fact holds, as a JSON object. Facts with different conditions do not conflict. */
            conditions?: components["schemas"]["JsonObject-Output"];
            /** @description First instant at which the fact holds, in RFC 3339. Absent: no beginning. */
            start?: components["schemas"]["Timestamp-Output"];
            /** @description Instant from which the fact no longer holds, in RFC 3339; later than `start`. Absent: no end. */
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
        /** @description The state of a task in progress. */
        "WorkingPayload-Input": {
            /**
             * @description Kind of the payload: always `working`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "working";
            /** @description Thread that the task belongs to. */
            thread_id: string;
            /** @description State of the task: `planning`, `executing`, `blocked`, `waiting` or `done`. */
            state: components["schemas"]["TaskState"];
            /** @description Limits that the task works under. */
            active_constraints?: components["schemas"]["Constraint-Input"][] | components["schemas"]["UploadClaim"];
            /** @description What is to be done next, one text for an action. */
            next_actions?: string[];
            /** @description Questions without an answer yet, one text for a question. */
            open_questions?: string[];
            /** @description Summary of the task so far, in words. */
            context_summary?: string;
            /** @description The environment of the task; of a captured state, also what the fields above lack. Absent: unknown. */
            environment?: components["schemas"]["EnvironmentSnapshot-Input"] | null;
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Input"] | null;
        };
        /** @description The state of a task in progress. */
        "WorkingPayload-Output": {
            /**
             * @description Kind of the payload: always `working`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "working";
            /** @description Thread that the task belongs to. */
            thread_id: string;
            /** @description State of the task: `planning`, `executing`, `blocked`, `waiting` or `done`. */
            state: components["schemas"]["TaskState"];
            /** @description Limits that the task works under. */
            active_constraints?: components["schemas"]["Constraint-Output"][] | components["schemas"]["LargeValue"];
            /** @description What is to be done next, one text for an action. */
            next_actions?: string[];
            /** @description Questions without an answer yet, one text for a question. */
            open_questions?: string[];
            /** @description Summary of the task so far, in words. */
            context_summary?: string;
            /** @description The environment of the task; of a captured state, also what the fields above lack. Absent: unknown. */
            environment?: components["schemas"]["EnvironmentSnapshot-Output"];
            /** @description State of the record after revisions. The server's own: ignored in a request. */
            revision?: components["schemas"]["RevisionState-Output"];
        };
        /** @description The result of a put. */
        WrittenDocument: {
            /** @description The document as it is now; after a repeat perhaps a later version. Absent if the document was deleted since, or is hidden from the key. */
            document?: components["schemas"]["StoredDocument"];
            /** @description The version that the write made. */
            version: number;
            /** @description Whether there was a document before. */
            existed: boolean;
        };
        /** @description A record that was written. */
        WrittenReply: {
            /** @description The record, with the salience as of the instant of reading. */
            record: components["schemas"]["MemoryRecord"];
            /** @description A retrieval with the token sees the write before the index does. */
            consistency_token: string;
        };
        /** @description A topic that refers to an entity on the page. */
        membrane__domain__entities__replies__ListedTopic: {
            /** @description The id of the topic. */
            id: string;
            /** @description The title, which is a name of the entity. */
            title: string;
            /** @description The id of the entity. */
            entity_id: string;
        };
        /** @description A topic of a list. */
        membrane__domain__topics__replies__reading__ListedTopic: {
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
        /** @description Not in this state; The scope is being erased; Another version; The search index must be made anew; Already exists; Lost to other writers. */
        409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "FAILED_PRECONDITION" | "ALREADY_EXISTS" | "ABORTED";
                    /** @enum {unknown} */
                    title?: "Not in this state" | "The scope is being erased" | "Another version" | "The search index must be made anew" | "Already exists" | "Lost to other writers";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Another version. */
        412: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 412;
                    /** @enum {unknown} */
                    code?: "FAILED_PRECONDITION";
                    /** @enum {unknown} */
                    title?: "Another version";
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
        /** @description Unavailable; Not configured; The function did not answer in time. */
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
                    title?: "Unavailable" | "Not configured";
                } & components["schemas"]["Problem"];
                "application/json": components["schemas"]["GatewayMessage"];
            };
        };
    };
    parameters: {
        /** @description The id of the record, topic, entity, receipt, erasure or study. */
        id: string;
        /** @description The thread. */
        thread_id: string;
        /** @description The whole name of the field, percent-encoded. */
        name: string;
        /** @description The name of the tool, of any profile. */
        tool: string;
        /** @description The labels of the namespace and the key, a segment for each. API Gateway decodes a path once: encode each label and the key by itself, and the URL once more, so that `/` in a label travels as `%252F`. */
        path: string;
        /** @description The labels of the namespace and the key, a segment for each. API Gateway decodes a path once: encode each label and the key by itself, and the URL once more, so that `/` in a label travels as `%252F`. The last segment is `items`. */
        "list-path": string;
        /** @description The version that the document must have, such as `"3"`, or `*`: there must be a document. Otherwise 412. Stands for `expected_version` and `must_exist` in the body. */
        "if-match": string;
        /** @description `*`: there must be no document. Otherwise 412. Not beside `If-Match`. */
        "if-none-match": "*";
        /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
        user: string;
        /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
        "idempotency-key": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Action = components['schemas']['Action'];
export type ActionList = components['schemas']['ActionList'];
export type AddRelationship = components['schemas']['AddRelationship'];
export type AnchoredHead = components['schemas']['AnchoredHead'];
export type Answer = components['schemas']['Answer'];
export type AnswerReceipt = components['schemas']['AnswerReceipt'];
export type AppendField = components['schemas']['AppendField'];
export type AppendItems = components['schemas']['AppendItems'];
export type AppendItemsOperation = components['schemas']['AppendItemsOperation'];
export type AppendedField = components['schemas']['AppendedField'];
export type AppendedItems = components['schemas']['AppendedItems'];
export type AuditAction = components['schemas']['AuditAction'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditTrail = components['schemas']['AuditTrail'];
export type BareRecord = components['schemas']['BareRecord'];
export type BatchDocuments = components['schemas']['BatchDocuments'];
export type BatchRecordId = components['schemas']['BatchRecordId'];
export type BatchReply = components['schemas']['BatchReply'];
export type BatchedCapture = components['schemas']['BatchedCapture'];
export type BatchedDocuments = components['schemas']['BatchedDocuments'];
export type BatchedMessages = components['schemas']['BatchedMessages'];
export type BatchedRecord = components['schemas']['BatchedRecord'];
export type BriefRecord = components['schemas']['BriefRecord'];
export type BundledField = components['schemas']['BundledField'];
export type BundledRevision = components['schemas']['BundledRevision'];
export type CallTool = components['schemas']['CallTool'];
export type CalledFunction = components['schemas']['CalledFunction'];
export type CalledTool = components['schemas']['CalledTool'];
export type CancelStudy = components['schemas']['CancelStudy'];
export type CaptureMemory = components['schemas']['CaptureMemory'];
export type CaptureMemoryItem = components['schemas']['CaptureMemoryItem'];
export type CaptureReply = components['schemas']['CaptureReply'];
export type Certificate = components['schemas']['Certificate'];
export type CertificateReply = components['schemas']['CertificateReply'];
export type ChangeLifecycle = components['schemas']['ChangeLifecycle'];
export type ChangeSystemContext = components['schemas']['ChangeSystemContext'];
export type ChangeTopic = components['schemas']['ChangeTopic'];
export type ChangedTopic = components['schemas']['ChangedTopic'];
export type Chat = components['schemas']['Chat'];
export type ChatMessage = components['schemas']['ChatMessage'];
export type ChatReply = components['schemas']['ChatReply'];
export type ChatStop = components['schemas']['ChatStop'];
export type ChatTokens = components['schemas']['ChatTokens'];
export type CompetencePayloadInput = components['schemas']['CompetencePayload-Input'];
export type CompetencePayloadOutput = components['schemas']['CompetencePayload-Output'];
export type ConflictPolicy = components['schemas']['ConflictPolicy'];
export type Consolidate = components['schemas']['Consolidate'];
export type Consolidation = components['schemas']['Consolidation'];
export type ConsolidationList = components['schemas']['ConsolidationList'];
export type ConsolidationReply = components['schemas']['ConsolidationReply'];
export type ConstraintInput = components['schemas']['Constraint-Input'];
export type ConstraintOutput = components['schemas']['Constraint-Output'];
export type Contest = components['schemas']['Contest'];
export type ContextChange = components['schemas']['ContextChange'];
export type CreateExport = components['schemas']['CreateExport'];
export type CreateTopic = components['schemas']['CreateTopic'];
export type DecayChange = components['schemas']['DecayChange'];
export type DecayCurve = components['schemas']['DecayCurve'];
export type DecayForecast = components['schemas']['DecayForecast'];
export type DecayInput = components['schemas']['DecayInput'];
export type DecayPreview = components['schemas']['DecayPreview'];
export type DecayProfile = components['schemas']['DecayProfile'];
export type DeleteDocument = components['schemas']['DeleteDocument'];
export type DeleteDocumentOperation = components['schemas']['DeleteDocumentOperation'];
export type DeleteField = components['schemas']['DeleteField'];
export type DeleteRecord = components['schemas']['DeleteRecord'];
export type DeleteTopic = components['schemas']['DeleteTopic'];
export type DeletedDocument = components['schemas']['DeletedDocument'];
export type DeletedField = components['schemas']['DeletedField'];
export type DeletedRecord = components['schemas']['DeletedRecord'];
export type DeletedTopic = components['schemas']['DeletedTopic'];
export type DeletionPolicy = components['schemas']['DeletionPolicy'];
export type Direction = components['schemas']['Direction'];
export type DocumentAction = components['schemas']['DocumentAction'];
export type DocumentItem = components['schemas']['DocumentItem'];
export type DocumentKey = components['schemas']['DocumentKey'];
export type DocumentReply = components['schemas']['DocumentReply'];
export type DocumentVersion = components['schemas']['DocumentVersion'];
export type DoneOfTotal = components['schemas']['DoneOfTotal'];
export type EdgeInput = components['schemas']['EdgeInput'];
export type EdgeKind = components['schemas']['EdgeKind'];
export type EntityAlias = components['schemas']['EntityAlias'];
export type EntityFact = components['schemas']['EntityFact'];
export type EntityIdentifier = components['schemas']['EntityIdentifier'];
export type EntityList = components['schemas']['EntityList'];
export type EntityMention = components['schemas']['EntityMention'];
export type EntityPage = components['schemas']['EntityPage'];
export type EntityPayloadInput = components['schemas']['EntityPayload-Input'];
export type EntityPayloadOutput = components['schemas']['EntityPayload-Output'];
export type EnvironmentSnapshotInput = components['schemas']['EnvironmentSnapshot-Input'];
export type EnvironmentSnapshotOutput = components['schemas']['EnvironmentSnapshot-Output'];
export type EpisodicPayloadInput = components['schemas']['EpisodicPayload-Input'];
export type EpisodicPayloadOutput = components['schemas']['EpisodicPayload-Output'];
export type ErasedTarget = components['schemas']['ErasedTarget'];
export type ErasureReply = components['schemas']['ErasureReply'];
export type ErasureState = components['schemas']['ErasureState'];
export type ErrorBounds = components['schemas']['ErrorBounds'];
export type EventKind = components['schemas']['EventKind'];
export type EvidenceReply = components['schemas']['EvidenceReply'];
export type ExplainedCandidate = components['schemas']['ExplainedCandidate'];
export type ExportList = components['schemas']['ExportList'];
export type ExportPart = components['schemas']['ExportPart'];
export type ExportReply = components['schemas']['ExportReply'];
export type ExportState = components['schemas']['ExportState'];
export type ExportView = components['schemas']['ExportView'];
export type FieldChange = components['schemas']['FieldChange'];
export type FieldDecision = components['schemas']['FieldDecision'];
export type FieldInput = components['schemas']['FieldInput'];
export type FieldProblem = components['schemas']['FieldProblem'];
export type FieldSummary = components['schemas']['FieldSummary'];
export type FieldType = components['schemas']['FieldType'];
export type FindingCount = components['schemas']['FindingCount'];
export type FindingReply = components['schemas']['FindingReply'];
export type Fork = components['schemas']['Fork'];
export type FoundDocument = components['schemas']['FoundDocument'];
export type FoundDocuments = components['schemas']['FoundDocuments'];
export type FoundPlace = components['schemas']['FoundPlace'];
export type FoundTopics = components['schemas']['FoundTopics'];
export type GatewayMessage = components['schemas']['GatewayMessage'];
export type GetDocumentOperation = components['schemas']['GetDocumentOperation'];
export type GoneReply = components['schemas']['GoneReply'];
export type Graph = components['schemas']['Graph'];
export type GraphEdge = components['schemas']['GraphEdge'];
export type GraphNode = components['schemas']['GraphNode'];
export type Ground = components['schemas']['Ground'];
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
export type Interpretation = components['schemas']['Interpretation'];
export type InterpretationFailure = components['schemas']['InterpretationFailure'];
export type InterpretationStatus = components['schemas']['InterpretationStatus'];
export type JsonObjectInput = components['schemas']['JsonObject-Input'];
export type JsonObjectOutput = components['schemas']['JsonObject-Output'];
export type JsonValueInput = components['schemas']['JsonValue-Input'];
export type JsonValueOutput = components['schemas']['JsonValue-Output'];
export type Kind = components['schemas']['Kind'];
export type Label = components['schemas']['Label'];
export type LargeValue = components['schemas']['LargeValue'];
export type Lifecycle = components['schemas']['Lifecycle'];
export type LifecycleInput = components['schemas']['LifecycleInput'];
export type LinkType = components['schemas']['LinkType'];
export type ListNamespacesOperation = components['schemas']['ListNamespacesOperation'];
export type ListedEntity = components['schemas']['ListedEntity'];
export type LoggedCall = components['schemas']['LoggedCall'];
export type MadePlan = components['schemas']['MadePlan'];
export type MadeSkill = components['schemas']['MadeSkill'];
export type MadeTrace = components['schemas']['MadeTrace'];
export type MemoryRecord = components['schemas']['MemoryRecord'];
export type MemoryType = components['schemas']['MemoryType'];
export type Mention = components['schemas']['Mention'];
export type MentionList = components['schemas']['MentionList'];
export type Merge = components['schemas']['Merge'];
export type MergeEntities = components['schemas']['MergeEntities'];
export type Message = components['schemas']['Message'];
export type MessagesReply = components['schemas']['MessagesReply'];
export type Metrics = components['schemas']['Metrics'];
export type NamespaceList = components['schemas']['NamespaceList'];
export type NestFields = components['schemas']['NestFields'];
export type NestedFields = components['schemas']['NestedFields'];
export type OpenUpload = components['schemas']['OpenUpload'];
export type OpenedUpload = components['schemas']['OpenedUpload'];
export type OperationReceipt = components['schemas']['OperationReceipt'];
export type OtherChoice = components['schemas']['OtherChoice'];
export type OutcomeStatus = components['schemas']['OutcomeStatus'];
export type OversizedRecord = components['schemas']['OversizedRecord'];
export type PathStep = components['schemas']['PathStep'];
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
export type Profile = components['schemas']['Profile'];
export type PromoteFields = components['schemas']['PromoteFields'];
export type PromotedFields = components['schemas']['PromotedFields'];
export type Prompt = components['schemas']['Prompt'];
export type Provenance = components['schemas']['Provenance'];
export type ProvenanceInput = components['schemas']['ProvenanceInput'];
export type ProvenanceKind = components['schemas']['ProvenanceKind'];
export type ProvenanceRefInput = components['schemas']['ProvenanceRef-Input'];
export type ProvenanceRefOutput = components['schemas']['ProvenanceRef-Output'];
export type ProvenanceSource = components['schemas']['ProvenanceSource'];
export type Purpose = components['schemas']['Purpose'];
export type PutDocument = components['schemas']['PutDocument'];
export type PutDocumentOperation = components['schemas']['PutDocumentOperation'];
export type QueryTopics = components['schemas']['QueryTopics'];
export type Reason = components['schemas']['Reason'];
export type ReasoningReply = components['schemas']['ReasoningReply'];
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
export type ReferenceCandidate = components['schemas']['ReferenceCandidate'];
export type RefusedItem = components['schemas']['RefusedItem'];
export type Reinforce = components['schemas']['Reinforce'];
export type RelationInput = components['schemas']['Relation-Input'];
export type RelationOutput = components['schemas']['Relation-Output'];
export type RelationCandidate = components['schemas']['RelationCandidate'];
export type Remainder = components['schemas']['Remainder'];
export type RemoveDocument = components['schemas']['RemoveDocument'];
export type RemoveRelationship = components['schemas']['RemoveRelationship'];
export type RemovedRecord = components['schemas']['RemovedRecord'];
export type Resolve = components['schemas']['Resolve'];
export type RestoreRecord = components['schemas']['RestoreRecord'];
export type RestoreTopic = components['schemas']['RestoreTopic'];
export type ResumeStudy = components['schemas']['ResumeStudy'];
export type Retract = components['schemas']['Retract'];
export type Retrieve = components['schemas']['Retrieve'];
export type RetrieveGraph = components['schemas']['RetrieveGraph'];
export type RevisionStateInput = components['schemas']['RevisionState-Input'];
export type RevisionStateOutput = components['schemas']['RevisionState-Output'];
export type RevisionStatus = components['schemas']['RevisionStatus'];
export type Role = components['schemas']['Role'];
export type Route = components['schemas']['Route'];
export type Scope = components['schemas']['Scope'];
export type SearchDocuments = components['schemas']['SearchDocuments'];
export type SearchDocumentsOperation = components['schemas']['SearchDocumentsOperation'];
export type Selection = components['schemas']['Selection'];
export type SelectionReason = components['schemas']['SelectionReason'];
export type SelectorParts = components['schemas']['SelectorParts'];
export type SemanticPayloadInput = components['schemas']['SemanticPayload-Input'];
export type SemanticPayloadOutput = components['schemas']['SemanticPayload-Output'];
export type Sensitivity = components['schemas']['Sensitivity'];
export type SetFieldRef = components['schemas']['SetFieldRef'];
export type ShownDocument = components['schemas']['ShownDocument'];
export type SignatureReply = components['schemas']['SignatureReply'];
export type SimilarEntity = components['schemas']['SimilarEntity'];
export type Snapshot = components['schemas']['Snapshot'];
export type SourceInput = components['schemas']['SourceInput'];
export type SpellingCount = components['schemas']['SpellingCount'];
export type SplitEntity = components['schemas']['SplitEntity'];
export type Stage = components['schemas']['Stage'];
export type StartErasure = components['schemas']['StartErasure'];
export type StartStudy = components['schemas']['StartStudy'];
export type StoredDocument = components['schemas']['StoredDocument'];
export type StudyCost = components['schemas']['StudyCost'];
export type StudyMade = components['schemas']['StudyMade'];
export type StudyProgress = components['schemas']['StudyProgress'];
export type StudyRemoved = components['schemas']['StudyRemoved'];
export type StudyReply = components['schemas']['StudyReply'];
export type StudyStage = components['schemas']['StudyStage'];
export type Supersede = components['schemas']['Supersede'];
export type SystemContext = components['schemas']['SystemContext'];
export type SystemContextReply = components['schemas']['SystemContextReply'];
export type TargetKind = components['schemas']['TargetKind'];
export type TaskState = components['schemas']['TaskState'];
export type ThreadState = components['schemas']['ThreadState'];
export type TimelineEventInput = components['schemas']['TimelineEvent-Input'];
export type TimelineEventOutput = components['schemas']['TimelineEvent-Output'];
export type TimestampInput = components['schemas']['Timestamp-Input'];
export type TimestampOutput = components['schemas']['Timestamp-Output'];
export type ToolCall = components['schemas']['ToolCall'];
export type ToolList = components['schemas']['ToolList'];
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
export type TopicOfEntity = components['schemas']['TopicOfEntity'];
export type TopicReading = components['schemas']['TopicReading'];
export type TopicReply = components['schemas']['TopicReply'];
export type TopicRevision = components['schemas']['TopicRevision'];
export type TopicSalience = components['schemas']['TopicSalience'];
export type TopicStatus = components['schemas']['TopicStatus'];
export type TrackRecord = components['schemas']['TrackRecord'];
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
export type UsedRecord = components['schemas']['UsedRecord'];
export type Usefulness = components['schemas']['Usefulness'];
export type User = components['schemas']['User'];
export type ValidityInput = components['schemas']['Validity-Input'];
export type ValidityOutput = components['schemas']['Validity-Output'];
export type ValidityMode = components['schemas']['ValidityMode'];
export type VersionList = components['schemas']['VersionList'];
export type WorkingPayloadInput = components['schemas']['WorkingPayload-Input'];
export type WorkingPayloadOutput = components['schemas']['WorkingPayload-Output'];
export type WrittenDocument = components['schemas']['WrittenDocument'];
export type WrittenReply = components['schemas']['WrittenReply'];
export type MembraneDomainEntitiesRepliesListedTopic = components['schemas']['membrane__domain__entities__replies__ListedTopic'];
export type MembraneDomainTopicsRepliesReadingListedTopic = components['schemas']['membrane__domain__topics__replies__reading__ListedTopic'];
export type Response400 = components['responses']['400'];
export type Response401 = components['responses']['401'];
export type Response403 = components['responses']['403'];
export type Response404 = components['responses']['404'];
export type Response409 = components['responses']['409'];
export type Response412 = components['responses']['412'];
export type Response413 = components['responses']['413'];
export type Response429 = components['responses']['429'];
export type Response500 = components['responses']['500'];
export type Response503 = components['responses']['503'];
export type ParameterId = components['parameters']['id'];
export type ParameterThreadId = components['parameters']['thread_id'];
export type ParameterName = components['parameters']['name'];
export type ParameterTool = components['parameters']['tool'];
export type ParameterPath = components['parameters']['path'];
export type ParameterListPath = components['parameters']['list-path'];
export type ParameterIfMatch = components['parameters']['if-match'];
export type ParameterIfNoneMatch = components['parameters']['if-none-match'];
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
    CaptureMemory: {
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
                "application/json": components["schemas"]["CaptureMemory"];
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
                    "application/json": components["schemas"]["CaptureReply"];
                };
            };
            /** @description The evidence with the interpretation, the new records, and the edges. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureReply"];
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
    Chat: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat asks the model again; calls of tools with equal arguments then write nothing a second time. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Chat"];
            };
        };
        responses: {
            /** @description The end of the conversation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatReply"];
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
    Consolidate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Consolidate"];
            };
        };
        responses: {
            /** @description What was made, or would be made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolidationReply"];
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
    ListConsolidations: {
        parameters: {
            query?: {
                /** @description Scope of the records, without unscoped records. Absent or empty: all scopes of the key, and unscoped records. */
                scope?: components["schemas"]["Scope"];
                /** @description Records on the page, 0 to 10,000; 0 = 20, and more than 50 give 50. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was made of what, the newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolidationList"];
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
    ReadOperation: {
        parameters: {
            query: {
                /** @description The `operation_id` of the write. */
                operation_id: components["schemas"]["IdempotencyKey"];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the write did. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationReceipt"];
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
    BatchDocuments: {
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
                "application/json": components["schemas"]["BatchDocuments"];
            };
        };
        responses: {
            /** @description An entry for each operation, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchedDocuments"];
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
    SearchDocuments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchDocuments"];
            };
        };
        responses: {
            /** @description The documents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundDocuments"];
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
    GetDocument: {
        parameters: {
            query?: {
                /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
                scope?: components["schemas"]["Scope"];
                /** @description Whether `ttl_seconds` and salience begin anew; ignored for a key that may not write there. */
                refresh?: boolean;
                /** @description How many of the newest items of the document's list to return, oldest first. Items and former versions of a reply have 5 MiB at most together; the items come first. */
                items?: number;
                /** @description `next_items_before` of a reply, to return the items before the items of the reply. Without `items` of no effect. Absent: from the newest item. */
                items_before?: number;
                /** @description How many former versions to return, newest first; also of a deleted document. A document that is made anew, or whose sensitivity is lowered, begins a new history. */
                history?: number;
                /** @description `next_history_before` of a reply, to return the versions before the versions of the reply. Without `history` of no effect. Absent: from the newest former version. */
                history_before?: number;
                /** @description Whether to check the hash chain of the newest 10,000 versions. */
                verify?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The labels of the namespace and the key, a segment for each. API Gateway decodes a path once: encode each label and the key by itself, and the URL once more, so that `/` in a label travels as `%252F`. */
                path: components["parameters"]["path"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    /** @description The version of the document, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentReply"];
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
    PutDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the document must have, such as `"3"`, or `*`: there must be a document. Otherwise 412. Stands for `expected_version` and `must_exist` in the body. */
                "If-Match"?: components["parameters"]["if-match"];
                /** @description `*`: there must be no document. Otherwise 412. Not beside `If-Match`. */
                "If-None-Match"?: components["parameters"]["if-none-match"];
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The labels of the namespace and the key, a segment for each. API Gateway decodes a path once: encode each label and the key by itself, and the URL once more, so that `/` in a label travels as `%252F`. */
                path: components["parameters"]["path"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutDocument"];
            };
        };
        responses: {
            /** @description The document without its value. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The version of the document, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenDocument"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    AppendItems: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The labels of the namespace and the key, a segment for each. API Gateway decodes a path once: encode each label and the key by itself, and the URL once more, so that `/` in a label travels as `%252F`. The last segment is `items`. */
                path: components["parameters"]["list-path"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppendItems"];
            };
        };
        responses: {
            /** @description The document, and the end of its list. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendedItems"];
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
    DeleteDocument: {
        parameters: {
            query?: {
                /** @description Scope of the document. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
                scope?: components["schemas"]["Scope"];
                /** @description Take off and return this many of the newest items, fewer beyond 384 KiB of items or the items of 99 appends; the document stays. Absent: delete. */
                items?: number;
                /** @description Whether all content goes for good, former versions and list included. Absent: former versions stay for the deployment's `TombstoneDays`. */
                erase?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description The version that the document must have, such as `"3"`, or `*`: there must be a document. Otherwise 412. Stands for `expected_version` and `must_exist` in the body. */
                "If-Match"?: components["parameters"]["if-match"];
                /** @description `*`: there must be no document. Otherwise 412. Not beside `If-Match`. */
                "If-None-Match"?: components["parameters"]["if-none-match"];
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The labels of the namespace and the key, a segment for each. API Gateway decodes a path once: encode each label and the key by itself, and the URL once more, so that `/` in a label travels as `%252F`. */
                path: components["parameters"]["path"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteDocument"];
            };
        };
        responses: {
            /** @description Whether there was a document. */
            200: {
                headers: {
                    /** @description The idempotency key was seen before, and nothing was changed. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedDocument"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            412: components["responses"]["412"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    ListEntities: {
        parameters: {
            query?: {
                /** @description Beginning of the canonical name, of an alias or of an identifier, at most 256 characters; case and white space make no difference. Absent or empty: all names. */
                q?: string;
                /** @description Type of the entities, such as `Person`; case makes no difference. Absent or empty: all. */
                type?: string;
                /** @description Scope of the entities, without unscoped entities. Absent or empty: all scopes of the key, and unscoped entities. */
                scope?: components["schemas"]["Scope"];
                /** @description Id of an entity: list the entities of the same scope that may be the same thing, the most similar first, as suggestions for a merge: a single page. Not together with `q`. Absent or empty: by name. */
                similar_to?: "" | components["schemas"]["RecordId"];
                /** @description Entities on the page, 0 to 10,000; 0 = 50, and more than 200 give 200. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entities: by name, or the most similar first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntityList"];
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
    ReadEntity: {
        parameters: {
            query?: {
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description The `next_cursor` of the previous page of facts. Absent or empty: the newest facts. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity, and the newest facts about it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntityPage"];
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
    ListMentions: {
        parameters: {
            query?: {
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Records on the page, 0 to 10,000; 0 = 50, and more than 200 give 200. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mentions, the newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MentionList"];
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
    MergeEntities: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeEntities"];
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
    SplitEntity: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SplitEntity"];
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
    StartErasure: {
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
                "application/json": components["schemas"]["StartErasure"];
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
                    "application/json": components["schemas"]["ErasureState"];
                };
            };
            /** @description The state of the erasure. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureState"];
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
    ReadErasure: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. Absent: the first page. A query parameter. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the erasure, with findings of the listing, 100 or more a page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReply"];
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
    ReadCertificate: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. Absent: the first page. A query parameter. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed certificate, with entries, 100 or more a page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateReply"];
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
    ListExports: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exports, the newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportList"];
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
    CreateExport: {
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
                "application/json": components["schemas"]["CreateExport"];
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
                    "application/json": components["schemas"]["ExportReply"];
                };
            };
            /** @description The export. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportReply"];
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
    ReadExport: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. Absent: the first page of parts. A query parameter. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export, with links when done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportReply"];
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
    ReadGraph: {
        parameters: {
            query?: {
                /** @description Scope of the topics. Absent or empty: all scopes of the key, at most 50, and unscoped topics. With a `topic_id`, unscoped topics are included. */
                scope?: components["schemas"]["Scope"];
                /** @description Id of the topic in the middle. Absent or empty: a page of topics, the most salient first, archived topics too. */
                topic_id?: string;
                /** @description Most links between `topic_id` and a node, 1 to 3. Without a `topic_id`: no effect. */
                depth?: number;
                /** @description Most topics in the answer, 1 to 200. */
                limit?: number;
                /** @description The `next_cursor` of the previous page; not together with `topic_id`. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
                    "application/json": components["schemas"]["MessagesReply"];
                };
            };
            /** @description The records of the messages, in the order of their turns. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesReply"];
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
    ListNamespaces: {
        parameters: {
            query?: {
                /** @description Absent or empty: as in `GetDocument`. */
                scope?: components["schemas"]["Scope"];
                /** @description The first labels. */
                prefix?: components["schemas"]["Label"][];
                /** @description The last labels. */
                suffix?: components["schemas"]["Label"][];
                /** @description Cut each namespace to this many labels. */
                max_depth?: number;
                /** @description The most namespaces to return. */
                limit?: number;
                /** @description `next_cursor` of the same listing. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The namespaces, sorted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamespaceList"];
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
                    "application/json": components["schemas"]["ReasoningReply"];
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
                /** @description Scope of the log. Absent or empty: the first scope of the key that is no prefix, unscoped under a key for all scopes. */
                scope?: components["schemas"]["Scope"];
                /** @description Actions on the page, 0 to 10,000; 0 = 100, and more than 1,000 give 1,000. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Scope of the records, without unscoped records. Absent or empty: all scopes of the key, and unscoped records. */
                scope?: components["schemas"]["Scope"];
                /** @description Types of the records. Absent or empty: all types. */
                type?: components["schemas"]["MemoryType"][];
                /** @description State of the records. `active`: neither removed nor retracted, by salience. `deleted` by a caller or `pruned` by the sweep: the rest of each record without content, the last removed first; erased records are left out. `retracted`: by type, in no further order. */
                state?: "" | "active" | "deleted" | "pruned" | "retracted";
                /** @description Form of the records: `full` or `brief`; for deleted and pruned records without effect. */
                view?: "" | "full" | "brief";
                /** @description Records on the page, 0 to 10,000; 0 = 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Instant to show the record of, in RFC 3339, not in the future. Before the creation of the record the answer is 404. Absent or empty: now. Not together with `resolve`. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description `latest`: follow the successors of a superseded record to the newest, at most 500 steps. Absent or empty: the record itself. */
                resolve?: "" | "latest";
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Remove the content, the history and the free text of the audit trail for good, also of a deleted record. Needs the permission `admin`. A query parameter. */
                erase?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Entries on the page, 0 to 10,000; 0 and more than 1,000 give 1,000. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Verify the hash chain: with the first page, the whole trail up to 50,000 entries; with a later page, the entries of the page. Also compare the record with the newest anchor. */
                verify?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Versions on the page, 0 to 10,000; 0 = as many as a reply carries. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
    RetrieveGraph: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetrieveGraph"];
            };
        };
        responses: {
            /** @description The roots, and the records that relations connect with the roots. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Graph"];
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
    StartStudy: {
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
                "application/json": components["schemas"]["StartStudy"];
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
                    "application/json": components["schemas"]["StudyReply"];
                };
            };
            /** @description The state of the job. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudyReply"];
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
    RemoveDocument: {
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
                "application/json": components["schemas"]["RemoveDocument"];
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
                    "application/json": components["schemas"]["StudyReply"];
                };
            };
            /** @description The state of the job. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudyReply"];
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
    ReadStudy: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudyReply"];
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
    CancelStudy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelStudy"];
            };
        };
        responses: {
            /** @description The state of the job after the change. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudyReply"];
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
    ResumeStudy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeStudy"];
            };
        };
        responses: {
            /** @description The state of the job after the change. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudyReply"];
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
    ReadSystemContext: {
        parameters: {
            query?: {
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Earlier states on the page, 0 to 10,000; 0 = 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
    ListTools: {
        parameters: {
            query?: {
                /** @description Whose form the descriptions have: `mcp`, `anthropic` (Messages), `openai` (Chat Completions) or `bedrock` (Converse). Absent or empty: `mcp`, the only form with the schema of the answer. */
                format?: "" | "mcp" | "anthropic" | "openai" | "bedrock";
                /** @description Set of tools: `agent`; `search` for `search` and `fetch` alone; `memstate` for the tools of MemState over topics. Absent or empty: `agent`. */
                profile?: "" | "agent" | "search" | "memstate";
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tools that the key may call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
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
    CallTool: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The name of the tool, of any profile. */
                name: components["parameters"]["tool"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CallTool"];
            };
        };
        responses: {
            /** @description The answer of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalledTool"];
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
    ListTopics: {
        parameters: {
            query?: {
                /** @description Scope of the topics, without unscoped topics. Absent or empty: all scopes of the key, at most 50, and unscoped topics. */
                scope?: components["schemas"]["Scope"];
                /** @description Include archived topics. */
                include_archived?: boolean;
                /** @description Topics on the page, 0 to 10,000; 0, and more than 1,000, give 1,000. A page may have fewer topics. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Absent or empty: the first page. */
                cursor?: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Instant to show the fields of, in RFC 3339, not in the future; title and salience are those of now. Absent or empty: now. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Remove title, summary, fields with all revisions, edges, reads and the free text of the audit trail for good, also of a deleted topic. Topics merged into the topic are erased, too. The id of a merged topic erases that topic alone, out of the topic of the merge. Needs the permission `admin`. A query parameter. */
                erase?: boolean;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Highest sensitivity of records shown in full. A record one level above comes redacted where the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest sensitivity of the key, which is also the upper limit. */
                max_sensitivity?: "" | "public" | "low" | "medium" | "high" | "hyper";
                /** @description Scopes to read; unscoped records are always included. Scopes that the key does not cover are ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*` is refused. */
                scope?: string[];
                /** @description Include earlier revisions. */
                with_history?: boolean;
                /** @description Include revisions that were archived into the bucket. */
                archived?: boolean;
                /** @description Instant to show the field of, in RFC 3339, not in the future. Absent or empty: now. */
                as_of?: "" | components["schemas"]["Timestamp-Input"];
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: never;
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description Id of the topic at the far end. */
                to_topic_id: string;
                /** @description Meaning of the edge, exactly as added; may be empty. */
                kind: string;
                /** @description Act for one user, in the scope made of the user prefix of the key and of the user; refused for a key without a user prefix. A user has a visible character: a text of blanks is refused, and null by a key with a user prefix. */
                user?: components["parameters"]["user"];
            };
            header?: {
                /** @description A repeat under the same key changes nothing; with another body the repeat is refused. `idempotency_key` in the body wins. */
                "Idempotency-Key"?: components["parameters"]["idempotency-key"];
            };
            path: {
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
                /** @description The id of the record, topic, entity, receipt, erasure or study. */
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
