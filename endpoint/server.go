package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/internal/quote"
)

// server is a program that a trial started, with everything that the program started itself. All of them end with the
// trial's process, even if that is killed. Its methods are safe for concurrent use.
type server struct {
	kept *proc.Kept
	name string // its command line, quoted
	out  *proc.Ends
}

// readiness says when a server may get requests.
type readiness struct {
	// url is ready once a GET of it is answered by a status below 400; "": once address accepts a connection.
	url string
	// client sends that GET; nil: one that trusts every certificate and uses no proxy. Redirects are not followed.
	client *http.Client
	// address is the host and port of the target. If the host is this machine, the port must be free before the start,
	// and must then belong to the server.
	address string
	// unix is the path of a socket that takes the place of address; "": none. Nobody may accept connections there
	// before the start.
	unix string
	// limit is the time until the server must be ready; 0: 30 s.
	limit   time.Duration
	options optionNames
	// grace is the time that the server has to end when it is asked; 0: 5 s.
	grace time.Duration
}

const (
	readyLimit = 30 * time.Second
	stopGrace  = 5 * time.Second
)

// startServer starts a program without a shell and waits until it is ready. If it fails, nothing of the program is
// left. Main, or TestMain, must call trial.Main first.
func startServer(ctx context.Context, words []string, ready readiness) (*server, error) {
	s, err := launch(ctx, words, ready)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(ready.limit, readyLimit))
	defer cancel()
	err = s.await(limited, ready)
	if err == nil {
		return s, nil
	}

	left := s.stop()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, both(err, left)
}

// launch starts a program whose port is free.
func launch(ctx context.Context, words []string, ready readiness) (*server, error) {
	if len(words) == 0 {
		return nil, errors.New("the command of the server is empty")
	}
	s := &server{out: &proc.Ends{}, name: commandLine(words)}
	path, err := exec.LookPath(words[0])
	if err != nil && strings.Contains(words[0], "=") {
		err = fmt.Errorf("%w; to set a variable, begin the command with env", err)
	}
	if err == nil {
		err = ready.free()
	}
	if err == nil {
		s.kept, err = proc.Command{Path: path, Args: words, Env: os.Environ(), Stdout: s.out,
			Grace: cmp.Or(ready.grace, stopGrace)}.Keep(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start the server %s: %w", s.name, err)
	}
	return s, nil
}

// await waits until the server is ready and holds its port.
func (s *server) await(ctx context.Context, ready readiness) error {
	last := errors.New("no attempt was made")
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		try := ready.attempt(ctx)
		if try == nil {
			break
		}
		if ctx.Err() == nil { // otherwise it may only say that the time is over
			last = try
		}
		select {
		case <-s.exited():
			return fmt.Errorf("before it was ready, %w", s.cause())
		case <-ctx.Done():
			s.stop() // so that its output is complete
			err := fmt.Errorf("the server %s was not ready within %v: %w%s", s.name,
				cmp.Or(ready.limit, readyLimit), last, s.tail())
			advice, hint := TLSAdvice(last), ready.options.hint("ready-within")
			if advice == "" && hint != "" {
				advice = "correct its port or its address, or give it longer" + hint
			}
			if advice != "" {
				err = fmt.Errorf("%w; %s", err, advice)
			}
			return err
		case <-time.After(pause):
		}
	}

	err := ready.held(s.exited(), s.kept.Processes)
	select {
	case <-s.exited():
		return fmt.Errorf("before it was ready, %w", s.cause())
	default:
	}
	if err != nil {
		s.stop()
		return fmt.Errorf("the server %s does not serve there: %w%s", s.name, err, s.tail())
	}
	return nil
}

// stop asks the server and everything that it started to end, and kills what is left after the grace time. When it
// returns, none of them runs, or the error names those that could not be ended. It may be called more than once.
func (s *server) stop() error {
	if err := s.kept.Stop(); err != nil {
		return fmt.Errorf("stopping the server %s: %w", s.name, err)
	}
	return nil
}

// exited returns a channel that is closed once the server has ended, for whatever reason.
func (s *server) exited() <-chan struct{} { return s.kept.Over() }

// cause describes how the server ended, with the last lines of its output. It waits for the end.
func (s *server) cause() error {
	status := s.kept.Status()
	return fmt.Errorf("the server %s ended: %s%s", s.name, status, s.tail())
}

// cpu returns the CPU time of the server and of everything that it started, also of processes that have ended. It is
// known on Linux, while the server runs.
func (s *server) cpu() (time.Duration, bool) { return s.kept.CPU() }

// Limits of the output in an error: its last lines, and the first bytes of each.
const (
	tailLines = 6
	tailBytes = 200
)

// tail returns the last lines of the output in one line, as the end of a sentence. Of a Go program that crashed, it
// returns the reason instead of the stacks that follow it.
func (s *server) tail() string {
	var lines []string
	crash := -1
	for line := range strings.Lines(s.out.String()) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if crash < 0 && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
			crash = len(lines)
		}
		lines = append(lines, line)
	}
	what := "its output ends"
	switch {
	case len(lines) == 0:
		return "; it printed nothing"
	case crash >= 0:
		what, lines = "it printed", lines[crash:crash+1]
	default:
		lines = lines[max(0, len(lines)-tailLines):]
	}
	for i, line := range lines {
		if len(line) > tailBytes {
			line = line[:tailBytes] + "..."
		}
		lines[i] = quote.Line(line)
	}
	return "; " + what + ": " + strings.Join(lines, " | ")
}

// commandLine returns words as a shell would read them.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = quote.Shell(w); w == "" {
			quoted[i] = "''"
		}
	}
	return strings.Join(quoted, " ")
}
