package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/proof/findings"
	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

// runLimit is the time after which a program of the corpus counts as hung.
const runLimit = 30 * time.Second

// label measures the gain of the fix of every sick case whose label is missing or belongs to other sources, and stores
// each in file. It begins nothing after the piece is over, and returns how many cases are left.
func label(ctx context.Context, cases []corpus.Case, file string, runs int, piece record.Piece,
	out io.Writer) (left int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var stored corpus.Labels
	if err := json.Unmarshal(text, &stored); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	elsewhere := "" // the CPU model of this machine, if the labels were measured on another
	switch model := host.Read().CPUModel; {
	case model == nil:
	case stored.Machine == "":
		stored.Machine = *model
	case stored.Machine != *model:
		elsewhere = *model
	}
	if elsewhere == "" {
		stored.CPUs, stored.Go = runtime.NumCPU(), runtime.Version()
	}
	kept := map[string]corpus.Intervention{}
	var todo []corpus.Case
	for _, c := range cases {
		if _, ok := c.Repair(); !ok {
			continue
		}
		if i, ok := stored.Find(c); ok {
			kept[c.Name()] = i
		} else {
			todo = append(todo, c)
		}
	}
	slices.SortStableFunc(todo, func(a, b corpus.Case) int { return a.Point - b.Point }) // every family first
	for n, c := range todo {
		if piece.Over() {
			return len(todo) - n, nil
		}
		i, err := intervene(ctx, c, runs)
		if err != nil {
			return len(todo) - n, err
		}
		i.Machine = elsewhere
		kept[c.Name()] = i
		fmt.Fprintf(out, "%-18s %-20s %6.3f s -> %6.3f s  gain %3.0f%% [%.0f%%, %.0f%%]\n", c.Label().Class, c.Name(),
			i.SickSeconds, i.FixedSeconds, 100*i.Gain, 100*i.Low, 100*i.High)
		if err := storeLabels(file, stored, cases, kept); err != nil {
			return len(todo) - n, err
		}
	}
	return 0, nil
}

// storeLabels replaces the file of labels as a whole, so that a kill loses none. It writes one a line, in the order of
// the cases.
func storeLabels(file string, l corpus.Labels, cases []corpus.Case, kept map[string]corpus.Intervention) error {
	l.Interventions = nil
	for _, c := range cases {
		if i, ok := kept[c.Name()]; ok {
			l.Interventions = append(l.Interventions, i)
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"machine\":%q,\"cpus\":%d,\"go\":%q,\"interventions\":[", l.Machine, l.CPUs, l.Go)
	for n, i := range l.Interventions {
		line, err := json.Marshal(i)
		if err != nil {
			return err
		}
		if n > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "\n%s", line)
	}
	out.WriteString("\n]}\n")
	return store.Replace(file, func(w io.Writer) error {
		_, err := out.WriteTo(w)
		return err
	})
}

// intervene runs a sick case and its repair in pairs, in alternating order.
func intervene(ctx context.Context, c corpus.Case, runs int) (corpus.Intervention, error) {
	fixed, _ := c.Repair()
	source, err := c.Hash()
	if err != nil {
		return corpus.Intervention{}, err
	}
	dir, err := os.MkdirTemp("", "verdicts-")
	if err != nil {
		return corpus.Intervention{}, err
	}
	defer os.RemoveAll(dir)
	var programs [2]string
	for k, each := range []corpus.Case{c, fixed} {
		if programs[k], err = build(ctx, each, filepath.Join(dir, string(each.Form))); err != nil {
			return corpus.Intervention{}, err
		}
	}
	var times [2][]float64
	for n := range runs {
		for k := range 2 {
			k := k ^ n&1
			took, err := run(ctx, programs[k], dir)
			if err != nil {
				return corpus.Intervention{}, fmt.Errorf("%s: %w", c.Name(), err)
			}
			times[k] = append(times[k], took.Seconds())
		}
	}
	gain, low, high := findings.Gained(times[0], times[1])
	return corpus.Intervention{Case: c.Name(), Source: source, Runs: runs, SickSeconds: round(stat.GeoMean(times[0])),
		FixedSeconds: round(stat.GeoMean(times[1])),
		Gain:         round(gain), Low: round(low), High: round(high)}, nil
}

// round keeps four decimals.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// build builds the program of a case in dir, and returns its path.
func build(ctx context.Context, c corpus.Case, dir string) (string, error) {
	if err := c.Write(dir); err != nil {
		return "", err
	}
	program := filepath.Join(dir, c.Family.Name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s does not compile: %w\n%s", c.Name(), err, out)
	}
	return program, nil
}

// run runs a program and returns its wall time.
func run(ctx context.Context, program, dir string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir, cmd.Stderr, cmd.SysProcAttr = dir, &stderr, proc.DieWithParent()
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return took, nil
}
