package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// Exit codes of a child process.
const (
	exitMisuse   = 2 // Run did not start the process, or the specification is wrong
	exitStacks   = 4 // the parent asked for the stacks or their number: the trial hung, or memory is full
	exitOrphaned = 5 // standard input closed
)

// Main runs this process as a trial if [Runner.Run] started it as one, or keeps a program that a trial started; then it
// exits and does not return. Otherwise it returns at once. Call it first in main, or in TestMain of a test binary that
// runs trials.
func Main(workloads ...*workload.Workload) {
	if proc.IsKeeper() {
		os.Exit(proc.ServeKeeper(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv(Sentinel) == "" {
		return
	}
	// If the parent dies, a write to the broken pipe raises SIGPIPE. It must not end this process before the
	// processes that the design started have ended. The signal is caught, not ignored, because children inherit
	// an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// Output of a design must not enter the protocol, and a design must not read what the parent sends.
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	if null, err := os.Open(os.DevNull); err == nil {
		os.Stdin = null
	}
	os.Exit(child(in, out, os.Stderr, workloads))
}

// errNoMain is the error of a child that tries to start a trial itself.
var errNoMain = errors.New("this process was started as a trial, but its main function does not call lab.Main (or " +
	"brewput.Main) first")

// refuseChild returns an error if this process is the child of a trial: its main function does not call Main first, and
// would start children without end. It also prints the error, because the parent reports what this process prints, and
// the program may drop the error.
func refuseChild() error {
	if os.Getenv(Sentinel) == "" {
		return nil
	}
	fmt.Fprintln(os.Stderr, "brewput:", errNoMain)
	return errNoMain
}

// child reads the specification, runs the trial and writes the outcome. It returns the exit code.
func child(stdin io.Reader, stdout, stderr io.Writer, workloads []*workload.Workload) int {
	if os.Getenv(Sentinel) != protocol {
		fmt.Fprintf(stderr, "brewput: %s=%q is set by hand; unset it\n", Sentinel, os.Getenv(Sentinel))
		return exitMisuse
	}
	// A person who sets the variable by hand may send anything, so the input is limited.
	in := bufio.NewReader(io.LimitReader(stdin, input.Messages.Bytes()))
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

// try runs the trial in the live world, or in virtual time if the specification has costs.
func try(spec Spec, w *workload.Workload, d workload.Design) (Outcome, error) {
	if spec.Costs == "" {
		return measure(spec, w, d), nil
	}
	costs, err := sim.ParseCosts(spec.Costs)
	if err != nil {
		return Outcome{}, err
	}
	// Real code must allocate as it does where it is measured: a larger heap has fewer collections and more
	// cache misses.
	defer setGC(spec.Point, false)()
	return Simulate(spec, w, d, costs), nil
}

// listen starts serveParent and returns once serveParent no longer holds a CPU.
//
// On one CPU, a new goroutine first runs when the trial parks or has run for 10 ms. Its blocking read then
// keeps the CPU until the runtime's monitor takes it back. The monitor may sleep 10 ms twice, so nothing would
// run for 20 ms of a window.
func listen(in *bufio.Reader, stderr io.Writer) {
	reading := make(chan struct{})
	go func() {
		close(reading)
		serveParent(in, stderr)
	}()
	<-reading
}

// serveParent waits for a command of the parent and ends the process. End of input means that the parent is gone: then
// serveParent also ends the processes that the design started, because nothing else will.
func serveParent(in *bufio.Reader, stderr io.Writer) {
	word, _ := in.ReadString('\n')
	switch word {
	case commandStacks:
		fmt.Fprintf(stderr, countLine, runtime.NumGoroutine())
		if runtime.NumGoroutine() <= maxDumped {
			stderr.Write(stacks())
		}
		os.Exit(exitStacks)
	case commandCount:
		fmt.Fprintf(stderr, countLine, runtime.NumGoroutine())
		os.Exit(exitStacks)
	}
	proc.EndOwnGroup()
	os.Exit(exitOrphaned)
}

const (
	// commandStacks asks a child to print the stacks of all goroutines and exit; commandCount asks only for their
	// number.
	commandStacks = "stacks\n"
	commandCount  = "count\n"
	// countLine is the line that reports the number of goroutines.
	countLine = "goroutines: %d\n\n"
	// maxDumped is the largest number of goroutines whose stacks are printed. Printing stops the world.
	maxDumped = 10_000
)

// stacks returns the stacks of all goroutines, at most 16 MB of them.
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

// resolve decodes a specification and finds its design.
func resolve(line []byte, workloads []*workload.Workload) (Spec, *workload.Workload, workload.Design, error) {
	var spec Spec
	if err := json.Unmarshal(line, &spec); err != nil {
		return spec, nil, workload.Design{}, fmt.Errorf("a trial's specification is broken: %w", err)
	}
	for _, w := range workloads {
		if w.Name != spec.Workload {
			continue
		}
		w, err := w.With(spec.Given)
		if err != nil {
			return spec, nil, workload.Design{}, err
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
