package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/cli/option"
)

// TestDoubleDashes checks that flags of go test are rewritten for bench and gate, and nothing else is: no value, no
// shorthand, and nothing of other verbs or after two dashes.
func TestDoubleDashes(t *testing.T) {
	for args, want := range map[string]string{
		"bench -bench Encode -count 5 -cpu 1,2 -benchtime 100ms ./codec": "bench --bench Encode --count 5 --cpu 1,2 " +
			"--benchtime 100ms ./codec",
		"bench -bench=. -benchmem -run=^$ -benchtime=200x": "bench --bench=. --benchmem --run=^$ --benchtime=200x",
		"gate --base main -count=9":                        "gate --base main --count=9",
		"bench --bench -count -count 5":                    "bench --bench -count --count 5",
		"bench -o -bench -bench X":                         "bench -o -bench --bench X",
		"bench -qo -bench -bench X":                        "bench -qo -bench --bench X",
		"bench -obench -q -v":                              "bench -obench -q -v",
		"bench --bench=x -count 3":                         "bench --bench=x --count 3",
		"bench -qv -cpu 2 -- -bench":                       "bench -qv --cpu 2 -- -bench",
		"bench bench count":                                "bench bench count",
		"-q bench -count 3":                                "-q bench --count 3",
		"run coffee -count 3":                              "run coffee -count 3",
		"bench - -x -benchx":                               "bench - -x -benchx",
	} {
		got := option.GoTest((&app{}).root(), strings.Fields(args))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, not %q", args, got, want)
		}
	}
}
