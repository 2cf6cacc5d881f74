// Command gains compares the gains that explain estimates with those that the change then gives: make gains. For every
// pair of a design and the same job with the change made it explains the first, measures both in turn, and prints the
// estimated and the real gain. It runs the brewput that is given, and exits 4 if something failed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/findings"
)

// pair is a design with a trouble and the same job without it.
type pair struct {
	finding  explain.Name
	workload string
	sick     []string // --designs and factors
	fixed    []string
}

// pairs are those of the two programs that Go's profilers are best known by, and of the workloads that were made for
// one trouble.
var pairs = []pair{
	{"unbuffered-io", "words", list("one-byte --size 300000"), list("buffered --size 300000")},
	{"escape-per-op", "words", list("buffered --size 20000000"), list("reused --size 20000000")},
	{"single-threaded", "mandelbrot", list("sequential --file none"), list("pool --file none")},
	{"goroutine-too-fine", "mandelbrot", list("pixel --file none"), list("pool --file none")},
	{"coarse-lock", "coffee", list("locking --workers 6"), list("finelocking --workers 6")},
	{"unbuffered-lockstep", "coffee", list("linearpipe --workers 6 --jitter 2ms --buffer 0"),
		list("linearpipe --workers 6 --jitter 2ms --buffer 10")},
	{"chan-handoff", "lines", list("channel --buffer 25"), list("batch --buffer 25")},
	{"work-inflation", "sum", list("shared-line"), list("padded")},
}

func list(s string) []string { return strings.Fields(s) }

func main() {
	program := flag.String("program", "bin/brewput", "the brewput to run, built from this tree")
	dir := flag.String("dir", "bin/gains", "directory of what it prints")
	only := flag.String("only", "", "only pairs with this in their finding or workload")
	count := flag.Int("count", 6, "trials of each side")
	stored := flag.Bool("stored", false, "run nothing: compare what is in the directory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, "gains:", err)
		os.Exit(4)
	}
	fmt.Printf("%-20s %-11s %-24s %-24s %s\n", "change", "workload", "estimated", "real", "promise       first finding")
	failed := false
	for n, p := range pairs {
		if !strings.Contains(string(p.finding)+" "+p.workload, *only) {
			continue
		}
		base := filepath.Join(*dir, fmt.Sprintf("%d-%s", n+1, p.finding))
		if !*stored {
			if err := p.run(ctx, *program, base, *count); err != nil {
				fmt.Fprintf(os.Stderr, "gains: %s: %v\n", p.finding, err)
				failed = true
				continue
			}
		}
		line, err := p.compare(base)
		if err != nil {
			fmt.Fprintf(os.Stderr, "gains: %s: %v\n", p.finding, err)
			failed = true
			continue
		}
		fmt.Println(line)
	}
	if failed {
		os.Exit(4)
	}
}

// run explains the sick side, and measures both. What an earlier run has left goes: it may have had more trials.
func (p pair) run(ctx context.Context, program, base string, count int) error {
	old, err := filepath.Glob(base + "-*.ndjson")
	for _, file := range old {
		err = errors.Join(err, os.Remove(file))
	}
	if err != nil {
		return err
	}
	var window []string
	if p.workload == "coffee" {
		window = append(window, "--duration", "500ms")
	}
	sick := append(append([]string{"--designs"}, p.sick...), window...)
	if err := call(ctx, base+"-explain.ndjson", program,
		append([]string{"explain", p.workload, "--format", "json"}, sick...)...); err != nil {
		return err
	}
	for k := range count { // the sides in turn
		for side, args := range [][]string{p.sick, p.fixed} {
			file := fmt.Sprintf("%s-%d-%d.ndjson", base, side, k)
			out, err := os.MkdirTemp("", "brewput-gains-")
			if err != nil {
				return err
			}
			args = append(append([]string{"run", p.workload, "--format", "json", "--count", "1", "--no-twin", "-o",
				filepath.Join(out, "run"), "--designs"}, args...), window...)
			err = call(ctx, file, program, args...)
			os.RemoveAll(out)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// call keeps what a command prints.
func call(ctx context.Context, file, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var out, complaint bytes.Buffer
	c := exec.CommandContext(ctx, program, args...)
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, complaint.Bytes())
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// line is what is read of an object that brewput prints.
type line struct {
	Kind    string
	Finding explain.Name
	Rank    int
	Gain    *explain.Gain
	Metrics map[string]float64
	Wall    float64 `json:"wall_seconds"`
	Type    string
	Status  string
}

func read(file string) ([]line, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []line
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err == nil {
			all = append(all, l)
		}
	}
	return all, nil
}

// took are the times that one operation took in the trials of a side.
func took(base string, side int) ([]float64, error) {
	files, err := filepath.Glob(fmt.Sprintf("%s-%d-*.ndjson", base, side))
	if err != nil {
		return nil, err
	}
	var all []float64
	for _, f := range files {
		lines, err := read(f)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if l.Kind != "trial" {
				continue
			}
			t := l.Wall
			if x := l.Metrics["throughput_per_s"]; l.Type == "stream" && x > 0 {
				t = 1 / x
			}
			if t <= 0 {
				return nil, fmt.Errorf("%s: a trial has no time (%s)", f, l.Status)
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// compare is a row of the table.
func (p pair) compare(base string) (string, error) {
	found, err := read(base + "-explain.ndjson")
	if err != nil {
		return "", err
	}
	var sides [2][]float64
	for k := range sides {
		if sides[k], err = took(base, k); err != nil {
			return "", err
		}
	}
	if n := min(len(sides[0]), len(sides[1])); n < 2 {
		return "", fmt.Errorf("%d trials of both sides; 2 are needed", n)
	}
	gain, low, high := findings.Gained(sides[0], sides[1])
	estimated, first, word := "-", "", "not promised"
	for _, l := range found {
		if l.Kind != "finding" {
			continue
		}
		if l.Rank == 1 {
			first = string(l.Finding)
		}
		if l.Finding == p.finding && l.Gain != nil {
			estimated = span(l.Gain.Estimate, l.Gain.Low, l.Gain.High)
			word = "far off"
			if findings.Kept(l.Gain.Estimate, gain, low, high) {
				word = "kept"
			}
		}
	}
	return fmt.Sprintf("%-20s %-11s %-24s %-24s %-13s %s", p.finding, p.workload, estimated, span(gain, low, high),
		word, first), nil
}

func span(x, low, high float64) string {
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*x, 100*low, 100*high)
}
