package hook

// This file is compiled twice: here, for the trials of designs, and in package main of programs that brewput explain
// builds again, where all its names must be strange enough to meet none of the program's own.

import (
	hookerrors "errors"
	hookfmt "fmt"
	hookos "os"
	hookfile "path/filepath"
	hookruntime "runtime"
	hookmetrics "runtime/metrics"
	hookpprof "runtime/pprof"
	hooktrace "runtime/trace"
	hookstrconv "strconv"
	hookstrings "strings"
	hooksync "sync"
	hooktime "time"
)

// brewputVariable is the variable of the environment that asks for evidence: kind, nanoseconds, bytes of a trace, and
// the directory to write to, with blanks between.
const brewputVariable = "BREWPUT_EVIDENCE"

// The rates of the profiles: a sample for each so many bytes that are allocated, each so many nanoseconds that a
// goroutine is blocked, and one of so many times that somebody waits for a mutex.
const (
	brewputBytesRate = 2 << 10
	brewputBlockRate = 10000
	brewputMutexRate = 2
)

// brewputHook collects one kind of evidence of the process that it is in.
type brewputHook struct {
	kind, dir string
	most      int64 // bytes of a trace
	began     hooktime.Time
	once      hooksync.Once
	profile   *hookos.File

	mu      hooksync.Mutex
	written int64
	stopped hooktime.Duration // the trace, before the end; 0 not
}

// brewputFromEnvironment begins to collect if the environment asks for it. It is the first thing that package main
// does.
func brewputFromEnvironment(atExit func(func())) bool {
	words := hookstrings.SplitN(hookos.Getenv(brewputVariable), " ", 4)
	hookos.Unsetenv(brewputVariable) // which is no business of the processes that this one starts
	if len(words) < 4 {
		return false
	}

	length, _ := hookstrconv.ParseInt(words[1], 10, 64)
	most, _ := hookstrconv.ParseInt(words[2], 10, 64)
	h := &brewputHook{kind: words[0], most: most, dir: words[3]}
	h.begin()
	atExit(h.end)
	if length > 0 {
		hooktime.AfterFunc(hooktime.Duration(length), h.end)
	}

	return true
}

func (h *brewputHook) begin() {
	var err error
	switch h.kind {
	case "heap":
		hookruntime.MemProfileRate = brewputBytesRate
	case "locks":
		hookruntime.SetMutexProfileFraction(brewputMutexRate)
		hookruntime.SetBlockProfileRate(brewputBlockRate)
	case "cpu":
		if h.profile, err = hookos.Create(hookfile.Join(h.dir, "cpu.pprof")); err == nil {
			err = hookpprof.StartCPUProfile(h.profile)
		}
	case "trace":
		if h.profile, err = hookos.Create(hookfile.Join(h.dir, "trace.out")); err == nil {
			err = hooktrace.Start(h)
		}
	}

	h.began = hooktime.Now()
	if err != nil {
		h.fail(err)
		h.kind = "none"
	}
}

// Write takes the trace, and stops it once it is long enough.
func (h *brewputHook) Write(p []byte) (int, error) {
	n, err := h.profile.Write(p)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.written += int64(n)
	if h.most > 0 && h.written > h.most && h.stopped == 0 {
		h.stopped = hooktime.Since(h.began)
		go hooktrace.Stop() // which waits for this Write
	}
	return n, err
}

// end writes what there is: at the exit of the process, or when the time is over. Who comes second waits for the first.
func (h *brewputHook) end() { h.once.Do(h.finish) }

func (h *brewputHook) finish() {
	began := hooktime.Now()
	text := hookstrings.Builder{}
	hookfmt.Fprintf(&text, "wall %d\n", began.Sub(h.began).Nanoseconds())
	brewputMetrics(&text)
	var err error
	switch h.kind {
	case "cpu":
		hookpprof.StopCPUProfile()
		err = h.profile.Close()
	case "trace":
		hooktrace.Stop()
		h.mu.Lock()
		if h.stopped > 0 {
			hookfmt.Fprintf(&text, "stopped %d\n", h.stopped.Nanoseconds())
		}
		h.mu.Unlock()
		err = h.profile.Close()
	case "heap":
		hookruntime.GC() // of a profile's allocations all are counted that the last collection has seen
		err = hookerrors.Join(h.write("allocs", "heap.pprof"), h.write("goroutine", "goroutine.pprof"))
	case "locks":
		err = hookerrors.Join(h.write("mutex", "mutex.pprof"), h.write("block", "block.pprof"))
	}
	if err != nil {
		h.fail(err)
	}

	hookfmt.Fprintf(&text, "end %d\n", hooktime.Since(began).Nanoseconds())
	name := hookfile.Join(h.dir, "end")
	if err := hookos.WriteFile(name+".new", []byte(text.String()), 0o666); err == nil {
		hookos.Rename(name+".new", name)
	}
}

func (h *brewputHook) write(profile, name string) error {
	f, err := hookos.Create(hookfile.Join(h.dir, name))
	if err != nil {
		return err
	}
	return hookerrors.Join(hookpprof.Lookup(profile).WriteTo(f, 0), f.Close())
}

// fail tells why there is no such evidence, where the program's output is not disturbed.
func (h *brewputHook) fail(err error) {
	hookos.WriteFile(hookfile.Join(h.dir, "error"), []byte(err.Error()), 0o666)
}

// brewputMetrics writes all that the runtime counts: numbers, and of histograms the buckets that are not empty.
func brewputMetrics(text *hookstrings.Builder) {
	var samples []hookmetrics.Sample
	for _, d := range hookmetrics.All() {
		if !hookstrings.HasPrefix(d.Name, "/godebug/") {
			samples = append(samples, hookmetrics.Sample{Name: d.Name})
		}
	}

	hookmetrics.Read(samples)
	for _, s := range samples {
		switch s.Value.Kind() {
		case hookmetrics.KindUint64:
			hookfmt.Fprintf(text, "metric %s %d\n", s.Name, s.Value.Uint64())
		case hookmetrics.KindFloat64:
			hookfmt.Fprintf(text, "metric %s %v\n", s.Name, s.Value.Float64())
		case hookmetrics.KindFloat64Histogram:
			h := s.Value.Float64Histogram()
			hookfmt.Fprintf(text, "histogram %s", s.Name)
			for i, n := range h.Counts {
				if n > 0 {
					hookfmt.Fprintf(text, " %v:%v:%d", h.Buckets[i], h.Buckets[i+1], n)
				}
			}
			text.WriteString("\n")
		}
	}
}
