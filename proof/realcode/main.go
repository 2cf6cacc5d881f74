// Command realcode tests predictions of the wall time of real code on two CPUs from a recording on one: make direct. It
// runs the built examples/realcode. It records jobs on one virtual CPU, predicts their wall time on more CPUs, and
// measures it there in real trials. It takes two minutes. It exits with 1 if a prediction is off, and with 4 if
// something failed.
//
//	go build -o realcode ./examples/realcode && go run ./proof/realcode -program ./realcode
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/idle"
	"github.com/brewput/brewput/result"
)

// maxError is the largest error of a prediction, as a share of the measured wall time.
const maxError = 0.05

// task is a design of a workload at one grain size.
type task struct{ workload, design, factor, level string }

func (t task) args() []string {
	return []string{t.workload, "--designs", t.design, "--" + t.factor, t.level}
}

// tasks returns tasks whose sections of real code take about 50 us to a few milliseconds.
func tasks() []task {
	var list []task
	for _, design := range []string{"pool", "counter"} {
		for _, level := range []string{"512", "4096", "16384"} {
			list = append(list, task{"pixels", design, "pixels", level})
		}
		for _, level := range []string{"49152", "262144", "1048576"} {
			list = append(list, task{"chunks", design, "chunk", level})
		}
	}
	return list
}

func main() {
	program := flag.String("program", "", "the `PATH` of examples/realcode")
	cpus := flag.Int("cpus", 2, "CPUs that are predicted and measured")
	rounds := flag.Int("rounds", 6, "how often each task is recorded, predicted and measured")
	cost := flag.String("cost", "", "the scheduler's `COSTS`, as in sim --cost (default those of sim)")
	flag.Parse()
	if *program == "" || *cpus < 1 || *rounds < 2 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "direct: give -program, -cpus 1 or more, -rounds 2 or more, and no other argument")
		os.Exit(2)
	}

	dir, err := os.MkdirTemp("", "direct")
	off := 0
	if err == nil {
		off, err = campaign(&bench{*program, dir, *cpus, *rounds, *cost})
		err = errors.Join(err, os.RemoveAll(dir))
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "direct:", err)
		os.Exit(4)
	case off > 0:
		os.Exit(1)
	}
}

// bench runs a program built from examples/realcode.
type bench struct {
	program, dir string
	cpus, rounds int
	cost         string
}

// campaign runs all tasks and prints a table. It returns the number of predictions that are off.
func campaign(b *bench) (off int, err error) {
	fmt.Printf("predicted from one virtual CPU, measured on %d: medians of %d rounds; the error is the mean of the "+
		"rounds, with its 95%% interval\n\n", b.cpus, b.rounds)
	fmt.Printf("%-8s %-8s %8s  %9s  %10s  %10s  %10s  %7s\n", "workload", "design", "grain", "mean cost", "1 CPU",
		"predicted", "measured", "error")

	verdicts, all := map[string]int{}, idle.Usage{}
	for _, t := range tasks() {
		var sum idle.Usage
		var one, predicted, measured, grain, logs []float64
		for i := range b.rounds {
			x, err := b.round(t, i)
			if err != nil {
				return 0, err
			}
			sum = sum.Add(x.usage)
			one, predicted, measured, grain = append(one, x.one), append(predicted, x.predicted),
				append(measured, x.measured), append(grain, x.grain)
			logs = append(logs, math.Log(x.predicted/x.measured))
		}

		mean, low, high := stat.MeanInterval(logs, 0.95)
		verdict := judge(low, high)
		if sum.Disturbed() {
			verdict = disturbed
		}
		all = all.Add(sum)
		verdicts[verdict]++
		fmt.Printf("%-8s %-8s %8s  %7.0fus  %8.2fms  %8.2fms  %8.2fms  %+6.1f%%  [%+.1f%%, %+.1f%%]  %s\n", t.workload,
			t.design, t.level,
			1e6*stat.Median(grain), 1e3*stat.Median(one), 1e3*stat.Median(predicted), 1e3*stat.Median(measured),
			percent(mean), percent(low), percent(high), verdict)
	}
	fmt.Printf("\npredictions within %.0f%% of the trials: %d; undecided, because trials vary too much: %d; "+
		"disturbed by other processes: %d; off: %d\n",
		100*maxError, verdicts[within], verdicts[undecided], verdicts[disturbed], verdicts[beyond])
	fmt.Printf("during the trials other processes used %.2f of a CPU, and the hypervisor withheld %.1f%% of the "+
		"requested CPU time\n",
		all.Others(), 100*all.StolenShare())
	return verdicts[beyond], nil
}

// Verdicts on a prediction.
const (
	within    = "within"
	undecided = "undecided"
	beyond    = "off"
	disturbed = "disturbed"
)

// judge compares the interval of log(predicted / measured) with the allowed error.
func judge(low, high float64) string {
	switch limit := math.Log1p(maxError); {
	case low >= -limit && high <= limit:
		return within
	case low > limit || high < -limit:
		return beyond
	}
	return undecided // also without an interval
}

// percent is the change in percent that a logarithm of a ratio stands for.
func percent(log float64) float64 { return 100 * math.Expm1(log) }

// round is one recording with the prediction and the trial after it. Times are in seconds.
type round struct {
	grain, one, predicted, measured float64
	usage                           idle.Usage // during the trial
}

// round records, predicts and measures a task once.
func (b *bench) round(t task, i int) (r round, err error) {
	costs := filepath.Join(b.dir, "costs")
	sim := append(append([]string{"sim"}, t.args()...), "--format", "json")
	if b.cost != "" {
		sim = append(sim, "--cost", b.cost)
	}
	steps := []struct {
		args []string
		into map[string]*float64
	}{
		{append(slices.Clone(sim), "--cpus", "1", "--record-costs", costs),
			map[string]*float64{result.WallSeconds: &r.one}},
		{append(slices.Clone(sim), "--cpus", strconv.Itoa(b.cpus), "--replay-costs", costs),
			map[string]*float64{result.WallSeconds: &r.predicted}},
		{append(append([]string{"run"}, t.args()...), "--format", "json", "--cpus", strconv.Itoa(b.cpus), "--count",
			"1", "--seed", strconv.Itoa(i+1)), map[string]*float64{
			result.WallSeconds: &r.measured, result.CPUSeconds: &r.usage.Own,
			"machine_cpu_seconds": &r.usage.Machine, "steal_seconds": &r.usage.Stolen}},
	}

	// Record on one CPU, predict on more, measure there.
	sections, seconds := 0.0, 0.0
	steps[0].into["real_sections"], steps[0].into["real_code_seconds"] = &sections, &seconds
	for n, step := range steps {
		out := filepath.Join(b.dir, fmt.Sprint(t.workload, t.design, t.level, "-", i, "-", n))
		if err := b.ask(append(step.args, "-o", out), step.into); err != nil {
			return r, err
		}
	}
	r.grain, r.usage.Wall, r.usage.Count = seconds/sections, r.measured, 1
	return r, nil
}

// ask runs the program and stores the medians of the named metrics.
func (b *bench) ask(args []string, into map[string]*float64) error {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(b.program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, stderr.String())
	}
	found := 0
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var s result.Summary
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return fmt.Errorf("%v: %w", cmd.Args, err)
		}
		if v := into[s.Metric]; s.Kind == "summary" && v != nil {
			*v = float64(s.Median)
			found++
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%v: %w", cmd.Args, err)
	}
	if found != len(into) {
		return fmt.Errorf("%v does not print all metrics that were asked for", cmd.Args)
	}
	return nil
}
