package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
)

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestOutputLost checks that a verb whose output is lost fails, and not as wrong use.
func TestOutputLost(t *testing.T) {
	old, cur := filepath.Join(t.TempDir(), "old.txt"), filepath.Join(t.TempDir(), "new.txt")
	for file, ns := range map[string]int{old: 100, cur: 120} {
		lines := strings.Repeat(fmt.Sprintf("BenchmarkTea 10 %d ns/op\n", ns), 6)
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	verbs := []string{
		"list", "list coffee", "list --format json", "show coffee/locking", "version", "--help", "run --help",
	}
	for _, format := range []string{"table", "md", "json", "bench"} {
		verbs = append(verbs, fmt.Sprintf("compare %s %s --format %s", old, cur, format),
			"sim coffee --designs locking --cpus 1 --count 2 --time-limit 1m -o "+
				filepath.Join(t.TempDir(), "run")+" --format "+format)
	}
	for _, args := range verbs {
		var errs bytes.Buffer
		code := cli.Run(context.Background(), catalog.All(), strings.Fields(args), strings.NewReader(""), full{}, &errs)
		if code != 4 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("brewput %s exits with %d and says %q", args, code, errs.String())
		}
	}
}
