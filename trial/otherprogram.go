package trial

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/workload"
)

// RunnerOf returns the function that runs trials of a workload: those of a design that names a program by that program,
// all others by r. It returns an error instead of a trial if the file of the program is not the one that the design
// names. It is safe for concurrent use, as long as nothing changes r. A change of r is for the trials that follow.
func (r *Runner) RunnerOf(w *workload.Workload) func(context.Context, Spec) (Outcome, error) {
	var others otherPrograms
	return func(ctx context.Context, spec Spec) (Outcome, error) {
		d, _ := w.Find(spec.Design)
		if d.Program != nil {
			if err := others.check(ctx, d.Program); err != nil {
				return Outcome{}, err
			}
		}
		return r.runDesign(ctx, d, spec)
	}
}

// runDesign runs a trial of a design, by its program if it names one.
func (r Runner) runDesign(ctx context.Context, d workload.Design, spec Spec) (Outcome, error) {
	if d.Program != nil {
		r.Command = []string{d.Program.File}
	}
	return r.Run(ctx, spec)
}

// otherPrograms holds the descriptions of files whose checksums were right.
type otherPrograms struct {
	lock  sync.Mutex
	files map[string]os.FileInfo
}

// check returns an error if the file of a program has changed. It computes the checksum of a file that it has not seen,
// or that was written again.
func (o *otherPrograms) check(ctx context.Context, p *workload.Program) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	info, err := os.Stat(p.File)
	if err != nil {
		return fmt.Errorf("cannot start a trial: %w", err)
	}
	if was := o.files[p.File]; was != nil && sameContent(was, info) {
		return nil
	}
	sum, err := input.Sum(ctx, p.File, input.Program)
	if err != nil {
		return fmt.Errorf("cannot start a trial: %w", err)
	}
	if sum != p.SHA256 {
		return fmt.Errorf("%s has changed since its checksum was recorded, so its trials must not be mixed with "+
			"earlier ones; restore it and continue, or start again", p.File)
	}
	if o.files == nil {
		o.files = map[string]os.FileInfo{}
	}
	o.files[p.File] = info
	return nil
}
