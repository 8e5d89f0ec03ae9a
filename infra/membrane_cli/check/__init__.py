"""`membrane check`: parameters that a deployment, or a function at start, would refuse."""
