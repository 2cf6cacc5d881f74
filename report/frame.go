package report

import (
	"slices"
	"strconv"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// frame says once what all rows of a table share and which factors tell them apart.
type frame struct {
	rows    []compare.Row
	job     bool
	open    bool     // an open loop
	shared  []string // workload, world, "stage 1ms", "workers = cpus", in the order of the points
	varying []string // factors that differ
	trials  int      // of every row, with or without a number; 0 where rows differ
}

// frames splits rows into tables: streams and jobs, and each workload, have their own.
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

// trials is how many trials a row stands for, those without a number included.
func trials(r compare.Row) int {
	total := 0
	for _, n := range r.Statuses {
		total += n
	}
	return max(total, r.N)
}

// alias is an earlier varying factor that has the same level in every row that holds name.
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

// levels are the distinct levels of a factor in order of appearance. Rows of designs that do not use
// it have none.
func (f *frame) levels(name string) []string {
	var out []string
	for _, r := range f.rows {
		if l := level(r, name); l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// level is a factor's level in a row, "" where its design does not use the factor.
func level(r compare.Row, name string) string {
	if l, ok := r.Point.Get(name); ok {
		return l.String()
	}
	return ""
}

// labels are the columns that name the rows: the design and the varying factors.
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

// words reports whether the factor's levels are words, which are aligned left.
func (f *frame) hasTextLevels(name string) bool {
	for _, r := range f.rows {
		if l, ok := r.Point.Get(name); ok {
			_, number := l.Number()
			return !number
		}
	}
	return true
}

// factorOrder is the union of the points' factors. A factor that only some points hold stands behind
// the one that precedes it there.
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
