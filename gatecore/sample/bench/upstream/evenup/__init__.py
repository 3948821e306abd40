"""evenup: who paid what, and who owes whom. A small book for shared expenses."""
from .expense import Expense
from .kitty import Kitty
from .report import statement, table
from .settle import Transfer, transfers
from .store import load, save

__all__ = ["Expense", "Kitty", "Transfer", "load", "save", "statement", "table", "transfers"]
__version__ = "0.4.1"
