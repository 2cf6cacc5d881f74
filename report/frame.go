package report

import (
	"slices"
	"strconv"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// frame is a table's rows with what they share and the factors in which they differ.
type frame struct {
	rows    []compare.Row
	job     bool
	open    bool     // an open loop
	shared  []string // such as workload, world, "stage 1ms" and "workers = cpus", in the order of the points
	varying []string // factors that differ
	trials  int      // number of trials of each row, with or without a result; 0 if rows differ
}

// frames splits rows into tables. Streams, open loops and jobs have tables of their own, and so has each workload.
func frames(rows []compare.Row) []frame {
	var out []frame
	for _, r := range rows {
		i := slices.IndexFunc(out, func(f frame) bool {
			return f.job == r.Job && f.open == r.Open &&
				f.rows[0].Workload == r.Workload
		})
		if i < 0 {
			out = append(out, frame{job: r.Job, open: r.Open})
			i = len(out) - 1
		}
		out[i].rows = append(out[i].rows, r)
	}
	for i := range out {
		out[i].describe()
	}
	return out
}

// describe fills in what the rows share and in which factors they differ.
func (f *frame) describe() {
	f.shared = []string{f.rows[0].Workload}
	points := make([]plan.Point, len(f.rows))
	for i, r := range f.rows {
		points[i] = r.Point
	}
	if f.hasPredictedRows() {
		f.shared = append(f.shared, result.Live+" and "+predictedNote)
	} else {
		f.shared = append(f.shared, f.rows[0].World)
	}

	// A factor is shared, an alias of another one, or varying.
	for _, name := range factorOrder(points) {
		if levels := f.levels(name); len(levels) == 1 {
			f.shared = append(f.shared, name+" "+levels[0])
		} else if other := f.alias(name); other != "" {
			f.shared = append(f.shared, name+" = "+other)
		} else {
			f.varying = append(f.varying, name)
		}
	}

	f.trials = trials(f.rows[0])
	for _, r := range f.rows {
		if trials(r) != f.trials {
			f.trials = 0
			return
		}
	}

	if f.trials == 1 {
		f.shared = append(f.shared, "1 trial each")
	} else if f.trials > 1 {
		f.shared = append(f.shared, strconv.Itoa(f.trials)+" trials each")
	}
}

// trials is the number of trials of a row, including those without a result.
func trials(r compare.Row) int {
	total := 0
	for _, n := range r.Statuses {
		total += n
	}
	return max(total, r.N)
}

// alias is an earlier varying factor with the same level in every row that has the factor name, or "".
func (f *frame) alias(name string) string {
	for _, other := range f.varying {
		same := true
		for _, r := range f.rows {
			if r.Point.Has(name) && level(r, name) != level(r, other) {
				same = false
			}
		}
		if same {
			return other
		}
	}
	return ""
}

// levels returns the distinct levels of a factor in order of appearance. Rows whose design does not use the factor
// have none.
func (f *frame) levels(name string) []string {
	var out []string
	for _, r := range f.rows {
		if l := level(r, name); l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// level is a factor's level in a row, or "" if its design does not use the factor.
func level(r compare.Row, name string) string {
	if l, ok := r.Point.Get(name); ok {
		return l.String()
	}
	return ""
}

// labels returns the columns that name the rows: the design and the varying factors.
func (f *frame) labels() []column {
	columns := []column{{head: "design", left: true}}
	for _, name := range f.varying {
		columns = append(columns, column{head: name, left: f.hasTextLevels(name)})
	}
	return columns
}

// label adds a row's name to the columns of labels.
func (f *frame) label(columns []column, r compare.Row) {
	t := plain
	if r.Bound {
		t = dim
	}
	columns[0].add(r.Design, t)
	for i, name := range f.varying {
		columns[i+1].add(level(r, name), t)
	}
}

// hasTextLevels reports whether the factor's levels are texts, which are aligned left.
func (f *frame) hasTextLevels(name string) bool {
	for _, r := range f.rows {
		if l, ok := r.Point.Get(name); ok {
			_, number := l.Number()
			return !number
		}
	}
	return true
}

// factorOrder returns the union of the points' factors. A factor that only some points hold follows the one that
// precedes it there.
func factorOrder(points []plan.Point) []string {
	var order []string
	for _, p := range points {
		at := -1
		for _, s := range p.Settings() {
			if i := slices.Index(order, s.Factor); i >= 0 {
				at = i
				continue
			}
			at++
			order = slices.Insert(order, at, s.Factor)
		}
	}
	return order
}
