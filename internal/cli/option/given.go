package option

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/help"
	"github.com/brewput/brewput/workload"
)

// AddGiven adds a flag for each option of a workload. When flags are parsed, their values are added to given.
func AddGiven(flags *pflag.FlagSet, w *workload.Workload, given workload.Given) {
	for _, o := range w.Options {
		f := flags.VarPF(&givenFlag{o, given}, o.Name, "", o.Doc)
		f.Annotations = map[string][]string{help.OptionMark: {w.Name}}
		if o.Value == "" {
			f.NoOptDefVal = "true"
		}
	}
}

// givenFlag is the flag of an option of a workload.
type givenFlag struct {
	option workload.Option
	given  workload.Given
}

// String returns the values that were given; false for a switch that was not.
func (f *givenFlag) String() string {
	values := f.given[f.option.Name]
	if f.option.Value == "" {
		return strconv.FormatBool(len(values) > 0)
	}
	return strings.Join(values, ",")
}

// Set adds a value. A switch that is set to false counts as not given.
func (f *givenFlag) Set(text string) error {
	name := f.option.Name
	if f.option.Value != "" {
		f.given[name] = append(f.given[name], text)
		return nil
	}
	on, err := strconv.ParseBool(text)
	if delete(f.given, name); on && err == nil {
		f.given[name] = []string{"true"}
	}
	return err
}

// Type is the word for the value in help.
func (f *givenFlag) Type() string {
	if f.option.Value == "" {
		return "bool"
	}
	return f.option.Value
}
