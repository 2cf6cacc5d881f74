// Package buildinfo reads from what a program was built.
package buildinfo

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/brewput/brewput/result"
)

// Module is the module whose version is read. A user's own program depends on it.
const Module = "github.com/brewput/brewput"

// Build says from what a program was built. Its JSON is a contract.
type Build struct {
	Kind          string  `json:"kind"` // "version"
	SchemaVersion int     `json:"schema_version"`
	Version       string  `json:"version"`  // of Module; "(devel)" if it has none
	Revision      *string `json:"revision"` // of its repository; null if the build does not record it
	Modified      *bool   `json:"modified"` // whether there were uncommitted changes; null likewise
	Go            string  `json:"go"`
	OS            string  `json:"goos"`
	Arch          string  `json:"goarch"`

	// Sum is the checksum of the module's files, as go.sum has it; "" if the program was built from a checkout.
	Sum string `json:"-"`
}

// String is the build in one line.
func (b Build) String() string {
	text := fmt.Sprintf("brewput %s %s %s/%s", b.Version, b.Go, b.OS, b.Arch)
	if b.Revision != nil {
		text += ", revision " + *b.Revision
	}
	if b.Modified != nil && *b.Modified {
		text += ", with uncommitted changes"
	}
	return text
}

// Here is the build of this program.
func Here() Build {
	info, _ := debug.ReadBuildInfo()
	return From(info)
}

// From reads the build information of a program, which is nil if the program has none.
func From(info *debug.BuildInfo) Build {
	b := Build{Kind: "version", SchemaVersion: result.SchemaVersion, Version: "(unknown)", Go: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info == nil {
		return b
	}
	module := info.Main
	if module.Path != Module { // the repository is that of the user's program
		for _, dep := range info.Deps {
			if dep.Path == Module {
				module = *dep
				if dep.Replace != nil {
					module = *dep.Replace
				}
			}
		}
		info = &debug.BuildInfo{}
	}
	b.Version, b.Sum = module.Version, module.Sum
	if module.Path != Module || module.Version == "" { // a checkout, or another module in its place
		b.Version, b.Sum = "(devel)", ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = &s.Value
		case "vcs.modified":
			b.Modified = new(s.Value == "true")
		}
	}
	return b
}
