"""How strongly a node is connected with the roots, and how much the node is worth in an answer.

The strength of a way is the strength of its root times the weights of its edges. The strongest of
all ways counts, of at most `max_hops` edges between records that the hops have read. A hop that
finds a stronger way to a known node strengthens the node, and the next hop goes on from the node
again, as in the algorithm of Bellman and Ford. A root is strengthened, too, by a better root.
"""

UNKNOWN_SCORE = 0.0
"""The score of a record that the search did not find."""

SALIENCE_SHARE = 0.25
"""The share of the worth that fades with the salience: evidence fades within hours, and is still
what a question leads to. Chosen on one fold of the captures of `tests/bench`."""


def worth(strength: float, salience: float, score: float = UNKNOWN_SCORE) -> float:
    """The worth of a node: the strength of the strongest way, less where the salience has faded.

    A node that answers the task itself is worth up to twice as much.
    """
    kept = 1.0 - SALIENCE_SHARE * (1.0 - min(1.0, salience))
    return strength * kept * (1.0 + score)
