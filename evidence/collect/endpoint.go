package collect

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/input"
)

// Limits for requests to a live process.
const (
	maxProfileBytes  = 64 << 20        // bytes of a profile
	maxEndpointTrace = 2 * time.Second // longest trace, which is the most expensive request
	grace            = 10 * time.Second
	lateness         = time.Second // time that replies may take beyond the time limit
)

// ErrAddress is the error of an address that cannot belong to a process.
var ErrAddress = errors.New("not the address of a process")

// Endpoint collects the profiles and a trace of a process that serves net/http/pprof. It changes no setting of the
// process. It returns within the time limit and a second, whatever the server does. The error of an invalid address is
// [ErrAddress].
func Endpoint(ctx context.Context, address string, o Options) (*Collected, error) {
	base, err := pprofURL(address)
	if err != nil {
		return nil, err
	}

	if o.Quick {
		o.TimeLimit = min(o.TimeLimit, QuickLimit)
	}
	e := endpoint{base: base.String(), name: withoutUser(base), opts: o,
		deadline: time.Now().Add(o.TimeLimit + lateness)}
	seconds, traced := profileSeconds(o)
	o.progress(fmt.Sprintf("requesting from %s a CPU profile of %d s, which costs it 1 to 2%% of its CPU time, and "+
		"then a trace of %d s, which costs 1 to 10%%, more if goroutines switch every few microseconds; "+
		"at most %d MB of it",
		e.name, seconds, traced, o.TraceBytes>>20))
	replies, err := newTempDir("replies")
	if err != nil {
		return nil, err
	}
	defer replies.Close()
	e.temp = replies.Path
	if e.collected, err = newCollected(o, evidence.Program{}); err != nil {
		return nil, err
	}

	if err = e.checkReachable(ctx); err == nil {
		err = e.fetch(ctx, seconds, traced)
	}
	if err == nil {
		err = e.keepFiles(ctx)
	}
	if err != nil {
		e.collected.Close()
		return nil, err
	}

	e.collected.Program = e.guess.program()
	e.collected.Program.Name = strings.TrimSuffix(e.name, "/debug/pprof/")
	return e.collected, nil
}

// profileSeconds returns the seconds for a CPU profile and for a trace, so that both fit into the time limit with a
// second to spare. Servers count in whole seconds, and at least one for the profile.
func profileSeconds(o Options) (profile, trace int) {
	room := max(1, int(o.TimeLimit.Seconds())-1)
	profile = max(1, int(o.Duration.Round(time.Second).Seconds()))
	trace = min(profile, int(maxEndpointTrace.Seconds()))
	if profile+trace > room {
		trace = min(trace, room/2)
		profile = max(1, room-trace)
	}
	return profile, trace
}

// endpoint is a live process that serves profiles.
type endpoint struct {
	base string // URL with user name and password, which only the server may see
	name string // URL for messages
	temp string // directory for replies: the user's may have such files, and keeps them if a reply is wrong
	opts Options

	deadline  time.Time // end of all replies together
	collected *Collected
	guess     programGuess
}

// fetch takes the CPU profile and, during the same time, the allocation, mutex and block profiles, which cost nothing
// more. The trace comes last. If it must be quick, there are only the CPU profile and the trace.
func (e *endpoint) fetch(ctx context.Context, seconds, traced int) error {
	kinds := []string{"profile", "allocs", "mutex", "block"}
	if e.opts.Quick {
		kinds = kinds[:1]
	}
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
			e.collected.note("there is no %s profile: %v", fileKinds[kind], err)
		} else if err := e.addProfile(ctx, kind); err != nil {
			return err
		}
	}
	if !e.opts.Quick {
		if err := e.profile(ctx, "goroutine", "goroutine", 0); err != nil {
			e.collected.note("there is no goroutine profile: %v", err)
		} else if err := e.addProfile(ctx, "goroutine"); err != nil {
			return err
		}
	}
	if len(e.collected.Files) == 0 {
		return fmt.Errorf("%s sent no profile: %w", e.name, errs[0])
	}

	return e.trace(ctx, traced)
}

// profile fetches a profile, which is an error if it is too large: a part of it is useless.
func (e *endpoint) profile(ctx context.Context, what, kind string, wait time.Duration) error {
	cut, err := e.get(ctx, what, e.file(kind), wait, maxProfileBytes)
	if err == nil && cut {
		err = fmt.Errorf("it has more than %d MB", maxProfileBytes>>20)
	}
	return err
}

// trace fetches the trace, of which a part is useful too.
func (e *endpoint) trace(ctx context.Context, traced int) error {
	if traced == 0 {
		e.collected.note("the time limit of %v left out: trace", e.opts.TimeLimit)
		return nil
	}

	cut, err := e.get(ctx, fmt.Sprintf("trace?seconds=%d", traced), e.file("trace"), time.Duration(traced)*time.Second,
		e.opts.TraceBytes)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		e.collected.note("there is no trace: %v", err)
		return nil
	case cut:
		e.collected.note("the trace is cut at %d MB", e.opts.TraceBytes>>20)
	}

	return e.collected.read(ctx, e.file("trace"), e.name+"trace", &e.guess)
}

// fileKinds are the kinds of evidence by their names at the endpoint.
var fileKinds = map[string]string{"profile": "cpu", "allocs": "heap", "mutex": "mutex", "block": "block",
	"goroutine": "goroutine", "trace": "trace"}

// file returns the path of the reply with a kind of evidence.
func (e *endpoint) file(kind string) string {
	if kind == "trace" {
		return filepath.Join(e.temp, "trace.out")
	}
	return filepath.Join(e.temp, fileKinds[kind]+".pprof")
}

// keepFiles moves the replies that were read to the collection.
func (e *endpoint) keepFiles(ctx context.Context) error {
	for i, f := range e.collected.Files {
		to := filepath.Join(e.collected.Dir, filepath.Base(f.Path))
		if err := moveFile(ctx, f.Path, to); err != nil {
			return err
		}
		e.collected.Files[i].Path = to
	}
	e.collected.removeOld()
	return nil
}

// addProfile reads a profile that was fetched, and notes why it is empty.
func (e *endpoint) addProfile(ctx context.Context, kind string) error {
	what := evidence.ProfileKind(fileKinds[kind])
	p, err := profileAt(ctx, e.file(kind))
	if err != nil {
		return fmt.Errorf("what %s%s sent is no profile: %w", e.name, kind, err)
	}
	if err = e.collected.add(e.name+kind, what, p, &e.guess); err != nil {
		return err
	}

	e.collected.Files = append(e.collected.Files, File{fileKinds[kind], e.file(kind)})
	if len(p.Samples) > 0 {
		return ctx.Err()
	}

	switch what {
	case evidence.Mutex, evidence.Block:
		e.noteEmpty(ctx, what)
	case evidence.CPU:
		e.collected.note("the CPU profile is empty: the process did nothing for %v; ask while it is under load",
			p.Duration.Round(time.Second))
	}

	return ctx.Err()
}

// noteEmpty notes why a mutex or block profile is empty. Rates are 0 unless the program sets them, and another process
// should not.
func (e *endpoint) noteEmpty(ctx context.Context, kind evidence.ProfileKind) {
	lines := map[evidence.ProfileKind]string{evidence.Mutex: "runtime.SetMutexProfileFraction(5)",
		evidence.Block: "runtime.SetBlockProfileRate(10000)"}
	tmp := filepath.Join(e.temp, "text")
	why := "no goroutine waited meanwhile, or its rate is now 0"
	if _, err := e.get(ctx, string(kind)+"?debug=1", tmp, 0, 64<<10); err == nil {
		text, _ := input.ReadFile(ctx, tmp, input.Figures)
		// "@" stands before each stack
		if strings.Contains(string(text), "sampling period=0") || !strings.Contains(string(text), "@") {
			why = "its rate is 0 unless the program sets it"
		}
	}

	e.collected.note("the %s profile is empty: %s; one line in main enables it: %s", kind, why, lines[kind])
}
