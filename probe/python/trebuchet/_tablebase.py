"""Sets of tables, and probing positions in them."""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import byref, c_char_p, c_int, c_size_t
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Optional, Tuple, Union

from . import _library as c
from ._errors import CASTLING, OK, InputError, MissingTableError, raise_status

if TYPE_CHECKING:
    import chess

Board = Union[str, "chess.Board"]
Directory = Union[str, "os.PathLike[str]"]

_ENDS = ("mate", "stalemate", "draw", "limit")
_FLAGS = 6


# ---- Results ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Value:
    """The value of a position for the side to move, or of a move for the side that makes it.

    Verdicts: 2 win, 1 cursed win (a draw by the 50-move rule), 0 draw, -1 blessed loss, -2 loss.
    Distances are in plies, positive in wins and negative in losses; None: not known."""

    wdl: int  #: the verdict with a halfmove clock of 0
    rule: int  #: the verdict with the clock of the position
    dtz: Optional[int]  #: to the next capture, pawn move or mate
    dtc: Optional[int]  #: to the next capture, promotion or mate
    dtm: Optional[int]  #: to mate
    rounded: bool  #: DTZ comes from a rounded Syzygy file: the true number may be one more
    certain: bool  #: `rule` is certain; if not, a win may be a cursed win, and a loss a blessed loss


@dataclass(frozen=True)
class Move(Value):
    """A legal move. chess.Move.from_uci(move.uci) converts it to a move of python-chess."""

    uci: str  #: "e7e8q"
    san: str  #: "e8=Q+"
    from_square: int
    to_square: int
    promotion: Optional[int]  #: 2 knight, 3 bishop, 4 rook, 5 queen, as in python-chess
    capture: bool
    zeroing: bool  #: a capture or pawn move, which sets the clock to 0
    conversion: bool  #: a capture or promotion
    check: bool
    mate: bool
    stalemate: bool


@dataclass(frozen=True)
class Line:
    """Best play of both sides. `end` is "mate", "stalemate", "draw" (the last position is drawn),
    or "limit"."""

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


def _value_fields(value: c.CValue, clock: int) -> Tuple[Any, ...]:
    certain = c.library().treb_value_doubt(byref(value), clock) == 0
    return (value.wdl - 2, value.rule - 2, _distance(value, c.DTZ), _distance(value, c.DTC),
            _distance(value, c.DTM), bool(value.rounded[c.DTZ]), certain)


def _move(move: c.CMove, clock: int) -> Move:
    flags = [bool(move.flags >> bit & 1) for bit in range(_FLAGS)]
    return Move(*_value_fields(move.value, clock), move.uci.decode(), move.san.decode(),
                move.from_square, move.to_square, move.promotion + 1 if move.promotion else None,
                *flags)


def _line(moves: Iterable[c.CMove], clock: int) -> Iterator[Move]:
    for move in moves:
        out = _move(move, clock)
        yield out
        clock = 0 if out.zeroing else clock + 1


# ---- Arguments ----------------------------------------------------------------------------------


def _text(text: str) -> bytes:
    """Encodes a text for the library. A NUL would end it there, and is refused."""
    if "\0" in text:
        raise InputError(f"a NUL in {text!r}")
    return text.encode()


def _memory(size: int) -> int:
    if not 0 <= size < 1 << 64:
        raise InputError(f"{size} is no size of memory")
    return size


_CORNERS, _E1, _E8 = 0x81 << 56 | 0x81, 1 << 4, 1 << 60


def _castling(board: "chess.Board") -> int:
    """Castling rights as the library has them. A right needs its king and rook in place."""
    rights = board.castling_rights and board.clean_castling_rights()
    if not rights:
        return 0
    elsewhere = (rights & ~_CORNERS or (rights & 0xff and not board.kings & board.occupied_co[True] & _E1)
                 or (rights >> 56 and not board.kings & board.occupied_co[False] & _E8))
    if elsewhere:
        raise MissingTableError("castling rights of Chess960 remain: no table covers them", CASTLING)
    rights = (board.has_kingside_castling_rights(True), board.has_queenside_castling_rights(True),
              board.has_kingside_castling_rights(False), board.has_queenside_castling_rights(False))
    return sum(1 << bit for bit, right in enumerate(rights) if right)


def _position(board: Board) -> c.CPosition:
    """Converts a FEN or a board of python-chess."""
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
    """A treb_tables. It is closed when no call uses it any more."""

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
    """Tables of one or more folders: Trebuchet's files and Syzygy's. Any number of threads may
    probe at the same time, while other threads add folders or close the tablebase."""

    def __init__(self, *directories: Directory, memory: Optional[int] = None) -> None:
        self._lock = threading.Lock()  # held while _set changes
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
        """Closes all files. Later calls raise ValueError."""
        with self._lock:
            self._set = None

    def add_directory(self, directory: Directory) -> int:
        """Adds the tables of a folder. Returns the number of files added."""
        with self._lock:
            old = self._open_set()
            directories = self._directories + [os.fsencode(directory)]
            new = _Set(directories, self._memory)
            self._set, self._directories = new, directories
        return new.count() - old.count()

    def set_memory(self, size: int) -> None:
        """Sets how many bytes of unpacked tables are kept in memory; the default is 64 MiB."""
        with self._lock:
            c.library().treb_tables_set_memory(self._open_set().handle, _memory(size))
            self._memory = size

    def __len__(self) -> int:
        """The number of table files."""
        return self._open_set().count()

    @property
    def men(self) -> int:
        """The largest number of men of a position that the tables know; 0 without tables."""
        return self._open_set().men()

    def find_table(self, material: str, metric: str = "wdl") -> Table:
        """The file of a material, such as "KRPvKR"; MissingTableError if it is not installed."""
        tables, info = self._open_set(), c.CTableInfo()
        c.call("treb_tables_find", tables.handle, _text(material), _metric(metric), byref(info))
        return Table(info.material.decode(), c.METRIC_NAMES[info.metric],
                     ("trebuchet", "syzygy")[info.format], os.fsdecode(info.path), info.file_size)

    # ---- Single values --------------------------------------------------------------------------

    def probe_wdl(self, board: Board) -> int:
        """The verdict with a halfmove clock of 0: 2 win, 1 cursed win, 0 draw, -1 blessed loss,
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
        """Plies to the next capture, pawn move or mate under the 50-move rule, with a clock of 0:
        more than 100 in cursed wins and blessed losses. 0 in draws, and if mated."""
        return self._probe(board, c.DTZ)

    def probe_dtc(self, board: Board) -> int:
        """Plies to the next capture, promotion or mate, without the 50-move rule."""
        return self._probe(board, c.DTC)

    def probe_dtm(self, board: Board) -> int:
        """Plies to mate, without the 50-move rule."""
        return self._probe(board, c.DTM)

    def _get(self, probe: Callable[[Board], int], board: Board,
             default: Optional[int]) -> Optional[int]:
        try:
            return probe(board)
        except MissingTableError:
            return default

    def get_wdl(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """Like probe_wdl, but returns `default` if no table has the position."""
        return self._get(self.probe_wdl, board, default)

    def get_dtz(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """Like probe_dtz, but returns `default` if no table has the position."""
        return self._get(self.probe_dtz, board, default)

    def get_dtc(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """Like probe_dtc, but returns `default` if no table has the position."""
        return self._get(self.probe_dtc, board, default)

    def get_dtm(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """Like probe_dtm, but returns `default` if no table has the position."""
        return self._get(self.probe_dtm, board, default)

    # ---- All values -----------------------------------------------------------------------------

    def probe_root(self, board: Board) -> Value:
        """The value of a position: verdicts with and without its clock, and all known distances."""
        tables, value, position = self._open_set(), c.CValue(), _position(board)
        c.call("treb_probe_root", tables.handle, byref(position), byref(value))
        return Value(*_value_fields(value, position.halfmove))

    def probe_moves(self, board: Board, metric: str = "dtz", rule50: bool = True) -> List[Move]:
        """All legal moves, best first: sorted by verdict, then by `metric`. Without `rule50` cursed
        wins count as wins. Raises MissingTableError if a table is missing that the order needs."""
        tables, count, moves = self._open_set(), c_size_t(), (c.CMove * c.MOVES_MAX)()
        position = _position(board)
        c.call("treb_probe_moves", tables.handle, byref(position), _metric(metric),
               0 if rule50 else 1, moves, c.MOVES_MAX, byref(count))
        return [_move(move, position.halfmove) for move in moves[:count.value]]

    def best_line(self, board: Board, metric: str = "dtz", rule50: bool = True,
                  limit: int = 1000) -> Line:
        """The line in which both sides play the first move of probe_moves, up to `limit` plies."""
        if limit < 1:
            raise InputError("a line of less than one move")
        tables, count, end = self._open_set(), c_size_t(), c_int()
        moves, position = (c.CMove * limit)(), _position(board)
        c.call("treb_best_line", tables.handle, byref(position), _metric(metric),
               0 if rule50 else 1, moves, limit, byref(count), byref(end))
        return Line(tuple(_line(moves[:count.value], position.halfmove)), _ENDS[end.value])


    # ---- All positions --------------------------------------------------------------------------

    def each_position(self, material: str) -> Iterator[str]:
        """FENs of all legal positions of an ending, in the order of its table, so that probing each
        is fast. Of positions that are equal by a symmetry of the board only one is listed. If both
        sides have the same men White is to move in all. Without en passant."""
        tables = self._open_set()
        men = min(len(material) - material.count("v"), 8)
        parts = max(1, 64 ** max(men - 2, 0) // 1024)  # of about 100,000 to a million positions
        for part in range(parts):
            yield from _fens_of_part(tables, material, part, parts)


def _fens_of_part(tables: _Set, material: str, part: int, parts: int) -> List[str]:
    fens: List[str] = []
    failures: List[BaseException] = []  # exceptions must not pass through the library
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
    """Opens the tables of folders. `memory`: bytes of unpacked tables to keep (64 MiB)."""
    return Tablebase(*directories, memory=memory)
