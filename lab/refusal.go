package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/brewput/brewput/evidence/collect"
)

// Refusal is an error about options that cannot be carried out: nothing was measured or stored. Its zero value is not
// useful; verbs of this package return it, and callers find it with errors.As.
type Refusal struct {
	// name of the option, in lower case with hyphens, such as "time-limit"; "" if it is no single option
	Field      string
	Value      string // its value as text; "" if the value does not matter
	Reason     string // what is wrong with it
	Suggestion string // what to give instead; "" if there is only one way out
	Err        error  // the cause, or nil

	reason, suggestion template
}

// Error names the option, what is wrong, and what to give instead.
func (r *Refusal) Error() string { return r.Text(func(field string) string { return field }) }

// Unwrap returns the cause, or nil.
func (r *Refusal) Unwrap() error { return r.Err }

// Text is the message in the caller's notation: name maps the name of an option to what the caller's users write, such
// as "count" to "--count" on a command line.
func (r *Refusal) Text(name func(field string) string) string {
	reason, suggestion := r.Reason, r.Suggestion
	if r.reason.format != "" {
		reason = r.reason.text(name)
	}
	if r.suggestion.format != "" {
		suggestion = r.suggestion.text(name)
	}

	text := reason
	if r.Field != "" {
		text = strings.TrimSpace(name(r.Field)+" "+r.Value) + separator(reason) + reason
	}
	if suggestion != "" {
		text += "; " + suggestion
	}
	return text
}

// separator stands between an option with its value and the reason: none before a verb.
func separator(reason string) string {
	for _, verb := range []string{"is ", "has ", "needs ", "changes ", "would ", "sends ", "makes ", "goes "} {
		if strings.HasPrefix(reason, verb) {
			return " "
		}
	}
	return ": "
}

// template is a format of package fmt in which {name} stands for the name of an option.
type template struct {
	format string
	args   []any
}

// text replaces the names before the arguments, which may contain braces.
func (t template) text(name func(string) string) string {
	var format strings.Builder
	rest := t.format
	for {
		before, after, found := strings.Cut(rest, "{")
		format.WriteString(before)
		if !found {
			break
		}
		field, tail, closed := strings.Cut(after, "}")
		if !closed {
			format.WriteString("{" + after)
			break
		}
		format.WriteString(strings.ReplaceAll(name(field), "%", "%%"))
		rest = tail
	}
	return fmt.Errorf(format.String(), t.args...).Error() // which knows %w
}

// refuse makes a refusal. In the reason, {name} stands for the name of another option, and the rest is a format of
// package fmt.
func refuse(field string, value any, reason string, args ...any) *Refusal {
	r := &Refusal{Field: field, reason: template{reason, args}}
	if value != nil {
		r.Value = fmt.Sprint(value)
	}
	r.Reason = r.reason.text(func(field string) string { return field })
	for _, a := range args {
		if err, ok := a.(error); ok {
			r.Err = err
		}
	}
	return r
}

// suggest adds what to give instead, in the same notation.
func (r *Refusal) suggest(suggestion string, args ...any) *Refusal {
	r.suggestion = template{suggestion, args}
	r.Suggestion = r.suggestion.text(func(field string) string { return field })
	return r
}

// asRefusal makes a refusal of an error that came before anything was measured, unless it is a benchmark or a program
// that fails, or a cancelled context.
func asRefusal(ctx context.Context, err error) error {
	var r *Refusal
	var broken *BrokenError
	var failed *collect.Failure
	if err == nil || ctx.Err() != nil || errors.As(err, &r) || errors.As(err, &broken) || errors.As(err, &failed) {
		return err
	}
	return refuse("", nil, "%w", err)
}
