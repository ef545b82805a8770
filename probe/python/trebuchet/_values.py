"""What tables say about positions and endings."""
from __future__ import annotations

import os
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple

from . import _library as c
from ._errors import OK

TURNS, VERDICTS = ("white", "black"), (-2, -1, 0, 1, 2)
ENDS = ("mate", "stalemate", "draw", "limit")


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
    dtm50: Optional[int]  #: to mate under the 50-move rule, with the clock; 0 if the rule makes it a draw
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
    metric: str  #: "wdl", "dtz", "dtc", "dtm" or "dtm50"
    format: str  #: "trebuchet" or "syzygy"
    path: str
    size: int  #: bytes


@dataclass(frozen=True)
class Longest:
    """The longest way to a result in an ending, of a side to move."""

    metric: str  #: "dtz", "dtc", "dtm" or "dtm50"
    turn: str  #: "white" or "black"
    wdl: int
    plies: int
    fen: str  #: a position that takes so long


@dataclass(frozen=True)
class Stats:
    """What the headers of the files of an ending say. Positions are those of the full board."""

    material: str  #: "KRPvKR"
    counts: Dict[str, Dict[int, int]]  #: counts["white"][2]: positions that White, to move, wins
    longest: Tuple[Longest, ...]  #: from the tables of distances that are installed


@dataclass(frozen=True)
class Fault:
    """A file with something wrong."""

    path: str
    text: str  #: what is wrong with it


def signed(wdl: int, plies: int) -> int:
    return plies if wdl >= 2 else -plies


def _distance(value: c.CValue, metric: int) -> Optional[int]:
    known = value.status[c.WDL] == OK and value.status[metric] == OK
    return signed(value.wdl, value.plies[metric]) if known else None


def _mate50(value: c.CValue) -> Optional[int]:
    known = value.status[c.WDL] == OK and value.dtm50_status == OK
    return signed(value.rule, value.dtm50) if known else None


def value_fields(value: c.CValue, clock: int) -> Dict[str, Any]:
    return {"wdl": value.wdl - 2, "rule": value.rule - 2, "dtz": _distance(value, c.DTZ),
            "dtc": _distance(value, c.DTC), "dtm": _distance(value, c.DTM), "dtm50": _mate50(value),
            "rounded": bool(value.rounded[c.DTZ]),
            "certain": c.library().treb_value_doubt(byref(value), clock) == 0}


def move_of(move: c.CMove, clock: int) -> Move:
    names = ("capture", "zeroing", "conversion", "check", "mate", "stalemate")
    flags = {name: bool(move.flags >> bit & 1) for bit, name in enumerate(names)}
    return Move(**value_fields(move.value, clock), uci=move.uci.decode(), san=move.san.decode(),
                from_square=move.from_square, to_square=move.to_square,
                promotion=move.promotion + 1 if move.promotion else None, **flags)


def line_of(moves: Iterable[c.CMove], clock: int) -> Iterator[Move]:
    for move in moves:
        out = move_of(move, clock)
        yield out
        clock = 0 if out.zeroing else clock + 1


def longest_of(info: c.CTableInfo) -> Iterator[Longest]:
    """The longest lines that the header of a table of distances names."""
    for turn, side in enumerate(TURNS):
        for verdict, wdl in reversed(list(enumerate(VERDICTS))):
            fen = info.longest_fen[turn][verdict].value.decode()
            if fen:
                yield Longest(c.METRIC_NAMES[info.metric], side, wdl, info.longest[turn][verdict], fen)


def table_of(info: c.CTableInfo) -> Table:
    """A table as its header describes it."""
    return Table(info.material.decode(), c.METRIC_NAMES[info.metric], ("trebuchet", "syzygy")[info.format],
                 os.fsdecode(info.path), info.file_size)
