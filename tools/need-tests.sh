#!/bin/sh
# What tests need in addition to Go: a C compiler under the race detector, python3, whose PNG decoder is not ours, groff
# for the manual pages, the shells whose completion is tested, and strace, which makes system calls fail. What is
# missing is printed first, with the command that installs it; then root installs it with the system's package manager.
# BREWPUT_NEEDS=print only prints. If nothing can be installed, the script names what will be skipped, and the tests go
# on.

has() { command -v "$1" >/dev/null 2>&1; }
compiler() { has cc || has gcc || has clang; }
python() { has python3; }

# install APT DNF APK PACMAN: the command that installs these packages; empty where no package manager is known.
install() {
	if command -v apt-get >/dev/null 2>&1; then echo "apt-get update -qq && apt-get install -y -qq $1"
	elif command -v dnf >/dev/null 2>&1; then echo "dnf install -y -q $2"
	elif command -v apk >/dev/null 2>&1; then echo "apk add -q $3"
	elif command -v pacman >/dev/null 2>&1; then echo "pacman -S --noconfirm --quiet $4"
	fi
}

# need WHAT APT DNF APK PACMAN: the packages that hold it.
need() {
	what=$1; shift
	command=$(install "$@")
	if [ -z "$command" ]; then
		echo "no $what, and no package manager that is known: install it yourself"
	elif [ "$(id -u)" != 0 ]; then
		echo "no $what: only root can install it, with: $command"
	elif [ "$BREWPUT_NEEDS" = print ]; then
		echo "no $what: make test and make check would run, as root: $command"
	else
		echo "no $what: installing it for the tests, as root: $command"
		sh -c "$command"
	fi
}

compiler || need "C compiler" "gcc libc6-dev" gcc "gcc musl-dev" gcc
compiler || echo "without a C compiler tests that build with the race detector will be skipped"
python || need python3 python3 python3 python3 python
python || echo "without python3 the test of PNG files by a foreign decoder will be skipped"
has groff || need groff groff-base groff-base groff groff
has groff || echo "without groff the test of manual pages by a foreign formatter will be skipped"
for shell in bash zsh fish; do
	has $shell || need $shell $shell $shell $shell $shell
	has $shell || echo "without $shell the test of its completion will be skipped"
done
if [ "$(uname)" = Linux ]; then
	has strace || need strace strace strace strace strace
	strace -o /dev/null true 2>/dev/null || echo "strace cannot trace here: the tests of extra that inject errors and watch syncs will be skipped"
fi
exit 0
