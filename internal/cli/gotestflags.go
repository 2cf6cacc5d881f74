package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// goTestFlags are the flags that bench and gate take with one dash, as go test does.
var goTestFlags = []string{"bench", "benchmem", "benchtime", "count", "cpu", "run"}

// doubleDashes returns the arguments with flags of go test, such as -bench=X, as flags of two dashes, if they are for
// bench or gate. Values of flags, shorthands and what follows -- stay.
func doubleDashes(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != "bench" && cmd.Name() != "gate" {
		return args
	}
	args = slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		word, _, _ := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		if slices.Contains(goTestFlags, word) && args[i][0] == '-' {
			args[i] = "-" + args[i]
		}
		if needsValue(cmd.Flags(), args[i]) {
			i++
		}
	}
	return args
}

// needsValue reports whether an argument is a flag whose value is the next argument.
func needsValue(flags *pflag.FlagSet, arg string) bool {
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		f := flags.Lookup(long) // nil with "=VALUE"
		return f != nil && f.NoOptDefVal == ""
	}
	if !strings.HasPrefix(arg, "-") {
		return false
	}
	for i, letter := range arg[1:] { // -o, or -qo
		f := flags.ShorthandLookup(string(letter))
		if f != nil && f.NoOptDefVal == "" {
			return i == len(arg)-2
		}
	}
	return false
}

// benchTime is the flag for what each trial measures: a time, or iterations as in 200x. iterations is 0 for a time.
type benchTime struct {
	time       *time.Duration
	iterations *int
}

func (b benchTime) String() string {
	switch {
	case b.time == nil: // pflag calls it on the zero value
		return "0s"
	case *b.iterations > 0:
		return fmt.Sprintf("%dx", *b.iterations)
	}
	return b.time.String()
}

func (b benchTime) Type() string { return "benchtime" }

func (b benchTime) Set(text string) error {
	*b.iterations = 0
	if number, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return strconv.ErrSyntax
		}
		*b.iterations = n
		return nil
	}
	d, err := time.ParseDuration(text)
	if err == nil {
		*b.time = d
	}
	return err
}

// parsePercent reads a percentage as a share: "5%" and "5" are 0.05. Without its sign, 0.05 could mean either and is
// refused.
func parsePercent(text string) (share float64, ok bool) {
	number, sign := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	return x / 100, err == nil && strings.Trim(number, "0123456789.eE-") == "" && x >= 0 && x <= 1000 &&
		(sign || x == 0 || x >= 1)
}
