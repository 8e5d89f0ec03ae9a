"""The record: its document, stored state, history, audit trail and limits."""
