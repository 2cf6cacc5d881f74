package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/input"
)

// The bounds of what is asked of a live process.
const (
	mostFetched = 64 << 20        // bytes of a profile
	mostTraced  = 2 * time.Second // of its trace, which costs it most
	grace       = 10 * time.Second
	lateness    = time.Second // that answers may be under way beyond the limit of all
)

// ErrAddress says that an address cannot be one of a process.
var ErrAddress = errors.New("not the address of a process")

// Endpoint collects the profiles of a process that serves net/http/pprof, for a bounded time. It changes no rate there.
// Whatever the server does, it returns within o.Limit and a second. A wrong address is [ErrAddress].
func Endpoint(ctx context.Context, address string, o Options) (*Collected, error) {
	base, err := pprofURL(address)
	if err != nil {
		return nil, err
	}
	e := endpoint{base: base.String(), name: unsigned(base), o: o, until: time.Now().Add(o.Limit + lateness)}
	seconds, traced := spans(o)
	o.Say(fmt.Sprintf("asking %s for a CPU profile of %d s, which takes it 1 to 2%% of its CPU time, and then for a "+
		"trace of %d s, which takes from 1 to 10%%, more where goroutines change over every few microseconds; "+
		"at most %d MB of it",
		e.name, seconds, traced, o.Bytes>>20))
	if e.c, err = open(o, evidence.Program{}); err != nil {
		return nil, err
	}

	if err = e.reach(ctx); err == nil {
		err = e.fetch(ctx, seconds, traced)
	}
	if err != nil {
		e.c.Close()
		return nil, err
	}
	e.c.Program = e.g.program()
	e.c.Program.Name = strings.TrimSuffix(e.name, "/debug/pprof/")
	return e.c, nil
}

// spans are the seconds that a CPU profile and a trace may take, so that both fit into the limit with a second to
// spare. A server counts in whole seconds, and has at least one for the profile.
func spans(o Options) (profile, trace int) {
	room := max(1, int(o.Limit.Seconds())-1)
	profile = max(1, int(o.Duration.Round(time.Second).Seconds()))
	trace = min(profile, int(mostTraced.Seconds()))
	if profile+trace > room {
		trace = min(trace, room/2)
		profile = max(1, room-trace)
	}
	return profile, trace
}

// endpoint is one process that is asked.
type endpoint struct {
	base string // with the user's name and password, which go to the server alone
	name string // as people see it
	o    Options

	until time.Time // of all answers together
	c     *Collected
	g     guess
}

// pprofURL is where profiles are: an address without a path has the usual one.
func pprofURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		if at := strings.LastIndexByte(address, '@'); at >= 0 { // what is misspelt may be a password
			scheme, _, _ := strings.Cut(address, "://")
			address = scheme + "://***" + address[at:]
		} else if err == nil && u.Scheme == "file" {
			return nil, fmt.Errorf("%s is %w, but a file; give its path: %s", address, ErrAddress, u.Path)
		}
		return nil, fmt.Errorf("%s is %w; give one such as http://localhost:6060", address, ErrAddress)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/debug/pprof/"
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// unsigned is an address without name and password.
func unsigned(u *url.URL) string {
	bare := *u
	bare.User = nil
	return bare.String()
}

// get writes at most so many bytes of an answer to a file. It reports whether there were more. Its errors hold no
// password.
func (e *endpoint) get(ctx context.Context, what, file string, wait time.Duration, most int64) (cut bool, err error) {
	over := fmt.Errorf("no whole answer within %v", wait+grace)
	until := time.Now().Add(wait + grace)
	if e.until.Before(until) { // a server that drips each answer would have the grace of each
		until, over = e.until, fmt.Errorf("no whole answer within --time-limit %v", e.o.Limit)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, until, over)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.base+what, nil)
	if err != nil {
		return false, err
	}
	defer func() {
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
	}()
	client := e.o.client
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		var of *url.Error // which repeats the address
		if errors.As(err, &of) {
			err = of.Err
		}
		return false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		return false, statusError{answer.StatusCode, strings.TrimSpace(string(text))}
	}
	f, err := os.Create(file)
	if err != nil {
		return false, err
	}
	n, err := io.Copy(f, io.LimitReader(answer.Body, most+1))
	if n > most {
		err = errors.Join(err, f.Truncate(most))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	return n > most, nil
}

type statusError struct {
	code int
	text string
}

func (s statusError) Error() string { return fmt.Sprintf("status %d: %s", s.code, s.text) }

// reach finds out whether somebody answers.
func (e *endpoint) reach(ctx context.Context) error {
	_, err := e.get(ctx, "cmdline", filepath.Join(e.c.Dir, "cmdline"), 0, 4<<10)
	var status statusError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &status):
		return fmt.Errorf("%s answers with %w: does the program import _ \"net/http/pprof\", and serve "+
			"http.DefaultServeMux? Otherwise give the whole address, as in http://HOST:PORT/debug/pprof/", e.name, err)
	case err != nil:
		return fmt.Errorf("%s cannot be reached: %w; does the program run, and listen there?", e.name, err)
	}
	return os.Remove(filepath.Join(e.c.Dir, "cmdline"))
}

// fetch takes the CPU profile, and over the same time what was allocated and waited for: that is counted anyway. The
// trace comes last.
func (e *endpoint) fetch(ctx context.Context, seconds, traced int) error {
	kinds := []string{"profile", "allocs", "mutex", "block"}
	errs := make([]error, len(kinds))
	var group sync.WaitGroup
	for i, kind := range kinds {
		group.Go(func() {
			errs[i] = e.profile(ctx, fmt.Sprintf("%s?seconds=%d", kind, seconds), kind,
				time.Duration(seconds)*time.Second)
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, kind := range kinds {
		if err := errs[i]; err != nil {
			e.c.note("there is no %s: %v", fileKinds[kind], err)
		} else if err := e.take(ctx, kind); err != nil {
			return err
		}
	}
	if e.profile(ctx, "goroutine", "goroutine", 0) == nil {
		if err := e.take(ctx, "goroutine"); err != nil {
			return err
		}
	}
	if len(e.c.Files) == 0 {
		return fmt.Errorf("%s sent no profile: %w", e.name, errs[0])
	}
	return e.trace(ctx, traced)
}

// profile fetches a profile, which is useless if it is cut.
func (e *endpoint) profile(ctx context.Context, what, kind string, wait time.Duration) error {
	cut, err := e.get(ctx, what, e.file(kind), wait, mostFetched)
	if err == nil && cut {
		err = fmt.Errorf("it has more than %d MB", mostFetched>>20)
	}
	return err
}

// trace fetches the trace, of which also a part is of use.
func (e *endpoint) trace(ctx context.Context, traced int) error {
	if traced == 0 {
		e.c.note("the time limit of %v left out: trace", e.o.Limit)
		return nil
	}
	cut, err := e.get(ctx, fmt.Sprintf("trace?seconds=%d", traced), e.file("trace"), time.Duration(traced)*time.Second,
		e.o.Bytes)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		e.c.note("there is no trace: %v", err)
		return nil
	case cut:
		e.c.note("the trace is cut at %d MB", e.o.Bytes>>20)
	}
	return e.c.read(ctx, e.file("trace"), &e.g)
}

// fileKinds are the kinds of profile by their names at the endpoint.
var fileKinds = map[string]string{"profile": "cpu", "allocs": "heap", "mutex": "mutex", "block": "block",
	"goroutine": "goroutine", "trace": "trace"}

func (e *endpoint) file(kind string) string {
	if kind == "trace" {
		return filepath.Join(e.c.Dir, "trace.out")
	}
	return filepath.Join(e.c.Dir, fileKinds[kind]+".pprof")
}

// take reads a profile that was fetched, and says why one may be empty.
func (e *endpoint) take(ctx context.Context, kind string) error {
	what := evidence.ProfileKind(fileKinds[kind])
	p, err := profileAt(ctx, e.file(kind))
	if err == nil {
		err = e.c.add(e.file(kind), what, p, &e.g)
	}
	if err != nil {
		return fmt.Errorf("what %s%s sent is no profile: %w", e.name, kind, err)
	}
	e.c.Files = append(e.c.Files, File{fileKinds[kind], e.file(kind)})
	if len(p.Samples) > 0 {
		return ctx.Err()
	}
	switch what {
	case evidence.Mutex, evidence.Block:
		e.empty(ctx, what)
	case evidence.CPU:
		e.c.note("the CPU profile is empty: the process did nothing for %v; ask while it is under load",
			p.Duration.Round(time.Second))
	}
	return ctx.Err()
}

// empty notes why nobody seems to wait: rates are 0 unless the program sets them, and no other process should.
func (e *endpoint) empty(ctx context.Context, kind evidence.ProfileKind) {
	lines := map[evidence.ProfileKind]string{evidence.Mutex: "runtime.SetMutexProfileFraction(5)",
		evidence.Block: "runtime.SetBlockProfileRate(10000)"}
	tmp := filepath.Join(e.c.Dir, "text")
	defer os.Remove(tmp)
	why := "nobody waited in these seconds, or its rate was set to 0 since it held something"
	if _, err := e.get(ctx, string(kind)+"?debug=1", tmp, 0, 64<<10); err == nil {
		text, _ := input.ReadFile(ctx, tmp, input.Figures)
		// which stands before each stack
		if strings.Contains(string(text), "sampling period=0") || !strings.Contains(string(text), "@") {
			why = "its rate is 0 unless the program sets it"
		}
	}
	e.c.note("the %s profile is empty: %s; one line in main enables it: %s", kind, why, lines[kind])
}
