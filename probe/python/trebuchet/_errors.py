"""What can go wrong. `status` is the treb_status of trebuchet.h."""
from __future__ import annotations

OK, FEN, POSITION, CASTLING, MEN, NO_TABLE, DAMAGED, IO, MEMORY, ARGUMENT, NOT_READY, NETWORK, TIMEOUT = range(13)


class Error(Exception):
    """The text says what is wrong and names the file, if one is at fault."""

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
    """What was asked for makes no sense: no FEN, no position that can arise, no such metric."""


class DamagedTableError(Error, OSError):
    """A file or folder cannot be read, or a file is not what it should be."""


class NetworkError(Error, OSError):
    """A server of tables cannot be reached, does not give them, or takes too long."""


class LibraryError(Error, OSError):
    """libtrebuchet is not there, or too old."""


_CLASSES = {FEN: InputError, POSITION: InputError, CASTLING: MissingTableError,
            MEN: MissingTableError, NO_TABLE: MissingTableError, DAMAGED: DamagedTableError,
            IO: DamagedTableError, ARGUMENT: InputError, NETWORK: NetworkError, TIMEOUT: NetworkError}


def raise_status(status: int, text: str) -> None:
    """Raises what a failed call of the library stands for."""
    if status == MEMORY:
        raise MemoryError(text)
    raise _CLASSES.get(status, Error)(text, status)
