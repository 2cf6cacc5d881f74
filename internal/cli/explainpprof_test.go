package cli

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/pprofui"
)

// TestProfilesToShow: views have the name of their kind, so each kind has one, also where a file was given twice.
func TestProfilesToShow(t *testing.T) {
	c := &collect.Collected{Files: []collect.File{{Kind: "cpu", Path: "a"}, {Kind: "cpu", Path: "a"},
		{Kind: "trace", Path: "t"}, {Kind: "heap", Path: "h"}, {Kind: "cpu", Path: "b"}}}
	if got, want := profilesToShow(c), []pprofui.Profile{{Name: "cpu", Path: "a"},
		{Name: "heap", Path: "h"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
