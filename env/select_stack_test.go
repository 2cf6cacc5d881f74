package env

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
)

// TestSelectOnMovingStack parks Selects whose values and variables are on the stack, moves the stack
// by growing it before and by letting the collector shrink it meanwhile, and looks at what arrived.
func TestSelectOnMovingStack(t *testing.T) {
	type big struct{ a [64]int }
	synctest.Test(t, func(t *testing.T) {
		in, out := &Chan[big]{ch: make(chan big)}, &Chan[string]{ch: make(chan string)}
		same, back := &Chan[big]{ch: make(chan big)}, make(chan big)
		park := func(cases func(v *big) []Case) {
			go func() {
				deep(500)
				var v big
				v.a[7] = 1
				Select(cases(&v)...)
				deep(100)
				back <- v
			}()
			for range 4 { // the collector halves a stack once a cycle
				synctest.Wait()
				runtime.GC()
			}
		}
		var want big
		want.a[63] = 42
		for _, others := range [][]Case{
			{same.OnRecv(nil)},                                  // parks in a native select
			{out.OnRecv(nil), same.OnRecv(nil)},                 // in package reflect
			{same.OnRecv(nil), out.OnRecv(nil), out.OnSend("")}, // with another send
		} {
			park(func(v *big) []Case { return append([]Case{in.OnRecv(v)}, others...) })
			in.ch <- want
			if got := <-back; got != want {
				t.Errorf("%d others: received %v", len(others), got)
			}
			park(func(v *big) []Case { return append([]Case{in.OnSend(*v)}, others...) })
			if got := <-in.ch; got.a[7] != 1 {
				t.Errorf("%d others: sent %v", len(others), got)
			}
			<-back
		}
		// All on the stack: no append, no function that returns cases.
		go func() {
			deep(500)
			var v big
			v.a[7] = 2
			Select(in.OnSend(v), same.OnRecv(&v))
			Select(in.OnRecv(&v), out.OnRecv(nil), same.OnSend(v))
			deep(100)
			back <- v
		}()
		for range 4 {
			synctest.Wait()
			runtime.GC()
		}
		if got := <-in.ch; got.a[7] != 2 {
			t.Errorf("sent %v", got)
		}
		for range 4 {
			synctest.Wait()
			runtime.GC()
		}
		in.ch <- want
		if got := <-back; got != want {
			t.Errorf("received %v", got)
		}
	})
}

//go:noinline
func deep(n int) int {
	var frame [64]int
	if n == 0 {
		return frame[n]
	}
	return deep(n-1) + frame[n&63]
}

// The senders' values point into their own frames, which are dead when the values are received.

//go:noinline
func sendPointer(c *Chan[*int]) { x := 42; Select(c.OnSend(&x), Default) }

//go:noinline
func sendSlice(c *Chan[[]int]) { Select(c.OnSend([]int{41, 42}[:2:2]), Default) }

//go:noinline
func sendFunc(c *Chan[func() int]) {
	x := 41
	Select(c.OnSend(func() int { x++; return x }), Default)
}

//go:noinline
func sendAny(c *Chan[any], n int) { Select(c.OnSend(any(n)), Default) }

type numbered struct{ n *int }

//go:noinline
func sendStruct(c *Chan[numbered]) { x := 42; Select(c.OnSend(numbered{&x}), Default) }

type codeError struct{ code int }

func (e *codeError) Error() string { return "code" }

//go:noinline
func sendError(c *Chan[error]) { Select(c.OnSend(&codeError{42}), Default) }

func TestSentValuesOutliveTheirSender(t *testing.T) {
	check := func(what string, got int) {
		t.Helper()
		if got != 42 {
			t.Errorf("%s: received %d, want 42", what, got)
		}
	}
	pointers, slices, funcs := buffered[*int](), buffered[[]int](), buffered[func() int]()
	anys, structs, errs := buffered[any](), buffered[numbered](), buffered[error]()
	sendPointer(pointers)
	sendSlice(slices)
	sendFunc(funcs)
	sendAny(anys, 42)
	sendStruct(structs)
	sendError(errs)
	deep(20)
	check("pointer", **taken(pointers))
	check("slice", (*taken(slices))[1])
	check("func", (*taken(funcs))())
	check("any", (*taken(anys)).(int))
	check("struct", *taken(structs).n)
	var code *codeError
	if !errors.As(*taken(errs), &code) {
		t.Fatal("the error received is not the one sent")
	}
	check("error", code.code)
}

func buffered[T any]() *Chan[T] { return &Chan[T]{ch: make(chan T, 1)} }

func taken[T any](c *Chan[T]) *T {
	v, _ := c.Recv()
	return &v
}

// TestSelectAtEveryDepth lets Select begin at every fill of a new stack, so that each call inside it is
// somewhere the one that makes the stack grow and move.
func TestSelectAtEveryDepth(t *testing.T) {
	never, done := &Chan[struct{}]{ch: make(chan struct{})}, make(chan int)
	for depth := range 3000 {
		c := buffered[int]()
		c.TrySend(77)
		go func() { done <- exchangeAt(depth, c, never) }()
		if got := <-done; got != 77 {
			t.Fatalf("at depth %d the value received is %d, want 77", depth, got)
		}
	}
}

// exchangeAt has a small frame, so that the depths are close together.
//
//go:noinline
//go:norace
func exchangeAt(depth int, c *Chan[int], never *Chan[struct{}]) int {
	if depth > 0 {
		return exchangeAt(depth-1, c, never)
	}
	return exchange(c, never)
}

//go:noinline
//go:norace
func exchange(c *Chan[int], never *Chan[struct{}]) int {
	v := 0
	Select(c.OnRecv(&v), never.OnRecv(nil))
	return v
}
