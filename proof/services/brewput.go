package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/proof/services/known"
	"github.com/brewput/brewput/result"
)

// command runs a program to its end and returns its output, also if it fails.
func (c *campaign) command(ctx context.Context, args ...string) ([]byte, error) {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, err
	}
	empty, err := os.MkdirTemp("", "brewput-services-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(empty)
	var stdout bytes.Buffer
	stderr := proc.Limited{Most: 4000}
	x := proc.Command{Path: path, Args: args, Env: plain(os.Environ(), empty), Stdout: &stdout, Stderr: &stderr}
	e, err := x.Run(ctx)
	c.add(e.State)
	if err == nil && e.Err != nil {
		err = &failure{args: args, err: e.Err, stderr: stderr.String()}
	}
	return stdout.Bytes(), err
}

// plain returns an environment without the user's settings of brewput and k6. On Linux, k6 reads a file of the
// directory config.
func plain(environ []string, config string) []string {
	environ = slices.DeleteFunc(environ, func(v string) bool {
		return strings.HasPrefix(v, "K6_") || strings.HasPrefix(v, "BREWPUT_")
	})
	return append(environ, "XDG_CONFIG_HOME="+config, "BREWPUT_CONFIG=off")
}

// failure is the error of a program that ran and failed.
type failure struct {
	args   []string
	err    error // how it ended
	stderr string
}

func (f *failure) Error() string { return fmt.Sprintf("%.500q: %v: %s", f.args, f.err, f.stderr) }
func (f *failure) Unwrap() error { return f.err }

// reason returns how the program ended, and the first line that it printed about it.
func (f *failure) reason() string {
	first, _, _ := strings.Cut(strings.TrimSpace(f.stderr), "\n")
	return strings.TrimSuffix(f.err.Error()+": "+first, ": ")
}

// add notes the CPU time of a process that has ended, and of those that it awaited. It does nothing without one.
func (c *campaign) add(p *os.ProcessState) {
	if p != nil {
		c.spent += p.UserTime() + p.SystemTime()
	}
}

// brewputRun is a run of brewput run http with one trial.
type brewputRun struct {
	arrivals         string  // "" for a closed loop
	rate             float64 // of an open loop, per second
	workers          int
	warmup, duration time.Duration
	seed             uint64
	cpu              int // that brewput is pinned to; negative means any
}

// run sends load to addresses, in turn, and returns the trial, and whether an instrumented trial followed it.
func (b brewputRun) run(ctx context.Context, c *campaign, targets string) (t result.Trial, followed bool, err error) {
	dir, err := os.MkdirTemp("", "brewput-services-")
	if err != nil {
		return t, false, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "targets")
	if err := os.WriteFile(file, []byte(targets), 0o666); err != nil {
		return t, false, err
	}
	args := []string{c.brewput, "run", "http", "--targets", file, "--count", "1", "--no-twin", "--quiet",
		"--format", "json", "--output", filepath.Join(dir, "run"), "--seed", fmt.Sprint(b.seed),
		"--workers", fmt.Sprint(b.workers), "--warmup", b.warmup.String(), "--duration", b.duration.String()}
	if b.arrivals != "" { // at a rate of its own, which needs no capacity
		args = append(args, "--no-capacity", "--arrivals", b.arrivals, "--rate", fmt.Sprint(b.rate))
	}
	out, err := c.command(ctx, pinned(args, b.cpu)...)
	t, followed, wrong := trialOf(out)
	if err != nil && (wrong != nil || !t.Invalid) {
		return t, false, err
	}
	return t, followed, wrong
}

// trialOf returns the uninstrumented trial of a run, and whether another trial followed it.
func trialOf(out []byte) (t result.Trial, followed bool, err error) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	found, last := false, -1
	for lines.Scan() {
		var x result.Trial
		if err := json.Unmarshal(lines.Bytes(), &struct{ Kind *string }{&x.Kind}); err != nil {
			return t, false, err
		}
		if x.Kind != result.KindTrial && x.Kind != result.KindInstrumented {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return t, false, err
		}
		last = max(last, x.Order)
		if x.Kind == result.KindTrial {
			t, found = x, true
		}
	}
	switch {
	case lines.Err() != nil:
		return t, false, lines.Err()
	case !found:
		return t, false, errors.New("brewput printed no trial")
	case !t.Good() && !t.Invalid || t.Unstable:
		return t, false, fmt.Errorf("the trial has no number: %s: %s", t.Status, t.Error)
	}
	return t, last > t.Order, nil
}

// numbered returns targets whose first one begins an epoch of the server's log, and n more with the number of the
// request.
func numbered(url string, n int) string {
	text := fmt.Appendf(nil, "GET %s/begin\n", url)
	for i := range n {
		text = fmt.Appendf(text, "GET %s/serve/%d\n", url, i+1)
	}
	return string(text)
}

// maxRefused is how many trials openLoop repeats that brewput refused, because it sent requests late. After mostRefused
// trials in all calls the machine is no excuse.
const (
	maxRefused  = 2
	mostRefused = 12
)

// lateSelf is why a trial that brewput refused has no measurement.
const lateSelf = "brewput noticed that it was late"

// openLoop measures the response times of an open loop at a server. As a user would, it repeats a trial that brewput
// refused.
func (b brewputRun) openLoop(ctx context.Context, c *campaign, k known.Config) (entry, error) {
	return repeat(func() (entry, error) { return b.openTrial(ctx, c, k) })
}

// repeat repeats a trial that brewput refused.
func repeat(trial func() (entry, error)) (e entry, err error) {
	for refused := 0; ; refused++ {
		e, err = trial()
		if e.Refused = refused; err != nil || e.Missing == "" || refused == maxRefused {
			return e, err
		}
	}
}

// openTrial measures one trial of openLoop.
func (b brewputRun) openTrial(ctx context.Context, c *campaign, k known.Config) (e entry, err error) {
	s, err := c.startServer(ctx, k, -1)
	if err != nil {
		return e, err
	}
	defer s.stop()

	longest := b.warmup + 2*b.duration + time.Second
	most := int(1.5*b.rate*longest.Seconds()) + 1000
	t, followed, err := b.run(ctx, c, numbered(s.url, most))
	if err != nil {
		return e, err
	}
	l, err := s.log(ctx)
	if err != nil {
		return e, err
	}
	epoch, err := epochOf(l, followed)
	if err != nil {
		return e, err
	}
	seed, err := strconv.ParseUint(t.Seed, 10, 64)
	if err != nil {
		return e, err
	}
	times := load.Arrivals{Kind: b.arrivals, Rate: b.rate}.Times(env.NewRand(seed), longest)
	x, err := byNumber(l.Config, epoch, times)
	if err != nil {
		return e, err
	}
	if err := x.compute(&e, b.warmup, b.warmup+b.duration); err != nil {
		return e, err
	}
	arrived := e.Requests
	if times[0] >= b.warmup { // request 0, which is not logged, is in the window
		arrived++
	}
	if n := int(t.Metrics.Get("arrived")); n != arrived {
		return e, fmt.Errorf("brewput says that %d requests arrived, but its seed says %d", n, arrived)
	}
	e.fill(t)
	return e, nil
}

// epochOf returns the requests of the uninstrumented trial: the last ones of the log, or those before them if another
// trial followed. A trial begins two epochs one after the other: with the request that its design checks, and with
// request 0 of its load, which may arrive after requests that were sent later. After its load it begins a third one,
// which has no requests.
func epochOf(l known.Log, followed bool) ([]known.Entry, error) {
	var trials [][]known.Entry
	last := -2
	for _, e := range l.Entries {
		if e.Epoch > last+1 {
			trials = append(trials, nil)
		}
		last = e.Epoch
		trials[len(trials)-1] = append(trials[len(trials)-1], e)
	}
	n := len(trials) - 1
	if followed {
		n--
	}
	if n < 0 {
		return nil, errors.New("the log of the server has no requests of the trial")
	}
	return trials[n], nil
}

// fill sets what a trial measured.
func (e *entry) fill(t result.Trial) {
	m := t.Metrics
	if t.Invalid {
		e.Missing = lateSelf
	}
	kind := "latency"
	if t.Open {
		kind = "response"
	}
	for i, name := range []string{"p50", "p90", "p99"} {
		e.Got[i] = finite(m, fmt.Sprintf("%s_%s_ns", kind, name))
	}
	for _, name := range []string{"lag_p99_ns", "lag_p95_ns", "lag_p90_ns", "lag_p50_ns"} {
		if v := finite(m, name); v > 0 {
			e.Lag = v
			break
		}
	}
	e.Rate, e.Memory = finite(m, result.Throughput), finite(m, result.MaxRSS)
	e.Failed = finite(m, "error_share")
}

// finite returns a metric, or 0 if it is unknown.
func finite(m result.Metrics, name string) float64 {
	v := float64(m.Get(name))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
