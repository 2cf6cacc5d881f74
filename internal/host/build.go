package host

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Build is how the program was built. A null is not recorded in it, or not set.
type Build struct {
	GoVersion    string   `json:"go_version"`
	GOEXPERIMENT *string  `json:"goexperiment"`
	GOAMD64      *string  `json:"goamd64"` // level of instructions; null on other architectures
	GOARM64      *string  `json:"goarm64"`
	PGO          *string  `json:"pgo"`         // sha256 of the profile, or its file name where the file is gone
	BuildFlags   []string `json:"build_flags"` // those that change the code: -tags, -ldflags, -gcflags, ...
	Race         *bool    `json:"race"`
	Cover        *bool    `json:"cover"`
	VCSRevision  *string  `json:"vcs_revision"`
	VCSModified  *bool    `json:"vcs_modified"` // the source differed from the revision
	ExeSHA256    *string  `json:"exe_sha256"`
}

func readBuild() Build {
	b := Build{GoVersion: runtime.Version(), BuildFlags: []string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.settings(info.Settings, hashFile)
	}
	if exe, err := os.Executable(); err == nil {
		b.ExeSHA256 = hashFile(exe)
	}
	return b
}

// settings fills in what the go command wrote into the program. hash is a file's hash, or nil.
func (b *Build) settings(settings []debug.BuildSetting, hash func(name string) *string) {
	b.Race, b.Cover = new(false), new(false) // the go command writes these only if they are on
	for _, s := range settings {
		v := s.Value
		switch s.Key {
		case "-race":
			b.Race = new(v == "true")
		case "-cover":
			b.Cover = new(v == "true")
		case "-tags", "-ldflags", "-gcflags", "-asmflags", "-trimpath", "-buildmode", "-compiler", "-asan", "-msan",
			"CGO_ENABLED":
			b.BuildFlags = append(b.BuildFlags, s.Key+"="+v)
		case "-pgo":
			b.PGO = pgo(v, hash)
		case "GOEXPERIMENT":
			b.GOEXPERIMENT = known(v)
		case "GOAMD64":
			b.GOAMD64 = known(v)
		case "GOARM64":
			b.GOARM64 = known(v)
		case "vcs.revision":
			b.VCSRevision = known(v)
		case "vcs.modified":
			b.VCSModified = new(v == "true")
		}
	}
}

// pgo names a profile without the folder it lies in, which is nobody's business.
func pgo(name string, hash func(string) *string) *string {
	if filepath.IsAbs(name) { // a build with -trimpath has the last part only
		if sum := hash(name); sum != nil {
			return new("sha256:" + *sum)
		}
	}
	// Both separators: the program can have been built on another system.
	return known(name[strings.LastIndexAny(name, `/\`)+1:])
}

// defaultGODEBUG is the list of settings that the main package's Go version or //go:debug lines made.
func defaultGODEBUG() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "DefaultGODEBUG" {
				return s.Value
			}
		}
	}
	return ""
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// hashFile is a file's SHA-256 in hexadecimal, nil where it cannot be read.
func hashFile(name string) *string {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil
	}
	return new(hex.EncodeToString(h.Sum(nil)))
}
