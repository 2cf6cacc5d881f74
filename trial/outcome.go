package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/brewput/brewput/result"
)

// raceExit is the exit code of a program whose race detector found a race.
const raceExit = 66

// conclude makes an outcome of what the child left. A complete one counts even if the limit expired: it may
// have waited while this process was stopped.
func conclude(spec Spec, stdout []byte, stderr string, hung bool, waitErr error) Outcome {
	var o Outcome
	parsed := json.Unmarshal(stdout, &o) == nil && o.Trial.Kind != ""
	var exit *exec.ExitError
	raced := errors.As(waitErr, &exit) && exit.ExitCode() == raceExit
	left := errors.Is(waitErr, exec.ErrWaitDelay) // the child itself exited successfully
	switch {
	case raced:
		if !parsed { // GORACE=halt_on_error=1 ends the process at once
			o = Outcome{Trial: Blank(spec)}
		}
		o.Trial.Status, o.Trial.Error = result.Violated, "the race detector reported a data race"+racePosition(stderr)
		o.Failure = stderr
		return o
	case parsed && (waitErr == nil || left):
		if o.Trial.Status == result.Failed {
			o.Failure = stderr // otherwise the error is enough
		}
		if left {
			o.Trial.Warnings = append(o.Trial.Warnings, "it left processes running, which kept its output open: "+
				"make the design end what it starts")
		}
		return o
	}
	o = Outcome{Trial: Blank(spec), Failure: stderr}
	o.Trial.Status = result.Failed
	switch {
	case hung:
		o.Trial.Error = "the trial did not end within its time limit: " + describeHang(stderr)
		o.Limited = spec.Costs != ""
	case waitErr != nil:
		o.Trial.Error = fmt.Sprintf("the trial's process ended with %s: %s", exitText(waitErr), headline(stderr))
	default:
		o.Trial.Error = "the trial's process ended without a result: " + headline(stderr)
	}
	return o
}

// exitText describes how a process ended.
func exitText(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ProcessState.String()
	}
	return err.Error()
}

// headline returns the line of a crash report that names the cause.
func headline(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.HasPrefix(line, "brewput:") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	if first == "" {
		return "it printed nothing"
	}
	return first
}

// describeHang describes a dump of stacks: a waiting design is stuck, a running one may need more time.
func describeHang(dump string) string {
	waits := ""
	for block := range strings.SplitSeq(dump, "\n\n") {
		state, place := designFrame(block)
		switch {
		case place == "":
		case state == "running" || state == "runnable":
			return fmt.Sprintf("the design was still working at %s; give it a longer time limit if it is not in an "+
				"endless loop", place)
		case waits == "":
			waits = fmt.Sprintf("deadlock or hang; a goroutine waits (%s) at %s", state, place)
		}
	}
	if n := goroutineCount(dump); waits == "" && n > maxDumped {
		return fmt.Sprintf("it has %d goroutines, too many to inspect; run fewer at a time", n)
	}
	if waits == "" {
		return "its stacks show no goroutine of the design"
	}
	return waits
}

// designFrame returns the position of the first frame outside the runtime and the harness in one goroutine of a
// dump, and the state of the goroutine.
func designFrame(block string) (state, place string) {
	lines := strings.Split(block, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		fn := lines[i]
		if strings.HasPrefix(fn, "created by") || strings.Contains(fn, "/brewput/trial.(") ||
			strings.Contains(fn, "/brewput/load.(") {
			return "", "" // the load loop calls the design, so the design's frames come before this one
		}
		if isHarness(fn) || strings.Contains(lines[i+1], ".s:") {
			continue
		}
		_, after, _ := strings.Cut(lines[0], "[")
		state, _, _ = strings.Cut(after, "]")
		state, _, _ = strings.Cut(state, ",") // drop the waiting time
		place, _, _ = strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		return state, shortPosition(place)
	}
	return "", ""
}

// shortPosition keeps the last two elements of a path.
func shortPosition(place string) string {
	parts := strings.Split(place, "/")
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	return strings.Join(parts, "/")
}

// isHarness reports whether a stack frame belongs to the runtime, the standard library or Brewput.
func isHarness(frame string) bool {
	const module = "github.com/brewput/brewput"
	for _, p := range []string{
		"runtime.", "runtime/", "sync.", "sync/", "iter.", "internal/", "time.", "os.", "os/", "io.", "bufio.",
		"syscall.", "reflect.",
		module + "/trial.", module + "/load.", module + "/env.", module + "/env/live.", module + "/env/virtual.",
		module + "/sim.", module + "/internal/calibrate.", module + "/internal/cli.",
		module + "/internal/hist.", module + "/internal/host.", module + ".", "golang.org/x/sys/", "main.main(",
	} {
		if strings.HasPrefix(frame, p) {
			return true
		}
	}
	return false
}
