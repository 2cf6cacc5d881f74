package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
	"github.com/brewput/brewput/workload/source"
)

// Workloads writes what each workload is about, on one line if a clause of that fits, and last how to see one. program
// is the name of the command.
func Workloads(w io.Writer, program string, all []*workload.Workload, st Style) error {
	name, designs := column{head: "workload", left: true}, column{head: "designs"}
	for _, x := range all {
		name.add(x.Name, bold)
		designs.add(fmt.Sprint(len(x.Designs)), plain)
	}
	room := max(minWidth/2, st.width()-totalWidth([]column{name, designs}, (*column).width)-gap)
	name.cells, designs.cells = nil, nil
	about := column{head: "about", left: true}
	for _, x := range all {
		key, count := x.Name, fmt.Sprint(len(x.Designs))
		for _, line := range lines(st.split(shortSummary(st.text(summary(x)), room)), 0, room) {
			name.add(key, bold)
			designs.add(count, plain)
			about.add(line, plain)
			key, count = "", ""
		}
	}
	var b strings.Builder
	render(&b, []column{name, designs, about}, st)
	if len(all) > 0 {
		b.WriteString("\n")
		wrap(&b, st.split(fmt.Sprintf("Type %s list %s for the designs and factors of a workload.", program,
			all[0].Name)), " ", 0, st.width())
	}
	return st.emit(w, b.String())
}

// summary is the first line of a workload's documentation.
func summary(x *workload.Workload) string {
	line, _, _ := strings.Cut(x.Doc, "\n")
	return line
}

// shortSummary returns the clauses of a summary that fit some columns. If not even one does, it cuts at a comma in the
// last two thirds of the columns, or returns the whole summary.
func shortSummary(text string, room int) string {
	text = clauses(strings.TrimSuffix(text, "."), room)
	if quote.Width(text) > room {
		kept := quote.Cut(text, room+1)
		if i := strings.LastIndexByte(kept, ','); i > len(kept)/3 {
			return kept[:i]
		}
	}
	return text
}

// Workload writes the designs and factors of a workload.
func Workload(w io.Writer, x *workload.Workload, st Style) error {
	var b strings.Builder
	writeHanging(&b, st.text(x.Name)+strings.Repeat(" ", gap), summary(x), st)

	design, kind, lines := column{head: "design", left: true}, column{head: "type", left: true}, column{head: "lines"}
	var about []string
	counted := source.Count(x)
	for _, d := range x.Designs {
		design.add(d.Name, bold)
		kind.add(d.Type(), plain)
		if n := counted[d.Name]; n != nil {
			lines.add(fmt.Sprint(*n), plain)
		} else {
			lines.add("-", plain)
		}
		about = append(about, designDoc(d))
	}
	writeDescribed(&b, []column{design, kind, lines}, about, st)

	factor, levels, standard := column{head: "factor", left: true}, column{head: "levels", left: true},
		column{head: "default", left: true}
	about = nil
	for _, f := range listedFactors(x) {
		factor.add("--"+f.Name, bold)
		levels.add(f.Kind.String(), plain)
		standard.add(f.Default, plain)
		about = append(about, f.Doc)
	}
	writeDescribed(&b, []column{factor, levels, standard}, about, st)
	return st.emit(w, b.String())
}

// listedFactors returns the factors of a workload without common ones that none of its designs uses, as jobs use no
// rate.
func listedFactors(x *workload.Workload) []plan.Factor {
	return slices.DeleteFunc(x.AllFactors(), func(f plan.Factor) bool {
		own := slices.ContainsFunc(x.Factors, func(o plan.Factor) bool { return o.Name == f.Name })
		return !own && !slices.ContainsFunc(x.Designs, func(d workload.Design) bool {
			return slices.Contains(x.FactorsOf(d), f.Name)
		})
	})
}

// designDoc describes a design. It ends with what is special about it.
func designDoc(d workload.Design) string {
	var special []string
	if d.Reference {
		special = append(special, "reference")
	}
	if d.Worlds == workload.LiveOnly {
		special = append(special, "live only")
	}
	if d.OnRequest {
		special = append(special, "only if named")
	}
	if d.Program != nil {
		special = append(special, "of "+programName(*d.Program))
	}
	if len(special) == 0 {
		return d.Doc
	}
	return d.Doc + " (" + strings.Join(special, ", ") + ")"
}

// writeDescribed writes a table whose last column holds sentences. They continue below themselves, or, on a narrow
// page, below their row.
func writeDescribed(b *strings.Builder, columns []column, about []string, st Style) {
	blankLine(b)
	columns = mapTexts(columns, st.text)
	indent := totalWidth(columns, (*column).width) + gap
	row := func(at func(c *column) cell) string {
		var l strings.Builder
		for i := range columns {
			c := &columns[i]
			x := at(c)
			pad := strings.Repeat(" ", c.width()-quote.Width(x.text))
			if text := st.paint(x.tone, x.text); c.left {
				l.WriteString(text + pad)
			} else {
				l.WriteString(pad + text)
			}
			l.WriteString(strings.Repeat(" ", gap))
		}
		return l.String()
	}
	narrow := st.width()-indent < minWidth/2
	head := row(func(c *column) cell { return cell{c.head, dim} })
	if !narrow {
		head += st.paint(dim, "about")
	}
	b.WriteString(strings.TrimRight(head, " ") + "\n")
	for i, text := range about {
		prefix := row(func(c *column) cell { return c.cells[i] })
		if narrow {
			b.WriteString(strings.TrimRight(prefix, " ") + "\n")
			prefix = strings.Repeat(" ", 2*gap)
		}
		writeHanging(b, prefix, text, st)
	}
}

// writeHanging writes a sentence after a prefix. Its further lines begin where its first one does.
func writeHanging(b *strings.Builder, prefix, text string, st Style) {
	indent := quote.Width(unpainted(prefix))
	wrapped := lines(st.split(text), 0, max(st.width()-indent, minWidth/2))
	b.WriteString(strings.TrimRight(prefix+strings.Join(wrapped, "\n"+strings.Repeat(" ", indent)), " ") + "\n")
}

// unpainted returns a painted text without its marks.
func unpainted(s string) string {
	return strings.Map(func(r rune) rune {
		if firstMark <= r && r <= endMark {
			return -1
		}
		return r
	}, s)
}

// WorkloadsJSON writes each design as a record of the JSON contract.
func WorkloadsJSON(w io.Writer, all []*workload.Workload) error {
	for _, x := range all {
		counted := source.Count(x)
		for _, d := range x.Designs {
			var formula *string
			if d.Formula != nil {
				formula = &d.Formula.Text
			}
			var program *string
			if d.Program != nil {
				program = &d.Program.File
			}
			if err := JSON(w, map[string]any{
				"kind": "design", "schema_version": result.SchemaVersion, "workload": x.Name, "design": d.Name,
				"doc": d.Doc, "type": d.Type(),
				"worlds": strings.Split(d.Worlds.String(), ", "), "factors": x.FactorsOf(d),
				"expect": d.Expect.String(), "peer": d.Reference, "on_request": d.OnRequest,
				"guarantee": d.Guarantee,
				"formula":   formula, "lines": counted[d.Name],
				"program": program,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Missing writes a line for each design that a program would add, which is not installed, and how to build it.
func Missing(w io.Writer, program, build string, designs [][2]string, st Style) error {
	if len(designs) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("\n")
	wrap(&b, st.split(program+" is not installed. It would add:"), " ", 0, st.width())
	name := column{head: "design", left: true}
	var about []string
	for _, d := range designs {
		name.add(d[0], bold)
		about = append(about, d[1])
	}
	writeDescribed(&b, []column{name}, about, st)
	b.WriteString("\n")
	wrap(&b, st.split("To build it, type "+build+"."), " ", 0, st.width())
	return st.emit(w, b.String())
}

// MissingJSON writes a record for each design that a program would add, which is not installed.
func MissingJSON(w io.Writer, program, build string, designs [][2]string) error {
	for _, d := range designs {
		workload, design, _ := strings.Cut(d[0], "/")
		if err := JSON(w, map[string]any{
			"kind": "absent-design", "schema_version": result.SchemaVersion, "workload": workload, "design": design,
			"doc": d[1], "program": program, "build": build,
		}); err != nil {
			return err
		}
	}
	return nil
}

// Source writes the source of a design after comments that describe it. Errors are those of reading the source and of
// w.
func Source(w io.Writer, x *workload.Workload, d workload.Design) error {
	src, err := source.Read(x, d)
	if err != nil {
		return err
	}
	kind := d.Type()
	if d.Reference {
		kind += ", reference"
	}
	factors := slices.DeleteFunc(x.FactorsOf(d), workload.IsLoadFactor) // every stream has those of the open loop
	var b strings.Builder
	fmt.Fprintf(&b, "// %s/%s: %s.\n// %s; %d lines of code; factors: %s; worlds: %s.\n", x.Name, d.Name, d.Doc, kind,
		src.Lines, strings.Join(factors, ", "), d.Worlds)
	if d.Program != nil {
		fmt.Fprintf(&b, "// It runs in %s, version %s.\n", d.Program.File, d.Program.Version)
	}
	if d.Formula != nil {
		fmt.Fprintf(&b, "// Its %s by formula: %s (%s).\n", cmp.Or(d.Formula.Metric, "wall time"), d.Formula.Text,
			d.Formula.Source)
	}
	file := ""
	for _, part := range src.Parts {
		if part.File != file {
			file = part.File
			fmt.Fprintf(&b, "\n// %s\n", file)
		}
		fmt.Fprintf(&b, "\n%s\n", part.Text)
	}
	_, err = io.WriteString(w, quote.Lines(b.String()))
	return err
}

// programName is the name of a program's file, without its folder.
func programName(p workload.Program) string { return p.File[strings.LastIndexAny(p.File, `/\`)+1:] }
