//! Says when a release would come without the pages. It needs no Node.js and builds nothing.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Only a release has the pages inside; a development build reads them when they are asked for.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        // The folder is in every checkout, so cargo can see what comes into it.
        println!("cargo:rerun-if-changed=../../web/dist");
        if !Path::new("../../web/dist/index.html").exists() {
            println!("cargo:warning=the pages are not built, and / will say so: run `just web` first");
        }
    }
}
