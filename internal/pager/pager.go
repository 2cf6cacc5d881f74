// Package pager shows long pages on a terminal by the user's pager.
package pager

import (
	"bytes"
	"fmt"
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
	stderr io.Writer
}

// New returns a pager that reads the environment by getenv and writes warnings to stderr. Nothing else names a program,
// because a file of a cloned repository could. The program is $PAGER, or less -FRX if $PAGER is empty and less is
// installed. There is none if $PAGER is cat, $NO_PAGER is set or $TERM is dumb.
func New(getenv func(string) string, stderr io.Writer) Pager { return Pager{getenv, height, stderr} }

// height returns the number of lines of a terminal; 0 if nobody has set it, as in the terminals of script and expect.
func height(f *os.File) (lines int, ok bool) {
	_, lines, err := term.GetSize(int(f.Fd()))
	return lines, err == nil && term.IsTerminal(int(f.Fd()))
}

// Show shows a page by the program if w is a terminal that the page does not fit, and reports whether it did. If not,
// nothing was written, and the caller writes the page itself. It warns if the program cannot be started, or fails
// before it reads any of the page. A program that fails later, or ends before it has read the page, has shown it,
// because that is how users quit. While it runs, interrupts do not end this process, because they are meant for the
// program.
func (p Pager) Show(w io.Writer, page []byte) bool {
	f, isFile := w.(*os.File)
	if !isFile {
		return false
	}
	lines, ok := p.height(f)
	command := p.command(exec.LookPath)
	if !ok || lines == 0 || bytes.Count(page, []byte("\n")) < lines || len(command) == 0 {
		return false
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = f, f
	if p.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // pages have colours
	}

	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if err := feed(cmd, page); err != nil {
		fmt.Fprintf(p.stderr, "warning: the pager %q does not show the page (%v): correct $PAGER, or set NO_PAGER=1\n",
			strings.Join(command, " "), err)
		return false
	}
	return true
}

// feed runs a command with a page as its standard input. It returns an error if the command cannot be started, or if it
// fails and has read nothing.
func feed(cmd *exec.Cmd, page []byte) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdin = r
	if err := cmd.Start(); err != nil {
		r.Close()
		w.Close()
		return err
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		w.Write(page) // fails if the command does not read all of it
		w.Close()
	}()
	// r stays open here, so that what a failed command has left in the pipe can be counted.
	if err = cmd.Wait(); err != nil {
		if left, _ := io.Copy(io.Discard, r); left < int64(len(page)) {
			err = nil
		}
	}
	r.Close()
	<-written
	return err
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
