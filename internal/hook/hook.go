package hook

// This file is compiled twice: here, for the trials of designs, and in package main of programs that brewput explain
// rebuilds. Its names must be unusual enough not to collide with those of the program.

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

// brewputVariable is the environment variable that requests evidence: kind, nanoseconds, bytes of a trace, and the
// directory for the files, separated by spaces.
const brewputVariable = "BREWPUT_EVIDENCE"

// The rates of the profiles: bytes allocated for each sample, nanoseconds blocked for each sample, and one of how many
// mutex contentions is sampled.
const (
	brewputBytesRate = 2 << 10
	brewputBlockRate = 10000
	brewputMutexRate = 2
)

// brewputHook collects one kind of evidence about its process.
type brewputHook struct {
	kind, dir string
	maxBytes  int64 // largest size of the trace, bytes
	began     hooktime.Time
	once      hooksync.Once
	profile   *hookos.File

	mu      hooksync.Mutex
	written int64
	stopped hooktime.Duration // when the trace reached its size limit; 0 if it did not
}

// brewputFromEnvironment starts to collect if the environment requests it. It runs before everything else in package
// main.
func brewputFromEnvironment(atExit func(func())) bool {
	words := hookstrings.SplitN(hookos.Getenv(brewputVariable), " ", 4)
	hookos.Unsetenv(brewputVariable) // child processes must not collect
	if len(words) < 4 {
		return false
	}

	length, _ := hookstrconv.ParseInt(words[1], 10, 64)
	most, _ := hookstrconv.ParseInt(words[2], 10, 64)
	h := &brewputHook{kind: words[0], maxBytes: most, dir: words[3]}
	h.begin()
	atExit(h.end)
	if length > 0 {
		hooktime.AfterFunc(hooktime.Duration(length), h.end)
	}

	return true
}

// begin starts the profiler or tracer.
func (h *brewputHook) begin() {
	var err error
	h.began = hooktime.Now() // before the trace, which may be written at once
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

	if err != nil {
		h.fail(err)
		h.kind = "none"
	}
}

// Write writes the trace, and stops it at the size limit.
func (h *brewputHook) Write(p []byte) (int, error) {
	n, err := h.profile.Write(p)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.written += int64(n)
	if h.maxBytes > 0 && h.written > h.maxBytes && h.stopped == 0 {
		h.stopped = hooktime.Since(h.began)
		go hooktrace.Stop() // Stop waits for this Write
	}
	return n, err
}

// end writes the evidence, at the exit of the process or when the time is over. A second call waits for the first.
func (h *brewputHook) end() { h.once.Do(h.finish) }

// finish stops the profiler and writes the files, the file "end" last.
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
		hookruntime.GC() // An allocation profile covers the time up to the last collection.
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

// write writes a profile of package runtime/pprof to a file.
func (h *brewputHook) write(profile, name string) error {
	f, err := hookos.Create(hookfile.Join(h.dir, name))
	if err != nil {
		return err
	}
	return hookerrors.Join(hookpprof.Lookup(profile).WriteTo(f, 0), f.Close())
}

// fail writes an error to a file, so that it does not disturb the program's output.
func (h *brewputHook) fail(err error) {
	hookos.WriteFile(hookfile.Join(h.dir, "error"), []byte(err.Error()), 0o666)
}

// brewputMetrics writes all metrics of the runtime: numbers, and the buckets of histograms that are not empty.
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
