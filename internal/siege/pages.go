//go:build linux

package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// validJSON reports whether a text is JSON values, one after the other.
func validJSON(text string) bool {
	for in := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := in.Decode(&v); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

func validXML(text []byte) bool { return xml.Unmarshal(text, new(struct{})) == nil }

// formula returns a cell that a spreadsheet would calculate, or what is wrong with the text.
func formula(text string) string {
	in := csv.NewReader(strings.NewReader(text))
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		return err.Error()
	}
	for _, row := range rows {
		for _, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				return cell
			}
		}
	}
	return ""
}

// storeRun makes the stored run of a gate that decided early: the benchmarks, what failed, what was skipped, units and
// warnings have the name.
func storeRun(dir, name string, began time.Time) error {
	x := gobench.Experiment{Package: "p" + name, Layouts: 1, Time: time.Second, Limit: time.Minute, Unprobed: name}
	x.Benchmarks = []gobench.Benchmark{{Name: name}}
	x.Broken = []gobench.Broken{{Name: name, Error: name, Text: name + "\n" + name}}
	x.Skipped = []gobench.Skipped{{Name: name, Reason: name}}
	raw, err := json.Marshal(&x)
	if err != nil {
		return err
	}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	here := host.Read()
	here.CPUModel = &name
	h := sweep.Header{Workload: x.Package, World: result.Live, Started: began, Seed: "1", Blocks: 80, Environment: here, Warnings: []string{name}, Bench: raw,
		Cases: []plan.Case{{Design: name, Point: point}}}
	run, err := store.Create(dir, h)
	if err != nil {
		return err
	}
	for b := range 6 {
		t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: x.Package, Design: name, World: result.Live, Point: point,
			Block: b, Status: result.OK, Expected: true, Type: result.Benchmark, Operations: 10, Warnings: []string{name},
			Metrics: result.Metrics{result.TimePerOp: result.Value(100 + b), "x" + name: result.Value(b)}}
		if b == 5 {
			t.Status, t.Error, t.Metrics = result.Failed, name, nil
		}
		if err := errors.Join(run.Append(t, nil), run.EndBlock(b, 1, time.Second)); err != nil {
			return errors.Join(err, run.Close())
		}
	}
	return errors.Join(run.End(), run.Close())
}
