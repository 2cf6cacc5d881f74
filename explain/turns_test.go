package explain

import (
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// TestTurnsWithLibrary: the server may be a library in the same program, of which one goroutine reads and another
// answers. If several CPUs are slower than one, the two sides may overlap a little more.
func TestTurnsWithLibrary(t *testing.T) {
	const server = "example.com/store/server."
	for name, x := range map[string]struct {
		alone   int    // ms in which one goroutine wants a CPU, and no second one
		oneCPU  int    // ms on one CPU; 0: unknown; 1000 on two
		created string // the goroutine that starts the reader
		found   bool
	}{
		"in turns":             {900, 0, server + "Serve.func1", true},
		"a little overlap":     {730, 0, server + "Serve.func1", false},
		"slower on two":        {730, 500, server + "Serve.func1", true},
		"faster on two":        {730, 1500, server + "Serve.func1", false},
		"much overlap, slower": {600, 500, server + "Serve.func1", false},
		"another client":       {900, 0, "example.com/other.Go", false},
		"by a callback":        {900, 0, "main.onAccept", true},
		"no answers":           {900, 0, server + "Serve.func1", false},
		"seldom woken":         {900, 0, server + "Serve.func1", false},
	} {
		c := newCase()
		c.evidence.Program.Module = "shop"
		c.demand(50, x.alone, 950-x.alone)
		m := c.class("main.main", 1, 1, 300*time.Millisecond, 0)
		accept := c.class(server+"New.func1", 1, 1, time.Millisecond, 0)
		answer := c.class(server+"Serve.func1", 1, 1, 250*time.Millisecond, 0)
		read := c.class(server+"Serve.func2", 1, 1, 200*time.Millisecond, 0)
		classes := c.evidence.Trace.Classes
		classes[accept].Created = frames(server+"New", "main.main:3")
		classes[answer].Created = frames(server+"Serve", server+"accept", server+"New.func1")
		classes[read].Created = frames(server+"Serve.start", x.created)
		if name == "by a callback" {
			classes[read].Created = append(classes[read].Created, frames(server+"accept", server+"New.func1")...)
		}
		c.wait(evidence.OpNetwork, accept, 1, 0, -1, "net.(*TCPListener).Accept", server+"accept", server+"New.func1")
		c.wait(evidence.OpNetwork, read, 5000, 400*time.Millisecond, -1, "net.(*conn).Read", server+"Serve.func2")
		woken := c.wait(evidence.OpReceive, answer, 5000, 400*time.Millisecond, read, "runtime.chanrecv1",
			server+"Serve.func1")
		if name == "seldom woken" {
			c.evidence.Trace.Waits[woken].Wakers[0].Count = 1000
		}
		c.wait(evidence.OpNetwork, m, 5000, 600*time.Millisecond, -1, "net.(*conn).Read", "example.com/client.Get",
			"main.ask:5", "main.main:6")
		c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Class: m, Count: 5000, Stack: frames("syscall.write",
			"net.(*conn).Write", "example.com/client.Get", "main.ask:4", "main.main:6")}}
		if name != "no answers" {
			c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls, evidence.SyscallSite{Class: answer,
				Count: 5000, Stack: frames("syscall.write", "net.(*conn).Write", server+"Serve.func1")})
		}
		classes[m].Alone = classes[m].Running
		classes[read].Alone, classes[answer].Alone = classes[read].Running, 250*time.Millisecond
		if x.oneCPU > 0 {
			wall := time.Duration(x.oneCPU) * time.Millisecond
			c.evidence.Runs[0].Count = 3
			c.evidence.Runs = append(c.evidence.Runs, evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 3, Wall: wall,
				User: wall, WallLow: wall, WallHigh: wall})
		}
		found := requestTurns(newAnalysis(&c.evidence))
		if (len(found) > 0) != x.found || x.found && !slices.Equal(found[0].Where, []string{"main.go:4"}) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestLibraryMessages: small writes of a library's own goroutines to a connection are its messages.
func TestLibraryMessages(t *testing.T) {
	for caller, want := range map[string]bool{"main.send:5": true, "example.com/store.serve:5": false} {
		c := singleCase()
		c.evidence.Program.Module, c.evidence.Profiles = "shop", nil
		c.cpu(80, "syscall.write", "internal/poll.(*FD).Write", "net.(*conn).Write", caller, "main.x:3")
		if caller != "main.send:5" {
			c.evidence.Profiles = nil
			c.cpu(80, "syscall.write", "internal/poll.(*FD).Write", "net.(*conn).Write", caller)
		}
		c.cpu(19, "main.f:6", "main.main:3", "runtime.main")
		c.evidence.Runs[0].Writes, c.evidence.Runs[0].WriteBytes = 1000000, 1000000
		if got := slices.Contains(c.names(), string(UnbufferedIO)); got != want {
			t.Errorf("%s: %v", caller, c.names())
		}
	}
}
