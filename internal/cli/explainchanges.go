package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/report"
)

// explainChanges says what differs between two programs, packages, profiles or directories of profiles.
func (a *app) explainChanges(cmd *cobra.Command, args []string, o explainOptions) error {
	switch {
	case o.before == "" || o.after == "":
		return usage("--before and --after go together: give what was and what is, as in explain --before old.pprof --after new.pprof")
	case len(args) > 0 && cmd.ArgsLenAtDash() != 0:
		return usage("beside --before and --after there is no target %q; arguments of both programs stand behind two dashes", args[0])
	case o.timeline != "" || o.pprof:
		return usage("--timeline and --pprof are of one program; ask for them without --before and --after")
	}
	options, err := o.options(a.say)
	if err != nil {
		return err
	}
	evidence.Sweep()
	var sides [2]*explain.Evidence
	for i, word := range []string{o.before, o.after} {
		one := options
		if one.Keep != "" {
			one.Keep = filepath.Join(one.Keep, []string{"before", "after"}[i])
		}
		c, err := a.side(cmd, word, args, one)
		if err != nil {
			return a.failed(err)
		}
		defer c.Close()
		c.Program.Name = word
		sides[i] = c.Evidence
	}
	changes := explain.Changes(sides[0], sides[1])
	notes := slices.Concat(sides[0].Notes, sides[1].Notes)
	if o.format == "json" {
		return report.ChangesJSON(a.stdout, changes, notes)
	}
	width, isTerminal := terminal(a.stdout)
	return report.Changes(a.stdout, sides[0].Program.Name, sides[1].Program.Name, changes, notes, report.StyleFor(os.Getenv, isTerminal, width))
}

// side collects the evidence of one of two.
func (a *app) side(cmd *cobra.Command, word string, args []string, o evidence.Options) (*evidence.Collected, error) {
	info, err := os.Stat(word)
	if err != nil {
		return nil, usage("%s is not there: %w; give a program, a package, a profile or a directory of profiles", word, err)
	}
	if info.IsDir() {
		var files []string
		for _, pattern := range []string{"*.pprof", "trace.out"} {
			found, err := filepath.Glob(filepath.Join(word, pattern))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
		if len(files) > 0 {
			return a.files(cmd.Context(), files)
		}
		return a.command(cmd, evidence.Package(word, args), o)
	}
	if evidence.IsProgram(cmd.Context(), word) {
		return a.command(cmd, append([]string{word}, args...), o)
	}
	return a.files(cmd.Context(), []string{word})
}

// files collects saved evidence.
func (a *app) files(ctx context.Context, paths []string) (*evidence.Collected, error) {
	return evidence.Files(ctx, paths)
}
