package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"

	"github.com/brewput/brewput/result"
)

// decisive are the metrics that a score is made of: what was measured, what was predicted, and what conditions read.
var decisive = []string{
	result.WallSeconds, result.Throughput, result.CPUSeconds, result.Parallelism, "gc_cpu_seconds", "ledger_gc",
	"ledger_useful", "ledger_runtime",
	"real_code_seconds", "real_sections", result.TimingSeconds,
}

// save writes what a score needs of the stored pieces, so that a test repeats the score without a measurement.
func save(path string, list []stored) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression) // the level is a constant of the package
	e := json.NewEncoder(z)
	for _, s := range list {
		s.Measured, s.Predicted = stripped(s.Measured), stripped(s.Predicted)
		if err == nil {
			err = e.Encode(s)
		}
	}
	for _, c := range []io.Closer{z, f} {
		if failed := c.Close(); err == nil {
			err = failed
		}
	}
	return err
}

// stripped are trials with no more than a score needs.
func stripped(trials []result.Trial) []result.Trial {
	list := make([]result.Trial, 0, len(trials))
	for _, t := range trials {
		m := result.Metrics{}
		for _, name := range decisive {
			if v := t.Metrics.Get(name); v.Known() {
				m[name] = v
			}
		}
		list = append(list, result.Trial{Kind: t.Kind, SchemaVersion: t.SchemaVersion, Workload: t.Workload,
			Design: t.Design, World: t.World, Point: t.Point,
			Block: t.Block, Seed: t.Seed, Status: t.Status, Expected: t.Expected, Type: t.Type, Bound: t.Bound,
			RealCode: t.RealCode, WallSeconds: t.WallSeconds, Metrics: m})
	}
	return slices.Clip(list)
}

// load reads what save wrote.
func load(r io.Reader) (list []stored, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(z); ; {
		var s stored
		if err := d.Decode(&s); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
}
