"""The study of a long document: topics of the document, made apart from all other topics."""
