package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Journal is the content of a run directory.
type Journal struct {
	Dir      string
	Header   json.RawMessage   // the header given to Create
	Trials   []result.Trial    // in the order of Append; numbers of an Answer are json.Number
	Blocks   map[int]int       // complete blocks with their numbers of trials, instrumented ones too
	Interims []json.RawMessage // what each interim analysis decided, in order
	Judged   int               // number of trials before the last interim analysis
	Settings json.RawMessage   // the last settings of a resumption; nil if all trials have those of the header
	Changed  int               // number of trials before Settings
	Spent    time.Duration     // used of the budget when the last complete block ended
	Ended    bool              // the sweep is complete
	Torn     int64             // bytes of a torn end of the journal, which do not count
	Checked  bool              // the lines have checksums; those of older runs have none

	state         state
	end           int64 // bytes of the journal that count
	histogramsEnd int64 // bytes of the histograms that count
	histogramsErr error // damage of the histograms of complete blocks, after which no trial can be appended
	lost          int   // trials among the torn bytes
	extra         int   // lines of the histograms after that of the last trial
	extraBytes    int64
	chain         chain               // after the last line that counts
	sums          [][sha256.Size]byte // SHA-256 of the line of each trial
	seals         []seal
	sealFits      bool    // the first seal matched, and so did the header
	starts        []start // of the trials after the last seal, which may not be synced
}

// start is the offset of the line of a trial, and the checksum of the line before it.
type start struct {
	offset int64
	crc    uint32
}

// Open reads a run directory. It takes no lock and changes nothing. If the run is in progress, the journal is
// as it was at some moment during the call. Damage that the checksums of sealed records reveal is an error; see
// [Journal.Notes] for the rest.
func Open(dir string) (*Journal, error) {
	f, in, j, err := openJournal(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := j.read(in); err != nil {
		return nil, err
	}
	if err := j.pair(); err != nil {
		return nil, err
	}
	j.Blocks, j.Ended = j.state.blocks, j.state.ended
	return j, nil
}

// ReadHeader reads only the header of a run directory.
func ReadHeader(dir string) (json.RawMessage, error) {
	f, _, j, err := openJournal(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return j.Header, nil
}

// restoreHint is the advice for damage after which a run cannot be continued.
const restoreHint = "restore the file as it was, or start a new run in another directory"

// Notes returns a sentence for each thing that is missing, damaged or unknown although the run can be read.
func (j *Journal) Notes() (notes []string) {
	if !j.Checked {
		notes = append(notes, j.Dir+" was written before journals had checksums, so changed or lost bytes cannot be "+
			"detected")
	}
	if j.histogramsErr != nil {
		notes = append(notes, fmt.Sprintf("%v; the other numbers of the run do not depend on this file: %s",
			j.histogramsErr, restoreHint))
	}
	if j.Torn == 0 && j.extra == 0 {
		return notes
	}
	if j.state.ended { // the end comes with a sync of both files, so no crash leaves these bytes
		if j.Torn > 0 {
			notes = append(notes, trailingNote(filepath.Join(j.Dir, journalName), j.Torn, j.end))
		}
		if j.extraBytes > 0 {
			notes = append(notes, trailingNote(filepath.Join(j.Dir, histogramsName), j.extraBytes, j.histogramsEnd))
		}
		return notes

	}
	trials := j.lost
	if trials == 0 && j.Torn > 0 {
		trials = 1
	}
	text := fmt.Sprintf("%s lost its end, as after a crash or a kill: %d bytes of %s and %d of %s are ignored, "+
		"which hold %s at most",
		j.Dir, j.Torn, journalName, j.extraBytes, histogramsName, result.Count(max(trials, j.extra), "trial"))
	return append(notes, text+"; lost trials are run again when the run is continued (if it is still in progress, "+
		"nothing is lost)")
}

// trailingNote describes n bytes after the end of a file.
func trailingNote(path string, n, end int64) string {
	return fmt.Sprintf("%s: %d bytes after the end of the run are not part of it: another program wrote them; remove "+
		"them, so that the file has %d bytes", path, n, end)
}

// openJournal opens the journal and reads its header. A journal without a complete header is an error.
func openJournal(dir string) (*input.File, *lines, *Journal, error) {
	path := filepath.Join(dir, journalName)
	f, err := input.Open(context.Background(), path, input.Journal)
	if err != nil {
		return nil, nil, nil, notRun(dir, err)
	}
	in := newLines(f)
	j := &Journal{Dir: dir, state: newState()}
	if err := j.readHeader(in); err != nil {
		f.Close()
		return nil, nil, nil, err
	}
	return f, in, j, nil
}

// readHeader reads the header and starts the chain of checksums.
func (j *Journal) readHeader(in *lines) error {
	dir := j.Dir
	line, err := in.next()
	if err == io.EOF || err == nil && isTornHeader(line) {
		return noHeader(dir)
	}
	var r record
	if err == nil {
		r, err = parse(line)
	}
	if err == nil && (r.Kind != kindRun || r.SchemaVersion < 1 || !isWhole(line)) {
		err = errors.New("the first line is not the header of a run")
	}
	unfit := j.chain.begin(line)
	if err == nil && !j.chain.checked && r.CRC != nil { // a header from before checksums has no such member
		unfit = errMoved
	}
	if err == nil && unfit == nil {
		j.Header, j.Checked = r.Header, j.chain.checked
		return nil

	}
	at := fmt.Sprintf("%s:1", filepath.Join(dir, journalName))
	switch {
	case unfit != nil && (err == nil || errors.Is(err, errNewer)):
		return fmt.Errorf("%s: %w; %s", at, unfit, restoreHint)
	case errors.Is(err, errNewer):
		return fmt.Errorf("%s: %w", at, err)
	}
	return fmt.Errorf("%s is not a run directory: %s: %w", dir, at, err)
}

// read reads the records after the header up to a torn end.
func (j *Journal) read(in *lines) error {
	for {
		j.end = in.offset
		line, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err == nil && (!isWhole(line) || !in.more() && !json.Valid(line)) {
			j.Torn = int64(len(line))
			return nil

		}
		var r record
		var crc uint32
		if err == nil {
			r, crc, err = j.checkRecord(line)
		}
		isTrial := r.Kind == result.KindTrial || r.Kind == result.KindInstrumented
		if err == nil && j.Checked && !isTrial {
			crc, err = j.addSeal(line, in.number)
		}
		if err != nil {
			err = fmt.Errorf("%s:%d: %w", filepath.Join(j.Dir, journalName), in.number, err)
			if errors.Is(err, errNewer) {
				return err
			}
			return plan.Refuse("", nil, "%w; restore the file as it was, or remove this line and those after it, "+
				"and run what they held again with {resume} %s", err, j.Dir)

		}
		j.state.add(&r)
		if isTrial {
			j.Trials = append(j.Trials, r.trial)
			j.sums = append(j.sums, sha256.Sum256(line))
			j.starts = append(j.starts, start{j.end, j.chain.journal})
		} else {
			j.starts = j.starts[:0] // the other records come with a sync
		}
		j.chain.journal = crc
		switch r.Kind {
		case kindInterim:
			j.Interims, j.Judged = append(j.Interims, r.Interim), len(j.Trials)
		case kindSettings:
			j.Settings, j.Changed = r.Settings, len(j.Trials)
		case kindBlock:
			j.Spent = time.Duration(r.Spent * float64(time.Second))
		}
	}
}

// checkRecord decodes a complete line, which must fit the lines before it.
func (j *Journal) checkRecord(line []byte) (r record, crc uint32, err error) {
	if r, err = parse(line); err == nil {
		err = j.state.check(&r)
	}
	crc, unfit := j.chain.verify(line, j.chain.journal)
	newer := errors.Is(err, errNewer)
	switch {
	case err == nil, newer && errors.Is(unfit, errChecksum): // what the line says of its version cannot be trusted
		err = unfit
	case unfit != nil && !newer:
		err = fmt.Errorf("%w; %w", err, unfit)
	}
	return r, crc, err
}

// addSeal decodes and records a seal.
func (j *Journal) addSeal(line []byte, number int) (crc uint32, err error) {
	s, err := readSeal(line, j.chain.journal)
	s.line, s.trials = number, len(j.Trials)
	j.seals = append(j.seals, s)
	return s.crc, err
}
