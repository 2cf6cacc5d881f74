// Package cachetest gives tests a cache directory of their own.
package cachetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Apart runs the tests of a package with a cache directory of their own, so that calibrations of this machine do not
// matter. The go command keeps its cache.
type Apart struct{ *testing.M }

// Run runs the tests and returns the exit code. It panics without a directory for temporary files.
func (a Apart) Run() int {
	cache, err := os.UserCacheDir()
	if err == nil && os.Getenv("GOCACHE") == "" {
		err = os.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	dir, failed := os.MkdirTemp("", "brewput-cache")
	if err = errors.Join(err, failed, os.Setenv("XDG_CACHE_HOME", dir)); err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	return a.M.Run()
}
