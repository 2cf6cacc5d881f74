package cli_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestOutputLost: no verb succeeds whose output is lost.
func TestOutputLost(t *testing.T) {
	for _, args := range []string{"list", "list coffee", "list --format json", "show coffee/locking", "version",
		"--help", "run --help"} {
		var errs bytes.Buffer
		code := cli.Run(context.Background(), catalog.All(), strings.Fields(args), strings.NewReader(""), full{}, &errs)
		if code != 2 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("brewput %s exits with %d and says %q", args, code, errs.String())
		}
	}
}
