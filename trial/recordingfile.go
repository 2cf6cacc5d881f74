package trial

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

const (
	maxPerLine = 1000    // sections in a line
	maxLine    = 1 << 20 // in bytes
)

// A file of costs is NDJSON. It has a line of kind "costs". For each trial follow a line of kind
// "section_costs" and lines without a kind, one for each key and every thousand sections of it.
type (
	costsLine struct {
		Kind          string `json:"kind"`
		SchemaVersion int    `json:"schema_version"`
		Workload      string `json:"workload"`
		Clock         string `json:"clock"`
		Trials        int    `json:"trials"`
	}
	trialLine struct {
		Kind     string     `json:"kind"`
		Design   string     `json:"design"`
		Point    plan.Point `json:"point"`
		Seed     string     `json:"seed"`
		Sections int        `json:"sections"`
		Job      *int       `json:"job_sections,omitempty"` // nil: all of them
	}
	sectionLine struct {
		Goroutine string  `json:"goroutine"`
		Request   *uint64 `json:"request,omitempty"`
		Ns        []int64 `json:"ns"`
	}
)

const (
	kindCosts = "costs"
	kindTrial = "section_costs"
)

// Write writes the recording. Equal recordings give equal files.
func (r *Recording) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	slices.SortFunc(r.trials, func(a, b *trialCosts) int {
		return cmp.Or(cmp.Compare(a.seed, b.seed), cmp.Compare(a.design, b.design),
			cmp.Compare(a.point.String(), b.point.String()))
	})
	if err := enc.Encode(costsLine{kindCosts, result.SchemaVersion, r.Workload, r.clock, len(r.trials)}); err != nil {
		return err
	}
	for _, s := range r.trials {
		if err := s.write(enc); err != nil {
			return err
		}
	}
	return out.Flush()
}

// write writes the lines of one trial.
func (s *trialCosts) write(enc *json.Encoder) error {
	n := 0
	var pieces []sectionKey
	for p, costs := range s.costs {
		pieces = append(pieces, p)
		n += len(costs)
	}
	slices.SortFunc(pieces, func(a, b sectionKey) int {
		return cmp.Or(cmp.Compare(a.Request, b.Request), cmp.Compare(a.Goroutine, b.Goroutine))
	})
	head := trialLine{Kind: kindTrial, Design: s.design, Point: s.point, Seed: strconv.FormatUint(s.seed, 10),
		Sections: n}
	if s.whole != 0 && s.whole != n {
		head.Job = &s.whole
	}
	if err := enc.Encode(head); err != nil {
		return err
	}
	for _, p := range pieces {
		for costs := range slices.Chunk(s.costs[p], maxPerLine) {
			line := sectionLine{Goroutine: p.Goroutine}
			if p.Request != env.NoRequest {
				line.Request = &p.Request
			}
			for _, c := range costs {
				line.Ns = append(line.Ns, int64(c))
			}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadRecording reads a file of the costs of the real code of w. Errors name the line.
func ReadRecording(in io.Reader, w *workload.Workload) (*Recording, error) {
	p := parser{lines: bufio.NewScanner(in), workload: w, r: &Recording{sealed: true, kept: true}}
	p.lines.Buffer(nil, maxLine)
	for p.lines.Scan() {
		p.line++
		if err := p.next(p.lines.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	err := p.lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("line %d is longer than %d bytes: %w", p.line+1, maxLine, errNoCosts)
	}
	if err == nil {
		if err = p.checkComplete(); err != nil {
			err = fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if err == nil && (p.line == 0 || len(p.r.trials) != p.trials) {
		err = fmt.Errorf("line %d: the file ends here with %d of %d trials: %w", p.line, len(p.r.trials), p.trials,
			errCut)
	}
	if err != nil {
		return nil, err
	}
	return p.r, nil
}

var (
	errNoCosts = errors.New("this is not a file of costs; record one")
	errCut     = errors.New("it was truncated or changed; record it again")
)

// parser reads a file of costs line by line. Its methods return an error for a line that does not fit.
type parser struct {
	lines    *bufio.Scanner
	line     int
	workload *workload.Workload
	r        *Recording
	trials   int         // number of trials that the file declares
	last     *trialCosts // the trial of the current lines
	left     int         // sections of that trial still to come
	sum      time.Duration
}

func (p *parser) next(text []byte) error {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return fmt.Errorf("%w (%w)", errNoCosts, err)
	}
	switch {
	case (kind.Kind == kindCosts) != (p.line == 1):
		return errNoCosts
	case kind.Kind == kindCosts:
		return p.head(text)
	case kind.Kind == kindTrial:
		return p.trial(text)
	case kind.Kind != "":
		return fmt.Errorf("a line of kind %q: %w", kind.Kind, errNoCosts)
	}
	return p.section(text)
}

func (p *parser) head(text []byte) error {
	var l costsLine
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%w (%w)", errNoCosts, err)
	}
	if l.SchemaVersion != result.SchemaVersion {
		return fmt.Errorf("the file has version %d, and this program reads %d: record it again", l.SchemaVersion,
			result.SchemaVersion)
	}
	if l.Clock != "" && l.Clock != calibrate.ThreadClock && l.Clock != calibrate.WallClock {
		return fmt.Errorf("there is no clock %q: %w", l.Clock, errCut)
	}
	if l.Workload != p.workload.Name {
		return plan.Refuse("", nil, "these are the costs of the workload %s, not of %s: record those with "+
			"{record-costs} FILE", l.Workload, p.workload.Name)
	}
	p.r.Workload, p.r.clock, p.trials = l.Workload, l.Clock, l.Trials
	return nil
}

// checkComplete returns an error if sections of the last trial are missing.
func (p *parser) checkComplete() error {
	if p.left > 0 {
		return fmt.Errorf("%d sections of %s (%s) are missing: %w", p.left, p.last.design, p.last.point, errCut)
	}
	return nil
}

func (p *parser) trial(text []byte) error {
	if err := p.checkComplete(); err != nil {
		return err
	}
	var l trialLine
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%w (%w)", errCut, err)
	}
	seed, err := strconv.ParseUint(l.Seed, 10, 64)
	if err == nil {
		l.Point, err = p.workload.Recast(l.Point)
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", errCut, err)
	}
	if cpus, ok := l.Point.Get("cpus"); !ok || cpus.Kind() != plan.Int {
		return fmt.Errorf("the point (%s) has no number of cpus: %w", l.Point, errCut)
	}
	if p.r.n += l.Sections; l.Sections < 0 || l.Sections > maxSections || p.r.n > maxSections {
		return fmt.Errorf("%d sections are out of range; a file has at most %d: %w", l.Sections, maxSections, errCut)
	}
	for _, s := range p.r.trials {
		if s.design == l.Design && s.seed == seed && s.point.Equal(l.Point) {
			return fmt.Errorf("%s (%s) with seed %d is there twice: %w", s.design, s.point, seed, errCut)
		}
	}
	whole := l.Sections
	if l.Job != nil {
		whole = *l.Job
	}
	if whole < 0 || whole > l.Sections {
		return fmt.Errorf("%d of %d sections are the job's: %w", whole, l.Sections, errCut)
	}
	p.last, p.left, p.sum = &trialCosts{l.Design, l.Point, seed, map[sectionKey][]time.Duration{}, whole}, l.Sections, 0
	p.r.trials = append(p.r.trials, p.last)
	return nil
}

func (p *parser) section(text []byte) error {
	var l sectionLine
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%w (%w)", errCut, err)
	}
	if p.left -= len(l.Ns); p.last == nil || p.left < 0 || len(l.Ns) == 0 {
		return fmt.Errorf("%d sections that belong to no trial: %w", len(l.Ns), errCut)
	}
	key := sectionKey{env.NoRequest, l.Goroutine}
	if l.Request != nil {
		key.Request = *l.Request
	}
	for _, ns := range l.Ns {
		if ns < 0 || ns > int64(maxSection) {
			return fmt.Errorf("a cost of %d ns is out of range; a section takes at most %v: %w", ns, maxSection,
				errCut)
		}
		if p.sum += time.Duration(ns); p.sum > maxTrial {
			return fmt.Errorf("the sections of one trial take more than %v together: %w", maxTrial, errCut)
		}
		p.last.costs[key] = append(p.last.costs[key], time.Duration(ns))
	}
	return nil
}
