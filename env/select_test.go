package env

import (
	"io"
	"math"
	"testing"
	"time"
)

// TestShuffled counts all orders of n cases. The chi-square statistic of k degrees of freedom exceeds
// k + 2 sqrt(k x) + 2x with a probability of at most e^-x (Laurent and Massart, Annals of Statistics
// 28(5), 2000, lemma 1); x = 25 makes that 1.4e-11.
func TestShuffled(t *testing.T) {
	for n := 1; n <= 5; n++ {
		orders := 1
		for k := range n {
			orders *= k + 1
		}
		const each = 400
		counts := map[uint64]int{}
		for range each * orders {
			counts[shuffled(n)&(1<<(8*n)-1)]++
		}
		if len(counts) != orders {
			t.Errorf("%d cases: %d orders, want %d", n, len(counts), orders)
		}
		sum := 0.0
		for order, c := range counts {
			isPermutation(t, order, n)
			sum += float64((c-each)*(c-each)) / each
		}
		k, x := float64(orders-1), 25.0
		if limit := k + 2*math.Sqrt(k*x) + 2*x; sum > limit {
			t.Errorf("%d cases: chi-square %.0f > %.0f: %v", n, sum, limit, counts)
		}
	}
	for n := 6; n <= maxInline; n++ {
		for range 1000 {
			isPermutation(t, shuffled(n), n)
		}
	}
}

func isPermutation(t *testing.T, order uint64, n int) {
	t.Helper()
	seen := 0
	for k := range n {
		seen |= 1 << (order >> (8 * k) & 0xff)
	}
	if seen != 1<<n-1 {
		t.Fatalf("%#x is no order of %d cases", order, n)
	}
}

// TestShuffledEight counts where each of 8 cases comes, which needs all of the random bits.
func TestShuffledEight(t *testing.T) {
	const each = 2000
	var counts [8][8]int
	for range 8 * each {
		order := shuffled(8)
		for place := range 8 {
			counts[place][order>>(8*place)&0xff]++
		}
	}
	for place := range counts {
		for i, c := range counts[place] {
			// The standard deviation is 42; 8 of them have a probability of 1e-15.
			if math.Abs(float64(c-each)) > 8*42 {
				t.Errorf("case %d comes at place %d %d times, want about %d", i, place, c, each)
			}
		}
	}
}

// TestNative asks for every case of a native select, parking and with a Default. Select itself gets
// here with a case ready only if that case has become ready in the last instant.
func TestNative(t *testing.T) {
	for n := 1; n <= maxNative; n++ {
		for ready := range n {
			for _, fallback := range []int{-1, n - 1} {
				for _, send := range []bool{false, true} {
					if ready != fallback {
						tryNative(t, n, ready, fallback, send)
					}
				}
			}
		}
	}
}

func tryNative(t *testing.T, n, ready, fallback int, send bool) {
	var c [maxNative]*Chan[int]
	var values [maxNative]int
	var cases []Case
	for i := range n {
		c[i] = &Chan[int]{ch: make(chan int, 1)}
		if i == fallback {
			cases = append(cases, Default)
		} else if send {
			cases = append(cases, c[i].OnSend(i+1))
		} else {
			cases = append(cases, c[i].OnRecv(&values[i]))
		}
		if send && i != ready {
			c[i].ch <- 9
		}
	}
	if fallback >= 0 && n > 1 {
		filled := c[ready].ch
		c[ready].ch = nil
		if i, _, done := native(cases, fallback); !done || i != fallback {
			t.Errorf("%d cases, none ready: took %d (%v), want the Default", n, i, done)
		}
		c[ready].ch = filled
	}
	if !send {
		c[ready].ch <- ready + 1
	}
	i, ok, done := native(cases, fallback)
	if !done || !ok || i != ready {
		t.Errorf("%d cases, send %v, ready %d, Default %d: took %d, ok %v, done %v", n, send, ready, fallback, i, ok,
			done)
		return
	}
	if send {
		values[ready] = <-c[ready].ch
	}
	if values[ready] != ready+1 {
		t.Errorf("%d cases, send %v: case %d moves the value %d", n, send, ready, values[ready])
	}
}

// TestNativeSide asks for the signal and the timer beside channels of another type, with a Default.
func TestNativeSide(t *testing.T) {
	c := &Chan[int]{ch: make(chan int)}
	signal := &Chan[struct{}]{ch: make(chan struct{}, 1)}
	timer := &Chan[time.Duration]{ch: make(chan time.Duration, 1)}
	var at time.Duration
	cases := []Case{signal.OnRecv(nil), Default, timer.OnRecv(&at), c.OnRecv(nil)}
	take := func(want int) {
		t.Helper()
		if i, _, done := native(cases, 1); !done || i != want {
			t.Errorf("took %d (%v), want %d", i, done, want)
		}
	}
	take(1)
	signal.ch <- struct{}{}
	take(0)
	timer.ch <- 7
	take(2)
	if at != 7 {
		t.Errorf("the time received is %v, want 7ns", at)
	}
	failed := &Chan[error]{ch: make(chan error, 1)}
	failed.ch <- io.EOF
	var err error
	cases = []Case{c.OnRecv(nil), failed.OnRecv(&err), signal.OnRecv(nil), timer.OnRecv(&at)}
	if i, ok, done := native(cases, -1); !done || i != 1 || !ok || err != io.EOF {
		t.Errorf("took %d (%v, %v) with the error %v, want 1 and EOF", i, ok, done, err)
	}
	other := &Chan[string]{ch: make(chan string)}
	if _, _, done := native([]Case{c.OnRecv(nil), other.OnRecv(nil)}, -1); done {
		t.Error("a native select of two payload types")
	}
}
