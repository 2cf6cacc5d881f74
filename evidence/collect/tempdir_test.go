package collect

import (
	"path/filepath"
	"strings"
	"testing"
)

// If no temporary directory can be made, the error names the variable to set.
func TestNoTempDir(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	if _, err := newTempDir("work"); err == nil || !strings.Contains(err.Error(), "set TMPDIR to a directory") {
		t.Errorf("newTempDir: %v", err)
	}
}
