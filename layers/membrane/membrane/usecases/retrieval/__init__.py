"""The parts of a retrieval: what is asked, what is found, in which order, what is told of it."""
