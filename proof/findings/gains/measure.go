package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/record"
)

// Sides of a pair. They index its measurements.
const (
	sick = iota
	fixed
	explained // the findings of the sick side
)

// entry is one call of brewput, a line of the record.
type entry struct {
	Program string       `json:"program"` // SHA-256
	Finding explain.Name `json:"finding"` // of the pair
	Side    int          `json:"side"`
	Lines   []line       `json:"lines"`
}

// line is what is used of an object that brewput prints.
type line struct {
	Kind    string             `json:"kind"`
	Finding explain.Name       `json:"finding,omitempty"`
	Rank    int                `json:"rank,omitempty"`
	Gain    *explain.Gain      `json:"gain,omitempty"`
	Metrics map[string]float64 `json:"metrics,omitempty"`
	Wall    float64            `json:"wall_seconds,omitempty"`
	Type    string             `json:"type,omitempty"`
	Status  string             `json:"status,omitempty"`
}

// fits returns an error for an entry of another build.
func (c *campaign) fits(e entry) error {
	if e.Program != c.sum {
		return errors.New("the record is from another build: remove the file")
	}
	return nil
}

// recorded is the number of recorded calls for a side of a pair.
func (c *campaign) recorded(p pair, side int) (n int) {
	for _, e := range c.done {
		if e.Finding == p.finding && e.Side == side {
			n++
		}
	}
	return n
}

// measure makes the calls of a pair that are not recorded: explain of the sick side, then trials of both sides in turn.
// It returns how many are left when the piece is over.
func (c *campaign) measure(ctx context.Context, p pair, piece record.Piece) (left int, err error) {
	var window []string
	if p.workload == "coffee" {
		window = append(window, "--duration", "500ms")
	}
	step := func(side, n int, args ...string) error {
		switch {
		case c.recorded(p, side) > n:
			return nil
		case piece.Over():
			left++
			return nil
		}
		lines, err := c.call(ctx, append(args, window...)...)
		if err != nil {
			return err
		}
		e := entry{Program: c.sum, Finding: p.finding, Side: side, Lines: lines}
		c.done = append(c.done, e)
		return record.Append(c.record, e)
	}

	args := append([]string{"explain", p.workload, "--format", "json", "--designs"}, p.sick...)
	if err := step(explained, 0, args...); err != nil {
		return left, err
	}
	for n := range c.count {
		for side, flags := range [][]string{p.sick, p.fixed} {
			args := append([]string{"run", p.workload, "--format", "json", "--count", "1", "--no-twin", "--designs"},
				flags...)
			if err := step(side, n, args...); err != nil {
				return left, err
			}
		}
	}
	return left, nil
}

// callLimit is the time limit of a call of brewput.
const callLimit = 2 * time.Minute

// call runs brewput in a temporary directory, and returns what it prints.
func (c *campaign) call(ctx context.Context, args ...string) ([]line, error) {
	program, err := filepath.Abs(c.program)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "brewput-gains-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", c.program, strings.Join(args, " "), err, stderr.Bytes())
	}
	return read(stdout.Bytes())
}

// read parses the findings and trials that brewput prints.
func read(text []byte) (lines []line, err error) {
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<22)
	for s.Scan() {
		var kind struct{ Kind string }
		if err := json.Unmarshal(s.Bytes(), &kind); err != nil {
			return nil, err
		}
		if kind.Kind != "finding" && kind.Kind != "trial" {
			continue
		}
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, s.Err()
}

// times are the times of one operation in the trials of an entry, in seconds.
func (e *entry) times() (all []float64, err error) {
	for _, l := range e.Lines {
		if l.Kind != "trial" {
			continue
		}
		t := l.Wall
		if x := l.Metrics["throughput_per_s"]; l.Type == "stream" && x > 0 {
			t = 1 / x
		}
		if t <= 0 {
			return nil, fmt.Errorf("a trial has no time (%s)", l.Status)
		}
		all = append(all, t)
	}
	return all, nil
}
