// Package option holds types of flags, and sets flags from the environment and from brewput.conf.
package option

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/help"
	"github.com/brewput/brewput/internal/config"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// Defaults sets flags that were not given from variables such as BREWPUT_COUNT, or else from brewput.conf. The
// command line takes precedence: a value that conflicts with it, or does not apply to this command, is ignored. A
// value that no command takes is an error.
type Defaults struct {
	Verb     string
	Lookup   func(string) (string, bool)          // variables
	Settings config.Settings                      // lines of brewput.conf
	Check    func() error                         // checks the current flags
	LeftOut  func(setting string, conflict error) // receives what is ignored

	Formats, Pairings []string             // values that some command takes
	Workloads         []*workload.Workload // with the designs that some command takes
	Precision, Parts  func(string) error
}

// fromVariable returns the value of a flag's variable, its source as errors name it, and the whole as warnings name it.
// A variable sets no factor and no option of a workload, because these are not preferences, and none sets a flag of
// explain.
func (d *Defaults) fromVariable(f *pflag.Flag) (value, from, whole string, ok bool) {
	name := variable(f.Name)
	v, ok := d.Lookup(name)
	return v, "the environment variable " + name, name + "=" + v, ok && f.Value.Type() != help.FactorType &&
		!help.IsOption(f) && d.Verb != "explain" && (v != "" || f.Value.Type() != "string")
}

func variable(flag string) string {
	return "BREWPUT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// replaced reports whether a setting has no effect, because another flag that is given says the same in another way. A
// flag that is given as 0, false or "" says nothing.
func (d *Defaults) replaced(flags *pflag.FlagSet, flag string) bool {
	given := func(name string) bool {
		f := flags.Lookup(name)
		return f != nil && f.Changed && !isZero(f.Value.String())
	}
	switch flag {
	case "budget":
		return given("quick") || d.Verb != "gate" && (given("count") || d.before("count", "budget"))
	case "count":
		return given("quick") || d.Verb != "gate" && (given("budget") || given("precision"))
	case "duration":
		return given("quick") || given("operations")
	}
	return false
}

// isZero reports whether a text is the zero value of a flag: empty, false, 0 or no time.
func isZero(text string) bool {
	if b, err := strconv.ParseBool(text); err == nil {
		return !b // also 0 and 1
	}
	t, err := time.ParseDuration(text)
	return text == "" || err == nil && t == 0
}

// before reports whether the nearer file sets one flag, and the other file the other flag.
func (d *Defaults) before(one, other string) bool {
	s, ok := d.Settings.Find(d.Verb, one)
	t, _ := d.Settings.Find(d.Verb, other)
	return ok && s.File != t.File && slices.Index(d.Settings, s) < slices.Index(d.Settings, t)
}

// Apply sets the flags. It returns those that it set, with the value and source of each, and the lines of brewput.conf
// among these.
func (d *Defaults) Apply(flags *pflag.FlagSet) (set map[string]string, lines []string, err error) {
	if err := d.Check(); err != nil {
		return nil, nil, err // the command line alone is wrong
	}
	set = map[string]string{}
	apply := func(find func(*pflag.Flag) (value, from, whole string, ok bool)) {
		flags.VisitAll(func(f *pflag.Flag) {
			v, from, whole, ok := find(f)
			if !ok || f.Changed || err != nil || f.Name == "help" || f.Name == "resume" {
				return
			}
			var applied bool
			if applied, err = d.set(flags, f, v, from, whole); applied {
				set[f.Name] = whole
			}
		})
	}
	// Variables come first, because a line gives way only to a variable that is not left out.
	apply(d.fromVariable)
	apply(func(f *pflag.Flag) (value, from, whole string, ok bool) {
		s, ok := d.Settings.Find(d.Verb, f.Name)
		return s.Value, s.Place(), s.String(), ok && !d.replaced(flags, f.Name)
	})
	for _, s := range d.Settings {
		if set[s.Flag] == s.String() {
			lines = append(lines, s.String())
		}
	}
	return set, lines, err
}

// set sets a flag, unless its value conflicts with the other flags.
func (d *Defaults) set(flags *pflag.FlagSet, f *pflag.Flag, v, from, whole string) (applied bool, err error) {
	if flags.Set(f.Name, v) != nil {
		return false, fmt.Errorf("%s: %w", from, Invalid(f, v))
	}
	conflict := d.Check()
	if wrong := d.checkValue(f, v, conflict); wrong != nil {
		if conflict != nil && !errors.Is(wrong, conflict) {
			wrong = conflict // it describes better what this command takes
		}
		return false, fmt.Errorf("%s: %w", from, wrong)
	}
	if conflict != nil {
		Unset(f)
		d.LeftOut(whole, conflict)
	}
	return conflict == nil, nil
}

// Unset resets a flag to its default.
func Unset(f *pflag.Flag) {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		// "[a,b]" is how a list prints its default.
		values, _ := csv.NewReader(strings.NewReader(strings.Trim(f.DefValue, "[]"))).Read()
		list.Replace(values)
	} else {
		f.Value.Set(f.DefValue)
	}
	f.Changed = false
}

// checkValue refuses a value that no command takes, whatever the other flags. Zero operations are accepted if
// something else ends a trial, because then there is no conflict.
func (d *Defaults) checkValue(f *pflag.Flag, v string, conflict error) error {
	switch name := f.Name; name {
	case "format":
		if !slices.Contains(d.Formats, v) {
			return fmt.Errorf("--format %s is not possible%s; use %s", v, DidYouMean(v, d.Formats),
				strings.Join(d.Formats, ", "))
		}
	case "compare":
		if !slices.Contains(d.Pairings, v) {
			return fmt.Errorf("--compare %s is not possible%s; use %s", v, DidYouMean(v, d.Pairings),
				strings.Join(d.Pairings, " or "))
		}
	case "baseline", "designs":
		return d.checkDesigns(name, v, conflict)
	case "precision":
		return d.Precision(v)
	case "show":
		if err := d.Parts(v); err != nil {
			return err
		}
	case "cost":
		_, err := sim.ParseCosts(v)
		return err
	case "count", "sample":
		if v == "0" || strings.HasPrefix(v, "-") {
			return fmt.Errorf("--%s %s: at least 1 is needed", name, v)
		}
	case "duration", "warmup", "budget", "time-limit":
		if f.Value.Type() == benchTime && strings.HasSuffix(v, "x") {
			break // Set has checked the iterations
		}
		if t, err := time.ParseDuration(v); err != nil || t < 0 || t == 0 &&
			(name == "duration" || name == "time-limit") {
			return fmt.Errorf("--%s %s is not a positive time", name, v)
		}
	case "operations", "layouts":
		if strings.HasPrefix(v, "-") || name == "operations" && v == "0" && conflict != nil ||
			name == "layouts" && v == "2" {
			return fmt.Errorf("--%s %s is not possible; see --help", name, v)
		}
	}
	if v == "" {
		return fmt.Errorf("--%s is empty; give it a value or leave it out", f.Name)
	}
	return nil
}

// checkDesigns refuses names that no workload has. Only a name that is none of an own design starts another program. If
// that program cannot be used, the error gives the reason in addition to the conflict.
func (d *Defaults) checkDesigns(flag, names string, conflict error) error {
	for n := range strings.SplitSeq(names, ",") {
		own := func(w *workload.Workload) bool {
			return slices.ContainsFunc(w.Designs, func(x workload.Design) bool { return x.Name == n })
		}
		some := func(w *workload.Workload) bool { _, ok := w.Find(n); return ok }
		if slices.ContainsFunc(d.Workloads, own) || slices.ContainsFunc(d.Workloads, some) {
			continue
		}
		var known []string
		var failed error
		for _, w := range d.Workloads {
			for _, x := range w.AllDesigns() {
				known = append(known, x.Name)
			}
			if w.More != nil && failed == nil {
				_, failed = w.More()
			}
		}
		err := cmp.Or(conflict, fmt.Errorf("--%s: no workload has a design %q%s", flag, n, DidYouMean(n, known)))
		if failed != nil && !errors.Is(err, failed) {
			err = fmt.Errorf("%w; %w", err, failed)
		}
		return err
	}
	return nil
}

// DidYouMean suggests one of the known words; "" if none is similar.
func DidYouMean(word string, known []string) string {
	if s := plan.Suggest(word, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// Subset returns the named flags of a set; all if there are no names. Flags that it sets are no flags of the command
// line: [pflag.FlagSet.Visit] of the whole set does not visit them.
func Subset(flags *pflag.FlagSet, names []string) *pflag.FlagSet {
	if len(names) == 0 {
		return flags
	}
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, n := range names {
		some.AddFlag(flags.Lookup(n))
	}
	return some
}
