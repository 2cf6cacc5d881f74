package main

import (
	"errors"
	"fmt"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// testCase is a design at one point.
type testCase struct {
	workload *workload.Workload // as in the catalogue
	design   string
	levels   map[string]string
}

// name is "coffee/locking (cpus=2 ...)", with the point of a run of the case.
func (x testCase) name(run *lab.Run) string {
	return fmt.Sprintf("%s/%s (%s)", x.workload.Name, x.design, run.Header.Cases[0].Point)
}

// settings are what all entries of a record share.
type settings struct {
	Program string `json:"program"` // SHA-256 of this program
	Seed    uint64 `json:"seed"`
	Blocks  int    `json:"blocks"`
}

// fits returns an error for an entry that was measured with other settings.
func (s settings) fits(e entry) error {
	if e.settings != s {
		return errors.New("a comparison by another build, with another seed or number of blocks: remove the file")
	}
	return nil
}

// entry is the verdict of one comparison, a line of the record.
type entry struct {
	settings
	Case    string       `json:"case"`
	Verdict string       `json:"verdict"`
	N       int          `json:"n"` // blocks
	Ratio   result.Value `json:"ratio"`
	Low     result.Value `json:"low"` // 95% interval of the ratio
	High    result.Value `json:"high"`
	P       result.Value `json:"p"`
	Lag1    result.Value `json:"lag1"`    // correlation of the ratios of neighbouring blocks
	Widened float64      `json:"widened"` // factor by which the order of the blocks widens the interval
}

func newEntry(name string, v compare.Verdict) entry {
	return entry{Case: name, Verdict: v.Verdict, N: v.N, Ratio: v.Ratio, Low: v.Low, High: v.High, P: v.P, Lag1: v.Lag1,
		Widened: v.Widened}
}

// falseVerdict reports whether the verdict is a difference.
func (e entry) falseVerdict() bool { return e.Verdict == compare.Faster || e.Verdict == compare.Slower }
