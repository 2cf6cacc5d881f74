package cli

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/pprofui"
)

// TestProfilesToShow checks that each kind has one view, even if a file is given twice, because views are named after
// kinds.
func TestProfilesToShow(t *testing.T) {
	c := &collect.Collected{Files: []collect.File{{Kind: "cpu", Path: "a"}, {Kind: "cpu", Path: "a"},
		{Kind: "trace", Path: "t"}, {Kind: "heap", Path: "h"}, {Kind: "cpu", Path: "b"}}}
	if got, want := profilesToShow(c), []pprofui.Profile{{Name: "cpu", Path: "a"},
		{Name: "heap", Path: "h"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
