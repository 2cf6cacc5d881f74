package trial

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// Exit codes of a child.
const (
	exitMisuse   = 2 // no hook, or not started by Run
	exitStacks   = 4 // asked for its stacks, or their number: it hung, or memory is full
	exitOrphaned = 5 // its standard input closed
)

// Main runs this process as a trial if it was started as one; it then exits and does not return. Call
// it first thing in main, or in TestMain of a test binary that runs trials.
func Main(workloads ...*workload.Workload) {
	if os.Getenv(Sentinel) == "" {
		return
	}
	// When the parent dies the pipe that a design prints to breaks, and must not end this process before it has
	// ended what the design started. It is not ignored, for that would be inherited.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// What a design prints must not end up in the protocol.
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	if null, err := os.Open(os.DevNull); err == nil {
		os.Stdin = null // nor may it read the parent's words
	}
	os.Exit(child(in, out, os.Stderr, workloads))
}

// refuseChild ends a process that is a trial's child but came to start trials itself: its main
// function lacks the hook, and going on would start children without end.
func refuseChild() {
	if os.Getenv(Sentinel) == "" {
		return
	}
	fmt.Fprintln(os.Stderr, "brewput: this process was started as a trial but its main function does not call "+
		"trial.Main (or brewput.Main) first")
	os.Exit(exitMisuse)
}

func child(stdin io.Reader, stdout, stderr io.Writer, workloads []*workload.Workload) int {
	if os.Getenv(Sentinel) != protocol {
		fmt.Fprintf(stderr, "brewput: %s=%q is set by hand; unset it\n", Sentinel, os.Getenv(Sentinel))
		return exitMisuse
	}
	// whoever sets the variable by hand may give anything
	in := bufio.NewReader(io.LimitReader(stdin, input.Words.Bytes()))
	line, err := in.ReadBytes('\n')
	if err != nil {
		fmt.Fprintf(stderr, "brewput: a trial's child got no specification: %v\n", err)
		return exitMisuse
	}
	spec, w, d, err := resolve(line, workloads)
	if err != nil {
		fmt.Fprintln(stderr, "brewput:", err)
		return exitMisuse
	}
	listen(in, stderr)
	outcome, err := try(spec, w, d)
	if err != nil {
		fmt.Fprintln(stderr, "brewput:", err)
		return exitMisuse
	}
	fmt.Fprint(stderr, outcome.Failure)
	if err := json.NewEncoder(stdout).Encode(outcome); err != nil {
		fmt.Fprintf(stderr, "brewput: writing the outcome: %v\n", err)
		return exitMisuse
	}
	return 0
}

// try runs a trial in its world.
func try(spec Spec, w *workload.Workload, d workload.Design) (Outcome, error) {
	if spec.Costs == "" {
		return measure(spec, w, d), nil
	}
	costs, err := sim.ParseCosts(spec.Costs)
	if err != nil {
		return Outcome{}, err
	}
	// Real code must allocate here as it does where it is measured: a larger heap has fewer collections, and more of
	// it lies outside the caches.
	if spec.Point.Has(workload.GOGC) {
		defer debug.SetGCPercent(debug.SetGCPercent(spec.Point.Int(workload.GOGC)))
	}
	return Simulate(spec, w, d, costs), nil
}

// listen starts obey and returns when it holds no CPU any more. On one CPU a goroutine gets its first turn when the
// trial parks or has run for 10 ms, and its blocking read then keeps the CPU until the runtime's monitor takes it back,
// which may sleep for 10 ms twice: within a window that would be 20 ms in which nothing runs.
func listen(in *bufio.Reader, stderr io.Writer) {
	reading := make(chan struct{})
	go func() {
		close(reading)
		obey(in, stderr)
	}()
	<-reading
}

// obey waits for the parent's word. End of input means that the parent is gone; then nobody else ends what the
// design started.
func obey(in *bufio.Reader, stderr io.Writer) {
	word, _ := in.ReadString('\n')
	switch word {
	case wordStacks:
		fmt.Fprintf(stderr, countLine, runtime.NumGoroutine())
		if runtime.NumGoroutine() <= mostDumped {
			stderr.Write(stacks())
		}
		os.Exit(exitStacks)
	case wordCount:
		fmt.Fprintf(stderr, countLine, runtime.NumGoroutine())
		os.Exit(exitStacks)
	}
	proc.EndOwnGroup()
	os.Exit(exitOrphaned)
}

const (
	// wordStacks asks a child for the stacks of all goroutines and its end, wordCount for their number and its end.
	wordStacks = "stacks\n"
	wordCount  = "count\n"
	// countLine is what a child says of that number.
	countLine = "goroutines: %d\n\n"
	// mostDumped is of how many goroutines the stacks are printed: the process stands still while they are.
	mostDumped = 10_000
)

func stacks() []byte {
	buf := make([]byte, 64<<10)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) || len(buf) >= 16<<20 {
			return buf[:n]
		}
		buf = make([]byte, 2*len(buf))
	}
}

// resolve reads a specification and finds its design.
func resolve(line []byte, workloads []*workload.Workload) (Spec, *workload.Workload, workload.Design, error) {
	var spec Spec
	if err := json.Unmarshal(line, &spec); err != nil {
		return spec, nil, workload.Design{}, fmt.Errorf("a trial's specification is broken: %w", err)
	}
	for _, w := range workloads {
		if w.Name != spec.Workload {
			continue
		}
		d, ok := w.Find(spec.Design)
		if !ok {
			break
		}
		point, err := w.Recast(spec.Point)
		spec.Point = point
		return spec, w, d, err
	}
	return spec, nil, workload.Design{},
		fmt.Errorf("the trial's child has no design %s/%s: parent and child must be given the same workloads",
			spec.Workload, spec.Design)
}
