//go:build linux

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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

func hashFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// readRecord reads the attempts so far, which are those on one program with one seed. A last line without its end, as a kill
// leaves it, is cut off: its attempt is made again.
func readRecord(path, program string, seed uint64) (list []outcome, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if end := bytes.LastIndexByte(text, '\n') + 1; err == nil && end < len(text) {
		if err := os.Truncate(path, int64(end)); err != nil {
			return nil, err
		}
		text = text[:end]
	}
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var o outcome
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(list)+1, err)
		}
		if o.Program != program || o.Seed != seed {
			return nil, fmt.Errorf("%s holds attempts on another build or with another seed: remove it", path)
		}
		list = append(list, o)
	}
	return list, errors.Join(err, in.Err())
}

func appendRecord(path string, o outcome) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	line, err := json.Marshal(o)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Close())
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
			fmt.Fprintf(&b, "\n%s:%d %s: %s\n  %.300q\n  kept in %s\n", o.Area, o.Index, o.Kind, strings.Join(o.Found, "; "), o.Command, o.Kept)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d attempts are left: do it again.\n", left)
	}
	return b.String()
}
