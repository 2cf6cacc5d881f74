// Package pager shows long pages on a terminal by the user's pager.
package pager

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// Show shows a page by a pager if the page is longer than a terminal of height lines, and reports whether it did. If
// it returns false, nothing was written, and the caller writes the page itself.
//
// getenv reads the environment, the only place that names a pager: $PAGER, or less -FRX if it is unset and less is
// installed. PAGER=cat, a set $NO_PAGER and TERM=dumb mean that there is none, and so does a pager that cannot be
// started. A pager that the user quits early, or that fails, is no error. Interrupts do not end this process while
// the pager runs, because they are meant for the pager.
func Show(terminal *os.File, page []byte, height int, getenv func(string) string) bool {
	lines := bytes.Count(page, []byte("\n"))
	command := command(getenv, exec.LookPath)
	if height <= 0 || lines < height || len(command) == 0 {
		return false
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(page), terminal, os.Stderr
	if getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // pages have colours
	}

	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if cmd.Start() != nil {
		return false
	}
	// A pager that ends before it has read the page breaks the pipe, which is how users quit it.
	_ = cmd.Wait()
	return true
}

// command returns the pager with its arguments; nil if there is none.
func command(getenv func(string) string, lookPath func(string) (string, error)) []string {
	if getenv("NO_PAGER") != "" || getenv("TERM") == "dumb" {
		return nil
	}
	words := strings.Fields(getenv("PAGER"))
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
