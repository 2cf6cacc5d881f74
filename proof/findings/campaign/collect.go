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
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

// evidenceFile is the file of the evidence of a case.
func evidenceFile(dir string, c corpus.Case) string {
	return filepath.Join(dir, "evidence", strings.ReplaceAll(c.Name(), "/", "-")+".gob.gz")
}

// stored is the content of a file of evidence. Source shows whether the program of the case has changed since.
type stored struct {
	Format   int // storedFormat
	Source   []byte
	Took     time.Duration
	Evidence evidence.Evidence
}

// collectAll explains every case that has no evidence yet, and stores the evidence. It begins nothing after the piece
// is over, and returns how many cases are left. It reports a program that cannot be explained, continues with the next,
// and returns how many failed.
func collectAll(ctx context.Context, dir string, cases []corpus.Case, piece record.Piece, out io.Writer) (left,
	failed int, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "evidence"), 0o755); err != nil {
		return 0, 0, err
	}
	var todo []corpus.Case
	for _, c := range cases {
		if _, err := load(dir, c); err != nil {
			todo = append(todo, c)
		}
	}

	// A random order, so that a part of the evidence holds all kinds of programs.
	rand.New(rand.NewPCG(1, uint64(len(cases)))).Shuffle(len(todo),
		func(a, b int) { todo[a], todo[b] = todo[b], todo[a] })
	for n, c := range todo {
		if piece.Over() {
			return len(todo) - n, failed, nil
		}
		took, err := collect(ctx, dir, c, out)
		switch {
		case ctx.Err() != nil:
			return len(todo) - n, failed, ctx.Err()
		case err != nil:
			failed++
			fmt.Fprintf(out, "%-22s failed: %v\n", c.Name(), err)
		default:
			fmt.Fprintf(out, "%-22s %5.1f s\n", c.Name(), took.Seconds())
		}
	}
	return 0, failed, nil
}

// collect lets lab.Explain explain the program of a case, and stores its evidence. It reports stored evidence from
// which explain.Explain does not draw the same findings.
func collect(ctx context.Context, dir string, c corpus.Case, out io.Writer) (took time.Duration, err error) {
	source, _, err := c.Source()
	if err != nil {
		return 0, err
	}
	temp, err := os.MkdirTemp("", "verdicts-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temp)
	at := filepath.Join(temp, c.Family.Name) // a program has the name of its directory
	if err := c.Write(at); err != nil {
		return 0, err
	}

	// Programs of the corpus write files into their working directory, which is that of this process.
	back, err := os.Getwd()
	if err == nil {
		err = os.Chdir(at)
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Chdir(back)) }()
	began := time.Now()
	x, err := lab.Explain(ctx, lab.ExplainOptions{Target: lab.Package{Pattern: "."}, TimeLimit: time.Minute})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	s := stored{Source: source, Took: time.Since(began), Evidence: *x.Evidence.Evidence}
	s.Evidence.Program.Source = nil
	if err := save(evidenceFile(dir, c), s); err != nil {
		return 0, err
	}
	again, err := load(dir, c)
	if err != nil {
		return 0, err
	}
	if a, b := names(x.Report.Findings), names(explain.Explain(again).Findings); a != b {
		fmt.Fprintf(out, "%-22s gives %s, but %s from its stored evidence\n", c.Name(), a, b)
	}
	return s.Took, nil
}

// names are the names of findings, by rank.
func names(list []explain.Finding) string {
	var all []string
	for _, f := range list {
		all = append(all, string(f.Name))
	}
	return strings.Join(all, ", ")
}

// save replaces a file of evidence as a whole, so that a kill leaves none that is incomplete.
func save(file string, s stored) error {
	s.Format = storedFormat
	return store.Replace(file, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(gob.NewEncoder(z).Encode(s), z.Close())
	})
}

// storedFormat changes with the fields of evidence.Evidence, because gob leaves out what it does not know by name.
const storedFormat = 2

var errChanged = errors.New("the program, or the format of evidence, has changed since its evidence was collected")

// load reads the evidence of a case. It is an error if the program has changed since.
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
	var s stored
	if err := gob.NewDecoder(z).Decode(&s); err != nil {
		return nil, err
	}
	source, _, err := c.Source()
	if err != nil {
		return nil, err
	}
	if string(source) != string(s.Source) || s.Format != storedFormat {
		return nil, errChanged
	}
	lines := strings.Split(string(source), "\n")
	s.Evidence.Program.Source = func(file string, line int) string {
		if filepath.Base(file) != "main.go" || line < 1 || line > len(lines) {
			return ""
		}
		return lines[line-1]
	}
	return &s.Evidence, nil
}
