//! Links the addon against what the process that loads it offers, and nothing else.

fn main() {
    napi_build::setup();
}
