package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Record is what the journal of a run holds about a program that ran some of its trials.
type Record struct {
	workload.Program
	Build   Facts    `json:"build,omitempty"` // of the program and of this one
	Designs []Design `json:"designs"`         // that it ran, without their source
}

// Records returns the records of the programs that run the trials of cases, as JSON; nil if there are none.
func Records(w *workload.Workload, cases []plan.Case) json.RawMessage {
	var list []Record
	seen := map[string]bool{}
	for _, c := range cases {
		d, _ := w.Find(c.Design)
		if d.Program == nil || seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		i := slices.IndexFunc(list, func(r Record) bool { return r.File == d.Program.File })
		if i < 0 {
			i = len(list)
			list = append(list, Record{Program: *d.Program, Build: here()})
		}
		list[i].Designs = append(list[i].Designs, declaration(d))
	}
	if list == nil {
		return nil
	}
	text, _ := json.Marshal(list) // it holds only strings
	return text
}

// declaration is the declaration of a design without its package and source.
func declaration(d workload.Design) Design {
	return Design{Name: d.Name, Doc: d.Doc, Type: d.Type(), Uses: d.Uses, Expect: d.Expect.String(),
		Worlds: d.Worlds.String(), Reference: d.Reference, Guarantee: d.Guarantee, Remote: d.Remote}
}

// readRecords decodes the records of a run; nil if there are none.
func readRecords(text json.RawMessage) (list []Record, err error) {
	if text == nil {
		return nil, nil
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	for _, r := range list {
		for _, d := range r.Designs {
			if err := d.validate(); err != nil {
				return nil, fmt.Errorf("the design %.100q: %w", d.Name, err)
			}
		}
	}
	return list, nil
}

// Recorded returns the workload with the designs of a run's records, so that a run can be shown without its programs.
// Such designs are declared as they were when the run began.
func Recorded(w *workload.Workload, records json.RawMessage) (*workload.Workload, error) {
	list, err := readRecords(records)
	if err != nil || list == nil {
		return w, err
	}
	with := *w
	with.More, with.Designs = nil, slices.Clone(w.Designs)
	for _, r := range list {
		for _, d := range r.Designs {
			x, err := d.design(r.Program)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(with.Designs, func(own workload.Design) bool {
				return own.Absent() && own.Name == x.Name
			})
			if i >= 0 {
				with.Designs[i].Program = x.Program
			} else {
				with.Designs = append(with.Designs, x)
			}
		}
	}
	return &with, with.Validate()
}

// Check returns an error if a run cannot be continued, because programs of it are missing or have changed. A file that
// has changed is not executed.
func Check(w *workload.Workload, records json.RawMessage) error {
	list, err := readRecords(records)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := r.checkFile(); err != nil {
			return err
		}
		if diff := here().differences(r.Build); diff != "" && r.Build != nil {
			return fmt.Errorf("it has trials of %s, which was built differently: %s; build both again: %s", r, diff,
				Build)
		}
		for _, was := range r.Designs {
			d, ok := w.Find(was.Name)
			if ok && d.Absent() {
				_, err := w.More()
				return fmt.Errorf("it has trials of %s: %w", r, err)
			}
			if !ok {
				_, err := w.Select([]string{was.Name})
				return fmt.Errorf("it has trials of %s: %w", r, err)
			}
			if d.Program == nil {
				return fmt.Errorf("it has trials of %s, and this program runs %s/%s itself: start a new run", r, w.Name,
					d.Name)
			}
			if d.Program.SHA256 != r.SHA256 {
				return r.changed(d.Program.File, d.Program.SHA256)
			}
		}
	}
	return nil
}

// checkFile returns an error if the program that would run now is another one. A program that is not found is no error,
// because [Check] describes it.
func (r Record) checkFile() error {
	path, err := Find()
	if err != nil {
		return nil
	}
	sum, err := input.Sum(context.Background(), path, input.Program)
	if err != nil {
		return fmt.Errorf("it has trials of %s: %w", r, err)
	}
	if sum != r.SHA256 {
		return r.changed(path, sum)
	}
	return nil
}

// changed is the error of a program whose file has another checksum.
func (r Record) changed(path, sum string) error {
	return fmt.Errorf("it has trials of %s, which has changed: %s has SHA-256 %s. Their times must not be mixed: "+
		"restore the program, or start a new run", r, path, shortSum(sum))
}

// shortSum is the beginning of a checksum.
func shortSum(sum string) string { return sum[:min(12, len(sum))] }

// String names the program, its version and the beginning of its checksum.
func (r Record) String() string {
	return fmt.Sprintf("%s (version %s, SHA-256 %s)", r.File, r.Version, shortSum(r.SHA256))
}
