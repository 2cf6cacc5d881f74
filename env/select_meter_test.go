package env

import (
	"testing"
	"time"
)

// TestSelectMeterOrder looks at the line in every step of a Select that sends: once the value is in the
// channel a receiver may take it off the line, so it must be there before.
func TestSelectMeterOrder(t *testing.T) {
	for _, c := range []struct {
		name     string
		others   []Case
		fallback int
	}{
		{"native", []Case{(&Chan[int]{ch: make(chan int)}).OnRecv(nil)}, -1},
		{"native with Default", []Case{Default}, 1},
		{"reflect", []Case{(&Chan[string]{ch: make(chan string)}).OnRecv(nil)}, -1},
		{"reflect with Default", []Case{Default, (&Chan[string]{ch: make(chan string)}).OnRecv(nil)}, 1},
	} {
		ch := make(chan int, 1)
		var m *Meter
		m = NewMeter(KindChan, "c", 1, func() time.Duration {
			// Each step reads the clock first, with the meter locked.
			if m != nil && int64(len(ch)) > m.line.n {
				t.Errorf("%s: the channel holds %d values and the line is %d", c.name, len(ch), m.line.n)
			}
			return 0
		})
		out := &Chan[int]{ch: ch, meter: m}
		cases := append([]Case{out.OnSend(7)}, c.others...)
		if i := chooseTogether(cases, c.fallback); i != 0 || m.line.n != 1 {
			t.Errorf("%s: took %d, the line is %d, want 0 and 1", c.name, i, m.line.n)
		}
		if c.fallback > 0 { // the channel is full now
			if i := chooseTogether(cases, c.fallback); i != c.fallback || m.line.n != 1 {
				t.Errorf("%s: took %d of a full channel, the line is %d, want %d and 1", c.name, i, m.line.n,
					c.fallback)
			}
		}
		if v, _ := out.Recv(); v != 7 || m.line.n != 0 || m.Read().Uses != 1 {
			t.Errorf("%s: received %d, the line is %d: %+v", c.name, v, m.line.n, m.Read())
		}
	}
}

// TestSelectMeterClosed has a parked Select meet a closed channel, which no law can: closing under a
// sender is a race.
func TestSelectMeterClosed(t *testing.T) {
	var c clock
	closed := &Chan[int]{ch: make(chan int), meter: NewMeter(KindChan, "closed", 0, c.now)}
	lone := &Chan[int]{ch: make(chan int), meter: NewMeter(KindChan, "lone", 0, c.now)}
	word := &Chan[string]{ch: make(chan string), meter: NewMeter(KindChan, "word", 0, c.now)}
	closed.Close()
	for _, cases := range [][]Case{
		{closed.OnSend(1), lone.OnSend(2)},
		{word.OnSend("w"), closed.OnSend(1), lone.OnRecv(nil)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a Select sends on a closed channel")
				}
			}()
			chooseTogether(cases, -1)
		}()
	}
	c.add(10)
	for _, m := range []*Meter{closed.meter, lone.meter, word.meter} {
		if r := m.Read(); r != (Reading{At: 10}) {
			t.Errorf("%s: a send that panics leaves %+v", m.Name(), r)
		}
	}
}
