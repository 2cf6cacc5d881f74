package proc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// A keeper is a process between this one and a program that it starts. The keeper is the running program again, in a
// session of its own, so that what kills this process or its group does not reach it. It ends the program and all that
// the program started when this process asks, or ends for any reason: then the keeper's standard input ends.
//
// On Linux the keeper adopts processes whose parent has ended, so it also finds those that left the group and the
// session of the program, whatever their environment. On other systems it finds the program and its group.

// keeperVariable marks a process as a keeper.
const keeperVariable = "BREWPUT_KEEPER"

// keptVariable marks the processes that a keeper started. Its value identifies the keeper.
const keptVariable = "BREWPUT_KEPT"

// IsKeeper reports whether [Command.Keep] started this process as a keeper: main must call [ServeKeeper] and exit.
func IsKeeper() bool { return os.Getenv(keeperVariable) != "" }

// order is the program that a keeper starts. It is the first line of its standard input.
type order struct {
	Path  raw
	Args  []raw
	Dir   raw
	Env   []raw
	Grace time.Duration
}

// raw is a text that may be no UTF-8, such as a name of a file. JSON keeps its bytes.
type raw []byte

// rawTexts returns texts as bytes.
func rawTexts(texts []string) []raw {
	r := make([]raw, len(texts))
	for i, s := range texts {
		r[i] = raw(s)
	}
	return r
}

// plainTexts is the inverse of rawTexts.
func plainTexts(texts []raw) []string {
	s := make([]string, len(texts))
	for i, r := range texts {
		s[i] = string(r)
	}
	return s
}

// keeperStop asks a keeper to end the program: it sends SIGTERM, and kills what is left after the grace time.
const keeperStop = "stop\n"

// keeperNews is a line that a keeper prints: once when the program has started, and once at its end.
type keeperNews struct {
	Started int      `json:",omitempty"` // its process ID
	Error   string   `json:",omitempty"` // why it did not start
	Status  string   `json:",omitempty"` // how it ended, such as "exit status 1"
	Left    []string `json:",omitempty"` // names of processes that could not be ended
}

// askAgain is the time between two attempts to find processes that have not been asked to end.
const askAgain = 50 * time.Millisecond

// firstExit is the end of the program itself.
type firstExit struct {
	status  string
	success bool
}

// ServeKeeper does the work of a keeper: it reads orders from in and reports to out. The program that it starts writes
// both its output streams to output. It returns the exit code of this process once the program and everything that the
// program started have ended.
func ServeKeeper(in io.Reader, out io.Writer, output *os.File) int {
	lines := bufio.NewReader(in)
	text, err := lines.ReadBytes('\n')
	var o order
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return tell(out, keeperNews{Error: fmt.Sprintf("%s is set by hand; unset it (%v)", keeperVariable, err)})
	}

	runtime.LockOSThread() // the kernel kills the program when the thread that started it ends
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a report to a dead parent must not end this process
	prepareKeeper()
	p, err := o.start(output)
	if err != nil {
		return tell(out, keeperNews{Error: err.Error()})
	}
	tell(out, keeperNews{Started: p.Pid})

	asked, lost := make(chan struct{}), make(chan struct{})
	go func() {
		if word, _ := lines.ReadString('\n'); word == keeperStop {
			close(asked)
			lines.ReadString('\n')
		}
		close(lost)
	}()
	return tell(out, o.keep(p, asked, lost, signals))
}

// tell writes a line of news and returns the exit code.
func tell(out io.Writer, n keeperNews) int {
	json.NewEncoder(out).Encode(n)
	if n.Error != "" {
		return 1
	}
	return 0
}

// start starts the program with no input.
func (o order) start(output *os.File) (*os.Process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess(string(o.Path), plainTexts(o.Args), &os.ProcAttr{Dir: string(o.Dir),
		Env: append(plainTexts(o.Env), keptMark()), Files: []*os.File{null, output, output}, Sys: DieWithParent()})
}

// keep waits until the program and everything that it started have ended, and ends them if necessary. A program that
// exits successfully and leaves processes behind is a daemon, which lasts as long as they do. If it fails, they are
// ended.
func (o order) keep(p *os.Process, asked, lost <-chan struct{}, signals <-chan os.Signal) keeperNews {
	var n keeperNews
	var grace, again <-chan time.Time
	told := map[string]bool{}
	first, gone := waitTree(p)
	stop := func() {
		if grace == nil {
			askTree(p, told)
			grace = time.After(o.Grace)
			again = time.After(askAgain)
		}
	}
	for {
		over := false
		select {
		case e := <-first:
			n.Status, first = e.status, nil
			over = !e.success && grace == nil
		case <-asked:
			stop()
			asked = nil
		case <-signals:
			stop()
		case <-lost:
			over = true
		case <-again: // a process may have been born, or have lost its parent, while the others were listed
			askTree(p, told)
			again = time.After(askAgain)
		case <-grace:
			over = true
		case <-gone:
			over = true
		}
		if !over {
			continue
		}

		n.Left = endTree(p, gone)
		select {
		case e := <-first:
			n.Status = e.status
		default:
		}
		if n.Status == "" {
			n.Status = "no exit status"
		}
		return n
	}
}
