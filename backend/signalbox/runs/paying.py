"""What every call of a model goes through, from the inside out: its price, the budgets, and a record in the books."""

from signalbox.llm.base import Model
from signalbox.llm.catalogue import Catalogue, PricedModel
from signalbox.memory.profile import Owner
from signalbox.runs.books import Account, BookedModel, Books
from signalbox.runs.budget import BudgetedModel, Budgets
from signalbox.runs.journal import RunJournal
from signalbox.runs.recorded import RecordedModel


class Payments:
    """One a process."""

    def __init__(self, books: Books, catalogue: Catalogue, budgets: Budgets) -> None:
        self.books = books
        self.catalogue = catalogue
        self.budgets = budgets

    def of_run(self, model: Model, journal: RunJournal, owner: Owner, run_id: str) -> RecordedModel:
        """``model`` for the agents of one run: each call is a step of it."""
        paid = BudgetedModel(PricedModel(model, self.catalogue), self.budgets, owner, run_id, journal.emitter)
        return RecordedModel(paid, journal, self._account(owner, run_id, paid))

    def behind(self, model: Model, owner: Owner, run_id: str) -> Model:
        """``model`` for work in the background that a run gave rise to: summaries, facts to remember. It counts
        towards the user's budget and is seen in the books under the run, but is no step.
        """
        paid = BudgetedModel(PricedModel(model, self.catalogue), self.budgets, owner, run_id, None)
        return BookedModel(paid, self._account(owner, run_id, paid), "behind")

    def _account(self, owner: Owner, run_id: str, paid: BudgetedModel) -> Account:
        return Account(self.books, owner, run_id, paid.settle)
