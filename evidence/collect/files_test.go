package collect

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	netpprof "net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/gopprof"
	"github.com/brewput/brewput/internal/input"
)

// saveEvidence writes evidence about this process to files.
func saveEvidence(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	file := func(name string, write func(io.Writer) error) {
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(write(f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	defer runtime.SetMutexProfileFraction(0)
	defer runtime.SetBlockProfileRate(0)
	contend()
	for file1, kind := range map[string]string{"a": "allocs", "b": "mutex", "c": "block", "d": "goroutine"} {
		file(file1, func(w io.Writer) error { return pprof.Lookup(kind).WriteTo(w, 0) })
	}
	file("e", func(w io.Writer) error {
		err := pprof.StartCPUProfile(w)
		pprof.StopCPUProfile()
		return err
	})
	file("f", func(w io.Writer) error {
		err := trace.Start(w)
		contend()
		trace.Stop()
		return err
	})
	file("text", func(w io.Writer) error { return pprof.Lookup("mutex").WriteTo(w, 1) })
	return dir
}

// contend makes goroutines wait for a mutex and for a channel, regardless of the scheduler.
func contend() {
	var mu sync.Mutex
	passed := 0
	var group sync.WaitGroup
	mu.Lock()
	for range 4 {
		group.Go(func() {
			mu.Lock()
			passed++
			mu.Unlock()
		})
	}
	ready := make(chan bool)
	group.Go(func() { ready <- true })
	<-ready
	for waiting() < 4 {
		runtime.Gosched()
	}
	mu.Unlock()
	group.Wait()
}

// waiting returns how many goroutines wait for a mutex.
func waiting() int {
	buf := make([]byte, 1<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "[sync.Mutex.Lock")
}

// The kind of a file is detected by its content, whatever its name.
func TestFiles(t *testing.T) {
	dir := saveEvidence(t)
	var paths []string
	for name, want := range map[string]string{"a": "heap", "b": "mutex", "c": "block", "d": "goroutine", "e": "cpu",
		"f": "trace"} {
		path := filepath.Join(dir, name)
		f, err := input.Open(t.Context(), path, input.Trace)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := detectKind(t.Context(), f, path); err != nil || got != want {
			t.Errorf("%s is of the kind %q, %v; want %s", name, got, err, want)
		}
		f.Close()
		paths = append(paths, path)
	}
	c, err := Files(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Profiles) != 5 || c.Trace == nil || c.Program.Module != "github.com/brewput/brewput" ||
		!exists(filepath.Join(c.Program.Dir, "go.mod")) {
		t.Errorf("%d profiles, trace %t, program %+v", len(c.Profiles), c.Trace != nil, c.Program)
	}
	if err := c.Close(); err != nil || !exists(paths[0]) {
		t.Errorf("the user's file is gone, or %v", err)
	}
}

// profileFile writes a profile in the format of pprof.
func profileFile(t *testing.T, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

// Files that cannot be used are refused by name, with a reason.
func TestWrongFiles(t *testing.T) {
	dir := saveEvidence(t)
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	heap := read("a")
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"cut.pprof": {heap[:len(heap)/2], "neither a trace of Go nor a profile"},
		"empty.out": {nil, "is empty"},
		"words.txt": {[]byte("the milk is sour, and so is this text, which is long enough for a head"),
			"neither a trace of Go nor a profile"},
		"debug.pprof": {read("text"), "without debug=1"},
		"cut.out":     {read("f")[:40], "cut.out"},
		"foreign.out": {[]byte("go 1.99 trace\x00\x00\x00 and no event that anybody knows of, at some length"),
			"foreign.out"},
		"threads.pprof": {profileFile(t, "\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x0cthreadcreate\x32\x05count"),
			"which explain does not know"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.text, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Files(t.Context(), []string{path}); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	again := filepath.Join(dir, "again")
	if err := os.WriteFile(again, heap, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(t.Context(), []string{filepath.Join(dir, "a"), again}); err == nil ||
		!strings.Contains(err.Error(), "both of the kind heap") {
		t.Errorf("two heap profiles: %v", err)
	}
	if _, err := Files(t.Context(), []string{filepath.Join(dir, "nowhere")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Profiles without function names, and profiles of two programs, are refused.
func TestDifferentPrograms(t *testing.T) {
	bare := toEvidence(&gopprof.Profile{Samples: []gopprof.Sample{{Stack: []gopprof.Frame{{}, {}},
		Values: []int64{1}}}},
		evidence.CPU)
	if isSymbolized(bare) || !isSymbolized(&evidence.Profile{}) {
		t.Error("a profile without names is not told from others")
	}
	build := func(file string) *evidence.Profile {
		return &evidence.Profile{Samples: []evidence.Sample{{Stack: []evidence.Frame{{Function: "main.main", File: file,
			Line: 1}}}}}
	}
	var g programGuess
	g.profile("cpu.pprof", build("/a/main.go"), gopprof.Binary{})
	g.profile("heap.pprof", build("/a/main.go"), gopprof.Binary{})
	if err := g.conflict(); err != nil {
		t.Error(err)
	}
	var renamed programGuess
	renamed.profile("cpu.pprof", build("/a/main.go"), gopprof.Binary{File: "/a/v1", BuildID: "1"})
	renamed.profile("heap.pprof", build("/a/main.go"), gopprof.Binary{File: "/a/v2", BuildID: "2"})
	if err := renamed.conflict(); err != nil {
		t.Error(err)
	}
	if text := renamed.renamed(); !strings.Contains(text, "cpu.pprof and heap.pprof") ||
		!strings.Contains(text, "from /a/v1 and /a/v2") || g.renamed() != "" {
		t.Errorf("%q, %q", text, g.renamed())
	}
	g.profile("mutex.pprof", build("/b/main.go"), gopprof.Binary{})
	if err := g.conflict(); err == nil ||
		!strings.Contains(err.Error(), "cpu.pprof and mutex.pprof are from different programs") {
		t.Errorf("%v", err)
	}
}

// Profiles of two programs are distinguished even if one names no function of package main.
func TestBinaries(t *testing.T) {
	for _, c := range []struct {
		a, b   gopprof.Binary
		differ bool
	}{
		{gopprof.Binary{File: "/a/tea", BuildID: "1"}, gopprof.Binary{File: "/a/milk", BuildID: "2"}, true},
		{gopprof.Binary{File: "/a/tea"}, gopprof.Binary{File: "/a/milk"}, true},
		// the program was rebuilt
		{gopprof.Binary{File: "/a/tea", BuildID: "1"}, gopprof.Binary{File: "/b/tea", BuildID: "2"}, false},
		{gopprof.Binary{File: "/a/tea", BuildID: "1"}, gopprof.Binary{File: "/a/milk", BuildID: "1"}, false}, // a copy
		{gopprof.Binary{File: "/a/tea", BuildID: "1"}, gopprof.Binary{}, false},
		{gopprof.Binary{File: `C:\go-build1\tea.test.exe`, BuildID: "1"},
			gopprof.Binary{File: `C:\go-build2\tea.test.exe`, BuildID: "2"}, false},
	} {
		var g programGuess
		bare := &evidence.Profile{}
		g.profile("cpu.pprof", bare, c.a)
		g.trace("trace.out", &evidence.Trace{})
		g.profile("heap.pprof", bare, c.b)
		err := g.conflict()
		if (err != nil) != c.differ {
			t.Errorf("%v and %v: %v", c.a, c.b, err)
		}
		if want := "cpu.pprof and heap.pprof are from different programs, /a/tea and /a/milk; " +
			"give the files of one"; c.differ && err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// The standard library is no program's module, whatever its directory.
func TestStandard(t *testing.T) {
	for f, want := range map[evidence.Frame]bool{
		{Function: "sync.(*Mutex).Lock", File: "/opt/go/src/sync/mutex.go"}:               true,
		{Function: "runtime/pprof.writeHeap", File: "/opt/go/src/runtime/pprof/pprof.go"}: true,
		{Function: "example.com/m/sync.F", File: "/home/u/src/m/sync/f.go"}:               false,
		{Function: "main.main", File: "/home/u/src/x/main.go"}:                            false,
	} {
		if standard(f) != want {
			t.Errorf("%+v: %t", f, !want)
		}
	}
}

// Mutex and block profiles have the same value types and are distinguished by their stacks.
func TestMutexOrBlock(t *testing.T) {
	stack := func(names ...string) gopprof.Sample {
		s := gopprof.Sample{Values: []int64{1, 1}}
		for _, n := range names {
			s.Stack = append(s.Stack, gopprof.Frame{Function: n})
		}
		return s
	}
	p := gopprof.Profile{Types: []gopprof.ValueType{{Type: "contentions", Unit: "count"},
		{Type: "delay", Unit: "nanoseconds"}}}
	for _, c := range []struct {
		name    string
		samples []gopprof.Sample
		want    string
	}{
		{"x", []gopprof.Sample{stack("sync.(*Mutex).Unlock", "main.f")}, "mutex"},
		{"x", []gopprof.Sample{stack("internal/sync.(*Mutex).Unlock", "sync.(*Mutex).Unlock", "main.f")}, "mutex"},
		{"x", []gopprof.Sample{stack("runtime.unlock", "main.f")}, "mutex"},
		{"x", []gopprof.Sample{stack("sync.(*Mutex).Lock", "main.UnlockAll")}, "block"},
		{"x", []gopprof.Sample{stack("runtime.chanrecv1", "main.f")}, "block"},
		{"my.mutex.gz", nil, "mutex"},
		{"x", nil, "block"},
	} {
		p.Samples = c.samples
		if got := profileKind(&p, c.name); got != c.want {
			t.Errorf("%s %v is %s, want %s", c.name, c.samples, got, c.want)
		}
	}
}

// serve replies as net/http/pprof does.
func serve(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", netpprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", netpprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", netpprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", netpprof.Trace)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestEndpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	var progress []string
	o := DefaultOptions()
	o.Duration, o.Progress = time.Second, func(line string) { progress = append(progress, line) }
	o.Dir = t.TempDir()
	saveOld(t, o.Dir)
	c, err := Endpoint(t.Context(), serve(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if info, err := os.Stat(filepath.Join(o.Dir, "text")); err != nil || info.Size() != int64(len("user's")) {
		t.Error("a file of the user was replaced")
	}
	if c.Trace == nil || len(c.Profiles) != 5 {
		t.Errorf("trace %t, %d profiles: %q", c.Trace != nil, len(c.Profiles), c.Notes)
	}
	want := []string{"block.pprof", "cmdline", "cpu-old.pprof", "cpu.pprof", "goroutine.pprof", "heap.pprof",
		"mutex.pprof", "text", "trace.out"}
	if names := namesIn(t, o.Dir); !slices.Equal(names, want) {
		t.Errorf("%q are kept, want %q", names, want)
	}
	if len(progress) == 0 || !strings.Contains(progress[0], "which costs it") {
		t.Errorf("the overhead is not said first: %q", progress)
	}
	for _, line := range []string{"runtime.SetMutexProfileFraction(5)", "runtime.SetBlockProfileRate(10000)"} {
		if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, line) }) {
			t.Errorf("nothing says %s: %q", line, c.Notes)
		}
	}
}

// TestQuickEndpoint checks that a quick collection asks for a CPU profile and a trace only.
func TestQuickEndpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	o := DefaultOptions()
	o.Duration, o.Quick, o.Dir = time.Second, true, t.TempDir()
	c, err := Endpoint(t.Context(), serve(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want := []string{"cpu.pprof", "trace.out"}
	if names := namesIn(t, o.Dir); !slices.Equal(names, want) || c.Trace == nil || len(c.Profiles) != 1 {
		t.Errorf("%q are kept, want %q; trace %t, %d profiles", names, want, c.Trace != nil, len(c.Profiles))
	}
}

// A note says which profile a server does not have.
func TestMissingProfiles(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/allocs" {
			http.NotFound(w, r)
			return
		}
		pprof.Lookup("allocs").WriteTo(w, 0)
	}))
	defer s.Close()
	c := &Collected{Dir: t.TempDir(), Evidence: new(evidence.Evidence)}
	e := endpoint{base: s.URL + "/", temp: t.TempDir(), deadline: time.Now().Add(time.Hour), collected: c}
	if err := e.fetch(t.Context(), 1, 0); err != nil || len(c.Profiles) != 1 {
		t.Errorf("%d profiles, %v", len(c.Profiles), err)
	}
	for _, kind := range []string{"cpu", "mutex", "block", "goroutine"} {
		want := "there is no " + kind + " profile: status 404"
		if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %q: %q", want, c.Notes)
		}
	}
}

// TestWrongReply: an error about a reply names its URL, and not the temporary file of the reply.
func TestWrongReply(t *testing.T) {
	var heap bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&heap, 0); err != nil {
		t.Fatal(err)
	}
	// one sample, at a location without a function
	const bare = "\x0a\x04\x08\x01\x10\x02" + "\x12\x04\x08\x01\x10\x01" + "\x22\x02\x08\x01" +
		"\x32\x00" + "\x32\x0dalloc_objects" + "\x32\x05count"
	for _, c := range []struct{ path, reply, want string }{
		{"trace", "", "/trace is empty"}, {"trace", "welcome", "/trace is neither a trace"},
		{"trace", heap.String(), "/allocs and http://"},
		{"allocs", bare, "/allocs has no function names"}, {"allocs", "welcome", "/allocs sent is no profile"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/" + c.path:
				io.WriteString(w, c.reply)
			case "/allocs":
				w.Write(heap.Bytes())
			default:
				http.NotFound(w, r)
			}
		}))
		e := endpoint{base: s.URL + "/", name: s.URL + "/", temp: t.TempDir(), opts: Options{TraceBytes: 1 << 20},
			deadline: time.Now().Add(time.Hour), collected: &Collected{Evidence: new(evidence.Evidence)}}
		err := e.fetch(t.Context(), 1, 1)
		s.Close()
		if err == nil || !strings.Contains(err.Error(), s.URL+c.want) || strings.Contains(err.Error(), e.temp) {
			t.Errorf("%s replies %.9q: %v, want %s", c.path, c.reply, err, c.want)
		}
	}
}

// Errors name the address and what to do.
func TestWrongEndpoint(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	garbage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "<html>welcome</html>")
	}))
	defer garbage.Close()
	for address, want := range map[string]string{
		other.URL: "net/http/pprof", closed.URL: "cannot be reached", "http://": "is not the address of a process",
		"ftp://x":   "is not the address",
		garbage.URL: "is no profile",
	} {
		o := DefaultOptions()
		o.Duration, o.Dir = time.Second, t.TempDir()
		saveOld(t, o.Dir)
		saved := namesIn(t, o.Dir)
		if _, err := Endpoint(t.Context(), address, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
		if names := namesIn(t, o.Dir); !slices.Equal(names, saved) {
			t.Errorf("%s: %q are left of %q", address, names, saved)
		}
		for _, name := range saved { // those of an earlier collection stay as they are
			if text, err := os.ReadFile(filepath.Join(o.Dir, name)); string(text) != "user's" {
				t.Errorf("%s: %s is %q, %v", address, name, text, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer slow.Close()
	if _, err := Endpoint(ctx, slow.URL, DefaultOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestPprofURL(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:6060": "http://localhost:6060/debug/pprof/", "http://h:1/": "http://h:1/debug/pprof/",
		"https://h/admin/pprof":             "https://h/admin/pprof/",
		"http://h:1/debug/pprof/?seconds=3": "http://h:1/debug/pprof/",
	} {
		if got, err := pprofURL(address); err != nil || got.String() != want {
			t.Errorf("%s is %v, %v", address, got, err)
		}
	}
	for address, want := range map[string]string{
		"file:///tmp/cpu.pprof": "give its path: /tmp/cpu.pprof", "ftp://h": "http://localhost:6060",
		"http://":    "http://localhost:6060",
		"http://:80": "http://localhost:6060", "http://me:sec/ret@h": "http://***@h is not the address",
		"http://me:sec#ret@h": "http://***@h is not the address",
	} {
		if _, err := pprofURL(address); !errors.Is(err, ErrAddress) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A profile and a trace fit into the time limit.
func TestProfileSeconds(t *testing.T) {
	for _, c := range []struct {
		duration, limit time.Duration
		profile, trace  int
	}{
		{10 * time.Second, 3 * time.Minute, 10, 2}, {10 * time.Second, 3 * time.Second, 1, 1},
		{10 * time.Second, time.Second, 1, 0}, {10 * time.Second, QuickLimit, 2, 1},
		{10 * time.Second, 10 * time.Second, 7, 2}, {time.Second, time.Millisecond, 1, 0},
		{100 * time.Millisecond, time.Minute, 1, 1},
	} {
		if p, x := profileSeconds(Options{Duration: c.duration, TimeLimit: c.limit}); p != c.profile || x != c.trace {
			t.Errorf("%v within %v: %d and %d s, want %d and %d", c.duration, c.limit, p, x, c.profile, c.trace)
		}
	}
}

// slowReply replies byte by byte and never ends, in virtual time.
type slowReply struct{ http.RoundTripper }

func (slowReply) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: &drip{ctx: r.Context()}, Request: r}, nil
}

type drip struct{ ctx context.Context }

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(100 * time.Millisecond):
		return copy(p, "x"), nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (*drip) Close() error { return nil }

// All replies of a slow server share the time limit, and the error contains no password.
func TestSlowServer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		o := DefaultOptions()
		o.TimeLimit, o.client = 3*time.Second, &http.Client{Transport: slowReply{}}
		began, said := time.Now(), ""
		o.Progress = func(line string) { said += line }
		_, err := Endpoint(t.Context(), "http://me:secret@server:1", o)
		if took := time.Since(began); took > o.TimeLimit+lateness || err == nil ||
			!strings.Contains(err.Error(), "no complete reply within the time limit of 3s") {
			t.Errorf("%v after %v", err, took)
		}
		if strings.Contains(said+err.Error(), "secret") || !strings.Contains(said, "http://server:1/debug") {
			t.Errorf("%q, %v", said, err)
		}
	})
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// answering replies to the first request, and slowly to all others.
type answering struct{ slowReply }

func (l answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/cmdline") {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
	}
	return l.slowReply.RoundTrip(r)
}

// A server whose profiles all exceed the time limit has sent none.
func TestSlowProfiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		o := DefaultOptions()
		o.TimeLimit, o.client = 3*time.Second, &http.Client{Transport: answering{}}
		began := time.Now()
		_, err := Endpoint(t.Context(), "http://me:secret@server:1", o)
		if took := time.Since(began); took > o.TimeLimit+lateness || err == nil ||
			!strings.Contains(err.Error(), "http://server:1/debug/pprof/ sent no profile: no complete reply") {
			t.Errorf("%v after %v", err, took)
		}
	})
}
