#!/bin/sh
# Load generators that make services compares with, and taskset, which pins them to a CPU. As root on Debian, it installs
# hey, wrk and taskset. make services builds vegeta and k6, and uses oha if it is installed: cargo install --locked oha.
# Without vegeta, hey or k6, it cannot confirm that brewput sends enough; wrk and oha are only printed.
missing=
for tool in hey wrk taskset; do
	command -v $tool >/dev/null 2>&1 || missing="$missing $tool"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	{ apt-get update -qq && apt-get install -y -qq hey wrk util-linux; } >&2
fi
for tool in $missing; do
	command -v $tool >/dev/null 2>&1 || echo "make services skips what needs $tool: it is not installed" >&2
done
exit 0
