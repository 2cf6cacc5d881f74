//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/proof/record"
)

// outcome is one attempt, a line of the record.
type outcome struct {
	Program string   `json:"program"` // SHA-256
	Seed    uint64   `json:"seed"`
	Area    string   `json:"area"`
	Index   int      `json:"index"`
	Kind    string   `json:"kind"` // short description of the attempt
	Command []string `json:"command,omitempty"`
	Found   []string `json:"found,omitempty"` // descriptions of faults; none if the program withstood
	Kept    string   `json:"kept,omitempty"`  // directory of a find
	Seconds float64  `json:"seconds"`         // time of the slowest command
}

// fits returns an error for an attempt on another program or with another seed.
func (c *campaign) fits(o outcome) error {
	if o.Program != c.sum || o.Seed != c.seed {
		return errors.New("the record is from another build or another seed: remove the file")
	}
	return nil
}

// row counts the attempts of an area.
type row struct {
	area            string
	planned, n, bad int
	longest         float64 // seconds
	seed            uint64
	finds           []outcome
}

type table []row

func tally(ar area, done []outcome, planned int, seed uint64) row {
	r := row{area: ar.name, planned: planned, seed: seed}
	for _, o := range done {
		if o.Area != ar.name {
			continue
		}
		r.n++
		r.longest = max(r.longest, o.Seconds)
		if len(o.Found) > 0 {
			r.bad++
			r.finds = append(r.finds, o)
		}
	}
	return r
}

// found is the number of finds.
func (t table) found() (n int) {
	for _, r := range t {
		n += r.bad
	}
	return n
}

// left is the number of attempts that remain.
func (t table) left() (n int) {
	for _, r := range t {
		n += max(0, r.planned-r.n)
	}
	return n
}

// code is the exit code.
func (t table) code() int {
	switch {
	case t.found() > 0:
		return record.ExitBroken
	case t.left() > 0:
		return record.ExitUndecided
	}
	return 0
}

// text returns the table, and the finds below it.
func (t table) text() string {
	var b strings.Builder
	const line = "%-9s %9v %7v %8v %6v\n"
	fmt.Fprintf(&b, line, "area", "attempts", "found", "longest", "seed")
	for _, r := range t {
		fmt.Fprintf(&b, line, r.area, r.n, r.bad, fmt.Sprintf("%.1fs", r.longest), r.seed)
	}
	for _, r := range t {
		finds := slices.Clone(r.finds)
		slices.SortFunc(finds, func(x, y outcome) int { return x.Index - y.Index })
		for i, o := range finds {
			if i == 20 {
				fmt.Fprintf(&b, "\n%s: %d more finds are in the record\n", r.area, len(finds)-i)
				break
			}
			fmt.Fprintf(&b, "\n%s:%d %s: %s\n  %.300q\n  kept in %s\n", o.Area, o.Index, o.Kind,
				strings.Join(o.Found, "; "), o.Command, o.Kept)
		}
	}
	record.Remaining(&b, t.left(), "attempts")
	return b.String()
}
