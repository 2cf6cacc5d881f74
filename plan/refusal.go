package plan

import (
	"fmt"
	"strings"
)

// Refusal is the error of an option, or of a level of a factor, that cannot be carried out: nothing was measured or
// stored. [Refuse] makes one; callers find it with errors.As.
type Refusal struct {
	// name of the option or factor, in lower case with hyphens, such as "time-limit"; "" if it is no single one
	Field      string
	Value      string // its value as text; "" if the value does not matter
	Reason     string // what is wrong with it
	Suggestion string // what to give instead; "" if there is only one way out
	Err        error  // the cause, or nil

	reason, suggestion Template
}

// Error names the option, what is wrong, and what to give instead.
func (r *Refusal) Error() string { return r.Text(func(field string) string { return field }) }

// Unwrap returns the cause, or nil.
func (r *Refusal) Unwrap() error { return r.Err }

// Text is the message in the caller's notation: name maps the name of an option to what the caller's users write, such
// as "count" to "--count" on a command line.
func (r *Refusal) Text(name func(field string) string) string {
	reason, suggestion := r.Reason, r.Suggestion
	if r.reason.Format != "" {
		reason = r.reason.Text(name)
	}
	if r.suggestion.Format != "" {
		suggestion = r.suggestion.Text(name)
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
	for _, verb := range []string{"is ", "has ", "needs ", "changes ", "would ", "sends ", "makes ", "goes ", "was ",
		"wants "} {
		if strings.HasPrefix(reason, verb) {
			return " "
		}
	}
	return ": "
}

// Template is a message about options: a format of package fmt with its arguments, in which {name} stands for the name
// of an option.
type Template struct {
	Format string
	Args   []any
}

// Text is the message, in which name maps the name of an option to what the caller's users write. Names are replaced
// before the arguments, which may contain braces.
func (t Template) Text(name func(string) string) string {
	var format strings.Builder
	rest := t.Format
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
	return fmt.Errorf(format.String(), t.Args...).Error() // which knows %w
}

// Refuse makes a refusal of an option with a value; "" and nil stand for no single option, and for a value that does
// not matter. In the reason, {name} stands for the name of another option, and the rest is a format of package fmt with
// its args. An error among them is the cause.
func Refuse(field string, value any, reason string, args ...any) *Refusal {
	r := &Refusal{Field: field, reason: Template{reason, args}}
	if value != nil {
		r.Value = fmt.Sprint(value)
	}
	r.Reason = r.reason.Text(func(field string) string { return field })
	for _, a := range args {
		if err, ok := a.(error); ok {
			r.Err = err
		}
	}
	return r
}

// Suggest adds what to give instead, in the notation of [Refuse], and returns r.
func (r *Refusal) Suggest(suggestion string, args ...any) *Refusal {
	r.suggestion = Template{suggestion, args}
	r.Suggestion = r.suggestion.Text(func(field string) string { return field })
	return r
}

// In returns the refusal of an option with a value that contains what r is about. place says where, such as "line 3".
// The reason of r must not number its arguments, as in %[1]s.
func (r *Refusal) In(field string, value any, place string) *Refusal {
	if r.Value != "" {
		place += ": " + r.Value
	}
	inner := r.reason
	if inner.Format == "" {
		inner = Template{"%s", []any{r.Reason}}
	}
	outer := Refuse(field, value, "%s"+separator(r.Reason)+inner.Format, append([]any{place}, inner.Args...)...)
	outer.Suggestion, outer.suggestion = r.Suggestion, r.suggestion
	if outer.Err == nil {
		outer.Err = r.Err
	}
	return outer
}

// AsRefusal returns err if it is a refusal, and else a refusal whose reason and cause are err.
func AsRefusal(err error) *Refusal {
	if r, ok := err.(*Refusal); ok {
		return r
	}
	return Refuse("", nil, "%w", err)
}
