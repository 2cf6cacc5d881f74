//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// outcome is an attempt, a line of the record.
type outcome struct {
	Program string   `json:"program"` // SHA-256
	Seed    uint64   `json:"seed"`
	Area    string   `json:"area"`
	Index   int      `json:"index"`
	Kind    string   `json:"kind"` // what was done, in a few words
	Command []string `json:"command,omitempty"`
	Found   []string `json:"found,omitempty"` // what is wrong; none where it held
	Kept    string   `json:"kept,omitempty"`  // the folder of a find
	Seconds float64  `json:"seconds"`         // of the command that took longest
}

// fits wants an attempt on this program with this seed.
func (c *campaign) fits(o outcome) error {
	if o.Program != c.sum || o.Seed != c.seed {
		return errors.New("an attempt on another build or with another seed: remove the record")
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

func (t table) found() (n int) {
	for _, r := range t {
		n += r.bad
	}
	return n
}

// text is the table for people, and the finds below it.
func (t table) text() string {
	var b strings.Builder
	const line = "%-9s %9v %7v %8v %6v\n"
	fmt.Fprintf(&b, line, "area", "attempts", "found", "longest", "seed")
	left := 0
	for _, r := range t {
		fmt.Fprintf(&b, line, r.area, r.n, r.bad, fmt.Sprintf("%.1fs", r.longest), r.seed)
		left += max(0, r.planned-r.n)
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
	if left > 0 {
		fmt.Fprintf(&b, "\n%d attempts are left: do it again.\n", left)
	}
	return b.String()
}
