package cli

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestEnvironmentYields checks that the command line takes precedence over conflicting variables and over those that
// this command does not take. A value that no command takes is an error.
func TestEnvironmentYields(t *testing.T) {
	for _, c := range []struct {
		args, env string
		wrong     string // "" for no error
		set       string
	}{
		{"--duration 5s", "BREWPUT_TIME_LIMIT=2s", "", ""},
		{"--duration 1s", "BREWPUT_TIME_LIMIT=20s", "", "time-limit"},
		{"", "BREWPUT_COUNT=3", "", "count"},
		{"--count 4", "BREWPUT_COUNT=0", "", ""},
		{"", "BREWPUT_COUNT=0", "at least one block", ""},
		{"", "BREWPUT_COUNT=010", "decimal digits", ""},
		{"", "BREWPUT_FORMAT=csv", "", ""},
		{"", "BREWPUT_FORMAT=yaml", "yaml", ""},
		{"", "BREWPUT_LAYOUTS=2", "layouts", ""},
		{"--duration 0s", "BREWPUT_COUNT=3", "not a positive time", ""},
	} {
		var o gateOptions
		flags := pflag.NewFlagSet("gate", pflag.ContinueOnError)
		o.addTo(flags)
		decimalVar(flags, &o.Count, "count", 80, "")
		flags.StringVar(&o.format, "format", "table", "")
		if err := flags.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		key, value, _ := strings.Cut(c.env, "=")
		said := ""
		e := environment{warn: func(text string) { said += text },
			check:  func() error { return errors.Join(refuseEmpty(flags), o.checkFlags()) },
			lookup: func(k string) (string, bool) { return value, k == key }}
		set, err := e.apply(flags)
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) ||
			strings.Join(slices.Collect(maps.Keys(set)), " ") != c.set {
			t.Errorf("%s with %s: %v, set %v, want %q %q", c.args, c.env, err, set, c.wrong, c.set)
		}
		if err == nil && o.format != "table" || c.set == "" && err == nil && o.TimeLimit != 0 {
			t.Errorf("%s with %s: %+v", c.args, c.env, o)
		}
	}
}

// TestDecimal checks that flags that count take base 10 only.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "10": 10, "-3": -3, "010": -1, "0x2": -1, "0b1": -1, "0o7": -1,
		"1_0": -1, "+5": -1, "-0": -1, "": -1, "-": -1, "1e3": -1, " 1": -1, "9223372036854775808": -1, "٣": -1} {
		n := -1
		err := decimal[int]{&n}.Set(text)
		if n != want || (err != nil) != (want == -1) {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	var u uint64
	if err := (decimal[uint64]{&u}).Set("18446744073709551615"); err != nil || u != 1<<64-1 {
		t.Error(u, err)
	}
	if err := (decimal[uint64]{&u}).Set("-1"); err == nil {
		t.Error("-1 is a seed")
	}
}

// TestUnset checks that a variable that yields to the command line leaves the flag at its default, also if that is a
// list.
func TestUnset(t *testing.T) {
	flags := pflag.NewFlagSet("gate", pflag.ContinueOnError)
	list := flags.StringSlice("metric", []string{"ns/op", "a,b"}, "")
	none := flags.StringSlice("designs", nil, "")
	for _, name := range []string{"metric", "designs"} {
		if err := flags.Set(name, "B/op,x"); err != nil {
			t.Fatal(err)
		}
		unset(flags.Lookup(name))
	}
	if !slices.Equal(*list, []string{"ns/op", "a,b"}) || len(*none) != 0 || flags.Changed("metric") {
		t.Errorf("%q, %q", *list, *none)
	}
}
