#!/usr/bin/env bash
# The script of action.yml: runs brewput gate, writes a summary of the job, and leaves the comparison in a directory.
# Its inputs are the variables PACKAGES, BASE, MAX_REGRESSION, BENCH, METRICS, BUDGET, ALLOW and UNDECIDED. BREWPUT
# names a brewput to run in place of the one of this action.
set -euo pipefail
set -f # packages hold no patterns of the shell

# annotate KIND TEXT: print an annotation of one line, whatever the text holds.
annotate() {
	local text=$2
	text=${text//'%'/%25}
	text=${text//$'\r'/%0D}
	text=${text//$'\n'/%0A}
	printf '::%s title=brewput gate::%s\n' "$1" "$text"
}

# finish RESULT CODE: set the output of the action and end.
finish() {
	printf 'result=%s\n' "$1" >>"$GITHUB_OUTPUT"
	exit "$2"
}

refuse() {
	annotate error "$1"
	finish error 2
}

[[ ${UNDECIDED:-warn} =~ ^(warn|fail)$ ]] || refuse "input undecided: '$UNDECIDED' is neither warn nor fail"
[[ -n ${BASE:-} ]] || refuse "input base is empty: this event has no pull request; set base to a revision, such as origin/main"
[[ $BASE != -* && $BASE != *[[:space:]]* ]] || refuse "input base: '$BASE' is not a revision"
read -r -d '' -a packages < <(printf '%s' "${PACKAGES:-./...}" | tr '\r\n' '  ') || true
for p in "${packages[@]}"; do
	[[ $p != -* ]] || refuse "input packages: '$p' is not a package; use the other inputs for options"
done

# A shallow clone does not have the base. A revision other than a commit or a branch of origin is not fetched.
if ! git rev-parse --quiet --verify --end-of-options "$BASE^{commit}" >/dev/null; then
	if ! git fetch --quiet --depth=1 origin -- "${BASE#origin/}"; then
		refuse "the base $BASE is not in this clone and could not be fetched; check out with fetch-depth: 0"
	fi
	git rev-parse --quiet --verify --end-of-options "$BASE^{commit}" >/dev/null || BASE=$(git rev-parse FETCH_HEAD)
fi

if [[ -z ${BREWPUT:-} ]]; then
	BREWPUT=$RUNNER_TEMP/brewput
	GOWORK=off go build -C "$GITHUB_ACTION_PATH" -trimpath -o "$BREWPUT" ./cmd/brewput ||
		refuse "brewput could not be built; install Go with actions/setup-go before this action"
fi

directory=$RUNNER_TEMP/brewput-gate
rm -rf "$directory"
mkdir -p "$directory"
printf 'directory=%s\n' "$directory" >>"$GITHUB_OUTPUT"
options=("--base=$BASE" "--max-regression=${MAX_REGRESSION:-5%}" "--bench=${BENCH:-.}" "--metric=${METRICS:-ns/op}"
	"--budget=${BUDGET:-5m}" "--output=$directory/run" --format=md)
if [[ -n ${ALLOW:-} ]]; then
	options+=("--allow=$ALLOW")
fi

# The files brewput.conf of the module come with the pull request. They must not choose how it is judged.
export BREWPUT_CONFIG=off

# What the program prints is not for the runner: a line of it that begins with two colons would be a command.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$token"
code=0
"$BREWPUT" gate "${options[@]}" -- "${packages[@]}" >"$directory/gate.md" || code=$?
cat "$directory/gate.md"
printf '\n::%s::\n' "$token"
cat "$directory/gate.md" >>"$GITHUB_STEP_SUMMARY"

case $code in
0) finish pass 0 ;;
1)
	annotate error "benchmarks regressed by more than ${MAX_REGRESSION:-5%}; the summary of this job lists them"
	finish regression 1
	;;
3)
	if [[ ${UNDECIDED:-warn} == fail ]]; then
		annotate error "undecided; the summary of this job gives the reason"
		finish undecided 3
	fi
	annotate warning "undecided; the summary of this job gives the reason; to fail instead, set the input undecided to fail"
	finish undecided 0
	;;
*)
	annotate error "brewput gate could not judge the benchmarks (exit code $code); see the log"
	finish error "$code"
	;;
esac
