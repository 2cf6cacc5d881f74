package help

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// aliases are clearer names of flags whose names mean different things for different verbs: by verb and flag.
var aliases = map[string]map[string]string{
	"run": {"count": "blocks", "duration": "window", "time-limit": "hang-after", "output": "run-dir",
		"compare": "pairs", "baseline": "baseline-design"},
	"sim": {"count": "replications", "duration": "virtual-window", "time-limit": "hang-after", "output": "run-dir",
		"compare": "pairs", "baseline": "baseline-design"},
	"bench": {"count": "blocks", "duration": "benchtime", "time-limit": "hang-after", "output": "run-dir",
		"base": "base-revision", "cpus": "cpu"},
	"gate": {"count": "max-blocks", "duration": "benchtime", "time-limit": "hang-after", "output": "run-dir",
		"base": "base-revision", "cpus": "cpu"},
	"compare": {"count": "blocks", "time-limit": "hang-after", "output": "run-dir"},
	"explain": {"duration": "watch", "time-limit": "total-time", "output": "keep"},
	"doctor":  {"time-limit": "total-time", "quick": "no-noise-floor"},
}

// Flag returns the name of a verb's flag for a name that may be an alias.
func Flag(verb, name string) string {
	for flag, alias := range aliases[verb] {
		if name == alias {
			return flag
		}
	}
	return name
}

// addAliases makes a verb accept the aliases of its flags. A factor of a workload wins over an alias.
func addAliases(cmd *cobra.Command, verb string) {
	flags, own := cmd.Flags(), map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { own[f.Name] = true })
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if !own[name] {
			name = Flag(verb, name)
		}
		return pflag.NormalizedName(name)
	})
	for _, c := range cmd.Commands() {
		addAliases(c, verb)
	}
}

// factors is the heading of the factors of a workload.
const factors = "Factors (lists and ranges, such as 1,2,4 and 1..6)"

// FactorType is the type of the flags that are factors of a workload.
const FactorType = "LEVELS"

// options is the heading of the options of a workload.
const options = "The workload"

// OptionMark is the annotation of the flags that are options of a workload.
const OptionMark = "option of a workload"

// IsOption reports whether a flag is an option of a workload.
func IsOption(f *pflag.Flag) bool { return f.Annotations[OptionMark] != nil }

// groups are the headings of flags in help, with the flags below them. Others come last.
var groups = []struct{ title, flags string }{
	{"What to measure", "after against allow base baseline before bench compare cost cpus designs env " +
		"go ignore-failure input layouts max-regression metric oversubscribe pgo prepare record-costs " +
		"replay-costs setup slo"},
	{"How long and how often", "budget count duration operations precision quick sample seed time-limit warmup " +
		"warmup-runs"},
	{"Output", "format full help output pprof quiet resume save show show-output timeline timeline-span verbose"},
}

// group is a heading with flags.
type group struct {
	title string
	flags []flag
}

// flag is the help of a flag: its names with its value, and its text with its default and alias.
type flag struct{ names, text string }

// flagGroups returns the flags of a command, with those of its parents. A few flags need no groups.
func flagGroups(cmd *cobra.Command) []group {
	list := visible(cmd)
	byTitle := map[string][]flag{}
	for _, f := range list {
		byTitle[titleOf(f, len(list))] = append(byTitle[titleOf(f, len(list))], describeFlag(Verb(cmd), f))
	}
	var out []group
	add := func(title string) {
		if len(byTitle[title]) > 0 {
			out = append(out, group{title, byTitle[title]})
		}
	}
	add(options)
	add(factors)
	for _, g := range groups {
		add(g.title)
	}
	add("More flags")
	add("Flags")
	return out
}

// visible returns the flags that help shows, by name.
func visible(cmd *cobra.Command) []*pflag.Flag {
	cmd.InitDefaultHelpFlag()
	var list []*pflag.Flag
	add := func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			list = append(list, f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	slices.SortFunc(list, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func titleOf(f *pflag.Flag, n int) string {
	if f.Value.Type() == FactorType {
		return factors
	}
	if IsOption(f) {
		return options
	}
	if n <= 8 {
		return "Flags"
	}
	for _, g := range groups {
		if slices.Contains(strings.Fields(g.flags), f.Name) {
			return g.title
		}
	}
	return "More flags"
}

// Verb returns the verb that a command belongs to.
func Verb(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd.Name()
}

func describeFlag(verb string, f *pflag.Flag) flag {
	value, text := pflag.UnquoteUsage(f)
	switch value {
	case "int", "uint":
		value = "N"
	case "string", "strings":
		value = strings.ToUpper(f.Name)
	}
	names := "    --" + f.Name
	if f.Shorthand != "" {
		names = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		names += " " + value
	}

	var notes []string
	if d := Default(f); d != "" && !strings.Contains(text, "(default ") {
		notes = append(notes, "default "+d)
	}
	if alias := Alias(verb, f.Name); alias != "" {
		notes = append(notes, "also --"+alias)
	}
	if i := strings.LastIndex(text, " (default "); i >= 0 && strings.HasSuffix(text, ")") && notes != nil {
		text, notes = text[:i], append([]string{text[i+2 : len(text)-1]}, notes...)
	}
	if notes != nil {
		text += fmt.Sprintf(" (%s)", strings.Join(notes, "; "))
	}
	return flag{names, text}
}

// Default returns the default of a flag as a user writes it, or "" for a flag that sets nothing unless it is given.
func Default(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
		return ""
	}
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return strings.Trim(f.DefValue, "[]")
	}
	text := f.DefValue
	if f.Value.Type() == "duration" { // 10m0s is 10m
		text = strings.TrimSuffix(text, "m0s")
		if text != f.DefValue {
			text += "m"
		}
	}
	return text
}

// Alias returns the clearer name of a verb's flag, or "" if it has one name.
func Alias(verb, flag string) string { return aliases[verb][flag] }

// OfferAliases makes the completion of flags offer their aliases too. args are the arguments of the command. Unless
// they ask for a completion, it does nothing. The aliases become persistent flags, which [addAliases] keeps out of
// parsing, because cobra offers nothing but flags.
func OfferAliases(root *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return
	}
	for _, verb := range root.Commands() {
		offerAliases(verb, verb.Name())
	}
}

func offerAliases(cmd *cobra.Command, verb string) {
	for _, c := range cmd.Commands() { // before the parents, whose aliases they would inherit
		offerAliases(c, verb)
	}
	cmd.InheritedFlags() // adds persistent flags to Flags, where an alias that came first would take their place
	for flag, alias := range aliases[verb] {
		if f := cmd.Flags().Lookup(flag); f != nil {
			same := *f
			same.Name, same.Shorthand, same.Usage = alias, "", "the same as --"+flag
			cmd.PersistentFlags().AddFlag(&same)
		}
	}
}
