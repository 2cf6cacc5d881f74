package proc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Kept is a running program with everything that it started. A process between this one and the program ends them all
// if this process ends, even if it is killed. Its methods are safe for concurrent use.
type Kept struct {
	keeper  *os.Process
	control io.WriteCloser
	grace   time.Duration
	over    chan struct{} // closed when the keeper has ended
	read    chan struct{} // closed when the output of the program has been read
	last    keeperNews    // valid after over
	stop    sync.Once
	stopped error // valid after stop
}

const (
	// keeperMargin is the time that a keeper has to kill processes, after the grace time. It is longer than endRounds.
	keeperMargin = 10 * time.Second
	// readMargin bounds how long output may follow the end of the program, from a process that could not be ended.
	readMargin = time.Second
	// startLimit is the time that a keeper has to start the program, even on a very busy machine.
	startLimit = time.Minute
)

var errNoKeeper = errors.New("this program cannot keep other programs, because its main function (in tests, " +
	"TestMain) does not call trial.Main, lab.Main or brewput.Main first")

// Keep starts the command with a keeper and returns when it runs. It uses Path, Args, Dir, Env, Stdout and Grace of c:
// both output streams are copied to Stdout, which is called from another goroutine. Before, it ends the programs of
// keepers that were killed. If ctx is cancelled before the program runs, nothing is left of it.
//
// The caller must call [Kept.Stop].
func (c Command) Keep(ctx context.Context) (*Kept, error) {
	if IsKeeper() {
		return nil, errNoKeeper
	}
	exe, err := runningProgram()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(order{raw(c.Path), rawTexts(c.Args), raw(c.Dir), rawTexts(UserEnv(c.Env)), c.Grace})
	if err != nil {
		return nil, err
	}
	EndAbandoned()

	cmd := &exec.Cmd{Path: exe, Args: os.Args[:1], SysProcAttr: ownSession(), ExtraFiles: heldStreams(),
		Env: append(TrialEnv(os.Environ(), "1", keeperVariable), keeperVariable+"=1")}
	defer closeAll(cmd.ExtraFiles)
	control, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	news, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	output, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = w
	err = cmd.Start()
	w.Close()
	if err != nil {
		output.Close()
		return nil, fmt.Errorf("cannot start the keeper of %s: %w", c.Path, err)
	}

	k := &Kept{keeper: cmd.Process, control: control, grace: c.Grace, over: make(chan struct{}),
		read: make(chan struct{})}
	go k.copy(c.Stdout, output)
	go control.Write(append(text, '\n')) // in a goroutine, because another program may not read it
	return k.begin(ctx, cmd, news)
}

// begin waits until the program runs.
func (k *Kept) begin(ctx context.Context, cmd *exec.Cmd, news io.Reader) (*Kept, error) {
	first := make(chan keeperNews, 1)
	go k.follow(cmd, news, first)
	select {
	case <-time.After(startLimit): // it may be another program, that reads nothing
	case <-ctx.Done():
		k.control.Close()
		k.await(keeperMargin)
		return nil, ctx.Err()
	case n, ok := <-first:
		switch {
		case ok && n.Started > 0:
			return k, nil
		case ok && n.Error != "":
			<-k.over
			return nil, errors.New(n.Error)
		}
	}
	cmd.Process.Kill()
	<-k.over
	return nil, errNoKeeper
}

// follow reads the news of a keeper until it ends.
func (k *Kept) follow(cmd *exec.Cmd, news io.Reader, first chan<- keeperNews) {
	for lines := bufio.NewScanner(news); lines.Scan(); {
		var n keeperNews
		if json.Unmarshal(lines.Bytes(), &n) != nil {
			break
		}
		select {
		case first <- n:
		default:
		}
		k.last = n
	}
	close(first)
	io.Copy(io.Discard, news)
	cmd.Wait()
	if k.last.Status == "" && k.last.Error == "" { // the keeper was killed
		EndAbandoned()
	}
	close(k.over)
}

// copy copies the output of the program.
func (k *Kept) copy(to io.Writer, output *os.File) {
	defer close(k.read)
	defer output.Close()
	if to == nil {
		to = io.Discard
	}
	go func() {
		<-k.over
		output.SetReadDeadline(time.Now().Add(readMargin))
	}()
	io.Copy(to, output)
}

// Stop asks the program and everything that it started to end, and kills what is left after the grace time. When it
// returns, they have ended, and their output was copied. The error names processes that could not be ended. Stop may be
// called more than once.
func (k *Kept) Stop() error {
	k.stop.Do(func() {
		io.WriteString(k.control, keeperStop) // or the keeper has ended
		k.await(k.grace + keeperMargin)
		k.control.Close()
		<-k.read
		if len(k.last.Left) > 0 {
			k.stopped = fmt.Errorf("these processes could not be ended: %s", strings.Join(k.last.Left, ", "))
		}
	})
	return k.stopped
}

// await waits for the end of the keeper, and kills it after a time.
func (k *Kept) await(most time.Duration) {
	select {
	case <-k.over:
	case <-time.After(most):
		k.keeper.Kill()
		<-k.over
	}
}

// Over returns a channel that is closed once the program and everything that it started have ended.
func (k *Kept) Over() <-chan struct{} { return k.over }

// Status waits for the end of the program and its output, and describes it, such as "exit status 1".
func (k *Kept) Status() string {
	<-k.over
	<-k.read
	if k.last.Status == "" {
		return "no exit status: the process that watches it was killed"
	}
	return k.last.Status
}

// Processes returns the IDs of the program and of everything that it started, if they are alive. Only Linux knows them.
func (k *Kept) Processes() []int { return keptProcesses(k.keeper.Pid) }

// CPU returns the CPU time of the program and of everything that it started, including what has ended. It is unknown
// after Over, and on other systems than Linux.
func (k *Kept) CPU() (time.Duration, bool) { return keptCPU(k.keeper.Pid) }

// runningProgram returns the path of the running program, even if its file was replaced on Linux.
func runningProgram() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
