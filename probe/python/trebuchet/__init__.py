"""Chess endgame tablebases: libtrebuchet for Python.

    >>> import trebuchet
    >>> with trebuchet.open_tablebase("tables") as tablebase:
    ...     print(tablebase.probe_wdl("8/8/8/8/8/2K5/1Q6/k7 w - - 0 1"))
    2

Positions are FENs, or boards of python-chess. Squares are numbered a1 = 0 to h8 = 63, distances are
plies: positive if the side to move wins, negative if it loses.
"""
from ._library import version
from ._errors import (DamagedTableError, Error, InputError, LibraryError, MissingTableError)
from ._tablebase import Line, Move, Table, Tablebase, Value, open_tablebase

__version__ = "0.3.0"

__all__ = ["DamagedTableError", "Error", "InputError", "LibraryError", "Line", "MissingTableError",
           "Move", "Table", "Tablebase", "Value", "open_tablebase", "version"]
