"""The study of a long document as a job: its sections become topics, or a model makes topics."""
