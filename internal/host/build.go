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

	"github.com/brewput/brewput/result"
)

func readBuild() result.Build {
	b := result.Build{GoVersion: runtime.Version(), BuildFlags: []string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		applySettings(&b, info.Settings, hashFile)
	}
	// On Linux, this is the file that runs, also after a build has put another one at its path.
	if b.ExeSHA256 = hashFile("/proc/self/exe"); b.ExeSHA256 != nil {
		return b
	}
	if exe, err := os.Executable(); err == nil {
		b.ExeSHA256 = hashFile(exe)
	}
	return b
}

// applySettings sets the fields from the build settings in the program. hash returns the hash of a file, or nil.
func applySettings(b *result.Build, settings []debug.BuildSetting, hash func(name string) *string) {
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

// pgo identifies a profile without its folder, which may be private.
func pgo(name string, hash func(string) *string) *string {
	if filepath.IsAbs(name) { // a build with -trimpath has the base name only
		if sum := hash(name); sum != nil {
			return new("sha256:" + *sum)
		}
	}
	// The program may have been built on another system, so both separators count.
	return known(name[strings.LastIndexAny(name, `/\`)+1:])
}

// defaultGODEBUG returns the settings from the main package's Go version and //go:debug lines.
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

// known returns a pointer to s, or nil if s is empty.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// hashFile returns the SHA-256 of a file in hexadecimal, nil if it cannot be read.
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
