package collect

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/gopprof"
	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
)

// cpuRuns are the runs with a CPU profile so far. Their samples are added up in the evidence.
type cpuRuns struct {
	runs    []plainRun
	samples int64
	spent   time.Duration // by all runs, with the time to start them
	last    time.Duration // by the last one
	failed  bool          // a run stored no profile
}

// firstProfile takes the CPU profile of one run, for a first answer.
func (k *collector) firstProfile(ctx context.Context, cpus int) error {
	return k.profileCPU(ctx, cpus, 1)
}

// cpuProfile takes a CPU profile, or continues one. It combines several runs if one is short.
func (k *collector) cpuProfile(ctx context.Context, cpus int) error {
	if err := k.profileCPU(ctx, cpus, maxRepeats); err != nil || len(k.cpu.runs) == 0 {
		return err
	}
	k.overhead("CPU profile", median(wallsOf(k.cpu.runs)))
	if k.cpu.samples < fewSamples {
		k.note("the CPU profile has %s of %s, one for each 10 ms of CPU time: too few for small shares; give the "+
			"program more work", result.Count(int(k.cpu.samples), "sample"), result.Count(len(k.cpu.runs), "run"))
	}
	return nil
}

// profileCPU runs the program with a CPU profile until there are enough samples, but at most limit times in all.
func (k *collector) profileCPU(ctx context.Context, cpus, limit int) error {
	for n := len(k.cpu.runs); n < limit && k.cpu.samples < enoughSamples && !k.cpu.failed; n++ {
		if n > 0 && (k.cpu.spent > k.repeatFor() || k.endless) {
			break
		}
		if n == 0 && k.isTooLate("CPU profile", k.medianWall(cpus)) || n > 0 &&
			k.isTooLate("repetitions of the CPU profile", k.cpu.last) {
			break
		}
		if n == 1 {
			k.opts.progress("repeating the CPU profile: one run has few samples")
		}
		started := time.Now()
		e, a, dir, err := k.run(ctx, hook.CPU, cpus, k.window)
		if err != nil {
			return err
		}
		k.cpu.last = time.Since(started)
		k.cpu.spent += k.cpu.last
		if k.cpu.failed = a == nil; k.cpu.failed {
			break
		}
		path, err := k.keepFile(ctx, dir, "cpu.pprof", string(evidence.CPU), n)
		if err != nil {
			return err
		}
		if n == 0 {
			k.removeOld() // even if the collection fails later
		}
		p, err := readProfile(ctx, path, evidence.CPU)
		if err != nil {
			return err
		}
		k.addCPU(p, plainRun{e, a})
	}
	return nil
}

// addCPU adds the samples of a CPU profile of one run to the evidence.
func (k *collector) addCPU(p *evidence.Profile, r plainRun) {
	k.cpu.runs = append(k.cpu.runs, r)
	k.cpu.samples += sampleCount(p)
	i := slices.IndexFunc(k.Evidence.Profiles, func(o evidence.Profile) bool { return o.Kind == evidence.CPU })
	if i < 0 {
		i = len(k.Evidence.Profiles)
		k.Evidence.Profiles = append(k.Evidence.Profiles, *p)
	} else {
		all := &k.Evidence.Profiles[i]
		all.Samples = append(all.Samples, p.Samples...)
		all.Duration += p.Duration
	}
	k.Evidence.Profiles[i].Wall = median(wallsOf(k.cpu.runs))
}

// repeatFor returns the total time of the runs for a CPU profile, after which none begins.
func (k *collector) repeatFor() time.Duration {
	if k.opts.Quick {
		return quickRepeat
	}
	return repeatFor
}

// sampleCount returns the number of samples of a CPU profile.
func sampleCount(p *evidence.Profile) int64 {
	n := int64(0)
	for _, s := range p.Samples {
		if len(s.Values) > 0 {
			n += s.Values[0]
		}
	}
	return n
}

// locks takes a mutex and a block profile in one run: neither costs anything unless goroutines wait.
func (k *collector) locks(ctx context.Context, cpus int) error {
	return k.profileRun(ctx, cpus, hook.Locks, evidence.Mutex, evidence.Block)
}

// heap takes an allocation profile, and a goroutine profile at the end.
func (k *collector) heap(ctx context.Context, cpus int) error {
	return k.profileRun(ctx, cpus, hook.Heap, evidence.Heap, evidence.Goroutine)
}

// profileRun runs the program once with a profiler and reads the profiles that it writes, each in a file named after
// its kind.
func (k *collector) profileRun(ctx context.Context, cpus int, kind hook.Kind, profiles ...evidence.ProfileKind) error {
	if k.isTooLate(kindNames[kind], k.medianWall(cpus)) {
		return nil
	}

	k.opts.progress("running it with " + kindNames[kind])
	e, a, dir, err := k.run(ctx, kind, cpus, k.window)
	if err != nil || a == nil {
		return err
	}

	for _, profile := range profiles {
		path, err := k.keepFile(ctx, dir, string(profile)+".pprof", string(profile), 0)
		if err != nil {
			return err
		}
		p, err := readProfile(ctx, path, profile)
		if err != nil {
			return err
		}
		p.Wall = e.wall
		k.Evidence.Profiles = append(k.Evidence.Profiles, *p)
	}

	k.overhead(kindNames[kind], e.wall)
	return nil
}

// overhead records the elapsed time of a run with a profiler.
func (k *collector) overhead(kind string, wall time.Duration) {
	if !k.endless {
		k.profiled = append(k.profiled, profiledRun{kind, wall})
	}
}

// readProfile reads a profile of a known kind.
func readProfile(ctx context.Context, path string, kind evidence.ProfileKind) (*evidence.Profile, error) {
	p, err := profileAt(ctx, path)
	if err != nil {
		return nil, err
	}
	return toEvidence(p, kind), nil
}

// profileAt reads the profile in a file.
func profileAt(ctx context.Context, path string) (*gopprof.Profile, error) {
	f, err := input.Open(ctx, path, input.Profile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parsed(ctx, f, path)
}

// parsed parses a profile; name is the file for errors. A cancelled ctx ends the wait, but decoding may continue for
// seconds in the background.
func parsed(ctx context.Context, in io.Reader, name string) (*gopprof.Profile, error) {
	data, err := input.ReadAll(ctx, in, name, input.Profile)
	if err != nil {
		return nil, err
	}

	type decoded struct {
		p   *gopprof.Profile
		err error
	}

	done := make(chan decoded, 1)
	go func() {
		p, err := gopprof.Parse(data)
		done <- decoded{p, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case d := <-done:
		if d.err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(name), d.err)
		}
		return d.p, nil
	}
}

// toEvidence converts a profile to the types of package evidence.
func toEvidence(p *gopprof.Profile, kind evidence.ProfileKind) *evidence.Profile {
	out := &evidence.Profile{Kind: kind, Duration: p.Duration}
	for _, t := range p.Types {
		out.Types = append(out.Types, t.Type+"/"+t.Unit)
	}

	for _, s := range p.Samples {
		x := evidence.Sample{Values: s.Values, Stack: make([]evidence.Frame, len(s.Stack))}
		for i, f := range s.Stack {
			x.Stack[i] = evidence.Frame{Function: f.Function, File: f.File, Line: f.Line}
		}
		out.Samples = append(out.Samples, x)
	}

	return out
}
