"""Exceptions. `status` is a treb_status of trebuchet.h."""
from __future__ import annotations

OK, FEN, POSITION, CASTLING, MEN, NO_TABLE, DAMAGED, IO, MEMORY, ARGUMENT, NOT_READY, NETWORK, TIMEOUT, UNSUPPORTED = range(14)


class Error(Exception):
    """The base class. The text says what is wrong, and names the file if a file is wrong."""

    def __init__(self, text: str, status: int = ARGUMENT) -> None:
        super().__init__(text)
        self.text = text
        self.status = status

    def __str__(self) -> str:
        return self.text


class MissingTableError(Error, KeyError):
    """No table has the answer: it is not installed, the position has more men than any table, or
    castling rights remain."""


class InputError(Error, ValueError):
    """An argument is wrong: not a FEN, not a position that can arise, not a metric."""


class DamagedTableError(Error, OSError):
    """A file or folder cannot be read, or a file is damaged."""


class NetworkError(Error, OSError):
    """A server of tables cannot be reached, refuses the request, or takes too long."""


class LibraryError(Error, OSError):
    """libtrebuchet is not installed, or too old."""


_CLASSES = {FEN: InputError, POSITION: InputError, CASTLING: MissingTableError,
            MEN: MissingTableError, NO_TABLE: MissingTableError, DAMAGED: DamagedTableError,
            IO: DamagedTableError, ARGUMENT: InputError, NETWORK: NetworkError, TIMEOUT: NetworkError}


def raise_status(status: int, text: str) -> None:
    """Raises the exception for a failed call of the library."""
    if status == MEMORY:
        raise MemoryError(text)
    raise _CLASSES.get(status, Error)(text, status)
