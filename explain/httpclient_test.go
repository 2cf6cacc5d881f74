package explain

import (
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// TestNewConnections: requests that open a connection each are named at the program's own line, by the time that they
// wait for it or by what both sides compute for it.
func TestNewConnections(t *testing.T) {
	const dial, put = "net/http.(*Transport).dialConnFor", "net/http.(*Transport).tryPutIdleConn"
	for name, x := range map[string]struct {
		waits, opened int64
		waited        int // ms, of 1000 of each of two clients
		computing     int // samples of 200
		caller        string
		want          float64 // computed gain; 0: none
	}{
		"waits":                {6000, 6000, 800, 0, "main.fetch:7", 0.9 * 0.4},
		"computing":            {6000, 6000, 20, 100, "main.fetch:7", 0.9 * 0.5},
		"most":                 {6000, 4000, 900, 0, "main.fetch:7", 0.9 * 0.3},
		"some":                 {6000, 2000, 900, 100, "main.fetch:7", 0},
		"few":                  {90, 90, 800, 100, "main.fetch:7", 0},
		"first connections":    {6000, 6000, 20, 100, "main.fetch:7", 0},
		"beside other work":    {6000, 6000, 800, 1, "main.fetch:7", 0},
		"cheap":                {6000, 6000, 100, 10, "main.fetch:7", 0},
		"the library's choice": {6000, 6000, 800, 100, "example.com/feed.Poll:7", 0},
		"also in the server":   {6000, 6000, 20, 100, "main.fetch:7", 0.9 * 0.75},
		"another line":         {6000, 6000, 800, 0, "main.fetch:7", 0.9 * 0.4},
	} {
		c := wideCase()
		c.evidence.Program.Module, c.evidence.Profiles = "shop", nil
		c.cpu(x.computing, "syscall.connect", "net.(*netFD).connect", "net/http.(*Transport).dialConn", dial)
		if name == "also in the server" {
			c.cpu(50, "net/http.newBufioReader", "net/http.(*conn).serve")
			c.class("net/http.(*conn).serve", 6000, 2, time.Millisecond, 0)
			x.computing += 50
		}
		c.cpu(200-x.computing, "main.f:5", "main.worker:3")
		if x.computing == 0 || name == "some" || name == "few" { // nobody computes while they wait
			c.evidence.Trace.Demand.Time = []time.Duration{900 * time.Millisecond, 50 * time.Millisecond,
				50 * time.Millisecond}
		}
		if name == "first connections" {
			c.evidence.Trace.Classes[2].Peak = 5000
		}
		w := c.wait(evidence.OpSelect, 2, x.waits, time.Duration(x.waited)*time.Millisecond, 0, "runtime.selectgo",
			"net/http.(*Transport).getConn", "net/http.(*Client).Get", x.caller)
		wait := &c.evidence.Trace.Waits[w]
		wait.Wakers[0].Stack, wait.Wakers[0].Count = frames("net/http.(*wantConn).tryDeliver", dial), x.opened
		wait.Wakers = append(wait.Wakers, evidence.Waker{Stack: frames(put), Count: x.waits - x.opened})
		if name == "another line" { // which opens few
			other := c.wait(evidence.OpSelect, 2, 50, 0, 0, "runtime.selectgo", "net/http.(*Transport).getConn",
				"net/http.(*Client).Get", "main.login:8")
			c.evidence.Trace.Waits[other].Wakers[0].Stack = frames("net/http.(*wantConn).tryDeliver", dial)
		}
		found := newConnections(newAnalysis(&c.evidence))
		switch {
		case (len(found) > 0) != (x.want > 0):
			t.Errorf("%s: %+v", name, found)
		case x.want > 0 && (found[0].Name != LibraryLimit || !slices.Equal(found[0].Where, []string{"main.go:7"}) ||
			found[0].Gain.Computed < x.want-0.01 || found[0].Gain.Computed > x.want+0.01):
			t.Errorf("%s: %+v %+v, want %.2f", name, found[0], found[0].Gain, x.want)
		}
	}
}
