//! TREBUCHET_PATH names a folder with tables of three men.
use trebuchet::{Metric, Position, Tables, Wdl};

#[test]
fn probes() {
    let tables = Tables::open(&[&std::env::var("TREBUCHET_PATH").expect("TREBUCHET_PATH is not set")]).unwrap();
    assert!(tables.men() >= 3);
    let mate = Position::from_fen("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1").unwrap();
    assert_eq!(tables.wdl(&mate).unwrap(), Wdl::Loss);
    let pawn = Position::from_fen("8/5P1k/8/7K/8/8/8/8 w - - 0 1").unwrap();
    assert_eq!(tables.wdl(&pawn).unwrap(), Wdl::Win);
    assert_eq!(tables.distance(&pawn, Metric::Dtz).unwrap().plies, 1);
    assert_eq!(tables.distance(&pawn, Metric::Dtm).unwrap().plies, 11);
    assert_eq!(Position::from_fen("nonsense").unwrap_err().status, 1);
    let missing = Position::from_fen("k7/8/8/8/8/8/8/KQRBN3 w - - 0 1").unwrap();
    assert_eq!(tables.wdl(&missing).unwrap_err().material, "KQRBNvK");
}
