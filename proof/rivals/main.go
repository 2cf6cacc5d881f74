// Command rivals compares the best designs of the catalogue with the published originals, and with those of other
// projects, which brewput-extra adds: make rivals. It tests how much longer than its rivals a design may take, in
// every cell of a grid. The command stores the times of each cell, and a later call with the same number of blocks
// continues. It exits with 1 if a claim is shown not to hold, with 3 if cells are left, more blocks are needed or the
// device syncs too fast, and with 4 if something failed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

func main() {
	all := plugin.Attach(catalog.All())
	lab.Main(all...)
	c := campaign{stdout: os.Stdout, stderr: os.Stderr, workloads: all}
	flag.IntVar(&c.blocks, "blocks", 0, "blocks of each cell (default: as many as its claim needs)")
	flag.StringVar(&c.record, "record", "bin/rivals.ndjson", "`FILE` of the times so far")
	only := flag.String("claims", "", "`NAMES` of claims, separated by commas (default all)")
	limit := flag.Duration("for", 0, "a `TIME` after which no cell begins (default: until all are done)")
	flag.Parse()
	claims, err := named(allClaims(), *only)
	if err == nil && (c.blocks != 0 && c.blocks < minBlocks || flag.NArg() > 0) {
		err = fmt.Errorf("give -blocks %d or more, and no other argument", minBlocks)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(record.ExitUsage)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := c.run(ctx, claims, record.NewPiece(*limit))
	if err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// named returns the claims with the given names, separated by commas; all if there are none.
func named(all []claim, names string) ([]claim, error) {
	if names == "" {
		return all, nil
	}
	var out []claim
next:
	for _, name := range strings.Split(names, ",") {
		var known []string
		for _, c := range all {
			if c.name == name {
				out = append(out, c)
				continue next
			}
			known = append(known, c.name)
		}
		return nil, fmt.Errorf("there is no claim %q; the claims are %s", name, strings.Join(known, ", "))
	}
	return out, nil
}

// campaign measures the cells of claims.
type campaign struct {
	stdout, stderr io.Writer
	workloads      []*workload.Workload
	blocks         int    // of each cell; 0 for as many as its claim has
	record         string // file of the entries
}

// entry is the measurement of a cell.
type entry struct {
	Programs string               `json:"programs"` // hashes of the programs that ran the trials
	Cell     string               `json:"cell"`
	Wall     map[string][]float64 `json:"wall"` // seconds of each block, by design
	Sync     []float64            `json:"sync"` // seconds of a sync in each trial that measured it
}

// run measures the cells that are not in the record, and tests the claims whose cells are complete.
func (c *campaign) run(ctx context.Context, claims []claim, piece record.Piece) (int, error) {
	programs, err := hashes()
	if err != nil {
		return 0, err
	}
	own := map[string]int{} // blocks of each cell, by its name
	for _, x := range cellsOf(allClaims()) {
		own[x.String()] = x.claim.ownBlocks()
	}
	entries, err := record.Read(c.record, func(e entry) error { return c.fits(e, programs, own[e.Cell]) })
	if err != nil {
		return 0, err
	}
	done := map[string]entry{}
	for _, e := range entries {
		done[e.Cell] = e
	}

	left, err := record.Continue(ctx, c.record, piece, cellsOf(claims),
		func(x cell) bool { _, ok := done[x.String()]; return ok },
		func(x cell) error {
			e, err := c.measure(ctx, x)
			if err == nil {
				e.Programs = programs
				err = record.Append(c.record, e)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", x, err)
			}
			done[x.String()] = e
			fmt.Fprintf(c.stderr, "%d/%d  %s\n", len(done), len(own), x)
			return nil
		})
	if err != nil {
		return 0, err
	}

	code := 0
	for i := range claims {
		code = record.Worse(code, c.print(&claims[i], done))
	}
	return record.Exit(c.stdout, code, left, "cells"), nil
}

// fits returns an error for an entry of other programs, or with another number of blocks. Own is the number that the
// claim of the cell asks for.
func (c *campaign) fits(e entry, programs string, own int) error {
	if e.Programs != programs {
		return errors.New("it was measured by another build: remove the file, or build the same sources")
	}
	for _, wall := range e.Wall {
		n, want := len(wall), cmp.Or(c.blocks, own)
		if n == want {
			continue
		}
		advice := fmt.Sprintf("give -blocks %d", n)
		if n == own {
			advice = "leave out -blocks"
		}
		return fmt.Errorf("%s has %d blocks, not %d: remove %s, or %s", e.Cell, n, want, c.record, advice)
	}
	return nil
}

// hashes returns the hashes of this program and of brewput-extra.
func hashes() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	other, err := plugin.Find()
	if err != nil {
		return "", err
	}
	var out []string
	for _, path := range []string{exe, other} {
		h, err := record.Hash(path)
		if err != nil {
			return "", err
		}
		out = append(out, h)
	}
	return strings.Join(out, " "), nil
}

// measure runs the designs of a cell, and the rivals, in blocks. The run is removed afterwards.
func (c *campaign) measure(ctx context.Context, x cell) (entry, error) {
	e := entry{Cell: x.String(), Wall: map[string][]float64{}}
	w, err := workload.Find(c.workloads, x.claim.workload)
	if err != nil {
		return e, err
	}
	dir, err := os.MkdirTemp("", "brewput-rivals-")
	if err != nil {
		return e, err
	}
	defer os.RemoveAll(dir)
	o := lab.MeasureOptions{NoPredictions: true}
	o.Designs, o.Levels, o.Count = x.claim.all(), x.levels, cmp.Or(c.blocks, x.claim.ownBlocks())
	o.Output = filepath.Join(dir, "run")
	run, err := lab.Measure(ctx, w, o)
	if err != nil {
		return e, err
	}
	for i := range run.Trials {
		t := &run.Trials[i]
		if !t.Good() {
			return e, fmt.Errorf("a trial of %s (%s) has no number: %s: %s", t.Design, t.Point, t.Status, t.Error)
		}
		if t.Kind == result.KindTrial {
			e.Wall[t.Design] = append(e.Wall[t.Design], t.WallSeconds)
		}
		if s := float64(t.Metrics.Get("sync_seconds")); s > 0 {
			e.Sync = append(e.Sync, s)
		}
	}
	for _, d := range x.claim.all() {
		if n := len(e.Wall[d]); n != o.Count {
			return e, fmt.Errorf("%s has %d of %d trials", d, n, o.Count)
		}
	}
	return e, nil
}
