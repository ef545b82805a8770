"""Chess endgame tablebases: libtrebuchet for Python.

    >>> import trebuchet
    >>> with trebuchet.open_tablebase("tables") as tablebase:
    ...     print(tablebase.probe_wdl("8/8/8/8/8/2K5/1Q6/7k w - - 0 1"))
    2

Positions are FENs, or boards of python-chess. Squares are numbered a1 = 0 to h8 = 63, distances are
plies: positive if the side to move wins, negative if it loses.
"""
from ._library import version
from ._errors import DamagedTableError, Error, InputError, LibraryError, MissingTableError, NetworkError
from ._positions import UNKNOWN_PLIES, UNKNOWN_WDL, Positions, Values
from ._tablebase import Batch, Tablebase, open_tablebase
from ._values import Fault, Line, Longest, Move, Stats, Table, Value

__version__ = "0.3.0"

__all__ = ["UNKNOWN_PLIES", "UNKNOWN_WDL", "Batch", "DamagedTableError", "Error", "Fault", "InputError", "LibraryError",
           "Line", "Longest", "MissingTableError", "Move", "NetworkError", "Positions", "Stats", "Table", "Tablebase",
           "Value", "Values", "open_tablebase", "version"]
