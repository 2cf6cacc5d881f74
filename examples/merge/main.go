// Command merge counts equal lines of its input that follow each other, as uniq -c does. Lines that arrive while the
// previous line is printed are counted together; it never waits for more of them.
//
//	tail -f access.log | stdbuf -oL cut -d' ' -f1 | merge
//
// Function [Merge] is meant to be copied: it aggregates equal neighbours of any channel.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "merge:", err)
		os.Exit(1)
	}
}

// run counts the lines of r and prints the counts. It returns the first error of reading or writing.
func run(r io.Reader, w io.Writer) error {
	lines, read := make(chan string, 1024), make(chan error, 1)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(r)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			lines <- s.Text()
		}
		read <- s.Err()
	}()

	var wrote error
	done := make(chan struct{})
	Merge(done, lines, func(line string, count int) {
		if wrote != nil {
			return
		}
		if _, wrote = fmt.Fprintf(w, "%7d %s\n", count, line); wrote != nil {
			close(done)
		}
	})
	if wrote != nil {
		return wrote
	}
	return <-read
}
