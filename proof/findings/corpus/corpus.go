// Package corpus contains small complete Go programs whose problem is known, to score explain: make verdicts.
//
// A family is one program, a template with parameters. It has three forms: sick, fixed (the same job without the
// problem), and decoy (something that looks like the problem and costs nothing). The directory programs contains the
// families. Nothing in a generated source reveals its form.
package corpus

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// Form is a variant of a program.
type Form string

// The forms.
const (
	Sick  Form = "sick"
	Fixed Form = "fixed"
	Decoy Form = "decoy"
)

// Healthy is the label of a program that no change known to an explainer makes faster.
const Healthy = "healthy"

// Folds is the number of groups of families, by a hash of their name. No rule or threshold may be tuned on the group
// HeldOut.
const (
	Folds   = 4
	HeldOut = 0
)

// Fold returns the group of a family. All of its cases are in it.
func Fold(family string) int {
	sum := sha256.Sum256([]byte(family))
	return int(sum[0]) % Folds
}

// Label is what is known about the programs of one form: the class, and other right findings.
type Label struct {
	Class string
	Also  []string
}

// Family is a program with its forms and parameters.
type Family struct {
	Name   string
	About  string
	Labels map[Form]Label
	// Diagnosis says that the class is true by construction. Otherwise a case counts as sick only if its fix was
	// measured to gain.
	Diagnosis bool
	Points    []map[string]string
	body      *template.Template
}

// Case is one generated program.
type Case struct {
	Family *Family
	Form   Form
	Point  int // index in Family.Points
}

//go:embed programs/*.go.txt
var programs embed.FS

// Families returns all families, sorted by name.
func Families() ([]*Family, error) {
	entries, err := programs.ReadDir("programs")
	if err != nil {
		return nil, err
	}
	var all []*Family
	for _, e := range entries {
		text, err := programs.ReadFile("programs/" + e.Name())
		if err != nil {
			return nil, err
		}
		f, err := parse(strings.TrimSuffix(e.Name(), ".go.txt"), string(text))
		if err != nil {
			return nil, fmt.Errorf("proof/findings/corpus/programs/%s: %w", e.Name(), err)
		}
		all = append(all, f)
	}
	return all, nil
}

// parse reads a family: lines of "// key: value" up to an empty line, then the program. A program is a text/template
// with the delimiters [[ and ]]. Its data are the parameters and the form.
func parse(name, text string) (*Family, error) {
	head, body, ok := strings.Cut(text, "\n\n")
	if !ok {
		return nil, fmt.Errorf("no empty line between the keys and the program")
	}
	f := &Family{Name: name, Labels: map[Form]Label{}}
	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "// "), ": ")
		if !ok {
			return nil, fmt.Errorf("%q is not a key and a value", strings.TrimSpace(line))
		}
		switch key {
		case "about":
			f.About = value
		case "sick", "fixed", "decoy":
			words := strings.Fields(value)
			f.Labels[Form(key)] = Label{Class: words[0], Also: words[1:]}
		case "diagnosis":
			f.Diagnosis = value == "yes"
		case "case":
			f.Points = append(f.Points, point(value))
		default:
			return nil, fmt.Errorf("%q is not a key: about, sick, fixed, decoy, diagnosis, case", key)
		}
	}
	if f.About == "" || len(f.Labels) == 0 || len(f.Points) == 0 {
		return nil, fmt.Errorf("needs the keys about and case, and one of sick, fixed and decoy")
	}
	var err error
	f.body, err = template.New(name).Delims("[[", "]]").Option("missingkey=error").Parse(body)
	return f, err
}

func point(text string) map[string]string {
	p := map[string]string{}
	for _, word := range strings.Fields(text) {
		k, v, _ := strings.Cut(word, "=")
		p[k] = v
	}
	return p
}

// Cases returns the programs of the family: every form at every point, but a decoy only at the first point.
func (f *Family) Cases() []Case {
	var cases []Case
	for i := range f.Points {
		for _, form := range []Form{Sick, Fixed, Decoy} {
			if _, ok := f.Labels[form]; ok && (form != Decoy || i == 0) {
				cases = append(cases, Case{Family: f, Form: form, Point: i})
			}
		}
	}
	return cases
}

// Name returns the family, form and point of the case.
func (c Case) Name() string { return fmt.Sprintf("%s/%s%d", c.Family.Name, c.Form, c.Point+1) }

// Label returns what the family says about the case.
func (c Case) Label() Label { return c.Family.Labels[c.Form] }

// Repair returns the fixed case of a sick one.
func (c Case) Repair() (Case, bool) {
	_, ok := c.Family.Labels[Fixed]
	return Case{Family: c.Family, Form: Fixed, Point: c.Point}, ok && c.Form == Sick
}

// Site is a function of main.go with a line that needs a change.
type Site struct {
	Function    string
	First, Last int // lines of the function
}

// mark ends the lines that need a change. It occurs only in templates.
const mark = "//@"

// Source returns the program, and its functions that need a change.
func (c Case) Source() ([]byte, []Site, error) {
	data := map[string]any{"sick": c.Form == Sick, "fixed": c.Form == Fixed, "decoy": c.Form == Decoy}
	for k, v := range c.Family.Points[c.Point] {
		data[k] = v
	}
	var out bytes.Buffer
	if err := c.Family.body.Execute(&out, data); err != nil {
		return nil, nil, err
	}
	marked, err := format.Source(out.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	sites, err := sites(marked)
	if err != nil {
		return nil, nil, err
	}
	var clean []byte
	for line := range bytes.Lines(marked) {
		if before, found := bytes.CutSuffix(bytes.TrimSpace(line), []byte(mark)); found {
			indent := line[:bytes.IndexFunc(line, func(r rune) bool { return r != '\t' })]
			line = append(append(slices.Clone(indent), bytes.TrimSpace(before)...), '\n')
		}
		clean = append(clean, line...)
	}
	return clean, sites, nil
}

func sites(marked []byte) ([]Site, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", marked, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var found []Site
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Text != mark {
				continue
			}
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= comment.Pos() && comment.Pos() <= fn.End()+1 {
					s := Site{fn.Name.Name, set.Position(fn.Pos()).Line, set.Position(fn.End()).Line}
					if !slices.Contains(found, s) {
						found = append(found, s)
					}
				}
			}
		}
	}
	return found, nil
}

// Write creates dir with a module of the case.
func (c Case) Write(dir string) error {
	source, _, err := c.Source()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	module := "module example.com/" + c.Family.Name + "\n\ngo 1.26\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "main.go"), source, 0o644)
}
