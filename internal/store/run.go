package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/internal/lock"
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
	err        error  // why nothing more can be written
}

// opener opens a file for writing and creates it if it does not exist. Tests supply files that fail.
type opener func(path string) (file, error)

// file is the part of os.File that a run needs.
type file interface {
	io.WriterAt
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Sync() error
	Close() error
}

func openFile(path string) (file, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) }

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

// Create begins a run in dir and creates dir and its parents if they do not exist. The directory must be empty,
// or hold only the beginning of a run that stopped before its header was written. The header is any JSON.
func Create(dir string, header any) (*Run, error) { return create(dir, header, openFile) }

func create(dir string, header any, open opener) (*Run, error) {
	line, err := encode(struct {
		Kind          string `json:"kind"`
		SchemaVersion int    `json:"schema_version"`
		Header        any    `json:"header"`
	}{kindRun, result.SchemaVersion, header})
	if err == nil {
		_, err = parse(line)
	}
	if err != nil {
		return nil, fmt.Errorf("the header of the run: %w", err)
	}
	if err := CheckVacant(dir); err != nil {
		return nil, err
	}
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("%s cannot hold a run: %w; give a directory that can be written", dir, err)
	}
	r, err := openRun(dir, open)
	if err != nil {
		return nil, err
	}
	r.chain.checked = true
	if err := r.begin(line); err != nil {
		r.abandon()
		return nil, err
	}
	return r, nil
}

// begin writes the header of a run that was just opened.
func (r *Run) begin(line []byte) error {
	if err := CheckVacant(r.dir); err != nil { // check again, because now no other process can begin a run here
		return err
	}
	err := r.openFiles()
	if err == nil {
		err = errors.Join(r.journal.cut(), r.histograms.cut())
	}
	if err == nil {
		err = syncDir(r.dir)
	}
	if err == nil {
		line, _ = r.chain.sign(line, 0)
		err = errors.Join(r.chain.begin(line), r.journal.add(line))
	}
	if err == nil {
		err = r.sync()
	}

	if err != nil {
		if r.journal.file != nil {
			r.journal.end = 0
			err = errors.Join(err, r.journal.cut())
		}
		if _, at := os.Stat(r.dir); errors.Is(at, fs.ErrNotExist) || errors.Is(err, ErrGone) {
			return goneError(r.dir, journalName)
		}
		return fmt.Errorf("%w; nothing is measured yet; %s and start again", err, remedy(err))
	}
	return nil
}

// Resume opens a run to continue it, and returns its content. It removes a line that a crash tore. A block may
// have all its trials but no "block" record; the caller must end it. A run that has ended accepts no records:
// it is read as [Open] reads it, without a lock, so nothing of it needs to be writable.
func Resume(dir string) (*Run, *Journal, error) { return resume(dir, openFile) }

func resume(dir string, open opener) (*Run, *Journal, error) {
	j, err := Open(dir) // before the lock, so that a directory that is foreign, complete or damaged gets none
	if err != nil {
		return nil, nil, err
	}
	if j.Ended {
		return &Run{dir: dir, err: fmt.Errorf("%s: no record may come after the end of the run", dir)}, j, nil
	}
	r, err := openRun(dir, open)
	if err != nil {
		return nil, nil, err
	}
	j, err = Open(dir) // again, because now no other process writes it
	if err == nil && j.histogramsErr != nil {
		err = fmt.Errorf("%w: %s", j.histogramsErr, restoreHint)
	}
	if err == nil {
		err = r.openFiles()
	}
	if err == nil {
		r.journal.end, r.histograms.end = j.end, j.histogramsEnd
		err = errors.Join(r.journal.cut(), r.histograms.cut(), r.sync())
	}

	if err != nil {
		r.abandon()
		return nil, nil, err
	}

	r.state, r.chain = j.state.clone(), j.chain
	if n := len(j.Trials); n > 0 {
		r.last = keyOf(&j.Trials[n-1]).String()
		r.synced = r.last
	}
	return r, j, nil
}

// openRun locks an existing directory.
func openRun(dir string, open opener) (*Run, error) {
	l, err := lock.Lock(filepath.Join(dir, lockName))
	if errors.Is(err, lock.ErrLocked) {
		return nil, fmt.Errorf("%s is being written by another process: wait until it ends, or stop it", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the run: %w", err)
	}
	return &Run{dir: dir, open: open, lock: l, state: newState()}, nil
}

// openFiles opens both files for writing.
func (r *Run) openFiles() (err error) {
	r.journal.path = filepath.Join(r.dir, journalName)
	r.histograms.path = filepath.Join(r.dir, histogramsName)
	if r.histograms.file, err = r.open(r.histograms.path); err != nil {
		r.histograms.file = nil
		return err
	}
	if r.journal.file, err = r.open(r.journal.path); err != nil {
		r.journal.file = nil
	}
	return err
}

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

// abandon closes the files and then releases the lock.
func (r *Run) abandon() error {
	var errs []error
	for _, f := range []file{r.journal.file, r.histograms.file} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	errs = append(errs, r.lock.Close())
	r.lock = nil
	return errors.Join(errs...)
}
