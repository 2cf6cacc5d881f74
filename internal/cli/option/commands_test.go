package option

import (
	"fmt"
	"strings"
	"testing"
)

// TestHasCommands checks which arguments are commands, and how they are split.
func TestHasCommands(t *testing.T) {
	for _, c := range []struct {
		words    string
		dashed   int
		commands bool
		refused  bool
	}{
		{"old new", -1, false, false}, {"old new", 0, false, false}, {"./old ::: ./new", 0, true, false},
		{"./old ::: ./new", -1, true, true}, {"x ./old ::: ./new", 1, true, true}, {"sh sh", 0, true, true},
	} {
		got, err := HasCommands(strings.Fields(c.words), c.dashed)
		if got != c.commands || (err != nil) != c.refused {
			t.Errorf("%q after %d: %t, %v", c.words, c.dashed, got, err)
		}
	}
}

func TestSplitCommands(t *testing.T) {
	got := SplitCommands(strings.Fields("./old -n 5 ::: ./new ::: ./third x"))
	if fmt.Sprintf("%q", got) != `[["./old" "-n" "5"] ["./new"] ["./third" "x"]]` {
		t.Errorf("%q", got)
	}
}
