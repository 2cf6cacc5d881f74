package arch

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestCampaigns checks that CONTRIBUTING.md names every target of the Makefile that runs a program of proof, stores
// what it finds in a record, or prints what a test measures.
func TestCampaigns(t *testing.T) {
	campaigns, text := 0, read(t, os.DirFS("../.."), "CONTRIBUTING.md")
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):.* ##.*\n((?:\t.*\n)+)`).FindAllStringSubmatch(
		read(t, os.DirFS("../.."), "Makefile"), -1) {
		name, recipe := m[1], m[2]
		if !strings.Contains(recipe, "./proof/") && !strings.Contains(recipe, " -record ") &&
			!strings.Contains(recipe, " -v") {
			continue
		}
		campaigns++
		if !regexp.MustCompile(`make ` + name + `[\s:]`).MatchString(text) {
			t.Errorf("CONTRIBUTING.md does not name make %s", name)
		}
	}
	if campaigns < 10 {
		t.Errorf("the Makefile has %d campaigns", campaigns)
	}
}
