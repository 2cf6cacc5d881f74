package hist

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

func TestAgainstSortedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []*Recorder{NewRecorder(), NewRecorder(), NewRecorder()}
	var all []float64
	for i := range 30_000 {
		v := int64(1 + r.ExpFloat64()*1e6)
		parts[i%3].Record(v)
		all = append(all, float64(v))
	}
	h := New()
	sum := 0.0
	for _, p := range parts {
		h.Add(p)
		p.Free()
	}
	sort.Float64s(all)
	for _, v := range all {
		sum += v
	}
	if h.Count() != 30_000 || h.Mean() != sum/30_000 {
		t.Errorf("count %d mean %v, want 30000 and %v", h.Count(), h.Mean(), sum/30_000)
	}
	for _, q := range []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999} {
		got, ok := h.Quantile(q)
		want := all[int(math.Ceil(q*30_000))-1]
		if !ok || got < want*0.997 || got > want*1.003 {
			t.Errorf("q%v = %v, %v; want %v", q, got, ok, want)
		}
	}
	if lo, _ := h.Quantile(0); lo != all[0] {
		t.Errorf("min %v, want %v", lo, all[0])
	}
	if hi, _ := h.Quantile(1); hi != all[len(all)-1] {
		t.Errorf("max %v, want %v", hi, all[len(all)-1])
	}
}

func TestQuantileNeedsTenValuesBeyond(t *testing.T) {
	h := New()
	for i := range int64(999) {
		h.Record(i)
	}
	if _, ok := h.Quantile(0.99); ok {
		t.Error("p99 of 999 values is told")
	}
	h.Record(999)
	if _, ok := h.Quantile(0.99); !ok {
		t.Error("p99 of 1000 values is not told")
	}
	if _, ok := h.Quantile(0.01); !ok {
		t.Error("p1 of 1000 values is not told")
	}
	if _, ok := New().Quantile(0.5); ok {
		t.Error("the median of nothing is told")
	}
}

func TestBeyondTheLimit(t *testing.T) {
	r, h := NewRecorder(), New()
	r.Record(Limit * 4)
	r.Record(0)
	h.Add(r)
	r.Free()
	if max, _ := h.Quantile(1); max != Limit*4 {
		t.Errorf("max %v", max)
	}
	if h.Count() != 2 || h.Mean() != Limit*2 {
		t.Errorf("count %d mean %v", h.Count(), h.Mean())
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	h := New()
	for i := range int64(10_000) {
		h.Record(i * 1000)
	}
	blob, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Decode(blob)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := h.Quantile(0.9)
	b, _ := g.Quantile(0.9)
	if g.Count() != h.Count() || a != b {
		t.Errorf("after a round trip: count %d, p90 %v; want %d, %v", g.Count(), b, h.Count(), a)
	}
	if _, err := Decode([]byte("HISTF?")); err == nil {
		t.Error("garbage decodes")
	}
}

func FuzzDecode(f *testing.F) {
	blob, _ := New().Encode()
	f.Add(blob)
	f.Fuzz(func(t *testing.T, b []byte) { Decode(b) })
}

// TestPlaces checks that the table of a recorder matches that of the histogram to which it is added.
func TestPlaces(t *testing.T) {
	for i := range tableSize {
		if got := index(valueAt(i)); got != i {
			t.Fatalf("place %d begins at %d, which is of place %d", i, valueAt(i), got)
		}
		if i > 0 && index(valueAt(i)-1) != i-1 {
			t.Fatalf("the value before %d is not of the place before", valueAt(i))
		}
	}
	if got := index(Limit - 1); got != tableSize-1 {
		t.Errorf("the greatest value is at %d of %d", got, tableSize)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		v := random.Int64N(1 << (1 + random.IntN(limitBits-1)))
		r, a, b := NewRecorder(), New(), New()
		r.Record(v)
		a.Add(r)
		b.Record(v)
		if !a.h.Equals(b.h) || a.n != b.n || a.sum != b.sum || a.min != b.min || a.max != b.max {
			t.Fatalf("%d is recorded as %+v, should be %+v", v, a, b)
		}
		r.Free()
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h := NewRecorder()
	defer h.Free()
	if n := testing.AllocsPerRun(1000, func() { h.Record(12345) }); n != 0 {
		t.Errorf("%v allocations a value", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	h := NewRecorder()
	defer h.Free()
	for i := range b.N {
		h.Record(int64(i & 0xffff))
	}
}
