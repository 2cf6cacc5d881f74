package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/findings"
	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

// again explains every case several times, all of them once before any a second time, and prints how often the answers
// agree. It returns the exit code.
func again(ctx context.Context, o options, cases []corpus.Case, piece record.Piece, out io.Writer) (code int,
	err error) {
	failures := 0
	for k := range o.again {
		left, n, err := collectAll(ctx, turn(o.dir, k), cases, piece, out)
		if err != nil {
			return 0, err
		}
		if failures += n; left > 0 {
			record.Remaining(out, left+(o.again-k-1)*len(cases), "answers")
			return record.ExitUndecided, failed(failures)
		}
	}
	list := agreements(o, cases)
	fmt.Fprintf(out, "\n%s", findings.AgreementTable(list))
	return decide(findings.NewAgreement(list).Targets(), 0, out), failed(failures)
}

// failed is the error of programs that could not be explained, or nil.
func failed(programs int) error {
	if programs == 0 {
		return nil
	}
	return fmt.Errorf("%d programs could not be explained", programs)
}

// turn is the directory of the answers of one turn.
func turn(dir string, k int) string { return filepath.Join(dir, fmt.Sprint(k+1)) }

// agreements returns the first findings of all turns, as far as there is evidence.
func agreements(o options, cases []corpus.Case) (list []findings.Again) {
	for _, c := range cases {
		a := findings.Again{Case: c.Name()}
		for k := range o.again {
			if e, err := load(turn(o.dir, k), c); err == nil {
				a.First = append(a.First, explain.Explain(e).Findings[0])
			}
		}
		list = append(list, a)
	}
	return list
}
