package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/tools/release/settings"
)

// platform is an operating system and an architecture, as the go command names them.
type platform struct{ goos, goarch string }

func (p platform) String() string { return p.goos + "/" + p.goarch }

// buildArchive builds the program for a platform and returns its archive and the list of its modules.
func (r *release) buildArchive(ctx context.Context, p platform, extra []file) ([]file, error) {
	temp, err := os.MkdirTemp("", "brewput-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)

	program := "brewput"
	if p.goos == "windows" {
		program += ".exe"
	}
	binary := filepath.Join(temp, program)
	if err := compile(ctx, r.pkg, p, binary); err != nil {
		return nil, err
	}

	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	made, err := commitTime(info)
	if err != nil {
		return nil, err
	}
	if setting(info, "vcs.modified") != "false" && !r.dirty {
		return nil, errors.New("the tree has uncommitted changes; commit them, or accept them with -dirty")
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}

	base := strings.Join([]string{"brewput", info.Main.Version, p.goos, p.goarch}, "_")
	files := append([]file{{name: program, mode: 0o755, data: data}}, extra...)
	for i := range files {
		files[i].name = path.Join(base, files[i].name)
	}
	var archive bytes.Buffer
	name, write := base+".tar.gz", writeTarGz
	if p.goos == "windows" {
		name, write = base+".zip", writeZip
	}
	if err := write(&archive, files, made); err != nil {
		return nil, err
	}

	return []file{{name, 0o644, archive.Bytes()}, {base + "_modules.txt", 0o644, []byte(moduleList(info))}}, nil
}

// mostOutput is the number of bytes that are kept of what the go command prints.
const mostOutput = 1 << 20

// compile builds a program without anything that depends on this machine.
func compile(ctx context.Context, pkg string, p platform, binary string) error {
	c := proc.Command{Env: settings.Environment(p.goos, p.goarch)}
	args := append(settings.Build(settings.LinkerFlags), "-buildvcs=true", "-o", binary, pkg)
	if _, _, err := c.Tool(ctx, mostOutput, "go", args...); err != nil {
		return fmt.Errorf("go build %s: %w", pkg, err)
	}
	return nil
}

// setting returns a setting of a build, or "".
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// commitTime is the time of the commit that a program was built from. It is the time of every file of an archive.
func commitTime(info *debug.BuildInfo) (time.Time, error) {
	text := setting(info, "vcs.time")
	if text == "" {
		return time.Time{}, errors.New("the program does not name its commit; build a release in a git clone, not in " +
			"a worktree or an export")
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit: %w", err)
	}
	return t.UTC(), nil
}

// moduleList lists the modules inside a program and the settings of its build, as go version -m does.
func moduleList(info *debug.BuildInfo) string { return info.GoVersion + "\n" + info.String() }
