package plan

import (
	"errors"
	"io"
	"testing"
)

func TestRefusal(t *testing.T) {
	flag := func(field string) string { return "--" + field }
	for _, test := range []struct {
		refusal     *Refusal
		plain, flag string
	}{
		{Refuse("count", 0, "at least one block is needed"),
			"count 0: at least one block is needed", "--count 0: at least one block is needed"},
		{Refuse("duration", "-1s", "is not a positive time"), "duration -1s is not a positive time",
			"--duration -1s is not a positive time"},
		{Refuse("budget", "1s", "not one block fits: %d trials take %v", 4,
			"9s").Suggest("give more time or a shorter {duration}"),
			"budget 1s: not one block fits: 4 trials take 9s; give more time or a shorter duration",
			"--budget 1s: not one block fits: 4 trials take 9s; give more time or a shorter --duration"},
		{Refuse("", nil, "{count} and {budget} both end a run").Suggest("give one of them"),
			"count and budget both end a run; give one of them", "--count and --budget both end a " +
				"run; give one of them"},
		{Refuse("designs", "{x}", "there is no design %q", "{count} %d"),
			`designs {x}: there is no design "{count} %d"`, `--designs {x}: there is no design "{count} %d"`},
		{&Refusal{Field: "base", Reason: "is needed"}, "base is needed", "--base is needed"},
		{Refuse("", nil, "an open { brace"), "an open { brace", "an open { brace"},
	} {
		if got := test.refusal.Error(); got != test.plain {
			t.Errorf("Error: got %q, want %q", got, test.plain)
		}
		if got := test.refusal.Text(flag); got != test.flag {
			t.Errorf("Text: got %q, want %q", got, test.flag)
		}
	}
}

func TestRefusalCause(t *testing.T) {
	err := error(Refuse("allow", "list.txt", "cannot be read: %w", io.ErrUnexpectedEOF))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

// TestParseRefuses checks that callers can name the factor of an expression that does not parse.
func TestParseRefuses(t *testing.T) {
	workers := Factor{Name: "workers", Kind: Int, Min: 1}
	_, err := workers.Parse("1,x", nil)
	r, ok := errors.AsType[*Refusal](err)
	if !ok || r.Field != "workers" || r.Value != `"1,x"` {
		t.Errorf("got %#v", err)
	}
}

// TestAsRefusal checks that a refusal stays the same, so that its option is still named, and that another error becomes
// the cause of one.
func TestAsRefusal(t *testing.T) {
	r := Refuse("count", 0, "is wrong")
	if got := AsRefusal(r); got != r {
		t.Errorf("a refusal became %#v", got)
	}
	if got := AsRefusal(io.EOF); got.Field != "" || !errors.Is(got, io.EOF) || got.Error() != "EOF" {
		t.Errorf("another error became %#v", got)
	}
}

// TestRefusalIn: a refusal of what an option contains names the option, the place, and what to give instead.
func TestRefusalIn(t *testing.T) {
	flag := func(field string) string { return "--" + field }
	for want, inner := range map[string]*Refusal{
		`--targets "t": line 3: 100%d is beyond {x}; give --host 100%d`: Refuse("url", "100%d", "is beyond %s", "{x}").
			Suggest("give {host} %s", "100%d"),
		`--targets "t": line 3 has no --host`: Refuse("url", nil, "has no {host}"),
		`--targets "t": line 3: x: why 5%`:    {Field: "url", Value: "x", Reason: "why 5%"},
	} {
		if got := inner.In("targets", `"t"`, "line 3").Text(flag); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	cause := errors.New("cause")
	for _, r := range []*Refusal{Refuse("url", "x", "%w", cause), {Field: "url", Reason: "why", Err: cause}} {
		if !errors.Is(r.In("targets", nil, "line 1"), cause) {
			t.Errorf("%v: the cause is lost", r)
		}
	}
}
