package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/result"
)

// Run writes a run directory. It is not safe for concurrent use.
type Run struct {
	dir        string
	open       opener
	lock       io.Closer
	journal    appended
	histograms appended
	state      state
	chain      chain
	last       string // last record written, such as "block 3 order 7"
	synced     string // last record that is certainly on disk, in the same words
	made       bool   // Create made the directory
	err        error  // why nothing more can be written
}

// file is the part of os.File that a run needs.
type file interface {
	io.WriterAt
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Sync() error
	Close() error
}

// appended is a file that grows by complete lines. Bytes beyond end are not part of it.
type appended struct {
	file
	path string
	end  int64 // in bytes
}

// add writes a line at the end of the file, in one call.
func (a *appended) add(line []byte) error {
	n, err := a.WriteAt(line, a.end)
	if err == nil && n < len(line) {
		err = &fs.PathError{Op: "write", Path: a.path, Err: io.ErrShortWrite}
	}
	if err == nil {
		a.end += int64(n)
	}
	return err
}

// cut removes the bytes beyond the end.
func (a *appended) cut() error { return a.Truncate(a.end) }

// sync syncs both files, the histograms first, so that each trial on disk has its histogram there.
func (r *Run) sync() error {
	if err := r.histograms.Sync(); err != nil {
		return err
	}
	if err := r.journal.Sync(); err != nil {
		return err
	}
	return r.checkPresent()
}

// Append adds a trial and its histograms by metric, which may be nil. It sets the SchemaVersion of the trial.
// If Append fails for lack of space, the run is as before the call and may be closed or continued.
func (r *Run) Append(t result.Trial, histograms map[string][]byte) error {
	if r.err != nil {
		return r.err
	}
	t.SchemaVersion = result.SchemaVersion
	k := keyOf(&t)
	line, rec, err := r.encode(t)
	if err == nil && rec.Kind != result.KindTrial && rec.Kind != result.KindInstrumented {
		err = fmt.Errorf("a trial is of kind %q or %q, not %q", result.KindTrial, result.KindInstrumented, rec.Kind)
	}

	var histLine []byte
	if err == nil {
		histLine, err = encode(Histograms{t.Block, t.Order, k.instrumented, histograms})
	}
	if err != nil {
		return fmt.Errorf("%s: %v cannot be stored: %w", r.dir, k, err)
	}

	line, crc := r.chain.sign(line, r.chain.journal)
	histLine, histCRC := r.chain.sign(histLine, r.chain.histograms)
	before := r.histograms.end
	if err := r.histograms.add(histLine); err != nil {
		return r.undo(err)
	}
	if err := r.journal.add(line); err != nil {
		r.histograms.end = before
		return r.undo(err)
	}

	r.chain.addTrial(line, histLine)
	r.chain.journal, r.chain.histograms = crc, histCRC
	r.state.add(&rec)
	r.last = k.String()
	return nil
}

// EndBlock marks a block as complete and syncs all records. trials is the number of its trials, instrumented
// ones too; it must equal the number of appended trials. spent is the time used of the budget so far; 0 if
// there is no budget.
func (r *Run) EndBlock(block, trials int, spent time.Duration) error {
	return r.commit(struct {
		Kind   string  `json:"kind"`
		Block  int     `json:"block"`
		Trials int     `json:"trials"`
		Spent  float64 `json:"spent_seconds,omitempty"`
	}{kindBlock, block, trials, spent.Seconds()})
}

// Interim records the decision of an interim analysis, any JSON, and syncs all records.
func (r *Run) Interim(decided any) error {
	return r.commit(struct {
		Kind          string `json:"kind"`
		SchemaVersion int    `json:"schema_version"`
		Look          any    `json:"look"`
	}{kindInterim, result.SchemaVersion, decided})
}

// Settings records the settings of the trials that follow, any JSON, and syncs all records.
func (r *Run) Settings(settings any) error {
	return r.commit(struct {
		Kind          string `json:"kind"`
		SchemaVersion int    `json:"schema_version"`
		Settings      any    `json:"settings"`
	}{kindSettings, result.SchemaVersion, settings})
}

// End marks the sweep as complete. No record may follow.
func (r *Run) End() error {
	return r.commit(struct {
		Kind string `json:"kind"`
	}{kindEnd})
}

// commit adds a record and syncs.
func (r *Run) commit(v any) error {
	if r.err != nil {
		return r.err
	}
	line, rec, err := r.encode(v)
	if err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	// The histograms must be on disk before a record that says so.
	if err := r.histograms.Sync(); err != nil {
		return r.stop(err)
	}

	line, sum, crc := r.chain.seal(line)
	if err := r.journal.add(line); err != nil {
		return r.undo(err)
	}
	r.chain.journal, r.chain.digest, r.chain.sums = crc, sum, r.chain.sums[:0]
	if err := r.journal.Sync(); err != nil {
		return r.stop(err)
	}

	if err := r.checkPresent(); err != nil {
		return r.stop(err)
	}
	r.state.add(&rec)
	r.synced = r.last
	return nil
}

// encode encodes a record that can be read back and may follow those written so far.
func (r *Run) encode(v any) ([]byte, record, error) {
	line, err := encode(v)
	if err != nil {
		return nil, record{}, err
	}
	rec, err := parse(line)
	if err == nil {
		err = r.state.check(&rec)
	}
	return line, rec, err
}

// undo removes the remains of a failed write, and adds to the error what is kept.
func (r *Run) undo(err error) error {
	cut := errors.Join(r.journal.cut(), r.histograms.cut())
	sync := r.sync()
	if sync == nil {
		r.synced = r.last
	}
	if cut != nil || sync != nil {
		return r.stop(errors.Join(err, cut, sync))
	}
	return r.failed(err)
}

// stop ends all writing. After a failed sync or cut, only reading the files shows what they hold.
func (r *Run) stop(err error) error {
	r.last = r.synced
	r.err = r.failed(err)
	return r.err
}

// Close syncs all records and releases the lock. A second call does nothing.
func (r *Run) Close() error {
	if r.lock == nil {
		return nil
	}
	var err error
	if r.err == nil {
		if err = r.sync(); err != nil {
			err = r.stop(err)
		}
	}
	r.err = fmt.Errorf("%s: the run is closed: %w", r.dir, os.ErrClosed)
	return errors.Join(err, r.abandon())
}

// Withdraw closes a run that cannot begin, and removes its files and the named directories in its directory. The
// directory itself goes if Create made it and nothing else is in it.
func (r *Run) Withdraw(directories ...string) error {
	r.err = fmt.Errorf("%s: the run is withdrawn: %w", r.dir, os.ErrClosed)
	errs := []error{r.closeFiles()} // Windows removes no open file
	for _, name := range append(directories, journalName, histogramsName, failuresName) {
		errs = append(errs, os.RemoveAll(filepath.Join(r.dir, name)))
	}
	os.Remove(filepath.Join(r.dir, lockName)) // a new run may begin beside it, and some systems keep open files
	errs = append(errs, r.abandon())
	if r.made {
		os.Remove(r.dir) // unless something is in it
	}
	return errors.Join(errs...)
}

// abandon closes the files and then releases the lock.
func (r *Run) abandon() error {
	err := errors.Join(r.closeFiles(), r.lock.Close())
	r.lock = nil
	return err
}

// closeFiles closes the files that are open.
func (r *Run) closeFiles() error {
	var errs []error
	for _, a := range []*appended{&r.journal, &r.histograms} {
		if a.file != nil {
			errs = append(errs, a.Close())
			a.file = nil
		}
	}
	return errors.Join(errs...)
}
