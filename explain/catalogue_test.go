package explain

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// contract lists the names that programs may rely on.
const contract = `unbuffered-io, escape-per-op, hot-function, single-threaded,
serial-phase, goroutine-too-fine, unbounded-spawn, too-few-workers, load-imbalance, coarse-lock,
saturated-resource, lock-convoy, rwmutex-misuse, chan-handoff, unbuffered-lockstep, undersized-buffer,
stage-limited, stop-and-wait, buffer-irrelevant, one-cpu-pathology, wake-latency, cpu-saturated,
os-oversubscription, gc-pressure, gc-thrash, stw-stopping, blocking-syscall, busy-wait, work-inflation,
not-worth-parallel, goroutine-leak, dependency-wait, library-limit, smt-sharing, clock-drop,
numa-or-hybrid, memory-bandwidth, too-few-samples, profiler-noise, none, too-little-evidence`

func TestDocs(t *testing.T) {
	want := append(strings.Fields(strings.ReplaceAll(contract, ",", " ")), "page-faults") // added later
	var got []string
	for _, d := range Docs() {
		got = append(got, string(d.Name))
		if d.Kind != "finding-doc" || d.SchemaVersion != 1 || d.Meaning == "" || d.Evidence == "" || d.Example == "" ||
			d.Fix == "" || d.Thresholds == nil || d.Explains == nil {
			t.Errorf("incomplete: %+v", d)
		}
		if n := len(d.Meaning); n > 80-len("os-oversubscription")-2 {
			t.Errorf("%s: the meaning has %d columns", d.Name, n)
		}
		if !slices.Equal(d.Explains, append([]Name{}, traits[d.Name].symptoms...)) {
			t.Errorf("%s explains %v", d.Name, d.Explains)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("documented are\n%v, want\n%v", got, want)
	}
}

// TestDocsAreFound checks that words of newcomers are in the meaning or the example of the finding that they look for.
func TestDocsAreFound(t *testing.T) {
	for word, name := range map[string]Name{"fsync": BlockingSyscall, "serial tests": SingleThreaded,
		"t.Parallel": SingleThreaded, "serial tests that sleep": DependencyWait, "child process": DependencyWait,
		"process for each file": DependencyWait, "a process for each file": SingleThreaded} {
		if !slices.ContainsFunc(Docs(), func(d Doc) bool {
			return d.Name == name && strings.Contains(d.Meaning+"\n"+d.Example, word)
		}) {
			t.Errorf("%s does not mention %q", name, word)
		}
	}
}

// TestDocsAlternatives checks that a threshold for other evidence is an alternative, and that no list begins with an
// alternative.
func TestDocsAlternatives(t *testing.T) {
	for _, d := range Docs() {
		for i, text := range d.Thresholds {
			other := strings.Contains(text, "without a trace") || strings.Contains(text, "by a mutex profile")
			or := strings.HasPrefix(text, "or: ") || strings.HasPrefix(text, "or, ")
			if other && !or && len(d.Thresholds) > 1 || i == 0 && (or || strings.HasPrefix(text, "with ")) ||
				strings.HasPrefix(text, "the same") {
				t.Errorf("%s: %q", d.Name, text)
			}
		}
	}
}

// TestDocsGolden shows every change of a threshold: the documentation is made of the constants of the rules.
func TestDocsGolden(t *testing.T) {
	out, err := json.MarshalIndent(Docs(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/docs.json"
	if *update {
		if err := os.WriteFile(file, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != string(want) {
		t.Errorf("go test ./explain -update writes %s anew; then read the difference", file)
	}
}

// undocumented are constants among the thresholds that do not decide whether there is a finding, and why.
var undocumented = map[string]string{
	"gcKept": "estimates a gain", "parkMost": "estimates a cost", "parkCost": "estimates a cost",
	"spawnCost": "estimates a cost", "splitEfficiency": "estimates a gain", "ioBuffer": "estimates a gain",
	"otherLoad": "leaves out all findings that need all CPUs", "tailChance": "takes the gain from few batches",
	"tailOften": "takes the gain from few batches", "tailSure": "takes the gain from few batches",
	"withheld": "leaves out all findings that need all CPUs",
}

// Every threshold of a rule is in the documentation, as the constant itself and not as a copied number.
func TestDocsUseThresholds(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var thresholds []string
	used := map[string]bool{}
	digits := regexp.MustCompile(`\d`)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				if n.Tok == token.CONST && (strings.HasPrefix(n.Doc.Text(), "Thresholds") ||
					strings.HasPrefix(n.Doc.Text(), "Minimum values")) {
					for _, s := range n.Specs {
						for _, id := range s.(*ast.ValueSpec).Names {
							thresholds = append(thresholds, id.Name)
						}
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); !ok || key.Name != "Thresholds" ||
					!strings.HasPrefix(name, "catalogue") {
					break
				}
				ast.Inspect(n.Value, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.Ident:
						used[n.Name] = true
					case *ast.BasicLit:
						if digits.MatchString(strings.ReplaceAll(n.Value, "99th", "")) {
							t.Errorf("%s: a number in the text: %s", name, n.Value)
						}
					}
					return true
				})
			}
			return true
		})
	}
	if len(thresholds) < 60 {
		t.Fatalf("only %d thresholds", len(thresholds))
	}
	for _, c := range thresholds {
		if used[c] == (undocumented[c] != "") {
			t.Errorf("%s is documented: %v; undocumented because it %s", c, used[c], undocumented[c])
		}
	}
}
