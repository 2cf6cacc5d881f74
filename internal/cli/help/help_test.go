package help

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	files, err := texts.ReadDir(".")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		long, examples := Text(strings.TrimSuffix(f.Name(), ".txt"))
		if strings.Contains(long, "Examples:") || strings.Contains(examples, "\n ") {
			t.Errorf("%s: %q, %q", f.Name(), long, examples)
		}
		for line := range strings.Lines(long) {
			if len(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: over 80 columns: %s", f.Name(), line)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a verb without a file is accepted")
		}
	}()
	Text("no-such-verb")
}
