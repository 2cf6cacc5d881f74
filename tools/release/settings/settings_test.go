package settings

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestGoreleaser checks that goreleaser builds a program with the same settings.
func TestGoreleaser(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	own := Environment("", "")[len(os.Environ())+2:] // without GOOS and GOARCH, which goreleaser sets for each target
	for _, want := range append(own, LinkerFlags, "-trimpath") {
		if !strings.Contains(string(text), strconv.Quote(want)) {
			t.Errorf(".goreleaser.yaml lacks %q", want)
		}
	}
}
