package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/lab"
)

// Exit codes of the command. If several apply, the order of precedence is 130, 4, 1, 3.
const (
	exitOK          = 0
	exitWrong       = 1 // an undeclared wrong answer or violation
	exitUsage       = 2
	exitUndecided   = 3 // where a decision was asked for
	exitFailed      = 4 // a trial failed, or its result could not be kept
	exitInterrupted = 130
)

// exit prints an error and returns its exit code. An interrupt takes precedence over other errors.
func (a *app) exit(err error) int {
	if err == nil {
		return a.code
	}
	code := exitFailed
	var known exitError
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &known):
		code = known.code
	case !a.measuring:
		code = exitUsage
	}
	fmt.Fprintln(a.stderr, "brewput:", input.Redact(flagText(err)))
	if code == exitUsage {
		a.showSettings("", a.config)
	}
	if a.code == exitInterrupted {
		return exitInterrupted
	}
	return code
}

// exitError is an error with the exit code of the command.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

// usage is an error of wrong use.
func usage(format string, args ...any) error { return asUsage(fmt.Errorf(format, args...)) }

// asUsage returns err with the exit code of wrong use.
func asUsage(err error) error { return exitError{err, exitUsage} }

// flagText is the text of an error for users: options of libraries and factors are named as flags, wherever in the
// chain of err they are refused.
func flagText(err error) string {
	text := err.Error()
	visitCauses(err, func(cause error) {
		var flags string
		switch cause := cause.(type) {
		case *lab.Refusal:
			flags = cause.Text(asFlag)
		case *lab.BrokenError:
			flags = cause.Text(asFlag)
		default:
			return
		}

		plain := cause.Error()
		if i := strings.Index(text, plain); i >= 0 && !strings.HasSuffix(text[:i], "--") {
			text = text[:i] + flags + text[i+len(plain):]
		}
	})
	return option.Typed(text)
}

// visitCauses calls visit for err and for all errors that it wraps, outer ones first.
func visitCauses(err error, visit func(error)) {
	if err == nil {
		return
	}
	visit(err)
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		visitCauses(err.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, cause := range err.Unwrap() {
			visitCauses(cause, visit)
		}
	}
}

// asFlag is the name of an option or a factor as users type it.
func asFlag(name string) string { return "--" + name }

// withExitCode gives an error of package lab its exit code.
func withExitCode(err error) error {
	var r *lab.Refusal
	var known exitError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.As(err, &known):
		return err
	case errors.As(err, &r):
		return asUsage(r)
	}
	return exitError{err, exitFailed}
}
