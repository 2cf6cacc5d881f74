package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Manifest says what a program adds.
type Manifest struct {
	Protocol  int        `json:"protocol"`
	Version   string     `json:"version"`   // of Brewput in the program
	Build     Facts      `json:"build"`     // of the program
	Sources   string     `json:"sources"`   // SHA-256 of the source of all workloads of Brewput in the program
	Workloads []Workload `json:"workloads"` // none if the protocols differ
}

// Workload lists the designs that a program adds to a workload.
type Workload struct {
	Name    string   `json:"name"`
	Designs []Design `json:"designs"`
}

// Design is the declaration of a design. Such designs are live only.
type Design struct {
	Name      string   `json:"name"`
	Doc       string   `json:"doc"`
	Type      string   `json:"type"` // stream or job
	Uses      []string `json:"uses"`
	Expect    string   `json:"expect"`
	Worlds    string   `json:"worlds"`
	Reference bool     `json:"reference"`
	Guarantee string   `json:"guarantee,omitempty"`
	Remote    bool     `json:"remote,omitempty"`
	Package   string   `json:"package,omitempty"`
	Source    string   `json:"source,omitempty"`
}

// Limits of a manifest, far above what a program needs.
const (
	maxDesigns = 1000
	maxText    = 1000 // bytes of a name or of a line that describes a design
	maxFacts   = 100  // facts of a build
)

// Parse reads a manifest. Errors name the part that is invalid. It accepts any protocol.
func Parse(text []byte) (Manifest, error) {
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("its manifest cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, errors.New("its manifest cannot be read: text follows it")
	}
	if m.Protocol < 1 || m.Version == "" || len(m.Version) > maxText {
		return Manifest{}, errors.New("its manifest has no protocol or version")
	}
	if err := m.printable(); err != nil {
		return Manifest{}, err
	}
	designs := 0
	for _, w := range m.Workloads {
		designs += len(w.Designs)
		for _, d := range w.Designs {
			if err := d.validate(); err != nil {
				return Manifest{}, fmt.Errorf("its manifest declares %.100q/%.100q: %w", w.Name, d.Name, err)
			}
		}
	}
	if designs > maxDesigns {
		return Manifest{}, fmt.Errorf("its manifest has %d designs, more than %d", designs, maxDesigns)
	}
	return m, nil
}

// printable refuses what a terminal could act on, and a build with too many facts.
func (m Manifest) printable() error {
	if !isPrintable(m.Version) {
		return fmt.Errorf("the version in its manifest, %.100q, has characters that cannot be printed", m.Version)
	}
	if len(m.Build) > maxFacts {
		return fmt.Errorf("its manifest has %d facts of its build, more than %d", len(m.Build), maxFacts)
	}
	for name, value := range m.Build {
		if len(name)+len(value) > maxText || !isPrintable(name+value) {
			return fmt.Errorf("the fact %.100q=%.100q of the build in its manifest cannot be printed", name, value)
		}
	}
	return nil
}

// isPrintable reports whether a text has only printable characters and spaces.
func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// validate checks what [workload.Workload.Validate] does not.
func (d Design) validate() error {
	switch {
	case len(d.Name) > maxText || len(d.Doc) > maxText || len(d.Package) > maxText:
		return errors.New("its name, description or package is too long")
	case !isPrintable(d.Name + d.Doc + d.Package):
		return errors.New("its name, description or package has characters that cannot be printed")
	case d.Type != "stream" && d.Type != "job":
		return fmt.Errorf("its type is %.100q, not stream or job", d.Type)
	case d.Worlds != workload.LiveOnly.String():
		return fmt.Errorf("its worlds are %.100q, not live", d.Worlds)
	}
	_, err := expectOf(d.Expect)
	return err
}

// expectOf returns the declared outcome with a name.
func expectOf(name string) (workload.Expect, error) {
	for x := workload.Right; x <= workload.MayBreak; x++ {
		if x.String() == name {
			return x, nil
		}
	}
	return 0, fmt.Errorf("its declared outcome %.100q is unknown", name)
}

// errElsewhere is the error of a constructor whose design another program has.
var errElsewhere = errors.New("the design runs in another program")

// design returns the declaration as a design of this program, whose trials p runs.
func (d Design) design(p workload.Program) (workload.Design, error) {
	expect, err := expectOf(d.Expect)
	p.Package, p.Source = d.Package, d.Source
	x := workload.Design{Name: d.Name, Doc: d.Doc, Uses: d.Uses, Expect: expect, Worlds: workload.LiveOnly,
		Reference: d.Reference, Guarantee: d.Guarantee, Remote: d.Remote, OnRequest: true, Program: &p}
	if d.Type == "stream" {
		x.Stream = func(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{}, errElsewhere }
	} else {
		x.Job = func(env.Env, plan.Point) (workload.Job, error) { return workload.Job{}, errElsewhere }
	}
	return x, err
}

// sourcesSum returns the SHA-256 of the files of all workloads, in their order.
func sourcesSum(all []*workload.Workload) string {
	h := sha256.New()
	for _, w := range all {
		fmt.Fprintf(h, "%s %s\n", w.Name, sourceSum(w))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sourceSum returns the SHA-256 of the files of a workload; "" if it has none.
func sourceSum(w *workload.Workload) string {
	if w.Source == nil {
		return ""
	}
	h := sha256.New()
	err := fs.WalkDir(w.Source, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(w.Source, path)
		fmt.Fprintf(h, "%s %d\n", path, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
