package command

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/internal/proc"
)

// TestLine checks that the words of a printed command line are those of the command.
func TestLine(t *testing.T) {
	words := []string{"./my prog", "", "it's", `a"b`, `c\d`, "$x", "-n", "5"}
	got, err := proc.Words(Command{Words: words}.Line())
	if err != nil || !slices.Equal(got, words) {
		t.Errorf("%q, %v", got, err)
	}
}
