package gobench

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/internal/input"
)

//go:embed probe.go.txt
var probeSource string

//go:embed probe_unix.go.txt
var probeUnix string

//go:embed probe_other.go.txt
var probeOther string

// patches are the edits of package testing that call the helper. Each text occurs in its file the given number
// of times, in Go 1.24 to 1.26. Another version may differ; then there is no helper, and the run reports it.
var patches = []struct {
	old   string
	times int
	new   string
}{
	{"\t\tb.start = highPrecisionTimeNow()\n", 2, "\t\tbrewputStart()\n\t\tb.start = highPrecisionTimeNow()\n"},
	{"\t\tb.duration += highPrecisionTimeSince(b.start)\n", 1,
		"\t\tb.duration += highPrecisionTimeSince(b.start)\n\t\tbrewputStop()\n"},
	{"\tb.duration = 0\n\tb.netAllocs = 0\n", 1, "\tbrewputReset()\n\tb.duration = 0\n\tb.netAllocs = 0\n"},
	{"\tb.benchFunc(b)\n\tb.StopTimer()\n", 1, "\tb.benchFunc(b)\n\tb.StopTimer()\n\tbrewputReport(b)\n"},
}

// patched returns the source of package testing's benchmarks with calls to the helper.
func patched(source string) (string, error) {
	for _, p := range patches {
		if n := strings.Count(source, p.old); n != p.times {
			return "", fmt.Errorf("package testing has the line %q %d times instead of %d", strings.TrimSpace(p.old), n,
				p.times)
		}
		source = strings.ReplaceAll(source, p.old, p.new)
	}
	return source, nil
}

// overlay writes the files by which the go command adds the helper to package testing of a Go installation. It
// returns the path of the overlay list.
func overlay(dir, goroot string) (string, error) {
	testing := filepath.Join(goroot, "src", "testing")
	text, err := input.ReadFile(context.Background(), filepath.Join(testing, "benchmark.go"), input.Source)
	if err != nil {
		return "", err
	}
	source, err := patched(string(text))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string]string{
		"benchmark.go": source, "brewput.go": probeSource, "brewput_unix.go": probeUnix, "brewput_other.go": probeOther,
	} {
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return "", err
		}
		replace[filepath.Join(testing, name)] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o666)
}
