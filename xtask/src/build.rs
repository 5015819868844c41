//! `cargo xtask build`: the crate as wasm modules with their glue, in `pkg/wasm/`, beside the package's own files.
//!
//! `pkg/wasm/threadfold.js` is wasm-bindgen's glue (`initSync`, and a default export that takes a module or bytes),
//! `threadfold_bg.wasm` the module, and `threadfold_inline.js` exports the module's bytes as `base64`; `transcode` is the
//! same of the module that is loaded only by pages that speak other protocols.

mod order;

use crate::args::Args;
use crate::failure::{Context, Outcome};
use crate::layout;
use crate::run::{Run, seconds};
use crate::setup::cache::digest;
use crate::setup::wasm_std::{self, TARGET, Toolchain};
use crate::setup::{bindgen, npm};
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Instant;

pub const USAGE: &str = "";

/// The features are named one by one: with all of them the optimiser writes what browsers refuse.
///
/// Nothing is inlined here. The compiler has done what speed wants, and what the optimiser adds makes the module smaller
/// but compresses worse, by a twentieth: in large functions the same code has other locals at each place. Nor is what is
/// computed twice kept in a local, for the same reason. Addresses below 1024 are the far end of the stack, so the
/// optimiser may take them for unused and put constants into loads and stores.
const OPTIMISE: &[&str] = &[
    "-Oz",
    "--converge",
    "--one-caller-inline-max-function-size=0",
    "--always-inline-max-function-size=0",
    "--flexible-inline-max-function-size=0",
    "--skip-pass=local-cse",
    "--low-memory-unused",
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--strip-debug",
    "--strip-producers",
];

const BINDGEN: &[&str] = &["--target", "web", "--omit-default-module-path"];

/// The modules, by the feature of the crate that each is made of.
pub const MODULES: &[(&str, &str)] = &[("threadfold", "client"), ("transcode", "transcoders")];

/// Here only for the stamp: a package that an older script checked, or whose functions stand in an older order, is built
/// again.
const STEPS: &[&str] = &[include_str!("build/order.rs"), include_str!("../scripts/instantiate.mjs")];

/// Installs what is needed and builds.
pub fn run(arguments: &[String]) -> Outcome {
    Args::parse(arguments, &[])?;
    package(&wasm_std::toolchain()?)
}

/// Bundles the pages of `www/examples`, of the package that is in `pkg/`.
pub fn examples() -> Outcome {
    npm::packages()?;
    Run::new("node").arg("xtask/scripts/examples.mjs").arg(layout::root()).run()
}

/// Builds the package; what is unchanged since the last time is left as it is.
pub fn package(toolchain: &Toolchain) -> Outcome {
    let start = Instant::now();
    let tools = bindgen::folder()?;
    let modules = npm::packages()?;
    // Two commands at once would take each other's half-written files; the second one waits and finds all done.
    fs::create_dir_all(wasm_std::target()).context("making the target folder")?;
    let lock = File::create(wasm_std::target().join("package.lock")).context("making a lock file")?;
    lock.lock().context("waiting for another command that builds the package")?;
    let mut compiled = Vec::new();
    for (_, feature) in MODULES {
        let features = ["--no-default-features", "--features", feature];
        toolchain.release()?.args(["--lib", "--package", "threadfold"]).args(features).run()?;
        let file = wasm_std::target().join(TARGET).join("release/threadfold.wasm");
        compiled.push(fs::read(&file).context(format!("reading {}", file.display()))?);
    }

    let package = package_folder();
    let stamp = wasm_std::target().join("package.stamp");
    let locked = fs::read(layout::root().join("package-lock.json")).context("reading package-lock.json")?;
    let recipe = [BINDGEN, OPTIMISE, STEPS].concat().join(" ");
    // With the versions of the tools: wasm-bindgen's is in the folder's path, the optimiser's in the lock.
    let made_with = [tools.as_os_str().as_encoded_bytes(), &locked, recipe.as_bytes()];
    let key = digest(&compiled.iter().map(Vec::as_slice).chain(made_with).collect::<Vec<_>>());
    let outputs = |name: &str| [".js", "_bg.wasm", "_inline.js"].map(|end| package.join(format!("{name}{end}")));
    let is_there = MODULES.iter().all(|(name, _)| outputs(name).iter().all(|file| file.is_file()));
    if is_there && fs::read_to_string(&stamp).is_ok_and(|old| old == key) {
        println!("   package: pkg/wasm is up to date, checked in {}", seconds(start.elapsed()));
        return Ok(());
    }

    let work = wasm_std::target().join("package");
    if work.exists() {
        fs::remove_dir_all(&work).context("removing the last build")?;
    }
    // In Node explicitly: the file's own first line would ask the path for it once more.
    let optimiser = modules.join("binaryen/bin/wasm-opt");
    for ((name, _), bytes) in MODULES.iter().zip(&compiled) {
        let input = wasm_std::target().join(format!("{name}.wasm"));
        fs::write(&input, bytes).context("writing a compiled module")?;
        let bindgen = Run::new(tools.join("wasm-bindgen")).args(BINDGEN).args(["--out-name", name]);
        bindgen.arg("--out-dir").arg(&work).arg(&input).run()?;
        let module = work.join(format!("{name}_bg.wasm"));
        Run::new("node").arg(&optimiser).args(OPTIMISE).arg(&module).arg("-o").arg(&module).run()?;
        let optimised = fs::read(&module).context("reading an optimised module")?;
        fs::write(&module, order::by_likeness(&optimised)?).context("writing an ordered module")?;
        Run::new("node").arg("xtask/scripts/instantiate.mjs").arg(&work).arg(name).run()?;
    }

    if package.exists() {
        fs::remove_dir_all(&package).context("removing the last package")?;
    }
    if let Some(parent) = package.parent() {
        fs::create_dir_all(parent).context("making pkg/")?;
    }
    fs::rename(&work, &package).context("moving the package to pkg/wasm")?;
    fs::write(&stamp, key).context("noting what was built")?;
    println!("   package: built pkg/wasm in {}", seconds(start.elapsed()));
    Ok(())
}

/// One of the modules as the package has it, but with its functions' names, for tools that look into it.
pub fn named(toolchain: &Toolchain, (name, feature): (&str, &str)) -> Outcome<PathBuf> {
    let folder = wasm_std::target().join("named");
    let features = ["--no-default-features", "--features", feature];
    toolchain
        .release()?
        .args(["--lib", "--package", "threadfold"])
        .args(features)
        .env("CARGO_PROFILE_RELEASE_STRIP", "none")
        .env("CARGO_TARGET_DIR", &folder)
        .run()?;
    let compiled = folder.join(TARGET).join("release/threadfold.wasm");
    let bindgen =
        Run::new(bindgen::folder()?.join("wasm-bindgen")).args(BINDGEN).args(["--keep-debug", "--out-name", name]);
    bindgen.arg("--out-dir").arg(&folder).arg(&compiled).run()?;
    let module = folder.join(format!("{name}_bg.wasm"));
    let keeping = OPTIMISE.iter().filter(|flag| !flag.starts_with("--strip")).chain(&["--debuginfo"]);
    Run::new("node")
        .arg(npm::packages()?.join("binaryen/bin/wasm-opt"))
        .args(keeping)
        .arg(&module)
        .arg("-o")
        .arg(&module)
        .run()?;
    Ok(module)
}

fn package_folder() -> PathBuf {
    layout::root().join("pkg/wasm")
}
