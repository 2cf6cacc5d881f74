// Package cachetest gives tests a cache directory of their own.
package cachetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Apart runs the tests of a package with a cache directory of their own, so that calibrations of this machine do not
// matter. XDG_CACHE_HOME names it, which darwin, Windows and Plan 9 ignore. The go command keeps its cache.
type Apart struct{ *testing.M }

// Run runs the tests and returns the exit code. It panics if the directory cannot be made.
func (a Apart) Run() int {
	var err error
	if os.Getenv("GOCACHE") == "" {
		var cache string
		if cache, err = os.UserCacheDir(); err == nil {
			err = os.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
		}
	}
	dir, failed := os.MkdirTemp("", "brewput-cache")
	if err = errors.Join(err, failed, os.Setenv("XDG_CACHE_HOME", dir)); err != nil {
		panic("no cache for the tests: " + err.Error())
	}
	defer os.RemoveAll(dir)
	return a.M.Run()
}
