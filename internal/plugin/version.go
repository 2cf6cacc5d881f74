package plugin

import (
	"runtime/debug"
	"strings"

	"github.com/brewput/brewput/internal/buildinfo"
)

// Version is the version of Brewput in this program. That of a checkout is its revision, also in a module of the
// same repository.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

// versionOf is the version of Brewput in a program, which may have no build information.
func versionOf(info *debug.BuildInfo) string {
	b := buildinfo.From(info)
	if info == nil {
		return b.Version
	}
	nested := strings.HasPrefix(info.Main.Path, buildinfo.Module+"/")
	if info.Main.Path != buildinfo.Module && !nested {
		return b.Version
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	if revision == "" {
		return b.Version
	}
	return "(devel) " + revision[:min(12, len(revision))] + modified
}

// differ reports whether two versions are known, and not the same. Local changes are not compared: the checksums of the
// workloads are.
func differ(a, b string) bool {
	unknown := func(v string) bool { return v == "(devel)" || v == "(unknown)" }
	trim := func(v string) string { return strings.TrimSuffix(v, "+changes") }
	return !unknown(a) && !unknown(b) && trim(a) != trim(b)
}
