package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// doubleDashes returns the arguments of a command with the named flags, such as -bench=X, as flags of two dashes.
// Values of flags, shorthands and what follows -- stay.
func doubleDashes(flags *pflag.FlagSet, names, args []string) []string {
	args = slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		word, _, _ := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		if slices.Contains(names, word) && args[i][0] == '-' {
			args[i] = "-" + args[i]
		}
		if needsValue(flags, args[i]) {
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
	for i := range arg[1:] { // -o, or -qo
		if arg[1+i] >= utf8.RuneSelf {
			return false // no shorthand
		}
		f := flags.ShorthandLookup(arg[1+i : 2+i])
		if f != nil && f.NoOptDefVal == "" {
			return i == len(arg)-2
		}
	}
	return false
}

// BenchTime is the flag for what each trial measures: a time, or iterations as in 200x. Iterations is 0 for a time.
type BenchTime struct {
	Time       *time.Duration
	Iterations *int
}

// String returns the time, or the iterations as in 200x.
func (b BenchTime) String() string {
	switch {
	case b.Time == nil: // pflag calls it on the zero value
		return "0s"
	case *b.Iterations > 0:
		return fmt.Sprintf("%dx", *b.Iterations)
	}
	return b.Time.String()
}

// benchTime is the type of a [BenchTime].
const benchTime = "benchtime"

// Type returns benchtime.
func (b BenchTime) Type() string { return benchTime }

// Set reads a positive number of iterations, such as 200x, or a time.
func (b BenchTime) Set(text string) error {
	*b.Iterations = 0
	if number, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return strconv.ErrSyntax
		}
		*b.Iterations = n
		return nil
	}
	d, err := time.ParseDuration(text)
	if err == nil {
		*b.Time = d
	}
	return err
}

// ParsePercent reads the percentage of a flag as a share: "5%" and "5" are 0.05. Without its sign, 0.05 could mean
// either and is refused.
func ParsePercent(flag, text string) (share float64, err error) {
	number, sign := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "0123456789.eE-") != "" || !(x >= 0 && x <= 1000) ||
		!sign && x > 0 && x < 1 {
		return 0, fmt.Errorf("--%s %s: give 0%% to 1000%%, as in 5%%; below 1%% the sign is required, as in 0.5%%",
			flag, text)
	}
	return x / 100, nil
}

// goTestFlags are the flags that bench and gate take with one dash, as go test does.
var goTestFlags = []string{"bench", "benchmem", "benchtime", "count", "cpu", "run"}

// GoTest returns the arguments of the command with flags of go test as flags of two dashes, if they are for bench or
// gate.
func GoTest(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != "bench" && cmd.Name() != "gate" {
		return args
	}
	return doubleDashes(cmd.Flags(), goTestFlags, args)
}
