// Package settings defines how a released program is built, for the tool that builds a release and the proof of its
// size.
package settings

import "os"

// LinkerFlags leave out the symbol table and the debug information of a released program.
const LinkerFlags = "-s -w"

// Build returns the arguments of the go command that build a program without paths of this machine, up to the flags
// and packages that the caller appends.
func Build(linkerFlags string) []string {
	return []string{"build", "-trimpath", "-ldflags=" + linkerFlags}
}

// Environment returns the environment of the go command for a platform. It uses no C compiler, and hides every setting
// in the environment of this process or from go env -w that changes what a version of Go builds. An empty variable
// alone would not hide the latter.
func Environment(goos, goarch string) []string {
	return append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOENV=off", "GOFLAGS=",
		"GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off", "GODEBUG=")
}
