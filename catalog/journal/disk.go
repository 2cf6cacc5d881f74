package journal

import (
	"os"

	"github.com/brewput/brewput/plan"
)

// check returns an error for a directory that does not exist.
func check(p plan.Point) error {
	if !p.Has("dir") {
		return nil
	}
	info, err := os.Stat(p.Text("dir"))
	switch {
	case err != nil:
		return &plan.Refusal{Field: "dir", Reason: err.Error(), Err: err}
	case !info.IsDir():
		return &plan.Refusal{Field: "dir", Value: p.Text("dir"), Reason: "not a directory; name one to write logs in"}
	}
	return nil
}

// newDir creates the directory of a log.
func newDir(p plan.Point) (string, error) {
	parent := ""
	if p.Has("dir") {
		parent = p.Text("dir")
	}
	return os.MkdirTemp(parent, "brewput-journal-")
}

func removeDir(dir string) error { return os.RemoveAll(dir) }
