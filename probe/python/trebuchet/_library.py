"""The C library: its structures and functions, as trebuchet.h declares them."""
from __future__ import annotations

import ctypes
import functools
import os
import sys
from ctypes import (POINTER, byref, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p)
from typing import TYPE_CHECKING, List, Union

from ._errors import CASTLING, OK, InputError, LibraryError, MissingTableError, raise_status

if TYPE_CHECKING:
    import chess

# The structures below are those of the library of this name.
SONAME = {"darwin": "libtrebuchet.1.dylib", "win32": "trebuchet.dll"}.get(sys.platform, "libtrebuchet.so.1")
LEAST_VERSION = 300

TYPES, METRICS, MOVES_MAX, FEN_SIZE = 6, 4, 256, 96
WDL, DTZ, DTC, DTM = range(METRICS)
DTM50 = METRICS + 2
METRIC_NAMES = {WDL: "wdl", DTZ: "dtz", DTC: "dtc", DTM: "dtm", DTM50: "dtm50"}


class CError(ctypes.Structure):
    _fields_ = [("status", c_int), ("text", c_char * 484), ("metric", c_int),
                ("material", c_char * 24)]


class CPosition(ctypes.Structure):
    _fields_ = [("by_color", c_uint64 * 2), ("by_type", c_uint64 * TYPES), ("turn", c_uint8),
                ("ep", c_uint8), ("castling", c_uint8), ("halfmove", c_uint16),
                ("fullmove", c_uint16)]


class CTableInfo(ctypes.Structure):
    _fields_ = [("material", c_char * 24), ("metric", c_int), ("format", c_int),
                ("path", c_char_p), ("file_size", c_uint64), ("block_size", c_uint64),
                ("stored", c_int * 2), ("count", c_uint64 * 5 * 2), ("longest", c_uint32 * 5 * 2),
                ("longest_fen", c_char * FEN_SIZE * 5 * 2)]


class CDistance(ctypes.Structure):
    _fields_ = [("wdl", c_int), ("plies", c_int), ("rounded", c_int)]


class CValue(ctypes.Structure):
    _fields_ = [("wdl", c_int), ("rule", c_int), ("plies", c_int * METRICS),
                ("rounded", c_uint8 * METRICS), ("status", c_int * METRICS), ("dtm50", c_int),
                ("dtm50_status", c_int)]


class CMove(ctypes.Structure):
    _fields_ = [("from_square", c_uint8), ("to_square", c_uint8), ("promotion", c_uint8),
                ("flags", c_uint8), ("uci", c_char * 6), ("san", c_char * 8), ("value", CValue)]


class CColumns(ctypes.Structure):
    _fields_ = [("wdl", c_void_p), ("plies", c_void_p * METRICS), ("rounded", c_void_p * METRICS),
                ("status", c_void_p * METRICS), ("dtm50", c_void_p), ("dtm50_status", c_void_p)]


_ERROR, _POSITION = POINTER(CError), POINTER(CPosition)
SAMPLE_BOARD, SAMPLE_TURNED = 1, 2

# Name: type of the result, types of the arguments.
_FUNCTIONS = {
    "treb_version": (c_char_p, []),
    "treb_version_number": (c_int, []),
    "treb_position_from_fen": (c_int, [c_char_p, _POSITION, _ERROR]),
    "treb_position_to_fen": (None, [_POSITION, POINTER(c_char)]),
    "treb_tables_open": (c_void_p, [POINTER(c_char_p), c_size_t, _ERROR]),
    "treb_tables_close": (None, [c_void_p]),
    "treb_tables_set_memory": (None, [c_void_p, c_uint64]),
    "treb_tables_count": (c_size_t, [c_void_p]),
    "treb_tables_men": (c_int, [c_void_p]),
    "treb_tables_info": (c_int, [c_void_p, c_size_t, POINTER(CTableInfo), _ERROR]),
    "treb_tables_find": (c_int, [c_void_p, c_char_p, c_int, POINTER(CTableInfo), _ERROR]),
    "treb_probe_wdl": (c_int, [c_void_p, _POSITION, POINTER(c_int), _ERROR]),
    "treb_probe_distance": (c_int, [c_void_p, _POSITION, c_int, POINTER(CDistance), _ERROR]),
    "treb_probe_root": (c_int, [c_void_p, _POSITION, POINTER(CValue), _ERROR]),
    "treb_probe_moves": (c_int, [c_void_p, _POSITION, c_int, c_int, POINTER(CMove), c_size_t,
                                 POINTER(c_size_t), _ERROR]),
    "treb_best_line": (c_int, [c_void_p, _POSITION, c_int, c_int, POINTER(CMove), c_size_t,
                               POINTER(c_size_t), POINTER(c_int), _ERROR]),
    "treb_value_doubt": (c_int, [POINTER(CValue), c_int]),
    "treb_probe_many": (c_size_t, [c_void_p, c_void_p, c_size_t, POINTER(CColumns)]),
    "treb_positions_from_fens": (c_size_t, [POINTER(c_char_p), c_size_t, c_void_p, c_void_p]),
    "treb_next_positions": (c_int, [c_void_p, c_char_p, POINTER(c_uint64), c_void_p, c_size_t,
                                    POINTER(c_size_t), _ERROR]),
    "treb_sample_positions": (c_int, [c_void_p, c_char_p, c_uint64, c_uint, c_void_p, c_size_t,
                                      POINTER(c_size_t), _ERROR]),
    "treb_tables_histogram": (c_int, [c_void_p, c_char_p, c_int, c_int, c_int, c_void_p, c_size_t,
                                      POINTER(c_size_t), _ERROR]),
    "treb_tables_check": (c_size_t, [c_void_p]),
    "treb_tables_fault": (c_char_p, [c_void_p, c_size_t, _ERROR]),
}


def _places() -> List[str]:
    """Where the library may be, the preferred place first. The loader searches for a mere name."""
    chosen = os.environ.get("TREBUCHET_LIBRARY")
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)  # of a wheel
    if chosen:
        return [chosen]
    return [inside] if os.path.exists(inside) else [SONAME, "/usr/local/lib/" + SONAME]


def _load() -> ctypes.CDLL:
    why = ""
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            why = why or str(error)
    raise LibraryError(f"cannot load libtrebuchet: {why}; install it ('make install' in its source "
                       "tree), or let TREBUCHET_LIBRARY name the file")


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed."""
    lib = _load()
    try:
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise LibraryError(f"this is no libtrebuchet of version 0.3 or later: {error}") from None
    if lib.treb_version_number() < LEAST_VERSION:
        raise LibraryError(f"libtrebuchet is of version {lib.treb_version().decode()}: 0.3.0 is "
                           "needed")
    return lib


def version() -> str:
    """The version of the library that was loaded, such as "0.3.0"."""
    return str(library().treb_version().decode())


def call(name: str, *arguments: object) -> None:
    """Calls a function that returns a status and takes a treb_error last. Raises on failure."""
    error = CError()
    status = getattr(library(), name)(*arguments, ctypes.byref(error))
    if status != OK:
        raise_status(status, error.text.decode("utf-8", "replace"))


# ---- Arguments ----------------------------------------------------------------------------------

Board = Union[str, "chess.Board"]


def encoded(text: str) -> bytes:
    """Encodes a text for the library. A NUL would end it there, and is refused."""
    if "\0" in text:
        raise InputError(f"a NUL in {text!r}")
    return text.encode()


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


def position_of(board: Board) -> CPosition:
    """Converts a FEN or a board of python-chess."""
    position = CPosition()
    if isinstance(board, str):
        call("treb_position_from_fen", encoded(board), byref(position))
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
