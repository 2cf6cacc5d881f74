package option

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/plan"
)

// goFlags maps flags of go test to Brewput's.
var goFlags = map[string]string{"cpu": "cpus", "benchtime": "duration", "run": "bench"}

// commandForms show how verbs take commands.
var commandForms = map[string]string{"explain": "-- go test -bench .", "compare": "-- ./old ::: ./new"}

// FlagError turns the error of a flag that could not be parsed into one that says what to type.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		typed, as := "-"+unknown.GetSpecifiedName(), ""
		if _, word, ok := strings.Cut(err.Error(), " in -"); ok && len(word) > 1 {
			typed = "-" + word
			word, _, _ = strings.Cut(word, "=")
			if ours, ok := goFlags[word]; ok {
				word = ours
			}
			if cmd.Flags().Lookup(word) != nil {
				as = "--" + word
			}
		}
		switch {
		case as == "" && commandForms[cmd.Name()] != "": // the flag may belong to a command
			return fmt.Errorf("%s has no flag %s; put -- before the command, as in %s %s; see %s --help",
				cmd.CommandPath(), typed, cmd.CommandPath(), commandForms[cmd.Name()], cmd.CommandPath())
		case as == "":
			as = "--count 5"
		}
		return fmt.Errorf("%s has no flag %s; long flags take two dashes, as in %s; see %s --help",
			cmd.CommandPath(), typed, as, cmd.CommandPath())
	case errors.As(err, &unknown) && cmd.Name() == "compare" && unknown.GetSpecifiedName() == "base":
		root := cmd.Root().Name()
		return fmt.Errorf("%s has no flag --base; bench and gate take --base REV; to compare commands of two "+
			"revisions, build both, then type %s compare -- ./old ::: ./new; see %s --help", cmd.CommandPath(), root,
			cmd.CommandPath())
	case errors.As(err, &unknown):
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return fmt.Errorf("%s has no flag --%s%s; see %s --help", cmd.CommandPath(),
			unknown.GetSpecifiedName(), didYouMeanFlag(unknown.GetSpecifiedName(), known), cmd.CommandPath())
	case errors.As(err, &invalid):
		return Invalid(invalid.GetFlag(), invalid.GetValue())
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// optionName finds the name of an option in the text of a library, as in (option count) and (option count 20).
var optionName = regexp.MustCompile(`\(option ([a-z-]+)( [^()]*)?\)`)

// Typed names the options in a text of a library as flags that can be typed.
func Typed(text string) string { return optionName.ReplaceAllString(text, "(--$1$2)") }

func didYouMeanFlag(word string, known []string) string {
	if s := plan.Suggest(word, known); s != "" {
		return fmt.Sprintf(", did you mean --%s?", s)
	}
	return ""
}

// decimalDigits describes the values of flags that count.
const decimalDigits = "a whole number in decimal digits, without leading zeros, as in 10"

// Invalid is the error of a flag's value. It says what the flag takes.
func Invalid(f *pflag.Flag, value string) error {
	takes := map[string]string{
		"int": decimalDigits, "int64": decimalDigits, "uint64": decimalDigits + ", 0 or more",
		"duration": "a time such as 500ms or 2s",
		benchTime:  "a time such as 500ms, or iterations such as 200x", "bool": "true or false",
	}[f.Value.Type()]
	if takes == "" { // a list; all other types take any text
		takes = "values separated by commas, as in a,b"
	}
	return fmt.Errorf("--%s %q is not possible: it takes %s", f.Name, value, takes)
}
