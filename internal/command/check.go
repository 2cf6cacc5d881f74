package command

import (
	"context"
	"fmt"
	"os"

	"github.com/brewput/brewput/plan"
)

// Check refuses, by a [*plan.Refusal], to continue a run whose commands have changed since it began. It runs nothing,
// and leaves missing commands to [Runner.Begin], because the setup may make them. A nil runner has no commands.
func (r *Runner) Check() error {
	if r == nil {
		return nil
	}
	for _, c := range r.Commands {
		path, err := r.find(c.Words[0])
		if err != nil || c.SHA256 == "" {
			continue
		}
		if sum, _ := checksum(path); sum != c.SHA256 {
			return changed(path)
		}
	}
	return nil
}

// changed is the refusal of a command that is not the one that the run began with.
func changed(path string) error {
	return plan.Refuse("", nil, "%s has changed since the run began, so its times must not be mixed with the stored "+
		"ones", path).Suggest("restore it, or start a new run")
}

// identify compares the executable files with those that the run began with, or takes their checksums.
func (r *Runner) identify(ctx context.Context) error {
	r.files = map[string]os.FileInfo{}
	for i := range r.Commands {
		c := &r.Commands[i]
		path, err := r.find(c.Words[0])
		if err != nil {
			return r.cannotStart(ctx, c.Line(), err)
		}
		sum, err := checksum(path)
		if err != nil { // such as a file that may be executed and not read
			sum = ""
		}
		if c.SHA256 != "" && sum != c.SHA256 {
			return changed(path)
		}
		c.SHA256 = sum
		if r.files[c.Design], err = os.Stat(path); err != nil {
			return r.cannotStart(ctx, c.Line(), err)
		}
	}
	return nil
}

// unchanged returns an error if the executable file of a command is no longer the one that identify saw. A preparation
// may write the same file again, as a build does.
func (r *Runner) unchanged(c Command) error {
	path, err := r.find(c.Words[0])
	if err != nil {
		return nil // [Runner.run] reports it
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	was := r.files[c.Design]
	if os.SameFile(was, info) && was.Size() == info.Size() && was.ModTime().Equal(info.ModTime()) {
		return nil
	}
	if sum, err := checksum(path); err != nil || sum == "" || sum != c.SHA256 {
		return fmt.Errorf("%s has changed during the run, so its times must not be mixed with the earlier ones; "+
			"restore it and continue the run, or start a new one", path)
	}
	r.files[c.Design] = info
	return nil
}
