package catalog_test

import (
	"compress/gzip"
	"encoding/gob"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/workload"
)

var update = flag.Bool("update", false, "explain the designs of TestFindings anew, and store the evidence: 3 minutes")

// known is a design whose problems the manual names.
type known struct {
	workload, design string
	settings         string    // NAME=LEVEL, separated by spaces; other factors have their defaults
	want             []problem // the first is the finding of rank 1
}

// problem is a finding, and a part of each source line that it names first: where goroutines wait, and what ends that.
type problem struct {
	name  explain.Name
	lines []string
}

func knownProblems() []known {
	return []known{
		{"merge", "original", "events=5000000", []problem{
			{explain.ChanHandoff, []string{"put(event)", "events.TryRecv()"}}}},
		{"identity", "actor", "calls=2000000", []problem{
			{explain.ChanHandoff, []string{"m.reply.Recv()", "m.reply.Send(last)"}}}},
		{"identity", "stream", "calls=2000000", []problem{
			{explain.ChanHandoff, []string{"requests.Recv()", "requests.Send(struct{}{})"}}}},
		{"identity", "simple", "calls=10000000", []problem{
			{explain.LockConvoy, []string{"lock.Lock()", "lock.Unlock()"}}}},
		{"set", "mutex", "calls=20000000", []problem{
			{explain.LockConvoy, []string{"s.lock.Lock()", "s.lock.Unlock()"}}}},
		{"journal", "file", "appends=300000", []problem{
			{explain.UnbufferedIO, []string{"l.f.WriteAt("}},
			{explain.CoarseLock, []string{"l.lock.Lock()"}}}},
		{"journal", "file-sync", "appends=10000", []problem{
			{explain.CoarseLock, []string{"l.lock.Lock()"}},
			{explain.BlockingSyscall, []string{"syscall.Fdatasync("}}}},
		{"journal", "group", "callers=1", []problem{
			{explain.BlockingSyscall, []string{"syscall.Fdatasync("}}}},
		{"messenger", "original", "faults=1 outage=2s messages=100000", []problem{
			{explain.BusyWait, []string{"for !o.online.Load() && o.stop.Load() == 0 {"}}}},
	}
}

// recording is the evidence of a design, with portable paths, and the source lines that its findings name.
type recording struct {
	Evidence evidence.Evidence
	Lines    map[string]string // that explain read, by position, such as "catalog/set/locks.go:80"
}

// TestFindings checks what explain reports about designs with known problems, from recorded evidence. With -update it
// records the evidence first, as brewput explain collects it.
func TestFindings(t *testing.T) {
	for _, k := range knownProblems() {
		t.Run(k.workload+"-"+k.design, func(t *testing.T) {
			file := filepath.Join("testdata", "evidence", k.workload+"-"+k.design+".gob.gz")
			if *update {
				k.record(t, file)
			}
			k.check(t, read(t, file))
		})
	}
}

// check compares the findings in recorded evidence with the known problems.
func (k known) check(t *testing.T, r *recording) {
	for at, text := range r.Lines {
		if file, _, _ := strings.Cut(at, ":"); !slices.Contains(sourceLines(file), text) {
			t.Errorf("%s was %q when the evidence was recorded, and %s has no such line now", at, text, file)
		}
	}
	if t.Failed() {
		t.Fatalf("record it again: go test ./catalog -run %s -update", t.Name())
	}
	findings := explain.Explain(&r.Evidence).Findings
	for i, p := range k.want {
		if !slices.ContainsFunc(findings, func(f explain.Finding) bool {
			return f.Name == p.name && (i > 0 || f.Rank == 1) && p.isAt(f.Where, r.Lines)
		}) {
			t.Errorf("no %s at lines with %q, or another finding has rank 1", p.name, p.lines)
		}
	}
	for _, f := range findings {
		if t.Failed() {
			t.Logf("%d %s %s: %s", f.Rank, f.Name, f.Where, f.Claim)
		}
	}
}

// isAt reports whether the first positions have the lines of the problem.
func (p problem) isAt(where []string, lines map[string]string) bool {
	for i, text := range p.lines {
		if i >= len(where) || !strings.Contains(lines[where[i]], text) {
			return false
		}
	}
	return true
}

// record explains the design and stores the evidence.
func (k known) record(t *testing.T, file string) {
	w, err := workload.Find(catalog.All(), k.workload)
	if err != nil {
		t.Fatal(err)
	}
	var factors []string
	for _, s := range strings.Fields(k.settings) {
		name, _, _ := strings.Cut(s, "=")
		factors = append(factors, name)
	}
	x, err := lab.Explain(t.Context(), lab.ExplainOptions{TimeLimit: time.Minute, Duration: 3 * time.Second,
		Target: lab.Design{Workload: w, Name: k.design, Point: workloadtest.Point(t, w, k.settings).Only(factors)}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	t.Log(x.Evidence.Notes)
	r := recording{Evidence: *x.Evidence.Evidence, Lines: map[string]string{}}
	makePortable(t, &r.Evidence)
	r.Evidence.Program.Source = func(file string, line int) string {
		file = strings.TrimPrefix(file, moduleRoot+"/")
		if lines := sourceLines(file); line > 0 && line <= len(lines) {
			r.Lines[file+":"+strconv.Itoa(line)] = lines[line-1]
			return lines[line-1]
		}
		return ""
	}
	for _, f := range explain.Explain(&r.Evidence).Findings {
		for _, at := range f.Where {
			file, line, _ := strings.Cut(at, ":")
			n, _ := strconv.Atoi(line)
			r.Evidence.Program.Source(file, n)
		}
	}
	r.Evidence.Program.Source = nil
	if err := store.Replace(file, func(out io.Writer) error {
		z := gzip.NewWriter(out)
		return errors.Join(gob.NewEncoder(z).Encode(r), z.Close())
	}); err != nil {
		t.Fatal(err)
	}
	stored := explain.Explain(&read(t, file).Evidence)
	if a, b := summary(x.Report.Findings), summary(stored.Findings); !slices.Equal(a, b) {
		t.Errorf("the evidence gives %q, and the recording of it %q", a, b)
	}
}

// summary returns the names and positions of findings.
func summary(findings []explain.Finding) (list []string) {
	for _, f := range findings {
		list = append(list, string(f.Name)+" "+strings.Join(f.Where, " "))
	}
	return list
}

// read reads recorded evidence. Its source is that of the recording.
func read(t *testing.T, file string) *recording {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := &recording{}
	z, err := gzip.NewReader(f)
	if err == nil {
		err = gob.NewDecoder(z).Decode(r)
	}
	if err != nil {
		t.Fatal(file, err)
	}
	eachString(reflect.ValueOf(&r.Evidence), func(s string) string {
		if first, _, _ := strings.Cut(strings.TrimPrefix(s, "/"), "/"); strings.HasPrefix(s, "/") &&
			!slices.Contains([]string{moduleRoot, goRoot, modCache}, "/"+first) {
			t.Fatalf("%s has a path of one machine: %s", file, s)
		}
		return s
	})
	r.Evidence.Program.Source = func(file string, line int) string {
		return r.Lines[strings.TrimPrefix(file, moduleRoot+"/")+":"+strconv.Itoa(line)]
	}
	return r
}

// sourceLines returns the lines of a file, relative to the root of this module, without surrounding spaces. It is nil
// for a file of another module.
func sourceLines(file string) []string {
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil || filepath.IsAbs(file) {
		return nil
	}
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// The directories of this module, of Go and of other modules in recorded evidence.
const (
	moduleRoot = "/brewput"
	goRoot     = "/go"
	modCache   = "/mod"
)

// makePortable replaces the paths of this machine.
func makePortable(t *testing.T, e *evidence.Evidence) {
	e.Program.Source, e.Program.MoreWork = nil, nil // gob leaves them out
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Split(string(out), "\n")
	r := strings.NewReplacer(root, moduleRoot, dirs[0], goRoot, dirs[1], modCache)
	eachString(reflect.ValueOf(e), r.Replace)
}

// eachString replaces every string in v by change(string), except keys of maps.
func eachString(v reflect.Value, change func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(change(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), change)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachString(v.Field(i), change)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachString(v.Index(i), change)
		}
	}
}
