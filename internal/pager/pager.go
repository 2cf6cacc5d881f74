// Package pager shows long pages on a terminal by the user's pager.
package pager

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"golang.org/x/term"
)

// Pager shows pages. The zero value is not useful; see [New]. It is not safe for concurrent use.
type Pager struct {
	getenv func(string) string
	height func(*os.File) (lines int, ok bool) // of a terminal
}

// New returns a pager that reads the environment by getenv. Nothing else names a program, because a file of a cloned
// repository could. The program is $PAGER, or less -FRX if $PAGER is empty and less is installed. There is none if
// $PAGER is cat, $NO_PAGER is set or $TERM is dumb.
func New(getenv func(string) string) Pager { return Pager{getenv, height} }

// height returns the number of lines of a terminal.
func height(f *os.File) (lines int, ok bool) {
	_, lines, err := term.GetSize(int(f.Fd()))
	return lines, err == nil && term.IsTerminal(int(f.Fd()))
}

// Show shows a page by the program if w is a terminal that the page does not fit, and reports whether it did. If not,
// nothing was written, and the caller writes the page itself: also if the program cannot be started. A program that
// fails, or ends before it has read the page, is no error. While it runs, interrupts do not end this process, because
// they are meant for the program.
func (p Pager) Show(w io.Writer, page []byte) bool {
	f, isFile := w.(*os.File)
	if !isFile {
		return false
	}
	lines, ok := p.height(f)
	command := p.command(exec.LookPath)
	if !ok || bytes.Count(page, []byte("\n")) < lines || len(command) == 0 {
		return false
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(page), f, f
	if p.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // pages have colours
	}

	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if cmd.Start() != nil {
		return false
	}
	_ = cmd.Wait() // a broken pipe is how users quit a pager
	return true
}

// command returns the program with its arguments; nil if there is none.
func (p Pager) command(lookPath func(string) (string, error)) []string {
	if p.getenv("NO_PAGER") != "" || p.getenv("TERM") == "dumb" {
		return nil
	}
	words := strings.Fields(p.getenv("PAGER"))
	if len(words) == 0 {
		if _, err := lookPath("less"); err != nil {
			return nil
		}
		return []string{"less", "-FRX"}
	}
	if words[0] == "cat" {
		return nil
	}
	return words
}
