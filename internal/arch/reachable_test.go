package arch

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// reached is a declaration outside the stable packages that their API leads to.
type reached struct {
	pkg, by string // by is one declaration that names its type
	declaration
}

// reachable returns the declarations of all types outside the stable packages that the API of these leads to: by a
// parameter, a result, a field or a method, however far. It adds the untyped constants of the packages of these types,
// which are values of their fields.
func reachable(files []*file) (list []reached) {
	var queue []reached // types, by name
	follow := func(pkg string, d declaration) {
		for _, name := range d.uses {
			by := cmp.Or(pkg, "brewput") + ": " + d.text
			queue = append(queue, reached{name[:strings.LastIndexByte(name, '.')], by, declaration{of: name}})
		}
	}
	of := map[string][]declaration{}      // by type
	untyped := map[string][]declaration{} // constants, by package
	for _, f := range files {
		if f.test {
			continue
		}
		for _, d := range declarations(f) {
			switch {
			case slices.Contains(stable, f.pkg):
				follow(f.pkg, d)
			case d.of != "":
				of[d.of] = append(of[d.of], d)
			case strings.HasPrefix(d.text, "const "):
				untyped[f.pkg] = append(untyped[f.pkg], d)
			}
		}
	}

	seen := map[string]bool{}
	for i := 0; i < len(queue); i++ {
		r := queue[i]
		if seen[r.of] || slices.Contains(stable, r.pkg) {
			continue
		}
		seen[r.of] = true
		all := of[r.of]
		if len(all) > 0 && !seen[r.pkg] {
			seen[r.pkg], all = true, slices.Concat(all, untyped[r.pkg])
		}
		for _, d := range all {
			list = append(list, reached{r.pkg, r.by, d})
			follow(r.pkg, d)
		}
	}
	return list
}

// TestReachable checks that reachable follows types to their fields and methods, and nothing else.
func TestReachable(t *testing.T) {
	var files []*file
	for path, text := range map[string]string{
		"lab/a.go": `package lab
import s "github.com/brewput/brewput/sweep"
type Progress s.Event
type hidden s.Hidden`,
		"sweep/a.go": `package sweep
import ("github.com/brewput/brewput/internal/stat"; "github.com/brewput/brewput/plan")
type Event struct { Case plan.Case; Kind Kind; secret Hidden }
type Kind int
type Hidden struct { A int }
type Other struct { B int }
const (
	A Kind = iota
	B
	Name = "sweep"
)
func (e *Event) Stat() stat.Comparison { return stat.Comparison{} }
func Free(o Other) {}`,
		"internal/stat/a.go": `package stat
type Comparison struct { Ratio float64 }`,
		"compare/a.go": `package compare
const Unused = 1`,
	} {
		f, err := parse(path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	var got []string
	for _, r := range reachable(files) {
		got = append(got, r.pkg+": "+r.text)
	}
	slices.Sort(got)
	want := []string{"internal/stat: type Comparison struct", "internal/stat: type Comparison struct, Ratio float64",
		"sweep: const A Kind = 0", "sweep: const B Kind = 1", `sweep: const Name = "sweep"`,
		"sweep: func (e *Event) Stat() stat.Comparison", "sweep: type Event struct",
		"sweep: type Event struct, Case plan.Case", "sweep: type Event struct, Kind Kind", "sweep: type Kind int"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
