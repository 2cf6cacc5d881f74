package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// dataWriter is where data go. It keeps the first error of a write: no verb succeeds whose output is lost, and not
// every writer looks at errors. It is not safe for several goroutines at once.
type dataWriter struct {
	to  io.Writer
	err error
}

func (o *dataWriter) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// lost is err, or that output was lost, which explains other errors than an interrupt.
func (o *dataWriter) lost(err error) error {
	if o.err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return exitError{fmt.Errorf("the output could not be written: %w", o.err), exitFailed}
}
