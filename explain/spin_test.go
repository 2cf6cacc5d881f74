package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Polling loops are distinguished from loops that work.
func TestOnlyPolls(t *testing.T) {
	for _, c := range []struct {
		loop string
		want bool
	}{
		{"for { mu.Lock(); d := done; mu.Unlock(); if d >= n { return } }", true},
		{"for !ready.Load() { }", true},
		{"for !ready.Load() { e.Charge(spin) }", true},
		{"for !paid.Load() { card.Charge(1) }", false}, // it works
		{"for { if ok := atomic.LoadInt32(&x) == 1; ok { break } }", true},
		{"for time.Since(start) < limit { }", true},
		{"for { mu.Lock(); done++; mu.Unlock(); if done >= n { return } }", false},          // it counts
		{"for { mu.Lock(); d := done; mu.Unlock(); work(d); if d >= n { return } }", false}, // it works
		{"for { mu.Lock(); m[k] = 1; mu.Unlock(); if d >= n { return } }", false},           // it writes
		{"for { mu.Lock(); d := done; mu.Unlock(); time.Sleep(1); if d { return } }", false},
		{"for i := 0; i < n; i++ { mu.Lock(); d = x; mu.Unlock() }", false}, // it repeats n times
		{"for i := 0;i < n;i = i + 1 { mu.Lock(); d = x; mu.Unlock() }", false},
		{"for { mu.Lock(); d = x; mu.Unlock() }", false},                    // it never ends
		{"for { mu.Lock(); d = <-c; mu.Unlock(); if d { return } }", false}, // it waits
		{"for range n { mu.Lock(); d = x; mu.Unlock() }", false},
		{"for { d := <-c; if d { return } }", false},
		{"for d < n { d = len(s) }", false},
		{"for { next := n.next.Load(); if next == nil { return }; n = next }", false}, // it goes through a list
		{"for { if n = n.next.Load(); n.done { return } }", false},
		{"for { if t[i].Load() == key { return }; i = (i + 1) & mask }", false},
		{"for { mu.Lock(); k := xs[i]; mu.Unlock(); if k == key { return }; i = (i + 1) & mask }", false},
		{"for { mu.Lock(); if head != nil { v := head; head = head.next; mu.Unlock(); return v }; mu.Unlock() }", true},
		{"for { var next = n.next.Load(); if next == nil { return }; n = next }", false},
		{"for !a || !b { a = a || x.Load(); b = b || y.Load() }", true}, // it waits for two
		{"for { s = state.Load(); if s.done.Load() { return } }", true},
		{"for { v = x.Load(); if v > n { return }; old = v }", true},
		{"for { err := settle(r); if !errors.Is(err, errBusy) { return } }", true}, // it tries a lock
		{"for { err := book(r); if !errors.Is(err, errBusy) { return } }", false},  // it works
		{"for n != nil && !n.Is(sel) { n = n.Parent }", false},                     // it searches
		{"for !errors.Is(err, io.EOF) { err = errs[0] }", false},                   // it tries nothing
		{"for { err := next(s); if !errors.Is(err, errBusy) { return } }", false},  // it parses
	} {
		header := "package main"
		if strings.Contains(c.loop, "e.Charge") {
			header += `; import "github.com/brewput/brewput/env"`
		}
		text := header + "\nfunc f() {\n" + strings.ReplaceAll(c.loop, "; ", "\n") + "\n}\n" +
			"func settle(r int) error {\nif !mu.TryLock() {\nreturn errBusy\n}\ndefer mu.Unlock()\nreturn nil\n}\n" +
			"func next(s string) error {\nif !TryParse(s) {\nreturn errBusy\n}\nreturn nil\n}\n" +
			"func book(r int) error {\nif !open(r) {\nreturn errBusy\n}\nreturn nil\n}\n"
		v := &analysis{prog: newProgram(&evidence.Program{Source: sourceOf(text)})}
		if got := pollsAt(v, 3); got != c.want {
			t.Errorf("%s: %v", c.loop, got)
		}
	}
}

// pollsAt reports whether time at a line of main.go is polling.
func pollsAt(v *analysis, line int) bool {
	_, polls := v.polls([]evidence.Frame{{Function: "main.f", File: "main.go", Line: line}}, false)
	return polls
}

// TestInGuard: the conditions of a loop that only tries conditions are polling, and what it does then is not.
func TestInGuard(t *testing.T) {
	for _, c := range []struct {
		loop string
		want string // for each line of the loop, whether it polls
	}{
		{"for q.Len() > 0 && !stop.Load() {| " +
			"if next := q[0]; !time.Now().Before(next.due) {| run(q.Pop())| }| }", "yyn"},
		{"for {| if now.Load() > at {| run()| return| }| if stop.Load() {| return| }| }", " ynn yn"},
		{"for {| if time.Now().After(at) {| run()| }| work()| }", "nnn"},                // it works between
		{"for {| if time.Now().After(at) {| run()| } else {| work()| }| }", "nnn"},      // it works instead
		{"for {| if job := next(); job.due.Before(time.Now()) {| run(job)| }| }", "nn"}, // it takes a job
		{"for pop() {| if time.Now().After(at) {| run()| }| }", "nn"},
		{"for lo < hi {| if list[lo].After(at) {| found(lo)| }| }", "nn"}, // it looks at no clock
		{"for {| if now := time.Now(); now.After(next) {| next = next.Add(d); flush()| }| }", "nynn"},
		{"for {| if time.Since(last) > d {| last = time.Now()| flush()| }| }", "nynn"},
		{"for {| if v := x.Load(); v != seen {| seen = v| reload()| }| }", "nynn"},
		{"for time.Since(t) < limit {| if v := x.Load(); v != old {| old = v; t = time.Now()| reload()| }| }", "yynnn"},
		{"for {| if time.Now().After(at) {| i++; use(t[i].Load())| }| }", "nyn"},
		{"for {| if job := jobs[i]; time.Now().After(job.due) {| run(job); i++; }| }", "nynn"},
		{"for len(q) > 0 {| if time.Now().After(q[0].due) {| q = q[1:]; run()| }| }", "yynn"},
		{"for sent < n {| if time.Since(last) >= gap {| last = time.Now()| send(); sent++; }| }", "yynnn"},
		{"for got < n {| if ready.Load() > 0 {| got += drain()| }| }", "yynn"},
		{"for len(q) > 0 && !stop.Load() {| if time.Now().After(q[0].due) {| q = q[1:]; run()| }| }", "yynn"},
		{"for {| if i < len(jobs) && time.Now().After(jobs[i].due) {| run(jobs[i]); i++; }| }", "nyn"},
		{"for {| if state == idle && ready.Load() {| state = busy; start()| }| }", "nyn"},
		{"for {| if job.next.Load() {| next = job.run()| }| }", "nyn"},
		{"for {| if last = time.Now(); last.After(at) {| run()| }| }", "nyn"},
		{"for {| if time.Now().After(<-c) {| run()| }| }", "nn"}, // it waits
		{"for {| now := time.Now()| if now.After(due) {| run()| }| runtime.Gosched()| }", "nyynny"},
		{"for time.Since(start) < limit {| if i < len(xs) {| sum += xs[i]; }| }", "nn"}, // it works all the time
		{"for {| if err := d.LoadRow(&r); err != nil {| return| }| }", "nn"},
		{"for {| if time.Since(t) > limit {| return| }| if xs[i] > best {| best = xs[i]; i++; }| }", "nnnnn"},
		{"for {| t := time.Now()| if xs[i] > best {| best = xs[i]; }| }", "nnnn"}, // it does not look at the time
		{"for {| if v, ok := cache.Load(key); ok {| use(v)| }| }", "nn"},
		{"for {| if time.Since(t) > max(a, b) {| return| }| }", " yn"},
		{"for {| if a.Sub(b, c) > 0 && a.Load() > 0 {| run()| }| }", "nn"},
		{"for {| k := t[i].Load()| if k == key {| return| }| if k != key {| i++; }| }", "nnnnnn"},
		{"for {| if lo < hi && t[lo].Load() < key {| lo++; }| }", "nnn"},
		{"for {| k := t[it.i].Load()| if k == key {| return| }| if k != key {| it.i++; }| }", "nnnnnn"},
		{"for {| if t[pos[w]].Load() != key {| pos[w]++; }| }", "nnn"},
		{"for {| if t[*i].Load() != key {| *i++; }| }", "nnn"},
		{"for {| if n.done.Load() {| n = pop()| }| }", "nyn"},
		{"for {| if n.key.Load() < key {| n = n.next; }| }", "nnn"},
		{"for {| if k := t[i].Load(); k != key {| i++; }| }", "nnn"},
		{"for {| w := &ws[i]| if w.due.Load() {| i = w.next; }| }", "nnnn"},
		{"for {| if atomic.LoadInt64(&t[i]) < key {| i++; }| }", "nnn"},
		{"for i < len(xs) {| if !stop.Load() {| sum += xs[i]; i++; }| }", "nnnn"},
		{"for {| if !stop.Load() && i < len(xs) {| sum += xs[i]; i++; }| }", "nnnn"},
		{"for {| if last++; clock.Load() > last {| run()| }| }", "nn"}, // it counts
		{"for {| if y := x.Load(); y > 0 {| run()| }| }\n}\nfunc Load() int {\nreturn 1", "nn"},
		{"for range n {| if time.Now().After(at) {| run()| }| }", "nn"},
		{"for lo < hi {| mid := (lo + hi) / 2| if ts[mid].Before(t) {| lo = mid + 1| } else {| hi = mid| }| }",
			"nnnnnnnn"},
		{"for {| mu.Lock()| n := head| if n == nil {| mu.Unlock(); break| }| head = n.next| mu.Unlock()| " +
			"sum = sum + n.v| }", "nnnnnnnnnn"},
		{"for time.Now().Sub(start) < d {| }", "y "},
		{"for time.Until(t) > 0 {| }", "y "},
		{"for time.Now().UnixNano() < end {| }", "y "},
		{"for time.Since(t).Seconds() < 1 {| }", "y "},
		{"for !mu.TryRLock() {| }", "y "},
		{"for time.Now().Before(start.Add(d)) {| }", "y "},
		{"for time.Since(start) < d {| mu.Lock()| mu.Unlock()| ops++| }", "nnnnn"}, // it measures a lock
		{"for time.Since(start) < d {| mu.RLock()| v := m[k]| mu.RUnlock()| sum += v| }", "nnnnnn"},
		{"for {| mu.Lock()| if len(q) > 0 {| j := q[0]; q = q[1:]| mu.Unlock(); run(j)| continue| }| mu.Unlock()| }",
			" yynnn y "},
		{"for !ready.Load() {| time.Sleep(1)| }", "nn "},
		{"for {| if p := peek(); p.ready.Load() {| run(p)| }| }", " nn "},
		{"for i := 0; i < n; i++ {| if time.Now().After(at) {| run()| }| }", "nn"},
	} {
		v := &analysis{prog: newProgram(&evidence.Program{Source: sourceOf("package main\nfunc f() {\n" +
			strings.ReplaceAll(c.loop, "| ", "\n") + "\n}\n")})}
		if v.prog.parsedFile("main.go") == nil {
			t.Fatalf("%s is no Go", c.loop)
		}
		lines := strings.Split(c.loop, "| ")
		for i, want := range c.want {
			if lines[i] == "}" { // it belongs to the statement around it
				continue
			}
			if got := pollsAt(v, 3+i); got != (want == 'y') && want != ' ' {
				t.Errorf("line %d of %s: %v", i+1, c.loop, got)
			}
		}
	}
}

// TestAsksAround: the time in a function that a loop only asks belongs to the loop. The advice depends on the clock.
func TestAsksAround(t *testing.T) {
	for _, x := range []struct {
		loop, asked string
		fix         string // its beginning; "": it does not poll
	}{
		{"for due() > 0 {", "return int(at.Load())", "Block instead"},
		{"for due() > 0 {; runtime.Gosched()", "return int(at.Load())", "Block instead"},
		{"for due() > 0 {", "return at.Load() - int64(time.Since(began))", "Sleep for"},
		{"for !due() {", "for { now := at.Load(); if at.CompareAndSwap(now, now+1) { return true } }", "Block instead"},
		{"for !due() {", "mu.Lock(); x := done; mu.Unlock(); return x", "Block instead"},
		{"for due() > 0 {", "work(); return int(at.Load())", ""},
		{"for due() > 0 {; n += 1", "return int(at.Load())", "Block instead"}, // it counts its rounds
		{"for lo < hi {; if due(lo) {; lo = hi; }", "return at.Load() > 0", ""},
		{"for due() > n {", "return len(data)", ""},
		{"for due() > 0 {", "mu.Lock(); seed = seed*636 + 144; mu.Unlock(); return seed", ""},
		{"for due() > 0 {", "mu.Lock(); for x := head; x != nil; x = x.left { }; mu.Unlock(); return 0", ""},
		{"for due() {", "return LoadRecord() }; func LoadRecord() bool { return work()", ""},
		{"for due() {", "if n.Load() >= limit { return false }; n.Add(1); return true", ""},
		{"for due() > 0 {", "mu.Lock(); for n != nil { n = n.left }; mu.Unlock(); return 0", ""},
		{"for due() > 0 {", "return int(at.Load() + <-c)", ""},
		{"for due() > 0 {", "n++; return int(at.Load())", ""},
		{"for due() > 0 {", "return int(at.Load()) }; func (t T) due() int { return 1", ""},
		{"for i := 0; due() > i; i++ {", "return int(at.Load())", ""},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.evidence.Program.Source = sourceOf("package main\nfunc due() int { " + x.asked + " }\nfunc f() {\n" +
			strings.Replace(x.loop, "{; ", "{\n", 1) + "\n}\n}\n")
		c.cpu(100, "time.now", "main.due:2", "main.f:4")
		c.cpu(100, "main.g:1", "main.worker:1")
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == BusyWait })
		if (i >= 0) != (x.fix != "") ||
			i >= 0 && (found[i].Where[0] != "main.go:4" || !strings.HasPrefix(found[i].Fix, x.fix)) {
			t.Errorf("%s %s: %+v", x.loop, x.asked, found)
		}
	}
}

// The default case must belong to the select itself, not to the next one, nor to a switch.
func TestHasDefault(t *testing.T) {
	for statements, want := range map[string]bool{
		"select {; case <-c:; default:; }":                                 true,
		"select {; default:; case <-c:; }":                                 true,
		"select {; case <-c:; }; select {; case <-d:; default:; }":         false,
		"select {; case <-c:; }":                                           false,
		"select {; case <-c:; }; switch x {; case 1:; default:; }":         false,
		"select {; case <-c:; switch x {; case 1:; default:; }; }":         false,
		"for {; select {; case <-c:; default:; }; }":                       false, // the loop is not the select
		"select {; case v := <-c:; select {; case d <- v:; default:; }; }": false,
	} {
		v := &analysis{prog: newProgram(source(statements))}
		if got := v.hasDefault(evidence.Frame{File: "main.go", Line: 3}); got != want {
			t.Errorf("%q: %v", statements, got)
		}
	}
}

// TestBodyOfDefault: a line in a clause of a select with a default is not the select.
func TestBodyOfDefault(t *testing.T) {
	v := &analysis{prog: newProgram(source("select {; case <-c:; default:; call(); }"))}
	for line, want := range map[int]bool{3: true, 6: false} {
		if got := v.hasDefault(evidence.Frame{File: "main.go", Line: line}); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
}

// TestThinPolling: a few samples are no polling loop.
func TestThinPolling(t *testing.T) {
	for samples, want := range map[int]bool{5: false, 20: true} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(47-samples, "main.worker:9")
		c.cpu(samples, "runtime.selectnbrecv", "main.worker:5")
		if got := slices.Contains(c.names(), string(BusyWait)); got != want {
			t.Errorf("%d of 47 samples: %v", samples, c.names())
		}
	}
}

// A polling loop costs no time if no other goroutine wants its CPU.
func TestSpinWithIdleCPUs(t *testing.T) {
	for _, crowded := range []bool{true, false} {
		c := newCase()
		c.demand(0, 0, 1000)
		if crowded {
			c.evidence.Trace.Demand = evidence.Demand{}
			c.demand(0, 0, 0, 1000)
		}
		c.class("main.main", 1, 1, 10*time.Millisecond, 0)
		c.class("main.worker", 3, 3, 1990*time.Millisecond, 0)
		c.cpu(130, "main.f:5", "main.worker:3")
		c.cpu(70, "sync/atomic.(*Bool).Load", "main.spin:4")
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == "busy-wait" })
		if i < 0 || (found[i].Gain != nil) != crowded {
			t.Errorf("others want the CPU: %v; %+v", crowded, found)
		}
	}
}

// Non-blocking receives that take the lock of the channel find something there, and are no polling.
func TestReadyChannels(t *testing.T) {
	for _, c := range []struct {
		lock             string // that the receives take
		locked, unlocked int    // samples of the receives
		want             bool
	}{{"", 0, 70, true}, {"", 19, 51, true}, {"", 23, 47, false}, {"runtime.(*timer).maybeRunChan", 40, 30, true}} {
		x := newCase()
		x.demand(0, 0, 1000)
		x.class("main.main", 1, 1, 10*time.Millisecond, 0)
		x.class("main.worker", 3, 3, 1990*time.Millisecond, 0)
		x.cpu(130, "main.f:5", "main.worker:3")
		locked := []string{"runtime.lock2", "runtime.chanrecv", "runtime.selectnbrecv", "main.drain:4"}
		if c.lock != "" {
			locked = slices.Insert(locked, 1, c.lock)
		}
		x.cpu(c.locked, locked...)
		x.cpu(c.unlocked, "runtime.chanrecv", "runtime.selectnbrecv", "main.drain:4")
		found := slices.ContainsFunc(explainWith(nil, &x.evidence).Findings,
			func(f Finding) bool { return f.Name == BusyWait })
		if found != c.want {
			t.Errorf("%d of %d samples hold the lock %s: busy-wait %v", c.locked, c.locked+c.unlocked, c.lock, found)
		}
	}
}

// The runtime and package sync poll when they start and wake goroutines, which is no polling loop of the program.
func TestRuntimePolling(t *testing.T) {
	loop := map[int]string{4: "for {", 5: "mu.Lock(); d := done; mu.Unlock()", 6: "if d { return }", 7: "}"}
	v := &analysis{prog: newProgram(&evidence.Program{Main: "main", Source: func(_ string, n int) string {
		switch {
		case n == 1:
			return "package main"
		case n == 2:
			return "func f() {"
		case n < 4 || n > 8:
			return ""
		case n == 8:
			return "}"
		}
		return loop[n]
	}})}
	for stack, want := range map[string]bool{
		"sync/atomic.(*Int64).Load github.com/acme/app/queue.wait main.main:3": true,
		// the loop only polls
		"internal/runtime/atomic.Load runtime.lock2 internal/sync.runtime_x main.watch:5":         true,
		"sync/atomic.(*Int64).Load main.wait:5 main.main:3":                                       true,
		"internal/runtime/atomic.Load sync/atomic.LoadInt64 main.wait:5 main.main:3":              true,
		"internal/runtime/atomic.(*Uint32).Load runtime.lock2 runtime.newproc main.main:3":        false,
		"sync/atomic.(*Uint64).CompareAndSwap sync.(*WaitGroup).Wait main.validate:9 main.main:3": false,
	} {
		if got := v.isPolling(&weightedSample{stack: frames(strings.Fields(stack)...)}); got != want {
			t.Errorf("%s: %v", stack, got)
		}
	}
}

// advancing are functions that loops call.
const advancing = `func (p *T) idle() bool { for _, w := range p.ws { if w.busy.Load() { return false } } }
func due() bool {
for {
o := at.Load()
if at.CompareAndSwap(o, o+1) {
return o > 0
} } }
func (s *T) done() bool { return s.d.Load() }
func (s *T) runDue(now time.Time) int { s.pop(); return len(s.h) }
func (s *T) closed() bool { return s.c.Load() }
func (s *T) has(k string) bool { s.mu.RLock(); defer s.mu.RUnlock(); return s.m[k] }
func load(p *unsafe.Pointer) *node { return (*node)(atomic.LoadPointer(p)) }
func cas(p *unsafe.Pointer, old, n *node) bool { return atomic.CompareAndSwapPointer(p, old.ptr(), n.ptr()) }
func (q *T) lockedPop() (int, bool) {
q.mu.Lock()
defer q.mu.Unlock()
if len(q.xs) == 0 { return 0, false }
v := q.xs[0]; q.xs = q.xs[1:]
return v, true
}
`

// TestAdvances: a loop that works in each round, or goes from one atomic variable or element to the next, does not
// poll, and one that looks at the same again and again does.
func TestAdvances(t *testing.T) {
	const load, swap = "sync/atomic.(*Int64).Load ", "sync/atomic.(*Bool).CompareAndSwap "
	for _, c := range []struct {
		code  string // of f; line 3 is its first
		stack string
		polls bool
	}{
		{"for n := head.Load(); n != nil; n = n.next.Load() {| if n.key == key { return } }", load + "main.f:3", false},
		{"for n := head.Load(); n != nil; n = n.next.Load() {| if n.key == key { return } }", load + "main.f:4", false},
		{"for n := head.Load(); n != nil; n = n.next.Load() {| if n.key == key { return } }", "main.f:3", false},
		{"for !ready.Load() {| count++ }", "main.f:3", true},
		{"for i := range t {| if x := &t[i]; x.Load() > 0 { found++ } }", load + "main.f:4", false},
		{"for i := 0; i < len(t); i++ {| if atomic.LoadInt64(&t[i]) > 0 { found++ } }",
			"sync/atomic.LoadInt64 main.f:4", false},
		{"for range 1000 {| if ready.Load() { return } }", load + "main.f:4", true},
		{"for i := range 1000 {| if ready.Load() { return }; work(i) }", load + "main.f:4", false},
		{"for i := 0; i < int(n.count.Load()); i++ {| if n.keys[i] == key { return } }", load + "main.f:3", false},
		{"for _, s := range *subs.Load() {| sum += s.weight }", load + "main.f:3", false},
		{"for _, s := range *subs.Load() {| sum += s.weight }", "main.f:3", false},
		{"for _, v := range adj[u] {| if seen[v].CompareAndSwap(false, true) { todo = append(todo, v) } }",
			swap + "main.f:4", false},
		{"for {| if old := x.Load(); x.CompareAndSwap(old, old+1) { return } }", swap + "main.f:4", false},
		{"for {| old = old + 1| if x.CompareAndSwap(old, 0) { return } }", swap + "main.f:5", true},
		{"for n := head; n != nil; n = n.Next() {| if n.key == key { return } }", load + "main.Next:2 main.f:3", false},
		{"for n := head; n != nil; n = Next(n) {| visit(n) }", load + "main.Next:2 main.f:3", false},
		{"for i := range 1000 {| if x := at(i); x.Load() > 0 { found++ } }", load + "main.f:4", false},
		{"for _, s := range *subs.Load() {| visit(s) }", "main.f:3", false},
		{"for {| if n.done { n = n.next; continue }| return n.value.Load() }", load + "main.f:5", false},
		{"for {| x := t[i].Load()| if x > 0 { use(x) }| i++ }", load + "main.f:4", false},
		{"for i := 0; i < len(t); i++ {| for j := range t[i] {| if t[i][j].Load() { n++ } } }", load + "main.f:5",
			false},
		{"for !ok() {| }", load + "main.f:2 main.f:3", true}, // a function literal
		{"for {| if ok() { return }| work() }", load + "main.func1:2 main.f:4", false},
		{"for {| v, ok := q.TryPop()| if !ok { idle(); continue }| handle(v) }", load + "main.TryPop:2 main.f:4", true},
		{"for {| if l.state.CompareAndSwap(0, 1) { return }| relax() }", swap + "main.f:4", true},
		{"for {| if l.tryAcquire() { break }| relax() }", load + "main.tryAcquire:2 main.f:4", true},
		{"for !l.tryAcquire() {| relax() }", load + "main.tryAcquire:2 main.f:3", true},
		{"for {| if State(s.Load()) == Running { return } }", load + "main.f:4", true},
		{"for {| if time.Now().UnixNano() >= due.Load() { return } }", load + "main.f:4", true},
		{"for b.arrived.Load() < int32(b.N) {| }", load + "main.f:3", true},
		{"for {| for i := range b.slots {| if b.slots[i].Load() == key { return } }| b = b.next.Load() }",
			load + "main.f:5", false},
		{"for {| e := t[i].Load()| if e != nil {| if e.key != key { i = (i + 1) & mask; continue }| return }| return }",
			load + "main.f:4", false},
		{"for {| n := 0| for i := 0; i < len(t); i++ {| if t[i].Load() { n++ } }| if n == len(t) { break } }",
			load + "main.f:6", true},
		{"for pb.Next() {| x.Load() }", load + "main.f:4", false},
		{"for pb.Next() {| m.Get(k) }", load + "main.Get:2 main.f:4", false},
		{"for i := 0; i < b.N; i++ {| x.Load() }", load + "main.f:4", false},
		{"for range b.N {| x.Load() }", load + "main.f:4", false},
		{"for {| x := v.Load()| process(x) }", load + "main.f:4", false},
		{"for {| if v, ok := q.TryPop(); ok { handle(v) } }", load + "main.TryPop:2 main.f:4", true},
		{"for {| v, ok := q.TryPop()| if !ok { continue }| handle(v) }", load + "main.TryPop:2 main.f:4", true},
		{"for !l.CompareAndSwap(0, 1) {| relax() }", swap + "main.f:3", true},
		{"for i := 0; i < 30; i++ {| if l.CompareAndSwap(0, 1) { return }| relax() }", swap + "main.f:4", true},
		{"for {| if int(v.Load()) > 3 { return } }", load + "main.f:4", true},
		{"for !n.Next() {| }", load + "main.Next:2 main.f:3", true},
		{"f(n.left.Load())", load + "main.f:3 main.f:3", false}, // no loop
		{"for {| s := &ring[next&mask]| if s.seq.Load() != next+1 { continue }| handle(s.v)| next++ }",
			load + "main.f:5", true}, // it waits for the next
		{"for {| n := tail.next.Load()| if n == nil { runtime.Gosched(); continue }| tail = n }", load + "main.f:4",
			true},
		{"for {| n := t[i].Load()| i = (i + 1) & mask| if n == nil { continue }| use(n) }", load + "main.f:4", false},
		{"for i := 0; ; i++ {| if t[i].Load() > 0 { continue }| use(i) }", load + "main.f:4", false},
		{"for {| n := 0| for i := range t {| if t[i].Load() { n++ } }| if n == len(t) { break } }", load + "main.f:6",
			true},
		{"for {| for i := range t {| if t[i].Load() { use(i) } }| if stop.Load() { break } }", load + "main.f:5",
			false},
		{"for {| for n := head; n != nil; n = n.next.Load() { p = n }| if p.next.CompareAndSwap(nil, x) { break } }",
			load + "main.f:4", false},
		{"for !q.Empty() {| n := q.Pop()| if !visited[n].CompareAndSwap(false, true) { continue }| push(n) }",
			swap + "main.f:5", false}, // a list of work
		{"for pq.Len() > 0 {| it := pop(pq)| if done[it.v].Load() { continue }| visit(it) }", load + "main.f:5", false},
		{"for it.Next() {| e := it.Value()| if e.dead.Load() { continue }| sum += e.size }", load + "main.f:5", false},
		{"for {| c, err := ln.Accept()| if err != nil { continue }| n := served.Load()| use(c, n) }",
			load + "main.f:6", false},
		{"rows:| for {| for i := range t[j] {| if t[j][i].Load() { j++; continue rows } }| return }", load + "main.f:6",
			false},
		{"for i := 0; i < ops; i++ {| k := rng.Intn(n)| m.Get(k) }", load + "main.Get:2 main.f:5", false},
		{"for range ops {| m.Get(rng.IntN(n)) }", load + "main.Get:2 main.f:4", false},
		{"for i := 0; i < n; i++ {| cfg := current.Load()| total += cfg.rate }", load + "main.f:4", false},
		{"for i := 0; i < int(size.Load()); i++ {| visit(i) }", load + "main.f:3", false},
		{"for i := 0; i < int(size.Load()); i++ {| n++ }", load + "main.f:3", false},
		{"for time.Since(start) < d {| if m.Get(k) == nil { misses++ } }", load + "main.Get:2 main.f:4", false},
		{"for time.Since(start) < d {| m.Get(k)| ops++ }", load + "main.Get:2 main.f:4", false},
		{"for !stop.Load() {| mu.Lock(); total++; mu.Unlock() }", load + "main.f:3", false},
		{"for {| select {| case j := <-in:| if seen[j].CompareAndSwap(0, 1) { out <- j }| case <-done:| return }}",
			swap + "main.f:6", false},
		{"for {| switch s.Load() {| case idle:| break| case ready:| return| } }", load + "main.f:4", true},
		{"for {| switch s.Load() {| case idle:| work()| case ready:| break| } }", load + "main.f:4", true},
		{"for {| switch x := s.Load().(type) {| case int:| work(x) } }", load + "main.f:4", false},
		{"for {| j := <-jobs| process(j) }", load + "main.process:2 main.f:5", false},
		{"for {| p, ok := parent.Load(k)| if !ok || p == k { return }| k = p.(string) }", load + "sync.Load main.f:4",
			false},
		{"for {| c := m.Load()| if v <= c || m.CompareAndSwap(c, v) { return } }", swap + "main.f:5", false},
		{"for {| c := m.Load()| if v <= c || m.CompareAndSwap(c, v) { return } }", load + "main.f:4", false},
		{"for {| c := m.Load()| if c == 0 && m.CompareAndSwap(c, v) { return } }", load + "main.f:4", true}, // a lock
		{"for {| o := atomic.LoadUint64(&s.bits)| if atomic.CompareAndSwapUint64(&s.bits, o, o+1) { return } }",
			swap + "main.f:5", false},
		{"for {| o := head.Load()| n.next = o| if head.CompareAndSwap(o, n) { return } }", swap + "main.f:6", false},
		{"for !due() {", load + "main.due:8 main.f:3", true},
		{"for !due() {", swap + "main.due:9 main.f:3", true},
		{"for {| s := &ring[next&mask]| if s.seq.Load() == next+1 { handle(s.v); next++ } }", load + "main.f:5", true},
		{"for {| if s := &ring[pos&mask]; s.seq.Load() == pos+1 { v = s.v; pos++; break } }", load + "main.f:4", true},
		{"for !s.done() && !s.closed() {| }", load + "main.done:2 main.f:3", true},
		{"for !s.done() && !s.closed() {| }", load + "main.closed:2 main.f:3", true},
		{"for {| if v, ok := q.TryPop(); ok { return }| relax() }", load + "main.TryPop:2 main.f:4", true},
		{"for !stop.Load() {| n.Add(1) }", load + "main.f:3", false},
		{"for {| if stop.Load() { return }| work() }", load + "main.f:4", false},
		{"for {| <-tick| sort.Sort(byHits(es))| emit(es) }", load + "main.Less:2 sort.Sort main.f:5", false},
		{"for !ok() {| }", "sync/atomic.(*Bool).Load sync/atomic.(*Bool).Load-fm main.f:3", true}, // a method value
		{"for {| switch s.Load() {| case idle:| runtime.Gosched()| case ready:| run()| } }", load + "main.f:4", true},
		{"for {| switch {| case stop.Load():| return| case ready.Load():| run()| } }", load + "main.f:5", true},
		{"for {| select {| case <-done:| return| default:| if ready.Load() { run() } } }", load + "main.f:8", true},
		{"for spins := 0; ; spins++ {| if ready.Load() { return }| if spins > 100 { time.Sleep(1) } }",
			load + "main.f:4", true},
		{"for {| if !ready.Load() { spins++; continue }| return }", load + "main.f:4", true},
		{"for i := uint64(3); i*i <= n; i += 2 {| if ctx.Err() != nil { return }| if n%i == 0 { return } }", "main.f:4",
			false}, // it computes
		{"for b != 0 {| if ctx.Err() != nil { return }| a, b = b, a%b }", "main.f:4", false},
		{"for _, k := range keys {| if !s.has(k) { return } }", "main.has:2 main.f:4", false},
		{"for i := 0; i < n; i++ {| if s.has(i) { return } }", "main.has:2 main.f:4", false},
		{"for !s.has(k) {| }", "main.has:2 main.f:3", true},
		{"for !stop.Load() {| step()| if stats.TryLock() { stats.merge(local); stats.Unlock() } }",
			"main.step:2 main.f:4", false},
		{"for !stop.Load() {| serve()| if n.Load() > limit && turn.CompareAndSwap(false, true) { go rotate() } }",
			load + "main.f:3", false},
		{"for i := 0; i < b.N; i++ {| if _, ok := c.get(k); !ok { b.Fatal(k) } }", load + "main.get:2 main.f:4", false},
		{"for !stop.Load() {| mu.RLock()| v := m[k]| mu.RUnlock()| if v != 1 { panic(v) } }", "main.f:4", false},
		{"for {| t := q.tail.Load()| next := t.next.Load()| if t != q.tail.Load() { continue }| " +
			"if next != nil { q.tail.CompareAndSwap(t, next); continue }| " +
			"if t.next.CompareAndSwap(nil, n) { q.tail.CompareAndSwap(t, n); return } }", load + "main.f:5", false},
		{"for {| t := load(&q.tail)| next := load(&t.next)| if t != load(&q.tail) { continue }| " +
			"if next != nil { cas(&q.tail, t, next); continue }| if cas(&t.next, next, n) { return } }",
			load + "main.f:4", false},
		{"for {| pos := q.in.Load(); c := &q.buf[pos&mask]| dif := int64(c.seq.Load()) - int64(pos)| if dif == 0 {| " +
			"if q.in.CompareAndSwap(pos, pos+1) { return }| } else if dif < 0 { return } }", load + "main.f:5", false},
		{"for {| g := q.in.Load()| if c := &q.buf[g&mask]; c.seq.Load() == g {| " +
			"if q.in.CompareAndSwap(g, g+1) { return }| } }", load + "main.f:5", false},
		{"for {| mu.Lock(); id := next; next++; mu.Unlock()| if id >= n { return } }", "main.f:4", false},
		{"for {| v, ok := q.lockedPop()| if !ok { continue }| handle(v) }", "main.lockedPop:2 main.f:4", true},
		{"for {| v, ok := q.TryPop()| if !ok { continue }| handle(v) }", load + "main.handle:2 main.f:6", false},
		{"for !p.idle() {| }", load + "main.idle:6 main.f:3", true},
		{"for t-r.head == size {| r.head = r.shared.Load() }", load + "main.f:4", true},
		{"for !l.s.CompareAndSwap(0, 1) {| l.spins++ }", swap + "main.f:3", true},
		{"for !l.CompareAndSwap(0, 1) {| time.Sleep(1) }", swap + "main.f:3", false},
		{"for !l.CompareAndSwap(0, 1) {| for i := 0; i < pause; i++ { runtime.Gosched() }| " +
			"if pause < 16 { pause <<= 1 } }", swap + "main.f:3", true},
		{"for i := range 1000 {| if l.TryLock() { return }| if i > 30 { time.Sleep(1) } }",
			swap + "sync.TryLock main.f:4", true},
		{"for start.Add(d).After(time.Now()) {| }", "time.Now main.f:3", true},
		{"for {| if mode == 1 { a = 1 } else { return }| if ready.Load() { return } }", load + "main.f:5", true},
		{"wait:| for {| if !ready.Load() { continue wait }| run() }", load + "main.f:5", true},
		{"for {| o := x.Load()| ok := x.CompareAndSwap(o, o+1)| if ok { return } }", load + "main.f:4", false},
		{"for {| v := x.Load()| w := v > 3| if w { return } }", load + "main.f:4", true},
		{"for {| if !ready.Load() {| spins++| if spins > 100 { time.Sleep(1) }| continue| }| return }",
			load + "main.f:4", true},
		{"for _, x := range xs {| if stop.Load() { return }| if x == key { return } }", load + "main.f:4", false},
		{"for {| switch s.Load() {| case idle:| break| default:| return| } }", load + "main.f:4", true},
		{"for !l.CompareAndSwap(0, 1) {| relax() }", "main.relax:2 main.f:4", false},
		{"for {| if !ready.Load() { continue } else { run() }| if x.Load() { return } }", load + "main.f:5", false},
		{"for {| n := (*node)(atomic.LoadPointer(&p))| if n == nil { continue }| use(n) }", load + "main.f:4", true},
		{"for {| if ready.Load() { return }" + strings.Repeat("| n++", maxRound) + " }", load + "main.f:4", false},
		{"for {| " + strings.Repeat("if mode == x { return } else ", 60) + "if ready.Load() { return } }",
			load + "main.f:4", true}, // in linear time
		{"for !stop.Load() {| for i := 0; i < 1000; i++ {| x += i * i } }", "main.f:5", false}, // it computes
		{"for ctx.Err() == nil {| sum := 0| for _, v := range data {| sum += v } }", "main.f:6", false},
		{"for {| u, ok := q.lockedPop()| if !ok { return }| if visited[u] { continue }| visit(u) }",
			"main.lockedPop:2 main.f:4", false},
		{"for x := lo; x < hi; x++ {| if found.Load() { return }| y := x * x % p| if y == a { return } }",
			load + "main.f:4", false},
		{"for i := 0; i < n; i++ {| if ctx.Err() != nil { return }| v := i * 7919 % 10007| if v > best { best = v } }",
			"main.f:4", false},
		{"for n != 1 {| if stop.Load() { return }| if n%2 == 0 { n /= 2 } else { n = 3*n + 1 }| steps++ }",
			load + "main.f:4", false},
		{"for {| i := int(next.Add(1)) - 1| if i >= n { return }| if done[i].Load() { continue }| work(i) }",
			load + "main.f:6", false},
		{"for {| n := x.Load()| switch {| case n >= limit:| return| case x.CompareAndSwap(n, n+1):| return| } }",
			load + "main.f:4", false},
		{"for {| if s.runDue(time.Now()) == 0 { return } }", "main.runDue:2 main.f:4", false},
		{"for i := 0; i < 3; i++ {| resp, err = http.has(url)| if err == nil { return } }", "http.has main.f:4", false},
		{"for {| s.mu.Lock()| if s.closed { s.mu.Unlock(); return }| s.n++| s.mu.Unlock() }", "main.f:4", false},
		{"for {| t := p.Load()| if t != nil { return }| n := &T{}| if p.CompareAndSwap(nil, n) { return } }",
			load + "main.f:4", false},
		{"for i := range data {| select {| case <-done:| return| default:| }| sum += f(data[i]) }",
			"runtime.selectnbrecv main.f:4", false},
		{"for {| select {| case <-done:| return| default:| } }", "runtime.selectnbrecv main.f:4", true},
		{"for {| select {| case <-done:| return| default:| runtime.Gosched()| } }",
			"runtime.selectnbrecv main.f:4", true},
		{"for {| select {| case j := <-jobs:| run(j)| default:| } }", "runtime.selectnbrecv main.f:4", true},
		{"for _, c := range subs {| select {| case c <- x:| default:| dropped++| } }",
			"runtime.selectnbsend main.f:4", false},
		{"for {| select {| case <-a:| return| case <-b:| return| default:| }| work() }",
			"runtime.selectgo main.f:4", false},
		{"for range n {| serve()| runtime.Gosched() }", "runtime.Gosched main.f:5", false},
		{"for !ready.Load() {| runtime.Gosched() }", "runtime.Gosched main.f:4", true},
		{"for !mu.TryLock() {| }", "sync.(*Mutex).TryLock main.f:3", true},
		{"f()", "runtime.goschedImpl runtime.gosched_m runtime.mcall", true},
		{"for {| work()| s.notify() }", "runtime.selectnbsend main.notify:2 main.f:5", false},
		{"for _, q := range qs {| for n := q.Load(); n != nil; n = n.next.Load() {| } }", load + "main.f:4", false},
	} {
		end := "\n}\n"
		if c.code == "for !due() {" {
			end = "\n}" + end
		}
		text := "package main; import \"net/http\"\n" +
			"func (n *node) Next() *node { return n.next.Load() }; func f() {\n" +
			strings.ReplaceAll(c.code, "| ", "\n") + end + advancing
		v := &analysis{prog: newProgram(&evidence.Program{Main: "main", Source: sourceOf(text)}),
			readyOps: map[evidence.Frame]bool{}}
		if v.prog.parsedFile("main.go") == nil {
			t.Fatalf("%s is no Go", c.code)
		}
		if got := v.isPolling(&weightedSample{stack: frames(strings.Fields(c.stack)...)}); got != c.polls {
			t.Errorf("%s in %s: polls %v", c.code, c.stack, got)
		}
	}
	v := &analysis{prog: newProgram(&evidence.Program{Main: "main", Source: sourceOf("for !ready.Load() {")})}
	if !v.isPolling(&weightedSample{stack: frames("main.f:1")}) {
		t.Error("a loop in a file that is known in part")
	}
}

// Package testing calls runtime.GC before each benchmark, which yields after each span that it sweeps. That is no
// polling loop of the program.
func TestYieldsOfTheRuntime(t *testing.T) {
	for by, want := range map[string]bool{"runtime.GC": false, "main.spin:4": true} {
		c := newCase()
		c.demand(0, 0, 1000)
		class := c.class("main.main", 1, 1, time.Second, 0)
		c.wait(evidence.OpYield, class, 50000, 0, -1, "runtime.Gosched", by, "main.main:9")
		c.cpu(130, "main.f:5", "main.main:3")
		c.cpu(70, "runtime.goschedImpl", "runtime.gosched_m", "runtime.mcall")
		if got := slices.Contains(c.names(), "busy-wait"); got != want {
			t.Errorf("%s yields: busy-wait %v, want %v", by, got, want)
		}
	}
}

// A loop that works and yields does not poll.
func TestYieldsOfWork(t *testing.T) {
	for work, want := range map[string]bool{"serve()": false, "": true} {
		c := newCase()
		c.demand(0, 0, 1000)
		class := c.class("main.main", 1, 1, time.Second, 0)
		c.wait(evidence.OpYield, class, 50000, 0, -1, "runtime.Gosched", "main.spin:5", "main.main:9")
		c.evidence.Program.Source = sourceOf("package main\nfunc spin() {\nfor !done.Load() {\n" + work +
			"\nruntime.Gosched()\n}\n}\n")
		c.cpu(130, "main.f:9", "main.main:9")
		c.cpu(30, "runtime.Gosched", "main.spin:5", "main.main:9")
		c.cpu(40, "runtime.goschedImpl", "runtime.gosched_m", "runtime.mcall")
		if got := slices.Contains(c.names(), string(BusyWait)); got != want {
			t.Errorf("%q: busy-wait %v", work, got)
		}
	}
}

// A program that polls may not end on one CPU, because the loop takes the CPU from those that it waits for.
func TestPollingOnOneCPU(t *testing.T) {
	for cut, want := range map[time.Duration]bool{0: false, 1500 * time.Millisecond: false, 3 * time.Second: false,
		10 * time.Second: true} {
		c := newCase()
		c.demand(0, 0, 0, 1000)
		c.class("main.worker", 3, 3, 1990*time.Millisecond, 0)
		c.cpu(130, "main.f:5", "main.worker:3")
		c.cpu(70, "sync/atomic.(*Bool).Load", "main.spin:4")
		c.evidence.Unfinished = cut
		f := c.named(t, BusyWait)
		const text = "on one CPU it did not end"
		got := slices.ContainsFunc(f.Evidence, func(s string) bool { return strings.HasPrefix(s, text) })
		if got != want || want && !slices.Contains(f.Evidence, text+" within 10s; on 2 it takes 1s") {
			t.Errorf("cut after %v: %q", cut, f.Evidence)
		}
	}
}
