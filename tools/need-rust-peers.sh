#!/bin/sh
# Simulators in Rust from crates.io, built in the cache directory. Prints the path of the program that runs them, or
# nothing, and why, where there is no cargo.
from=$(dirname "$0")/../proof/simspeed/peers
home=${XDG_CACHE_HOME:-$HOME/.cache}/brewput/rust-peers
if ! command -v cargo >/dev/null 2>&1; then
	echo "bench-sim leaves out the simulators in Rust: there is no cargo" >&2
	exit 0
fi
if ! CARGO_TARGET_DIR="$home" cargo build --quiet --release --locked --manifest-path "$from/Cargo.toml" >&2; then
	echo "bench-sim compares with desru and nexosim, which cargo could not build in $home" >&2
	exit 1
fi
echo "$home/release/peers"
