package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// dataWriter writes data and keeps the first error: a verb fails if its output is lost, even if its code ignores the
// error. It is not safe for concurrent use.
type dataWriter struct {
	to  io.Writer
	err error
}

func (w *dataWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// lost returns err, or the error of lost output, which explains all errors except an interrupt.
func (w *dataWriter) lost(err error) error {
	if w.err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return exitError{fmt.Errorf("the output could not be written: %w", w.err), exitFailed}
}
