package option

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

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
