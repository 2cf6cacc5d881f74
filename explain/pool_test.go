package explain

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// tiny returns the finding goroutine-too-fine of a program with a million goroutines that run for 400 ns each, by its
// trace and by its profile alone. Its name is empty if there is none. The samples of go statements are in a package
// that the runtime consists of.
func tiny(start string, created []string) (byTrace, byProfile Finding) {
	c := wideCase()
	c.evidence.Profiles = nil
	c.cpu(50, "main.tiny:5")
	c.cpu(150, append([]string{"internal/runtime/atomic.(*Uint32).CompareAndSwap", "runtime.casgstatus",
		"runtime.newproc1", "runtime.newproc"}, created...)...)
	x := &c.evidence.Trace.Classes[2]
	x.Count, x.Busy.P50, x.Start, x.Created = 1000000, 400, frames(start)[0], frames(created...)
	found := func() (f Finding) {
		list := explainWith(nil, &c.evidence).Findings
		if i := slices.IndexFunc(list, func(f Finding) bool { return f.Name == GoroutineTooFine }); i >= 0 {
			f = list[i]
		}
		return f
	}
	byTrace = found()
	c.evidence.Trace = nil
	return byTrace, found()
}

// many returns the finding unbounded-spawn of a program with thousands of goroutines at once.
func many(start string, created []string) (f Finding) {
	c := wideCase()
	x := &c.evidence.Trace.Classes[2]
	x.Count, x.Peak, x.Runnable, x.Start, x.Created = 5000, 5000, 2000*time.Second, frames(start)[0], frames(created...)
	for _, f := range explainWith(nil, &c.evidence).Findings {
		if f.Name == UnboundedSpawn {
			return f
		}
	}
	return Finding{}
}

// What the standard library starts for itself, as net/http does for each request, the program cannot start less often.
// Nor can it start fewer of which nothing shows what for.
func TestGoroutinesOfStandardLibrary(t *testing.T) {
	const read = "net/http.(*connReader).startBackgroundRead"
	for start, created := range map[string][]string{
		"net/http.(*connReader).startBackgroundRead.gowrap1": {read, "net/http.(*conn).serve"},
		"net/http.(*connReader).backgroundRead":              {read, "net/http.(*body).Read", "main.handle:5"},
		"net/http.(*http2Transport).newClientConn.func1":     {"time.goFunc", "runtime.(*timer).unlockAndRun"},
		"context.WithDeadlineCause.func2":                    {"time.goFunc", "runtime.(*timer).unlockAndRun"},
		"context.(*cancelCtx).propagateCancel.func2": {"context.(*cancelCtx).propagateCancel", "context.WithCancel",
			"net/http.(*Server).Serve"},
	} {
		byTrace, byProfile := tiny(start, created)
		if f := many(start, created); byTrace.Name != "" || byProfile.Name != "" || f.Name != "" {
			t.Errorf("%v:\n%+v\n%+v\n%+v", created, byTrace, byProfile, f)
		}
	}
}

// What the standard library starts for each call of the program, the program can start less often.
func TestGoroutinesOfProgram(t *testing.T) {
	own := []string{"sync.(*WaitGroup).Go", "main.start:5"}
	after := []string{"context.(*afterFuncCtx).cancel.func1", "sync.(*Once).doSlow", "sync.(*Once).Do",
		"context.(*afterFuncCtx).cancel", "context.(*cancelCtx).cancel", "main.start:5"}
	for _, c := range []struct {
		start   string
		created []string
		at      string
		profile bool // which shows no start function
	}{
		{"main.worker:7", own, "main.go:5", true},
		{"main.worker:7", after, "main.go:5", true},
		{"runtime.corostart", []string{"iter.Pull[...]", "main.start:5"}, "main.go:5", true},
		{"main.worker:7", []string{"time.goFunc", "runtime.(*timer).unlockAndRun"}, "main.go:7", false},
		{"main.worker:7", append(after[:5:5], "net/http.(*conn).serve"), "main.go:7", false},
	} {
		byTrace, byProfile := tiny(c.start, c.created)
		f := many(c.start, c.created)
		at := []string{c.at}
		if byTrace.Name == "" || f.Name == "" || !slices.Equal(byTrace.Where, at) || !slices.Equal(f.Where, at) {
			t.Errorf("%v: at %q\n%+v\n%+v", c.created, at, byTrace, f)
		}
		if c.profile && !slices.Equal(byProfile.Where, at) || !c.profile && byProfile.Name != "" {
			t.Errorf("%v: by the profile alone %+v", c.created, byProfile)
		}
	}
}

// Goroutines that the standard library starts do not count as the cost of those that the program starts.
func TestCostWithoutStandardLibrary(t *testing.T) {
	for _, allocates := range []bool{false, true} {
		c := wideCase()
		c.evidence.Profiles, c.evidence.Trace = nil, nil
		begin := []string{"runtime.casgstatus", "runtime.newproc1", "runtime.newproc"}
		if allocates {
			begin = []string{"runtime.mallocgc", "runtime.malg", "runtime.newproc1", "runtime.newproc"}
		}
		c.cpu(120, "main.tiny:5")
		c.cpu(20, append(begin[:len(begin):len(begin)], "main.start:5")...)
		c.cpu(60, append(begin[:len(begin):len(begin)], "net/http.(*Server).Serve", "main.main:2")...)
		if names := c.names(); slices.Contains(names, string(GoroutineTooFine)) {
			t.Errorf("allocates %v: %v", allocates, names)
		}
		a := newAnalysis(&c.evidence)
		if got, want := a.spawnAllocation(), 0.1; allocates && (got < want-1e-9 || got > want+1e-9) {
			t.Errorf("allocations of go statements: %v, want %v", got, want)
		}
	}
}

// A package of a module such as shop is not part of the standard library, even if the module is unknown.
func TestIsStandard(t *testing.T) {
	out, err := exec.Command("go", "list", "std", "cmd").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(&evidence.Program{})
	seen := map[string]bool{"main": true}
	for _, path := range strings.Fields(string(bytes.TrimSpace(out))) {
		if !p.isStandard(evidence.Frame{Function: path + ".F"}) {
			t.Errorf("%s is part of the standard library", path)
		}
		first, _, _ := strings.Cut(path, "/")
		seen[first] = true
	}
	for name := range standardPackages {
		if !seen[name] {
			t.Errorf("the standard library has no %s", name)
		}
	}
	for function, want := range map[string]bool{
		"hash_block.constprop.0": true, "f.isra.0.cold": true, "type..eq.[2]string": true,
		"shop/store.coldKeys": false, "shop/store.(*DB).coldPath": false,
		"shop/store.Spawn": false, "shop.Spawn": false, "main.main": false,
		"example.com/a.F": false, "golang.org/x/net.F": false, "runtime.newproc": true, "memeqbody": true, "": true,
		"type:.eq.shop/store.key": true, "slices.SortFunc[go.shape.[]shop/store.T]": true,
		"net/http.(*conn).serve": true} {
		if p.isStandard(evidence.Frame{Function: function}) != want {
			t.Errorf("%q: standard %v", function, !want)
		}
	}
}
