"""The writes of a restore about topics: each item into an empty place."""

from typing import Protocol

from membrane.domain.archive.topic_lines import ArchivedTopic
from membrane.domain.topics.placing.statements import Statement
from membrane.usecases.ports.archive import LoggedAction
from membrane.usecases.ports.topics import TopicReceipt


class TopicRestores(Protocol):
    """Any method may raise ResourceExhausted or Unavailable."""

    def restore_topic(self, archived: ArchivedTopic) -> None:
        """Write a whole topic as it was; the topic is absent until the last write.

        Raises TopicIdTaken, LostRace, and DifferentItem if a line of revisions, an edge or the
        reads hold something else.
        """

    def restore_receipt(self, receipt: TopicReceipt, expires_at_s: int) -> None:
        """Write a receipt; raises ReceiptTaken."""

    def restore_statement(self, statement: Statement) -> None:
        """Write a statement under its own version; raises LostRace for a taken place."""

    def restore_action(self, logged: LoggedAction) -> bool:
        """Append to the log; False if the action is there already. Raises DifferentItem."""
