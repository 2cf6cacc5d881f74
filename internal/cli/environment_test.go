package cli

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/option"
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
		d := option.Defaults{LeftOut: func(setting string, _ error) { said += setting },
			Check:  func() error { return errors.Join(refuseEmpty(flags), o.checkFlags()) },
			Lookup: func(k string) (string, bool) { return value, k == key }, Formats: formats}
		set, _, err := d.Apply(flags)
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) ||
			strings.Join(slices.Collect(maps.Keys(set)), " ") != c.set {
			t.Errorf("%s with %s: %v, set %v, want %q %q", c.args, c.env, err, set, c.wrong, c.set)
		}
		if err == nil && o.format != "table" || c.set == "" && err == nil && o.TimeLimit != 0 {
			t.Errorf("%s with %s: %+v", c.args, c.env, o)
		}
	}
}

// TestBenchEnvironment checks that variables yield to the baseline and to the base of the command line, and that a
// variable may give iterations.
func TestBenchEnvironment(t *testing.T) {
	for _, c := range []struct {
		args, env string
		wrong     string // "" for no error
		leftOut   string
	}{
		{"--base HEAD", "BREWPUT_AGAINST=x", "", "BREWPUT_AGAINST=x"},
		{"--against x", "BREWPUT_FORMAT=csv", "", "BREWPUT_FORMAT=csv"},
		{"--against x --base HEAD", "", "give one of them", ""},
		{"--against x --format csv", "", "holds no comparison", ""},
		{"--against x", "BREWPUT_FORMAT=json", "", ""},
		{"", "BREWPUT_DURATION=200x", "", ""},
		{"", "BREWPUT_DURATION=0x", "200x", ""},
		{"", "BREWPUT_DURATION=-1s", "not a positive time", ""},
		{"--time-limit 0s", "", "--time-limit 0s sets none", ""},
		{"", "BREWPUT_TIME_LIMIT=0s", "--time-limit 0s sets none", ""},
	} {
		o := new(benchOptions)
		flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
		o.addTo(flags)
		decimalVar(flags, &o.Count, "count", 10, "")
		flags.StringVar(&o.format, "format", "table", "")
		flags.StringVar(&o.Base, "base", "", "")
		flags.StringVar(&o.against, "against", "", "")
		if err := flags.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		key, value, _ := strings.Cut(c.env, "=")
		said := ""
		d := option.Defaults{LeftOut: func(setting string, _ error) { said += setting },
			Check:  func() error { return errors.Join(refuseEmpty(flags), o.validate()) },
			Lookup: func(k string) (string, bool) { return value, k == key }, Formats: formats}
		if _, _, err := d.Apply(flags); (err != nil) != (c.wrong != "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) || said != c.leftOut {
			t.Errorf("%s with %s: %v, %q left out; want %q, %q", c.args, c.env, err, said, c.wrong, c.leftOut)
		}
		if iterations := map[bool]int{true: 200}[value == "200x"]; o.Iterations != iterations {
			t.Errorf("%s with %s: %d iterations", c.args, c.env, o.Iterations)
		}
	}
}
