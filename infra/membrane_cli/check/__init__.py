"""`membrane check`: what a deployment, or a function at its start, would refuse."""
