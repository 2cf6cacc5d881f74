// Package cachetest runs tests with a temporary cache directory.
package cachetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Main runs the tests of a package with a temporary cache directory, so that stored calibrations do not affect them. It
// sets XDG_CACHE_HOME, which darwin, Windows and Plan 9 ignore: there, tests use the user's directory. The go command
// keeps its cache.
type Main struct{ *testing.M }

// Run runs the tests and returns the exit code. It panics if the directory cannot be made.
func (m Main) Run() int {
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
	return m.M.Run()
}
