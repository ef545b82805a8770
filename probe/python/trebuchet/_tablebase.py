"""Sets of tables, and what they say of positions."""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import byref, c_char_p, c_int, c_size_t
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple, Union

from . import _library as c
from ._errors import OK, InputError, MissingTableError, raise_status

if TYPE_CHECKING:
    import chess

Board = Union[str, "chess.Board"]
Directory = Union[str, "os.PathLike[str]"]

_ENDS = ("mate", "stalemate", "draw", "limit")
_FLAGS = 6


# ---- Answers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Value:
    """What a position is worth to the side to move, or a move to the one who makes it.

    Verdicts: 2 win, 1 win but for the 50-move rule, 0 draw, -1 loss but for it, -2 loss.
    Distances in plies, positive in wins and negative in losses; None: not known."""

    wdl: int  #: as if the clock were at 0
    rule: int  #: with the clock that the position has
    dtz: Optional[int]  #: to the next capture, pawn move or mate
    dtc: Optional[int]  #: to the next capture, promotion or mate
    dtm: Optional[int]  #: to mate
    rounded: bool  #: DTZ comes from a Syzygy file that is rounded: it may be one ply more


@dataclass(frozen=True)
class Move(Value):
    """A legal move: chess.Move.from_uci(move.uci) makes one of python-chess of it."""

    uci: str  #: "e7e8q"
    san: str  #: "e8=Q+"
    from_square: int
    to_square: int
    promotion: Optional[int]  #: 2 knight, 3 bishop, 4 rook, 5 queen, as python-chess has them
    capture: bool
    zeroing: bool  #: a capture or pawn move: the clock starts anew
    conversion: bool  #: a capture or promotion
    check: bool
    mate: bool
    stalemate: bool


@dataclass(frozen=True)
class Line:
    """Best play of both sides. `end` is "mate", "stalemate", "draw" (by any play), or "limit"."""

    moves: Tuple[Move, ...]
    end: str


@dataclass(frozen=True)
class Table:
    """A table file."""

    material: str  #: "KRPvKR"
    metric: str  #: "wdl", "dtz", "dtc" or "dtm"
    format: str  #: "trebuchet" or "syzygy"
    path: str
    size: int  #: bytes


def _signed(wdl: int, plies: int) -> int:
    return plies if wdl >= 2 else -plies


def _distance(value: c.CValue, metric: int) -> Optional[int]:
    known = value.status[c.WDL] == OK and value.status[metric] == OK
    return _signed(value.wdl, value.plies[metric]) if known else None


def _value_fields(value: c.CValue) -> Tuple[Any, ...]:
    return (value.wdl - 2, value.rule - 2, _distance(value, c.DTZ), _distance(value, c.DTC),
            _distance(value, c.DTM), bool(value.rounded[c.DTZ]))


def _move(move: c.CMove) -> Move:
    flags = [bool(move.flags >> bit & 1) for bit in range(_FLAGS)]
    return Move(*_value_fields(move.value), move.uci.decode(), move.san.decode(), move.from_square,
                move.to_square, move.promotion + 1 if move.promotion else None, *flags)


# ---- Questions ----------------------------------------------------------------------------------


def _text(text: str) -> bytes:
    """A text for the library, where a NUL would end it."""
    if "\0" in text:
        raise InputError(f"a NUL in {text!r}")
    return text.encode()


def _memory(size: int) -> int:
    if not 0 <= size < 1 << 64:
        raise InputError(f"{size} is no size of memory")
    return size


def _castling(board: "chess.Board") -> int:
    """Rights as the library has them; of a right that its rook or king lost nothing is left."""
    if not board.castling_rights:
        return 0
    rights = (board.has_kingside_castling_rights(True), board.has_queenside_castling_rights(True),
              board.has_kingside_castling_rights(False), board.has_queenside_castling_rights(False))
    return sum(1 << bit for bit, right in enumerate(rights) if right)


def _position(board: Board) -> c.CPosition:
    """A FEN or a board of python-chess."""
    position = c.CPosition()
    if isinstance(board, str):
        c.call("treb_position_from_fen", _text(board), byref(position))
        return position
    if getattr(board, "uci_variant", None) != "chess":
        raise TypeError(f"not a FEN, nor a board of python-chess for chess: {board!r}")
    position.by_color[:] = (board.occupied_co[True], board.occupied_co[False])
    position.by_type[:] = (board.pawns, board.knights, board.bishops, board.rooks, board.queens,
                           board.kings)
    position.turn = 0 if board.turn else 1
    position.ep = board.ep_square or 0
    position.castling = _castling(board)
    position.halfmove = min(board.halfmove_clock, 0xffff)
    position.fullmove = min(board.fullmove_number, 0xffff)
    return position


def _metric(name: str) -> int:
    if name not in c.METRIC_NAMES:
        raise InputError(f"there is no metric {name!r}: {', '.join(c.METRIC_NAMES)}")
    return c.METRIC_NAMES.index(name)


# ---- Tables -------------------------------------------------------------------------------------


class _Set:
    """A treb_tables. It is closed when the last call that uses it has ended."""

    def __init__(self, directories: List[bytes], memory: Optional[int]) -> None:
        self._close = c.library().treb_tables_close
        self.handle = None
        size = None if memory is None else _memory(memory)
        error = c.CError()
        names = (c_char_p * max(1, len(directories)))(*directories)
        self.handle = c.library().treb_tables_open(names, len(directories), byref(error))
        if self.handle is None:
            raise_status(error.status, os.fsdecode(error.text))
        if size is not None:
            c.library().treb_tables_set_memory(self.handle, size)

    def __del__(self) -> None:
        if getattr(self, "handle", None) is not None:
            self._close(self.handle)

    def count(self) -> int:
        return c.library().treb_tables_count(self.handle)

    def men(self) -> int:
        return c.library().treb_tables_men(self.handle)


class Tablebase:
    """Tables of one or more folders, Trebuchet's files and Syzygy's. Any number of threads may ask
    at the same time, and others add folders or close it meanwhile."""

    def __init__(self, *directories: Directory, memory: Optional[int] = None) -> None:
        self._lock = threading.Lock()  # of changes
        self._directories = [os.fsencode(directory) for directory in directories]
        self._memory = memory
        self._set: Optional[_Set] = _Set(self._directories, memory)

    def _open_set(self) -> _Set:
        tables = self._set
        if tables is None:
            raise ValueError("the tablebase is closed")
        return tables

    def __enter__(self) -> "Tablebase":
        self._open_set()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of all files. Nothing can be asked any more."""
        with self._lock:
            self._set = None

    def add_directory(self, directory: Directory) -> int:
        """Takes the tables of one more folder. Returns how many files that added."""
        with self._lock:
            old = self._open_set()
            directories = self._directories + [os.fsencode(directory)]
            new = _Set(directories, self._memory)
            self._set, self._directories = new, directories
        return new.count() - old.count()

    def set_memory(self, size: int) -> None:
        """So many bytes of unpacked tables are kept in memory; 64 MiB at first."""
        with self._lock:
            c.library().treb_tables_set_memory(self._open_set().handle, _memory(size))
            self._memory = size

    def __len__(self) -> int:
        """How many table files there are."""
        return self._open_set().count()

    @property
    def men(self) -> int:
        """The most men that a position may have of which something is known, 0 without tables."""
        return self._open_set().men()

    def find_table(self, material: str, metric: str = "wdl") -> Table:
        """The file of a material, such as "KRPvKR"."""
        tables, info = self._open_set(), c.CTableInfo()
        c.call("treb_tables_find", tables.handle, _text(material), _metric(metric), byref(info))
        return Table(info.material.decode(), c.METRIC_NAMES[info.metric],
                     ("trebuchet", "syzygy")[info.format], os.fsdecode(info.path), info.file_size)

    # ---- One number -----------------------------------------------------------------------------

    def probe_wdl(self, board: Board) -> int:
        """The verdict as if the clock were at 0: 2 win, 1 cursed win, 0 draw, -1 blessed loss,
        -2 loss."""
        tables, wdl = self._open_set(), c_int()
        c.call("treb_probe_wdl", tables.handle, byref(_position(board)), byref(wdl))
        return wdl.value - 2

    def _probe(self, board: Board, metric: int) -> int:
        tables, distance = self._open_set(), c.CDistance()
        c.call("treb_probe_distance", tables.handle, byref(_position(board)), metric,
               byref(distance))
        return _signed(distance.wdl, distance.plies)

    def probe_dtz(self, board: Board) -> int:
        """Plies to the next capture, pawn move or mate under the 50-move rule, as if the clock were
        at 0: more than 100 in cursed wins and blessed losses. 0 in draws, and when mated."""
        return self._probe(board, c.DTZ)

    def probe_dtc(self, board: Board) -> int:
        """Plies to the next capture, promotion or mate; no 50-move rule."""
        return self._probe(board, c.DTC)

    def probe_dtm(self, board: Board) -> int:
        """Plies to mate; no 50-move rule."""
        return self._probe(board, c.DTM)

    def _get(self, probe: Callable[[Board], int], board: Board,
             default: Optional[int]) -> Optional[int]:
        try:
            return probe(board)
        except MissingTableError:
            return default

    def get_wdl(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """As probe_wdl; `default` where no table has the position."""
        return self._get(self.probe_wdl, board, default)

    def get_dtz(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """As probe_dtz; `default` where no table has the position."""
        return self._get(self.probe_dtz, board, default)

    def get_dtc(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """As probe_dtc; `default` where no table has the position."""
        return self._get(self.probe_dtc, board, default)

    def get_dtm(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """As probe_dtm; `default` where no table has the position."""
        return self._get(self.probe_dtm, board, default)

    # ---- Everything -----------------------------------------------------------------------------

    def probe_root(self, board: Board) -> Value:
        """All that is known of a position, its clock included."""
        tables, value = self._open_set(), c.CValue()
        c.call("treb_probe_root", tables.handle, byref(_position(board)), byref(value))
        return Value(*_value_fields(value))

    def probe_moves(self, board: Board, metric: str = "dtz", rule50: bool = True) -> List[Move]:
        """All legal moves, best first: by the verdict, then by `metric`. Without `rule50` cursed
        wins count as wins. Raises MissingTableError unless every move has what the order needs."""
        tables, count, moves = self._open_set(), c_size_t(), (c.CMove * c.MOVES_MAX)()
        c.call("treb_probe_moves", tables.handle, byref(_position(board)), _metric(metric),
               0 if rule50 else 1, moves, c.MOVES_MAX, byref(count))
        return [_move(move) for move in moves[:count.value]]

    def best_line(self, board: Board, metric: str = "dtz", rule50: bool = True,
                  limit: int = 1000) -> Line:
        """What both sides play if they always take the first move of probe_moves."""
        if limit < 1:
            raise InputError("a line of less than one move")
        tables, count, end = self._open_set(), c_size_t(), c_int()
        moves = (c.CMove * limit)()
        c.call("treb_best_line", tables.handle, byref(_position(board)), _metric(metric),
               0 if rule50 else 1, moves, limit, byref(count), byref(end))
        return Line(tuple(_move(move) for move in moves[:count.value]), _ENDS[end.value])


    # ---- All positions --------------------------------------------------------------------------

    def each_position(self, material: str) -> Iterator[str]:
        """FENs of the legal positions of an ending, in the order of its table, so that probing each
        costs little. Of those that a symmetry of the board makes the same one comes; with the same
        men on both sides White is to move in all. En passant is left out."""
        tables = self._open_set()
        men = min(len(material) - material.count("v"), 8)
        parts = max(1, 64 ** max(men - 2, 0) // 1024)  # of some 100,000 to a million positions
        for part in range(parts):
            yield from _fens_of_part(tables, material, part, parts)


def _fens_of_part(tables: _Set, material: str, part: int, parts: int) -> List[str]:
    fens: List[str] = []
    failures: List[BaseException] = []  # nothing may be raised through the library
    text = ctypes.create_string_buffer(c.FEN_SIZE)
    to_fen = c.library().treb_position_to_fen

    def visit(_context: object, position: Any) -> int:
        try:
            to_fen(position, text)
            fens.append(text.value.decode())
        except BaseException as failure:
            failures.append(failure)
        return not failures

    c.call("treb_each_position", tables.handle, _text(material), part, parts, c.VISIT(visit), None)
    if failures:
        raise failures[0]
    return fens


def open_tablebase(*directories: Directory, memory: Optional[int] = None) -> Tablebase:
    """Opens the tables of some folders. `memory` bytes are kept of what is unpacked (64 MiB)."""
    return Tablebase(*directories, memory=memory)
