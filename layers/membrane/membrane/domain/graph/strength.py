"""How strongly a node is connected with the roots, and how much the node is worth in an answer."""

UNKNOWN_SCORE = 0.0
"""The score of a record that the search did not find."""


def join_strengths(one: float, other: float) -> float:
    """The strength of two connections together: more than each, at most 1."""
    return 1.0 - (1.0 - one) * (1.0 - other)


def worth(strength: float, salience: float, score: float = UNKNOWN_SCORE) -> float:
    """The worth of a node: the strength of its connection times its salience, up to 1.

    A node that answers the task itself is worth up to twice as much.
    """
    return strength * min(1.0, salience) * (1.0 + score)
