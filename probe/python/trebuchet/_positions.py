"""Many positions in one piece of memory, and the arrays that probing them gives."""
from __future__ import annotations

import array
import ctypes
import itertools
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union, overload

from . import _library as c
from ._errors import OK, Error, InputError, raise_status
from ._library import Board

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

#: A numpy array if numpy is installed, else an array.array.
Array = Any

SIZE = ctypes.sizeof(c.CPosition)
WORDS = SIZE // 8
_COLORS, _TYPES = ("white", "black"), ("pawns", "knights", "bishops", "rooks", "queens", "kings")
_BYTES = {"turn": 64, "ep": 65, "castling": 66}
#: What an array holds where no table has the answer: the smallest numbers of their types.
UNKNOWN_WDL, UNKNOWN_PLIES = -128, -32768


def new_array(typecode: str, count: int) -> Array:
    """An array of zeros: b, B 8 bits, h 16 bits, q 64 bits."""
    if numpy is not None:
        return numpy.zeros(count, dtype={"b": "i1", "B": "u1", "h": "i2", "q": "i8"}[typecode])
    return array.array(typecode, bytes(count * array.array(typecode).itemsize))


def address(buffer: Any) -> int:
    """Where the memory of a writable array or bytearray is; 0 if it has none."""
    size = memoryview(buffer).nbytes
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)) if size else 0


class Positions(Sequence[str]):
    """Positions, 72 bytes each. A position of it is a FEN; a slice is other Positions.

    `fens` are FENs, or boards of python-chess, or anything with the buffer protocol that has 72 bytes
    for each position, such as the `data` of other Positions."""

    def __init__(self, fens: Union[Iterable[Board], Any] = ()) -> None:
        self._bytes = _bytes_of(fens)
        self._count = len(self._bytes) // SIZE

    @classmethod
    def from_bitboards(cls, *, white: Sequence[int], black: Sequence[int], pawns: Sequence[int], knights: Sequence[int],
                       bishops: Sequence[int], rooks: Sequence[int], queens: Sequence[int], kings: Sequence[int],
                       turn: Sequence[int], ep: Optional[Sequence[int]] = None) -> "Positions":
        """Makes positions from arrays with a number for each: bitboards (bit 0 is a1, bit 63 is h8), `turn`
        0 for White and 1 for Black, and `ep` the square behind a pawn that made a double step, or 0."""
        columns = (white, black, pawns, knights, bishops, rooks, queens, kings)
        count = len(white)
        if any(len(column) != count for column in (*columns, turn, *([] if ep is None else [ep]))):
            raise InputError("the arrays are of different lengths")
        memory = bytearray(count * SIZE)
        words = memoryview(memory).cast("Q")
        for place, column in enumerate(columns):
            words[place::WORDS] = memoryview(array.array("Q", [int(board) for board in column]))
        memory[_BYTES["turn"]::SIZE] = bytes(map(int, turn))
        if ep is not None:
            memory[_BYTES["ep"]::SIZE] = bytes(map(int, ep))
        memory[70::SIZE] = b"\1" * count  # the number of the move
        return cls(memory)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        for place in range(self._count):
            yield self[place]

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> "Positions": ...

    def __getitem__(self, place: Union[int, slice]) -> Union[str, "Positions"]:
        if isinstance(place, slice):
            start, stop, step = place.indices(self._count)
            if step == 1:
                return Positions(self._bytes[start * SIZE:max(start, stop) * SIZE])
            chosen = range(start, stop, step)
            return Positions(b"".join(self._bytes[i * SIZE:(i + 1) * SIZE] for i in chosen))
        text = ctypes.create_string_buffer(c.FEN_SIZE)
        c.library().treb_position_to_fen(ctypes.byref(self.position(place)), text)
        return text.value.decode()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Positions) and self._bytes == other._bytes

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: "Positions") -> "Positions":
        return Positions(self._bytes + other._bytes)

    def __repr__(self) -> str:
        return f"<{len(self)} positions>"

    @property
    def data(self) -> memoryview:
        """The memory: nine 64-bit numbers for each position, the bitboards of White and Black, then those of
        pawns, knights, bishops, rooks, queens and kings, and one with turn (bits 0 to 7), en passant
        square (8 to 15), castling rights, the clock (32 to 47) and the number of the move."""
        flat = memoryview(self._bytes)
        return flat.cast("Q", (self._count, WORDS)) if self._count else flat.cast("Q")

    def position(self, place: int) -> c.CPosition:
        """One position as the library has it."""
        count = self._count
        if not -count <= place < count:
            raise IndexError(f"there is no position {place} of {count}")
        return c.CPosition.from_buffer_copy(self._bytes, place % count * SIZE)

    def address(self) -> int:
        """Where the memory is."""
        return address(self._bytes)

    def _words(self, place: int) -> Array:
        if numpy is not None:
            return numpy.frombuffer(self._bytes, dtype="u8")[place::WORDS]
        return array.array("Q", memoryview(self._bytes).cast("Q")[place::WORDS].tolist())

    def _small(self, name: str) -> Array:
        if numpy is not None:
            return numpy.frombuffer(self._bytes, dtype="u1")[_BYTES[name]::SIZE]
        return array.array("B", self._bytes[_BYTES[name]::SIZE])

    white = property(lambda self: self._words(0), doc="The men of White: an array of bitboards.")
    black = property(lambda self: self._words(1), doc="The men of Black.")
    pawns = property(lambda self: self._words(2), doc="The pawns of both colours.")
    knights = property(lambda self: self._words(3), doc="The knights of both colours.")
    bishops = property(lambda self: self._words(4), doc="The bishops of both colours.")
    rooks = property(lambda self: self._words(5), doc="The rooks of both colours.")
    queens = property(lambda self: self._words(6), doc="The queens of both colours.")
    kings = property(lambda self: self._words(7), doc="The kings.")
    turn = property(lambda self: self._small("turn"), doc="0: White is to move, 1: Black is.")
    ep = property(lambda self: self._small("ep"), doc="The square behind a pawn that made a double step, or 0.")

    def passed(self) -> "Positions":
        """The positions with the other side to move. Where that side could take the king they are impossible."""
        memory = bytearray(self._bytes)
        memory[_BYTES["turn"]::SIZE] = bytes(1 - turn for turn in memory[_BYTES["turn"]::SIZE])
        return Positions(memory)

    def select(self, chosen: Iterable[Any]) -> "Positions":
        """The positions for which the array `chosen`, one truth value for each, is true."""
        if numpy is not None:
            mask = numpy.asarray(chosen, dtype=bool)
            if mask.shape == (self._count,):
                return Positions(numpy.frombuffer(self._bytes, dtype=f"V{SIZE}")[mask].tobytes())
            count = mask.size
        else:
            mask = list(chosen)
            count = len(mask)
        if count != self._count:
            raise InputError(f"{count} truth values for {self._count} positions")
        parts = (self._bytes[at:at + SIZE] for at in range(0, len(self._bytes), SIZE))
        return Positions(b"".join(itertools.compress(parts, mask)))


def _bytes_of(positions: Any) -> bytearray:
    """The memory of positions, as Positions takes them."""
    if isinstance(positions, Positions):
        return bytearray(positions._bytes)
    if isinstance(positions, str):
        raise TypeError("a list of FENs is needed, not one FEN")
    try:
        memory = memoryview(positions)
    except TypeError:
        return _bytes_of_boards(list(positions))
    if memory.nbytes % SIZE:
        raise InputError(f"a position takes {SIZE} bytes, and {memory.nbytes} bytes are no number of positions")
    return bytearray(memory.tobytes())


def _bytes_of_boards(boards: List[Board]) -> bytearray:
    if not all(isinstance(board, str) for board in boards):
        return bytearray(b"".join(bytes(c.position_of(board)) for board in boards))
    memory, status = bytearray(len(boards) * SIZE), bytearray(len(boards))
    texts = (ctypes.c_char_p * len(boards))(*[c.encoded(str(board)) for board in boards])
    if c.library().treb_positions_from_fens(texts, len(boards), address(memory), address(status)):
        wrong = next(place for place, value in enumerate(status) if value)
        try:
            c.position_of(boards[wrong])
        except Error as error:
            raise type(error)(f"position {wrong}: {boards[wrong]}: {error.text}", error.status) from None
    return memory


# ---- Probing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Values:
    """What tables say about positions: arrays with a number for each, for the side to move.

    Verdicts: 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss; UNKNOWN_WDL: not known. Distances are
    in plies, negative in losses, 0 in draws; UNKNOWN_PLIES: not known. Only dtm50 depends on the clocks of the
    positions."""

    wdl: Array  #: 8 bits
    dtz: Optional[Array] = None  #: 16 bits, like the others below; None: not asked for
    dtc: Optional[Array] = None
    dtm: Optional[Array] = None
    dtm50: Optional[Array] = None
    dtz_rounded: Optional[Array] = None  #: 0 exact, 1 rounded in a Syzygy file: one more may be true, 2 at most
    unknown: int = 0  #: how many numbers are not known
    status: Dict[str, Array] = field(default_factory=dict)  #: by metric: 0 known, else why not (treb_status)


def probe(handle: Any, positions: Positions, metrics: List[int],
          share: Callable[[Callable[[int, int], int], int], int]) -> Values:
    """Probes positions. `share(run, count)` calls run(first, end) for all parts of them."""
    count = len(positions)
    names = [c.METRIC_NAMES[metric] for metric in metrics]
    values = {name: new_array("b" if name == "wdl" else "h", count) for name in names}
    status = {name: new_array("B", count) for name in names}
    rounded = new_array("B", count) if "dtz" in names else None
    base = positions.address()
    arrays = {name: (address(values[name]), address(status[name])) for name in names}
    rounds = address(rounded) if rounded is not None else 0

    def run(first: int, end: int) -> int:
        columns = c.CColumns()
        for metric, name in zip(metrics, names):
            value, why = arrays[name]
            if metric == c.DTM50:
                columns.dtm50, columns.dtm50_status = value + 2 * first, why + first
                continue
            columns.status[metric] = why + first
            if metric == c.WDL:
                columns.wdl = value + first
            else:
                columns.plies[metric] = value + 2 * first
        if rounded is not None:
            columns.rounded[c.DTZ] = rounds + first
        return int(c.library().treb_probe_many(handle, base + SIZE * first, end - first, ctypes.byref(columns)))

    unknown = share(run, count) if count else 0
    return Values(**values, dtz_rounded=rounded, unknown=unknown, status=status)


def raise_first(values: Values, positions: Positions, handle: Any) -> None:
    """Raises the exception for the first position of which something is not known."""
    for metric, name in c.METRIC_NAMES.items():
        wrong = next((place for place, why in enumerate(values.status.get(name, ())) if why != OK), None)
        if wrong is None:
            continue
        error = c.CError()
        position = positions.position(wrong)
        status = c.library().treb_probe_distance(handle, ctypes.byref(position), metric, ctypes.byref(c.CDistance()),
                                                 ctypes.byref(error))
        text = error.text.decode("utf-8", "replace") if status else "its value was not known at first"
        raise_status(status or int(values.status[name][wrong]), f"position {wrong}: {positions[wrong]}: {text}")
