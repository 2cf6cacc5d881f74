package endpoint

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// counting is the argument that makes the test binary a server, which counts its requests. It ends itself before it
// answers request number -ends, if that is not 0. If ends is h2c, it speaks nothing else.
const counting = "-brewput-test-counting-server"

// serveCounting is the main function of that server.
func serveCounting(port, ends string) {
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	var served atomic.Int64
	s := http.Server{Protocols: &http.Protocols{}}
	s.Protocols.SetHTTP1(ends != h2c)
	s.Protocols.SetUnencryptedHTTP2(ends == h2c)
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := served.Add(1)
		if fmt.Sprint(n) == ends {
			fmt.Fprintln(os.Stderr, "out of milk")
			os.Exit(5)
		}
		fmt.Fprintf(w, `{"n":%d}`, n)
	})
	s.Serve(l)
}

// runTrial runs a trial of a design of the workload http in a process of its own.
func runTrial(t *testing.T, design string, spec trial.Spec, settings string, options ...string) result.Trial {
	t.Helper()
	w, err := made(options...)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := w.Find(design)
	p := workloadtest.Point(t, w, settings).Only(w.FactorsOf(d))
	spec.Workload, spec.Design, spec.Given, spec.Point, spec.BurnRate = w.Name, design, w.Given, p, 1
	if workload.OpenLoop(p) {
		spec.Open = &trial.OpenLoad{Rate: p.Float("rate")}
	}
	o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return o.Trial
}

// starts returns the options of a started server that ends at a request.
func starts(option, ends string) []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{"url=http://127.0.0.1:{port}/", option + "='" + exe + "' " + counting + " {port} " + ends}
}

// TestTrial checks a whole trial of a closed loop with a started server: the requests are those of the load, and the
// first and the last one.
func TestTrial(t *testing.T) {
	for _, design := range []string{"a", "b"} {
		options := append(starts("a", "0"), starts("b", "0")[1])
		o := runTrial(t, design, trial.Spec{Operations: 50}, "workers=3", append(options, "expect-json=$.n")...)
		if o.Status != result.OK || o.Operations != 50 || o.Metrics.Get("status_200") != 50 ||
			o.Metrics.Get(result.Throughput) <= 0 || o.Metrics.Get("error_share") != 0 {
			t.Errorf("%+v", o)
		}
	}
}

// TestTrialOpen checks a whole trial of an open loop.
func TestTrialOpen(t *testing.T) {
	spec := trial.Spec{Duration: 200 * time.Millisecond}
	o := runTrial(t, "server", spec, "workers=100 rate=200", starts("start", "0")...)
	if o.Metrics.Get("arrived") <= 0 || o.Status != result.OK && !o.Invalid { // which a busy machine may cause
		t.Errorf("%+v", o)
	}
}

// TestTrialWrong checks that a wrong reply makes the trial a wrong answer, without numbers.
func TestTrialWrong(t *testing.T) {
	options := append(starts("start", "0"), "expect-json=$.n=1")
	o := runTrial(t, "server", trial.Spec{Operations: 10}, "", options...)
	if o.Status != result.Wrong || !strings.HasPrefix(o.Error, "10 of 10 replies were wrong; the first: request ") ||
		o.Metrics.Get(result.Throughput).Known() {
		t.Errorf("%+v", o)
	}
}

// TestTrialDies checks that a server that ends during the load fails the trial, and that its last words are printed.
func TestTrialDies(t *testing.T) {
	for _, options := range [][]string{{"max-errors=0.1"}, {"max-errors=1"}} {
		options = append(starts("start", "12"), options...)
		o := runTrial(t, "server", trial.Spec{Operations: 20}, "workers=1", options...)
		if o.Status != result.Failed || !strings.Contains(o.Error, "exit status 5; its output ends: out of milk") {
			t.Errorf("%+v", o)
		}
	}
	options := append(starts("start", "12"), "expect-body=tea")
	o := runTrial(t, "server", trial.Spec{Operations: 20}, "workers=1", options...)
	if o.Status != result.Failed || !strings.Contains(o.Error, "exit status 5; its output ends: out of milk; ") ||
		!strings.Contains(o.Error, "replies were wrong; the first: ") {
		t.Errorf("wrong replies: %+v", o)
	}
}

// TestTrialFailsToStart checks errors of the constructor.
func TestTrialFailsToStart(t *testing.T) {
	o := runTrial(t, "server", trial.Spec{Operations: 1}, "", starts("start", "1")...)
	if o.Status != result.Failed || !strings.Contains(o.Error, "the first request failed: GET ") ||
		!strings.Contains(o.Error, "out of milk") {
		t.Errorf("%+v", o)
	}
}

// TestTrialReady checks that the request whether a server is ready uses the protocol of the load.
func TestTrialReady(t *testing.T) {
	options := append(starts("start", h2c), "ready=http://127.0.0.1:{port}/ready", "ready-within=10s")
	o := runTrial(t, "server", trial.Spec{Operations: 5}, "protocol=h2c", options...)
	if o.Status != result.OK || o.Metrics.Get("status_200") != 5 {
		t.Errorf("%+v", o)
	}
}
