#!/bin/sh
# What tests need beside Go: a C compiler under the race detector, and python3, whose PNG decoder is not ours. Each is
# installed where the system's package manager can; otherwise what will be skipped is named, and the tests go on.

# need WHAT APT DNF APK PACMAN: the packages that hold it.
need() {
	echo "no $1: trying to install it for the tests"
	if [ "$(id -u)" = 0 ]; then
		if command -v apt-get >/dev/null 2>&1; then apt-get update -qq && apt-get install -y -qq $2
		elif command -v dnf >/dev/null 2>&1; then dnf install -y -q $3
		elif command -v apk >/dev/null 2>&1; then apk add -q $4
		elif command -v pacman >/dev/null 2>&1; then pacman -S --noconfirm --quiet $5
		fi
	fi
}
compiler() { command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || command -v clang >/dev/null 2>&1; }
python() { command -v python3 >/dev/null 2>&1; }

compiler || need "C compiler" "gcc libc6-dev" gcc "gcc musl-dev" gcc
compiler || echo "still no C compiler: tests that build with the race detector will be skipped"
python || need python3 python3 python3 python3 python
python || echo "still no python3: the test of PNG files by a foreign decoder will be skipped"
exit 0
