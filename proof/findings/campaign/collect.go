package main

import (
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/proof/findings/corpus"
)

// evidenceFile is where the evidence of a case is kept.
func evidenceFile(dir string, c corpus.Case) string {
	return filepath.Join(dir, "evidence", strings.ReplaceAll(c.Name(), "/", "-")+".gob.gz")
}

// kept is what a file of evidence holds: the source is there so that it is known when it is no longer that of the case.
type kept struct {
	Source   []byte
	Took     time.Duration
	Evidence evidence.Evidence
}

// collectAll gathers the evidence of every case that has none yet. It stops where the deadline has passed, and says how
// many are left. A program that cannot be explained is reported, and does not stop the others.
func collectAll(ctx context.Context, dir string, cases []corpus.Case, deadline time.Time, out io.Writer) (left int,
	err error) {
	if err := os.MkdirAll(filepath.Join(dir, "evidence"), 0o755); err != nil {
		return 0, err
	}
	var todo []corpus.Case
	for _, c := range cases {
		if _, err := load(dir, c); err != nil {
			todo = append(todo, c)
		}
	}
	// In no order, so that what is there after a part of the time is of all kinds.
	rand.New(rand.NewPCG(1, uint64(len(cases)))).Shuffle(len(todo),
		func(a, b int) { todo[a], todo[b] = todo[b], todo[a] })
	for n, c := range todo {
		if time.Now().After(deadline) {
			return len(todo) - n, nil
		}
		took, err := gather(ctx, dir, c)
		switch {
		case ctx.Err() != nil:
			return len(todo) - n, ctx.Err()
		case err != nil:
			fmt.Fprintf(out, "%-22s failed: %v\n", c.Name(), err)
		default:
			fmt.Fprintf(out, "%-22s %5.1f s\n", c.Name(), took.Seconds())
		}
	}
	return 0, nil
}

func gather(ctx context.Context, dir string, c corpus.Case) (time.Duration, error) {
	place, err := os.MkdirTemp("", "verdicts-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(place)
	place = filepath.Join(place, c.Family.Name) // a program is called after its directory
	if err := c.Write(place); err != nil {
		return 0, err
	}
	start := time.Now()
	o := collect.DefaultOptions()
	o.TimeLimit = time.Minute
	e, err := collect.Command(ctx, place, collect.PackageCommand(".", nil), o)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	source, _, err := c.Source()
	if err != nil {
		return 0, err
	}
	k := kept{Source: source, Took: time.Since(start), Evidence: *e.Evidence}
	k.Evidence.Program.Source = nil
	return k.Took, save(evidenceFile(dir, c), k)
}

func save(file string, k kept) (err error) {
	f, err := os.Create(file + ".new")
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(file+".new", file)
		}
	}()
	z := gzip.NewWriter(f)
	if err := gob.NewEncoder(z).Encode(k); err != nil {
		return err
	}
	return z.Close()
}

var errOther = errors.New("the evidence is of another source")

// load reads the evidence of a case, if it is of the source as it is now.
func load(dir string, c corpus.Case) (*evidence.Evidence, error) {
	f, err := os.Open(evidenceFile(dir, c))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var k kept
	if err := gob.NewDecoder(z).Decode(&k); err != nil {
		return nil, err
	}
	source, _, err := c.Source()
	if err != nil {
		return nil, err
	}
	if string(source) != string(k.Source) {
		return nil, errOther
	}
	lines := strings.Split(string(source), "\n")
	k.Evidence.Program.Source = func(file string, line int) string {
		if filepath.Base(file) != "main.go" || line < 1 || line > len(lines) {
			return ""
		}
		return lines[line-1]
	}
	return &k.Evidence, nil
}
