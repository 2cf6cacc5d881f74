#!/bin/sh
# SimPy from PyPI, in a virtual environment in the cache directory. Prints the path of its Python.
version=4.1.2
home=${XDG_CACHE_HOME:-$HOME/.cache}/brewput/simpy-$version
fail() {
	echo "bench-sim compares with SimPy $version and needs python3 with venv and pip to install it: $1" >&2
	exit 1
}
command -v python3 >/dev/null 2>&1 || fail "there is no python3"
if ! "$home/bin/python" -c "import simpy; assert simpy.__version__ == '$version'" 2>/dev/null; then
	python3 -c 'import ensurepip, venv' 2>/dev/null || fail "python3 has no venv or no pip"
	mkdir -p "$(dirname "$home")" && python3 -m venv --clear "$home" >&2 || fail "no virtual environment could be made in $home"
	"$home/bin/python" -m pip install --quiet --disable-pip-version-check "simpy==$version" >&2 || fail "pip could not install simpy==$version"
fi
echo "$home/bin/python"
