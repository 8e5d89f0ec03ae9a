"""The facts of the evaluations: pairs of which the newer contradicts the older."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    subject: str
    predicate: str
    object: str

    @property
    def text(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two facts that answer one question, one after the other."""

    question: str
    old: Fact
    new: Fact


def _pair(question: str, subject: str, predicate: str, old: str, new: str) -> Pair:
    return Pair(question, Fact(subject, predicate, old), Fact(subject, predicate, new))


PAIRS = (
    _pair("Which database does the team prefer?", "the team", "prefers", "MySQL", "PostgreSQL"),
    _pair(
        "What is the rate limit of the public API?",
        "the public API",
        "has a rate limit of",
        "50 requests per second",
        "200 requests per second",
    ),
    _pair("Where do we deploy production?", "production", "is deployed to", "Heroku", "Kubernetes"),
    _pair("Where does Alice live?", "Alice", "lives in", "Lisbon", "Porto"),
    _pair(
        "When does a session of the auth service expire?",
        "a session of the auth service",
        "expires after",
        "15 minutes",
        "8 hours",
    ),
    _pair("What runs the continuous integration?", "CI", "runs on", "Jenkins", "GitHub Actions"),
    _pair("What does Bob drink in the morning?", "Bob", "drinks", "black coffee", "green tea"),
    _pair("How long are backups kept?", "backups", "are kept for", "30 days", "90 days"),
    _pair("Who is on call?", "the on-call rota", "is done by", "team red", "team blue"),
    _pair("In which city is the office?", "the office", "is in", "Berlin", "Hamburg"),
)
"""Every evaluation runs over all pairs, and all pairs of an evaluation share a scope: the facts of
one pair are noise for the questions of the others."""
