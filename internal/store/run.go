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

// Run is a run directory being written. One goroutine at a time may use it.
type Run struct {
	dir        string
	open       opener
	lock       io.Closer
	journal    appended
	histograms appended
	state      state
	chain      chain
	last       string // what is written: "block 3 order 7"
	synced     string // what is on the disk for certain, in the same words
	err        error  // why nothing more may be written
}

// opener opens a file to write and makes it where there is none. Tests give files that fail.
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

// appended is a file that grows by whole lines. What lies beyond end is not part of it.
type appended struct {
	file
	path string
	end  int64 // bytes
}

// add writes a line, in one call, at the end of the file.
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

// cut removes what lies beyond the end.
func (a *appended) cut() error { return a.Truncate(a.end) }

// Create begins a run in dir, which it makes, parents too, where it does not exist. The directory must
// be empty, or hold no more than the beginning of a run that was stopped before its header was written.
// The header is any JSON.
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
	if err := Vacant(dir); err != nil {
		return nil, err
	}
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("%s cannot hold a run: %w; give a directory that can be written, with -o DIR", dir, err)
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
	if err := Vacant(r.dir); err != nil { // again, now that no other process can begin a run here
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
			return gone(r.dir, journalName)
		}
		return fmt.Errorf("%w; nothing is measured yet; %s and start again", err, remedy(err))
	}
	return nil
}

// Resume opens a run to continue it, and returns what it holds. It cuts off the line that a crash tore.
// A block may have all its trials and lack its end: the caller ends it. A run that has ended takes no
// more records: it is read as [Open] reads it, without a lock, so that nothing of it needs to be writable.
func Resume(dir string) (*Run, *Journal, error) { return resume(dir, openFile) }

func resume(dir string, open opener) (*Run, *Journal, error) {
	j, err := Open(dir) // so that a foreign directory gets no lock, nor one whose run is complete or damaged
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
	j, err = Open(dir) // again, now that no other process writes it
	if err == nil && j.histogramsErr != nil {
		err = fmt.Errorf("%w: %s", j.histogramsErr, putBack)
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

// openRun takes the lock of an existing directory.
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

// sync brings both files to the disk, the histograms first: a trial on the disk has its histogram there.
func (r *Run) sync() error {
	if err := r.histograms.Sync(); err != nil {
		return err
	}
	if err := r.journal.Sync(); err != nil {
		return err
	}
	return r.present()
}

// Append adds a trial and its histograms, by name; there may be none. Its SchemaVersion is set. When Append
// fails for want of space, the run is as before the call and may be closed or continued.
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
		histLine, err = encode(Histograms{t.Block, t.Order, k.observed, histograms})
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
	r.chain.trial(line, histLine)
	r.chain.journal, r.chain.histograms = crc, histCRC
	r.state.add(&rec)
	r.last = k.String()
	return nil
}

// EndBlock says that the block is complete, and brings all so far to the disk. trials is the number of
// its trials, observed ones too; another number than was appended is an error. spent is what the run has
// used up of its budget so far; 0 where it has none.
func (r *Run) EndBlock(block, trials int, spent time.Duration) error {
	return r.commit(struct {
		Kind   string  `json:"kind"`
		Block  int     `json:"block"`
		Trials int     `json:"trials"`
		Spent  float64 `json:"spent_seconds,omitempty"`
	}{kindBlock, block, trials, spent.Seconds()})
}

// Look keeps what was decided to be measured next, any JSON, and brings all so far to the disk.
func (r *Run) Interim(decided any) error {
	return r.commit(struct {
		Kind          string `json:"kind"`
		SchemaVersion int    `json:"schema_version"`
		Look          any    `json:"look"`
	}{kindLook, result.SchemaVersion, decided})
}

// End says that the sweep is complete. No record may follow.
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
	// The histograms are on the disk before a record that says that they are.
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
	if err := r.present(); err != nil {
		return r.stop(err)
	}
	r.state.add(&rec)
	r.synced = r.last
	return nil
}

// encode makes a line that can be read back and may follow what is written.
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

// undo removes what a failed write left behind, and says what is kept.
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

// stop ends all writing: after a failed sync or cut, what the files hold is known only by reading them.
func (r *Run) stop(err error) error {
	r.last = r.synced
	r.err = r.failed(err)
	return r.err
}

// Close brings all so far to the disk and gives up the lock. A second call does nothing.
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

// abandon closes the files and gives up the lock, in this order.
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
