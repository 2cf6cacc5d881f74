package endpoint

import (
	"io"
	"log"
	"os"
	"testing"
)

// write writes a file.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// quiet is a logger that drops its lines.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
