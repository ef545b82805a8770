//! Endgame tables: verdicts and distances of positions, from Trebuchet's and Syzygy's files.
//!
//! ```no_run
//! let tables = trebuchet::Tables::open(&["/srv/tables"]).unwrap();
//! let position = trebuchet::Position::from_fen("8/8/8/8/8/2K5/1Q6/k7 w - - 0 1").unwrap();
//! assert_eq!(tables.wdl(&position).unwrap(), trebuchet::Wdl::Win);
//! ```
//! The comments of `trebuchet.h` say what each call costs, and what each error means.
use std::ffi::{c_char, c_int, CStr, CString};

/// The result with best play, for the side to move, in ascending order of merit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub enum Wdl {
    Loss,
    BlessedLoss,
    Draw,
    CursedWin,
    Win,
}

/// What a table says: the verdict, or plies to the next zeroing move, conversion or mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Metric {
    Wdl,
    Dtz,
    Dtc,
    Dtm,
}

/// A distance in plies. `rounded`: 0 exact, 1 perhaps a ply more, 2 an upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Distance {
    pub wdl: Wdl,
    pub plies: c_int,
    pub rounded: c_int,
}

/// A position. Bit s of a bitboard is square s, from a1 = 0 to h8 = 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    /// The men of White, of Black.
    pub by_color: [u64; 2],
    /// Pawns, knights, bishops, rooks, queens, kings of both colours.
    pub by_type: [u64; 6],
    pub turn: u8,
    /// The square behind a pawn that just made a double step, or 0.
    pub ep: u8,
    pub castling: u8,
    pub halfmove: u16,
    pub fullmove: u16,
}

#[repr(C)]
struct RawError {
    status: c_int,
    text: [c_char; 484],
    metric: c_int,
    material: [c_char; 24],
}

/// Why a call failed: a `treb_status` and a text. For a missing table, `material` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub text: String,
    pub material: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
impl std::error::Error for Error {}

#[repr(C)]
struct RawTables {
    _opaque: [u8; 0],
}

extern "C" {
    fn treb_tables_open(places: *const *const c_char, count: usize, error: *mut RawError) -> *mut RawTables;
    fn treb_tables_close(tables: *mut RawTables);
    fn treb_tables_men(tables: *const RawTables) -> c_int;
    fn treb_tables_set_memory(tables: *mut RawTables, bytes: u64);
    fn treb_position_from_fen(fen: *const c_char, out: *mut Position, error: *mut RawError) -> c_int;
    fn treb_probe_wdl(t: *const RawTables, p: *const Position, out: *mut Wdl, error: *mut RawError) -> c_int;
    fn treb_probe_distance(
        t: *const RawTables, p: *const Position, metric: Metric, out: *mut Distance, error: *mut RawError,
    ) -> c_int;
}

/// Calls a function of the library with a place for its error.
fn call<T>(run: impl FnOnce(*mut RawError) -> Option<T>) -> Result<T, Error> {
    let mut raw = RawError { status: 0, text: [0; 484], metric: -1, material: [0; 24] };
    run(&mut raw).ok_or_else(|| {
        let text = |chars: &[c_char]| unsafe { CStr::from_ptr(chars.as_ptr()) }.to_string_lossy().into_owned();
        Error { status: raw.status, text: text(&raw.text), material: text(&raw.material) }
    })
}

fn c_string(text: &str) -> Result<CString, Error> {
    const ARGUMENT: i32 = 9;
    CString::new(text).map_err(|e| Error { status: ARGUMENT, text: e.to_string(), material: String::new() })
}

impl Position {
    pub fn from_fen(fen: &str) -> Result<Position, Error> {
        let (fen, mut out) = (c_string(fen)?, Position::default());
        call(|error| (unsafe { treb_position_from_fen(fen.as_ptr(), &mut out, error) } == 0).then_some(out))
    }
}

/// A set of tables. Any number of threads may probe it.
pub struct Tables(*mut RawTables);
unsafe impl Send for Tables {}
unsafe impl Sync for Tables {}

impl Tables {
    /// Lists the tables of some folders. Files are opened when a probe first needs them.
    pub fn open(places: &[&str]) -> Result<Tables, Error> {
        let strings = places.iter().map(|p| c_string(p)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = strings.iter().map(|s| s.as_ptr()).collect();
        call(|error| {
            let tables = unsafe { treb_tables_open(pointers.as_ptr(), pointers.len(), error) };
            (!tables.is_null()).then(|| Tables(tables))
        })
    }

    /// The largest number of men of a position that the set may know.
    pub fn men(&self) -> u32 {
        unsafe { treb_tables_men(self.0) as u32 }
    }

    /// Sets how many bytes of unpacked blocks are kept.
    pub fn set_memory(&self, bytes: u64) {
        unsafe { treb_tables_set_memory(self.0, bytes) }
    }

    /// The verdict at a clock of 0.
    pub fn wdl(&self, position: &Position) -> Result<Wdl, Error> {
        let mut out = Wdl::Draw;
        call(|error| (unsafe { treb_probe_wdl(self.0, position, &mut out, error) } == 0).then_some(out))
    }

    /// A distance. It needs the table of the metric and the WDL table.
    pub fn distance(&self, position: &Position, metric: Metric) -> Result<Distance, Error> {
        let mut out = Distance { wdl: Wdl::Draw, plies: 0, rounded: 0 };
        call(|error| (unsafe { treb_probe_distance(self.0, position, metric, &mut out, error) } == 0).then_some(out))
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        unsafe { treb_tables_close(self.0) }
    }
}
