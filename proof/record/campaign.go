package record

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Self returns the [Hash] of the running program.
func Self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return Hash(path)
}

// Continue calls measure for each task that is not done, in order, until the piece is over, and returns how many tasks
// are left. It asks done about a task when it is the task's turn. It stops at the first error, which is one of measure,
// or says that the context was canceled and that path has the record so far.
func Continue[T any](ctx context.Context, path string, p Piece, tasks []T, done func(T) bool, measure func(T) error) (
	left int, err error) {
	for _, task := range tasks {
		if done(task) {
			continue
		}
		if p.Over() {
			left++
			continue
		}
		err := measure(task)
		if ctx.Err() != nil {
			return 0, fmt.Errorf("interrupted; what was measured so far is in %s", path)
		}
		if err != nil {
			return 0, err
		}
	}
	return left, nil
}

// Worse returns the exit code that counts: a broken check outweighs an undecided result.
func Worse(a, b int) int {
	if a == ExitBroken || b == 0 {
		return a
	}
	return b
}

// Exit writes what is left of a campaign, as [Remaining] does, and returns its exit code. code is that of what was
// measured.
func Exit(w io.Writer, code, left int, what string) int {
	Remaining(w, left, what)
	if left > 0 {
		return Worse(code, ExitUndecided)
	}
	return code
}
