package host

import (
	"os"
	"path/filepath"
	"testing"
)

// TestThrottledAbove has a group that was stopped twice, below one that was stopped 40 times.
func TestThrottledAbove(t *testing.T) {
	var c Counters
	c.own.root = t.TempDir()
	for name, text := range laptop() {
		file := filepath.Join(c.own.root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if c.Read(); c.total[throttled] != 42 {
		t.Errorf("throttled in %v periods", c.total[throttled])
	}
}
