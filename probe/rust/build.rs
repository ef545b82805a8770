//! Compiles trebuchet.c, which `make amalgamation` writes; TREBUCHET_SOURCE names another folder that has it.
use std::{env, path::Path, process::Command};

fn run(program: &str, words: &[&str]) {
    let status = Command::new(program).args(words).status();
    assert!(status.map_or(false, |s| s.success()), "{program} {words:?} failed");
}

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let here = env::var("CARGO_MANIFEST_DIR").unwrap();
    let source = env::var("TREBUCHET_SOURCE").unwrap_or(format!("{here}/../../build/amalgamation"));
    let file = Path::new(&source).join("trebuchet.c");
    assert!(file.exists(), "{} is missing: make amalgamation", file.display());
    let object = format!("{out}/trebuchet.o");
    let compiler = env::var("CC").unwrap_or("cc".into());
    run(&compiler, &["-std=c11", "-O2", "-fPIC", "-c", file.to_str().unwrap(), "-o", &object]);
    run("ar", &["rcs", &format!("{out}/libtrebuchet.a"), &object]);
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=trebuchet");
    println!("cargo:rerun-if-changed={}", file.display());
    println!("cargo:rerun-if-env-changed=TREBUCHET_SOURCE");
}
