package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
)

// TestFlagText checks that options and factors are named as flags, once, wherever an error holds them.
func TestFlagText(t *testing.T) {
	level := &plan.Refusal{Field: "jitter", Value: "3ms", Reason: "it is too wide"}
	refusal := &lab.Refusal{Field: "jitter", Value: "3ms", Reason: "it is too wide", Err: level}
	wrapped := &lab.Refusal{Reason: level.Error(), Suggestion: "see help", Err: level}
	cpus := &plan.Refusal{Field: "cpus", Reason: "no machine"}
	for want, err := range map[string]error{
		"--jitter 3ms: it is too wide":                     level,
		"coffee: --jitter 3ms: it is too wide":             fmt.Errorf("coffee: %w", level),
		"--count 0: too few":                               &lab.Refusal{Field: "count", Value: "0", Reason: "too few"},
		"BREWPUT_JITTER: --jitter 3ms: it is too wide":     usage("BREWPUT_JITTER: %w", level),
		"--jitter 3ms: it is too wide; see help":           withExitCode(wrapped),
		"--jitter 3ms: it is too wide\n--cpus: no machine": errors.Join(refusal, cpus),
		"no flag here": errors.New("no flag here"),
	} {
		if got := flagText(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestExit checks exit codes of errors before and during trials. An interrupt takes precedence over a disk that
// fails, and that over a wrong answer.
func TestExit(t *testing.T) {
	lost := &lab.StorageError{Err: &fs.PathError{Op: "sync", Path: "journal.ndjson", Err: syscall.EDQUOT}}
	disk := func(err error) error { return fmt.Errorf("cannot lock the run: %w", err) }
	for _, c := range []struct {
		name      string
		measuring bool
		code      int // of a verb that ended without an error
		err       error
		want      int
		silent    bool
	}{
		{"nothing wrong", true, exitWrong, nil, exitWrong, true},
		{"wrong use", false, 0, usage("--count is empty"), exitUsage, false},
		{"an error of the flags", false, 0, errors.New("unknown shorthand"), exitUsage, false},
		{"a trial cannot be started", true, 0, errors.New("no such program"), exitFailed, false},
		{"interrupted", true, 0, context.Canceled, exitInterrupted, true},
		{"another directory", false, 0, withExitCode(&lab.Refusal{Reason: "not a run directory"}), exitUsage, false},
		{"the disk of a run that is to go on", false, 0, withExitCode(disk(syscall.EIO)), exitFailed, false},
		{"a quota", true, 0, withExitCode(disk(syscall.EDQUOT)), exitFailed, false},
		{"no space at the end", true, exitWrong, withExitCode(lost), exitFailed, false},
		{"no space after an interrupt", true, exitInterrupted, withExitCode(lost), exitInterrupted, false},
		{"no space after a refusal", false, 0,
			withExitCode(errors.Join(&lab.Refusal{Reason: "it is a run of tea"}, lost)), exitUsage, false},
	} {
		var stderr bytes.Buffer
		a := &app{stderr: &stderr, measuring: c.measuring, code: c.code}
		if got := a.exit(c.err); got != c.want || (stderr.Len() == 0) != c.silent {
			t.Errorf("%s: exit %d, want %d; it says %q", c.name, got, c.want, stderr.String())
		}
	}
}
