"""Records that supersede, fork, merge, contest or retract others; facts that contradict."""
