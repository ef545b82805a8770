"""Sets of tables, and probing positions in them."""
from __future__ import annotations

import os
import threading
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint64
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, Callable, Iterable, Iterator, List, Optional, Tuple, Union

from . import _library as c
from ._errors import OK, POSITION, InputError, MissingTableError, raise_status
from ._library import Board
from ._positions import SIZE, Array, Positions, Values, address, new_array, probe, raise_first
from ._values import (ENDS, TURNS, VERDICTS, Fault, Line, Longest, Move, Stats, Table, Value, line_of, longest_of, move_of,
                      signed, table_of, value_fields)

Directory = Union[str, "os.PathLike[str]"]


# ---- Arguments ----------------------------------------------------------------------------------


def _memory(size: int) -> int:
    if not 0 <= size < 1 << 64:
        raise InputError(f"{size} is no size of memory")
    return size


def _metric(name: str) -> int:
    for number, known in c.METRIC_NAMES.items():
        if name == known:
            return number
    raise InputError(f"there is no metric {name!r}: {', '.join(c.METRIC_NAMES.values())}")


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
        return int(c.library().treb_tables_count(self.handle))

    def men(self) -> int:
        return int(c.library().treb_tables_men(self.handle))


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
        c.call("treb_tables_find", tables.handle, c.encoded(material), _metric(metric), byref(info))
        return table_of(info)

    def tables(self) -> List[Table]:
        """All table files, in the order of men, material and metric. Opens each of them; a damaged one has size 0."""
        tables, found, info = self._open_set(), [], c.CTableInfo()
        for number in range(tables.count()):
            c.library().treb_tables_info(tables.handle, number, byref(info), None)
            found.append(table_of(info))
        return found

    def check(self) -> List[Fault]:
        """Looks at the size of every file in the folders, and returns those that cannot be used: that are cut short,
        of another table than their name says, or not readable. Damage elsewhere is found by the probe that needs
        it; the files that probes found are returned too."""
        tables, error, faults = self._open_set(), c.CError(), []
        for number in range(c.library().treb_tables_check(tables.handle)):
            path = c.library().treb_tables_fault(tables.handle, number, byref(error))
            faults.append(Fault(os.fsdecode(path), error.text.decode("utf-8", "replace")))
        return faults

    # ---- Single values --------------------------------------------------------------------------

    def probe_wdl(self, board: Board) -> int:
        """The verdict with a halfmove clock of 0: 2 win, 1 cursed win, 0 draw, -1 blessed loss,
        -2 loss."""
        tables, wdl = self._open_set(), c_int()
        c.call("treb_probe_wdl", tables.handle, byref(c.position_of(board)), byref(wdl))
        return wdl.value - 2

    def _probe(self, board: Board, metric: int) -> int:
        tables, distance = self._open_set(), c.CDistance()
        c.call("treb_probe_distance", tables.handle, byref(c.position_of(board)), metric,
               byref(distance))
        return signed(distance.wdl, distance.plies)

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

    def probe_dtm50(self, board: Board) -> int:
        """Plies to mate under the 50-move rule, from the position's clock on; 0 if the rule makes it a draw."""
        return self._probe(board, c.DTM50)

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

    def get_dtm50(self, board: Board, default: Optional[int] = None) -> Optional[int]:
        """Like probe_dtm50, but returns `default` if no table has the position."""
        return self._get(self.probe_dtm50, board, default)

    # ---- All values -----------------------------------------------------------------------------

    def probe_root(self, board: Board) -> Value:
        """The value of a position: verdicts with and without its clock, and all known distances."""
        tables, value, position = self._open_set(), c.CValue(), c.position_of(board)
        c.call("treb_probe_root", tables.handle, byref(position), byref(value))
        return Value(**value_fields(value, position.halfmove))

    def probe_moves(self, board: Board, metric: str = "dtz", rule50: bool = True) -> List[Move]:
        """All legal moves, best first: sorted by verdict, then by `metric`. Without `rule50` cursed
        wins count as wins. Raises MissingTableError if a table is missing that the order needs."""
        tables, count, moves = self._open_set(), c_size_t(), (c.CMove * c.MOVES_MAX)()
        position = c.position_of(board)
        c.call("treb_probe_moves", tables.handle, byref(position), _metric(metric),
               0 if rule50 else 1, moves, c.MOVES_MAX, byref(count))
        return [move_of(move, position.halfmove) for move in moves[:count.value]]

    def best_line(self, board: Board, metric: str = "dtz", rule50: bool = True,
                  limit: int = 1000) -> Line:
        """The line in which both sides play the first move of probe_moves, up to `limit` plies."""
        if limit < 1:
            raise InputError("a line of less than one move")
        tables, count, end = self._open_set(), c_size_t(), c_int()
        moves, position = (c.CMove * limit)(), c.position_of(board)
        c.call("treb_best_line", tables.handle, byref(position), _metric(metric),
               0 if rule50 else 1, moves, limit, byref(count), byref(end))
        return Line(tuple(line_of(moves[:count.value], position.halfmove)), ENDS[end.value])

    # ---- Many positions -------------------------------------------------------------------------

    def probe_many(self, positions: Union[Positions, Iterable[Board], Any], *metrics: str, strict: bool = True,
                   threads: int = 1) -> Values:
        """Arrays with the verdict and, for each of `metrics` ("dtz", "dtc", "dtm", "dtm50"), the distance of each position,
        as probe_wdl etc. give them. Positions are FENs, boards, Positions, or a buffer like Positions.data.

        Raises the exception of the first position of which something is not known; without `strict` the arrays
        have UNKNOWN_WDL and UNKNOWN_PLIES there. `threads` share the work."""
        tables = self._open_set()
        if not isinstance(positions, Positions):
            positions = Positions(positions)
        numbers = sorted({c.WDL, *map(_metric, metrics)})
        values = probe(tables.handle, positions, numbers, lambda run, count: _share(run, count, threads))
        if strict and values.unknown:
            raise_first(values, positions, tables.handle)
        return values

    # ---- Endings --------------------------------------------------------------------------------

    def positions(self, material: str, size: int = 65536) -> Iterator[Positions]:
        """All legal positions of an ending, `size` at a time, in the order of its table, so that probing them is
        fast. Of positions that are equal by a symmetry of the board only one is listed. If both sides have the
        same men White is to move in all. Without en passant."""
        if size < 1:
            raise InputError("no positions at a time")
        tables, at, count = self._open_set(), c_uint64(), c_size_t(size)
        while count.value == size:
            memory = bytearray(size * SIZE)
            c.call("treb_next_positions", tables.handle, c.encoded(material), byref(at), address(memory), size,
                   byref(count))
            del memory[count.value * SIZE:]
            if count.value:
                yield Positions(memory)

    def each_position(self, material: str) -> Iterator[str]:
        """The FENs of positions(material), one by one."""
        for some in self.positions(material):
            yield from some

    def sample(self, material: str, size: int, seed: int = 1, weight: str = "class",
               mirror: str = "none") -> Positions:
        """`size` random positions of an ending, each once: those of `trebuchet find --sample`. All of them if it has
        fewer. `weight`: "class", positions that are equal by a symmetry of the board count once; "board": all
        positions of the full board have the same probability. `mirror`: "none", as in the table; "random":
        turned, mirrored and with colours exchanged at random."""
        tables, count = self._open_set(), c_size_t()
        if not 0 <= size <= 1 << 32 or not 0 <= seed < 1 << 64:
            raise InputError("size and seed of a sample are numbers from 0 on")
        for name, value, words in (("weight", weight, ("class", "board")), ("mirror", mirror, ("none", "random"))):
            if value not in words:
                raise InputError(f"{name} is {words[0]!r} or {words[1]!r}, not {value!r}")
        how = c.SAMPLE_BOARD * (weight == "board") + c.SAMPLE_TURNED * (mirror == "random")
        memory = bytearray(size * SIZE)
        c.call("treb_sample_positions", tables.handle, c.encoded(material), seed, how, address(memory), size,
               byref(count))
        del memory[count.value * SIZE:]
        return Positions(memory)

    def find(self, material: str, condition: Callable[["Batch"], Any], first: Optional[int] = None) -> Positions:
        """The positions of an ending for which a condition is true, or the `first` of them. It is called with many
        positions at a time, and returns an array with a truth value for each: with numpy
        `lambda p: (p.wdl == 2) & (p.dtm > 60)`, without it `lambda p: [dtm > 60 for dtm in p.dtm]`."""
        found, left = [], first
        for some in self.positions(material):
            if left is not None and left <= 0:
                break
            matching = some.select(condition(Batch(self, some)))
            found.append(matching if left is None else matching[:left])
            left = None if left is None else left - len(matching)
        return Positions(b"".join(bytes(some.data) for some in found))

    def stats(self, material: str) -> Stats:
        """How many positions of an ending are won, drawn and lost, and what takes longest. From the headers of
        Trebuchet's files; Syzygy's do not have it."""
        tables, info = self._open_set(), c.CTableInfo()
        longest: List[Longest] = []
        for metric in (c.DTM, c.DTM50, c.DTC, c.DTZ):
            try:
                c.call("treb_tables_find", tables.handle, c.encoded(material), metric, byref(info))
            except MissingTableError:
                continue
            longest += longest_of(info)
        c.call("treb_tables_find", tables.handle, c.encoded(material), c.WDL, byref(info))
        if info.format:
            raise MissingTableError(f"{os.fsdecode(info.path)} is a Syzygy file, which has no statistics")
        counts = {side: dict(zip(VERDICTS, info.count[turn])) for turn, side in enumerate(TURNS)}
        return Stats(info.material.decode(), counts, tuple(longest))

    def histogram(self, material: str, metric: str = "dtm", turn: str = "white", wdl: int = 2) -> Array:
        """How often each distance occurs: element p is the number of positions of the full board that are p plies
        from the end, with `turn` to move and this verdict. White is the side that the table names first. Empty
        if no position has this verdict."""
        if turn not in TURNS or wdl not in VERDICTS:
            raise InputError(f"there is no side {turn!r}" if turn not in TURNS else f"there is no verdict {wdl}")
        tables, count = self._open_set(), c_size_t()
        place = (tables.handle, c.encoded(material), _metric(metric), TURNS.index(turn), VERDICTS.index(wdl))
        c.call("treb_tables_histogram", *place, None, 0, byref(count))
        out = new_array("q", count.value)
        c.call("treb_tables_histogram", *place, address(out), count.value, byref(count))
        return out


class Batch(Positions):
    """Positions whose values are probed when they are asked for: arrays as in Values."""

    def __init__(self, tablebase: Tablebase, positions: Positions) -> None:
        super().__init__(positions)
        self._tablebase = tablebase

    @cached_property
    def wdl(self) -> Array:
        """The verdict."""
        return self._tablebase.probe_many(self).wdl

    @cached_property
    def dtz(self) -> Array:
        """Plies to the next capture, pawn move or mate."""
        return self._tablebase.probe_many(self, "dtz").dtz

    @cached_property
    def dtc(self) -> Array:
        """Plies to the next capture, promotion or mate."""
        return self._tablebase.probe_many(self, "dtc").dtc

    @cached_property
    def dtm(self) -> Array:
        """Plies to mate."""
        return self._tablebase.probe_many(self, "dtm").dtm

    @cached_property
    def dtm50(self) -> Array:
        """Plies to mate under the 50-move rule."""
        return self._tablebase.probe_many(self, "dtm50").dtm50

    @cached_property
    def passed_wdl(self) -> Array:
        """The verdict if the other side were to move; UNKNOWN_WDL in check, when it cannot be."""
        other = self.passed()
        values = self._tablebase.probe_many(other, strict=False)
        wrong = next((i for i, why in enumerate(values.status["wdl"]) if why not in (OK, POSITION)), None)
        if wrong is not None:
            self._tablebase.probe_wdl(other[wrong])
        return values.wdl


def _share(run: Callable[[int, int], int], count: int, threads: int) -> int:
    """Calls run(first, end) for parts of `count` things, in threads. Returns the sum."""
    if threads <= 1 or count < 1024:
        return run(0, count)
    part = max(1024, -(-count // (4 * threads)))
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda first: run(first, min(first + part, count)), range(0, count, part)))


def open_tablebase(*directories: Directory, memory: Optional[int] = None) -> Tablebase:
    """Opens the tables of folders. `memory`: bytes of unpacked tables to keep (64 MiB)."""
    return Tablebase(*directories, memory=memory)
