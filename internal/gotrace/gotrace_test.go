package gotrace

import (
	"bytes"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/brewput/brewput/evidence"
	xtrace "golang.org/x/exp/trace"
)

// record returns an execution trace of f.
func record(t testing.TB, f func()) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("the tracer is in use:", err)
	}
	f()
	trace.Stop()
	return out.Bytes()
}

func read(t testing.TB, data []byte) *evidence.Trace {
	t.Helper()
	tr, err := Read(bytes.NewReader(data), 0)
	if err != nil {
		t.Fatal(err)
	}
	if tr.Truncated {
		t.Error("a whole trace is said to be truncated")
	}
	return tr
}

// classOf returns the class with a start function.
func classOf(t *testing.T, tr *evidence.Trace, part string) evidence.Class {
	t.Helper()
	for _, c := range tr.Classes {
		if c.Count > 0 && strings.Contains(c.Start.Function, part) {
			return c
		}
	}
	t.Fatalf("no goroutines of %s", part)
	return evidence.Class{}
}

// parked waits until a goroutine is in a state, given in the words of the runtime.
func parked(state string) {
	buffer := make([]byte, 1<<20)
	for !strings.Contains(string(buffer[:runtime.Stack(buffer, true)]), state) {
		runtime.Gosched()
	}
}

const items = 50

func sendItems(c chan int) {
	for i := range items {
		c <- i
	}
	close(c)
}

func TestUnbufferedChannelParksOneSideEachTime(t *testing.T) {
	tr := read(t, record(t, func() {
		c := make(chan int)
		go sendItems(c)
		for range c {
		}
	}))
	var full, empty int64
	for _, r := range tr.Resources {
		if r.Kind == evidence.ResourceChannel {
			full += r.FullCount
			empty += r.EmptyCount
		}
	}
	if full+empty < items || full+empty > 2*items {
		t.Errorf("%d senders and %d receivers parked for %d values", full, empty, items)
	}
	if c := classOf(t, tr, "sendItems"); c.Count != 1 || c.Peak != 1 || c.Busy.Count != 1 {
		t.Errorf("class %+v", c)
	}
}

func lockOnce(mu *sync.Mutex, done chan struct{}) {
	mu.Lock()
	close(done)
	mu.Unlock()
}

func TestWhoWakesAtALock(t *testing.T) {
	tr := read(t, record(t, func() {
		var mu sync.Mutex
		done := make(chan struct{})
		mu.Lock()
		go lockOnce(&mu, done)
		parked("[sync.Mutex.Lock")
		mu.Unlock()
		<-done
	}))
	i := slices.IndexFunc(tr.Waits, func(w evidence.Wait) bool { return w.Op == evidence.OpMutex })
	if i < 0 {
		t.Fatal("no wait for a mutex")
	}
	w := tr.Waits[i]
	has := func(s []evidence.Frame, name string) bool {
		return slices.ContainsFunc(s, func(f evidence.Frame) bool { return strings.Contains(f.Function, name) })
	}
	if w.Count != 1 || !has(w.Stack, "lockOnce") || len(w.Wakers) != 1 ||
		!has(w.Wakers[0].Stack, "TestWhoWakesAtALock") {
		t.Errorf("%+v", w)
	}
	// On a busy machine, the wait for the channel may be the longer one, and its resource the first.
	i = slices.IndexFunc(tr.Resources, func(r evidence.Resource) bool { return r.Kind == evidence.ResourceMutex })
	if i < 0 || len(tr.Resources[i].Sites) != 2 {
		t.Errorf("resources %+v", tr.Resources)
	}
}

func nothing(wg *sync.WaitGroup) { wg.Done() }

func TestSpawnsCallsAndIntegrals(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	tr := read(t, record(t, func() {
		var wg sync.WaitGroup
		for range items {
			wg.Add(1)
			go nothing(&wg)
		}
		wg.Wait()
		for range items {
			_, _ = null.Write([]byte{0})
		}
	}))
	if c := classOf(t, tr, "gotrace.nothing"); c.Count != items || c.Alive != 0 {
		t.Errorf("%d goroutines, %d alive", c.Count, c.Alive)
	}
	writes := int64(0)
	for _, c := range tr.Syscalls {
		if slices.ContainsFunc(c.Stack, func(f evidence.Frame) bool {
			return strings.Contains(f.Function,
				"TestSpawnsCallsAndIntegrals")
		}) {
			writes += c.Count
		}
	}
	if writes != items {
		t.Errorf("%d calls of write", writes)
	}
	var total, work float64
	for n, d := range tr.Demand.Time {
		total += float64(d)
		work += float64(tr.Demand.CPUTime[n])
	}
	if total != float64(tr.Duration) || work != float64(tr.Running) {
		t.Errorf("for %v of %v, work %v of %v", total, tr.Duration, work, tr.Running)
	}
	sliced := 0.0
	for i, r := range tr.Demand.Running {
		width := math.Min(float64(tr.Demand.Slice), float64(tr.Duration)-float64(i)*float64(tr.Demand.Slice))
		sliced += r * width
	}
	if math.Abs(sliced-work) > 1e-6*work {
		t.Errorf("slices hold %v of %v", sliced, work)
	}
}

func TestWrongInput(t *testing.T) {
	whole := record(t, func() {
		c := make(chan int)
		go sendItems(c)
		for range c {
		}
	})
	old := append([]byte("go 1.19 trace\x00\x00\x00"), whole[16:]...)
	newer := append([]byte("go 1.99 trace\x00\x00\x00"), whole[16:]...)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "empty"},
		{"few bytes", []byte("go 1"), "too few"},
		{"another file", bytes.Repeat([]byte("PNG"), 100), "does not begin"},
		{"old", old, "Go 1.22 or later"},
		{"newer", newer, "newer Go"},
		{"only the header", whole[:16], ""},
	} {
		tr, err := Read(bytes.NewReader(c.data), 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (%v)", c.name, err, tr)
		}
	}
}

func TestTruncatedIsReadAsFarAsItGoes(t *testing.T) {
	var whole bytes.Buffer
	if err := trace.Start(&whole); err != nil {
		t.Skip(err)
	}
	for range 4 { // several generations
		c := make(chan int)
		go sendItems(c)
		for range c {
		}
	}
	trace.Stop()
	tr, err := Read(&whole, 100)
	if err != nil || !tr.Truncated || tr.Events != 100 {
		t.Errorf("a limit: %+v, %v", tr, err)
	}
}

func TestReaderThatFails(t *testing.T) {
	data := record(t, func() {})
	if _, err := Read(io.MultiReader(bytes.NewReader(data[:20]), broken{}), 0); err == nil {
		t.Error("no error")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// FuzzRead checks that no input makes the reader panic, hang or use unlimited memory.
func FuzzRead(f *testing.F) {
	small := record(f, func() {
		c := make(chan int)
		go sendItems(c)
		for range c {
		}
	})
	f.Add(small)
	f.Add(small[:len(small)/2])
	f.Add(small[:17])
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Add([]byte("go 1.21 trace\x00\x00\x00\x01\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Read(bytes.NewReader(data), 1<<16)
		if (tr == nil) == (err == nil) {
			t.Errorf("%v, %v", tr, err)
		}
		if err == nil && tr.Duration < 0 {
			t.Errorf("it lasts %v", tr.Duration)
		}
	})
}

// benchmarkTrace is a trace with about a million events of goroutines, channels and locks.
var benchmarkTrace = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	if trace.Start(&out) != nil {
		return nil
	}
	var mu sync.Mutex
	sent := 0
	for range 300 {
		c := make(chan int)
		var wg sync.WaitGroup
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 100 {
					mu.Lock()
					sent++
					mu.Unlock()
					c <- i
				}
			}()
		}
		go func() { wg.Wait(); close(c) }()
		for range c {
		}
	}
	trace.Stop()
	return out.Bytes()
})

// The bare reader, for comparison: the summary may cost at most half as much again.
func BenchmarkBareReader(b *testing.B) {
	data := benchmarkTrace()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r, err := xtrace.NewReader(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for {
			if _, err := r.ReadEvent(); err != nil {
				break
			}
			n++
		}
		b.ReportMetric(float64(n), "events")
	}
}

func BenchmarkRead(b *testing.B) {
	data := benchmarkTrace()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		tr, err := Read(bytes.NewReader(data), 0)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(tr.Events), "events")
	}
}
