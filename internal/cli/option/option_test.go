package option

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/config"
	"github.com/brewput/brewput/workload"
)

// TestSettings checks which lines of brewput.conf apply: the command line and the environment win over them, also by a
// flag that says the same in another way. Variables that are left out do not win.
func TestSettings(t *testing.T) {
	const text = "run.count=7\nrun.budget=5m\nrun.duration=2s\ngate.count=9\ngate.budget=1m\nsim.count=3\n"
	settings, err := config.Parse("f", text, func(_, name string) string { return name })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ verb, args, env, want string }{
		{"run", "", "", "run.budget = 5m (f:2); run.duration = 2s (f:3)"}, // a budget replaces a count
		{"run", "--count 4", "", "run.duration = 2s (f:3)"},
		{"run", "", "BREWPUT_COUNT=4", "run.duration = 2s (f:3)"},
		{"run", "--budget 1m --duration 1s", "", ""},
		{"run", "--operations 5", "", "run.budget = 5m (f:2)"},
		{"run", "--quick", "", ""},
		{"run", "", "BREWPUT_QUICK=true", ""},
		{"run", "--quick=false", "BREWPUT_QUICK=1", "run.budget = 5m (f:2); run.duration = 2s (f:3)"},
		{"run", "", "BREWPUT_QUICK=false", "run.budget = 5m (f:2); run.duration = 2s (f:3)"},
		{"run", "", "BREWPUT_BUDGET=0s", "run.count = 7 (f:1); run.duration = 2s (f:3)"},
		{"run", "", "BREWPUT_BUDGET=1m", "run.duration = 2s (f:3)"},
		{"sim", "", "BREWPUT_QUICK=true", "sim.count = 3 (f:6)"},
		{"gate", "", "", "gate.count = 9 (f:4); gate.budget = 1m (f:5)"},
		{"gate", "--count 4", "", "gate.budget = 1m (f:5)"},
		{"sim", "--operations 5", "", "sim.count = 3 (f:6)"},
		{"bench", "", "", ""},
		{"sim", "", "BREWPUT_BUDGET=9m", "sim.count = 3 (f:6)"},
		{"run", "", "BREWPUT_BUDGET=9m", "run.budget = 5m (f:2); run.duration = 2s (f:3)"},
	} {
		flags := pflag.NewFlagSet(c.verb, pflag.ContinueOnError)
		var count, operations int
		DecimalVar(flags, &count, "count", 10, "")
		DecimalVar(flags, &operations, "operations", 0, "")
		flags.Duration("budget", 0, "")
		flags.Duration("duration", 0, "")
		if c.verb != "sim" {
			flags.Bool("quick", false, "")
		}
		if err := flags.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		key, value, _ := strings.Cut(c.env, "=")
		d := Defaults{Verb: c.verb, Settings: settings, LeftOut: func(string, error) {},
			Lookup: func(k string) (string, bool) { return value, k == key },
			Check: func() error {
				if flags.Lookup("budget").Value.String() == "9m0s" {
					return errors.New("a conflict")
				}
				return nil
			}}
		_, lines, err := d.Apply(flags)
		if got := strings.Join(lines, "; "); err != nil || got != c.want {
			t.Errorf("%s %s %s: %s, %v; want %s", c.env, c.verb, c.args, got, err, c.want)
		}
	}
}

// TestNearerFile checks that a count of the module's file wins over a budget of the user's.
func TestNearerFile(t *testing.T) {
	module := config.Setting{Verb: "run", Flag: "count", Value: "3", File: "brewput.conf", Line: 1}
	user := config.Setting{Verb: "run", Flag: "budget", Value: "5m", File: "/home/x/brewput.conf", Line: 1}
	for _, c := range []struct {
		settings config.Settings
		want     string
	}{{config.Settings{module, user}, "run.count = 3 (brewput.conf:1)"},
		{config.Settings{user, module}, "run.budget = 5m (/home/x/brewput.conf:1)"},
		{config.Settings{user}, "run.budget = 5m (/home/x/brewput.conf:1)"}} {
		flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
		var count int
		DecimalVar(flags, &count, "count", 10, "")
		flags.Duration("budget", 0, "")
		d := Defaults{Verb: "run", Settings: c.settings, Check: func() error { return nil },
			Lookup: func(string) (string, bool) { return "", false }}
		_, lines, err := d.Apply(flags)
		if got := strings.Join(lines, "; "); err != nil || got != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
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

// TestInvalidList checks that the error of a list says what it takes.
func TestInvalidList(t *testing.T) {
	flags := pflag.NewFlagSet("gate", pflag.ContinueOnError)
	flags.StringSlice("metric", nil, "")
	err := FlagError(&cobra.Command{}, flags.Parse([]string{"--metric", `a"b`}))
	want := `--metric "a\"b" is not possible: it takes values separated by commas, as in a,b`
	if err.Error() != want {
		t.Errorf("%v, want %s", err, want)
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
		Unset(flags.Lookup(name))
	}
	if !slices.Equal(*list, []string{"ns/op", "a,b"}) || len(*none) != 0 || flags.Changed("metric") {
		t.Errorf("%q, %q", *list, *none)
	}
}

// TestDesigns checks that a name of an own design starts no other program, and that an unknown one does.
func TestDesigns(t *testing.T) {
	asked := 0
	more := func() ([]workload.Design, error) { asked++; return []workload.Design{{Name: "peer"}}, nil }
	d := Defaults{Workloads: []*workload.Workload{{Designs: []workload.Design{{Name: "actor"}}, More: more},
		{Designs: []workload.Design{{Name: "atomic"}}}}}
	for _, c := range []struct {
		names string
		asks  bool
		err   string
	}{
		{"atomic", false, ""}, {"actor,atomic", false, ""}, {"atomic,peer", true, ""},
		{"atomik", true, `no workload has a design "atomik", did you mean "atomic"?`},
	} {
		asked = 0
		err := d.checkDesigns("designs", c.names, nil)
		if (asked > 0) != c.asks || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: asked %d times, %v", c.names, asked, err)
		}
	}
}

// TestDesignsOfOtherProgram checks that a setting with an unknown design reports why the other program cannot be used,
// once, also if the error is that of this command.
func TestDesignsOfOtherProgram(t *testing.T) {
	reason := errors.New("brewput-extra is not installed. To build it, type make extra")
	set := &workload.Workload{Name: "set", Designs: []workload.Design{{Name: "mutex"}},
		More: func() ([]workload.Design, error) { return nil, reason }}
	coffee := &workload.Workload{Name: "coffee", Designs: []workload.Design{{Name: "ideal"}}}
	for _, c := range []struct {
		check *workload.Workload // of the command; nil if it does not check the designs
		err   string
	}{
		{nil, `--designs: no workload has a design "xsync"`},
		{coffee, `workload coffee has no design "xsync"`},
		{set, `workload set has no design "xsync"`},
	} {
		var designs []string
		flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
		flags.StringSliceVar(&designs, "designs", nil, "")
		d := Defaults{Verb: "run", Workloads: []*workload.Workload{coffee, set}, LeftOut: func(string, error) {},
			Lookup: func(k string) (string, bool) { return "xsync", k == "BREWPUT_DESIGNS" },
			Check: func() error {
				if c.check == nil {
					return nil
				}
				_, err := c.check.Select(designs)
				return err
			}}
		_, _, err := d.Apply(flags)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Count(err.Error(), reason.Error()) != 1 {
			t.Errorf("%v: want %q and why", err, c.err)
		}
	}
}

// TestTyped checks that the answers of libraries name flags that can be typed, with their values.
func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"more (option count) would":                "more (--count) would",
		"more (option count 30 and no budget) and": "more (--count 30 and no budget) and",
		"an (optional count)":                      "an (optional count)",
	} {
		if got := Typed(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
