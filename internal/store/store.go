// Package store keeps the trials of a sweep in a run directory as they arrive. A crash, a kill, a power cut or
// a full disk costs at most the trial in progress.
//
// A run directory holds
//
//	journal.ndjson            what happened, one JSON object a line, only ever appended to
//	histograms.ndjson         one line for each trial of the journal, in the same order
//	failures/BLOCK-ORDER.txt  what a failed trial printed
//	lock                      held by the process that writes the run
//
// The journal begins with a record of kind "run", which holds the caller's header. The trials follow (kinds
// "trial" and "observed"). A record of kind "block" marks a complete block, and one of kind "look" an interim
// analysis that decided what to measure next. A record of kind "settings" holds the caller's settings of the
// trials after it. The last record has kind "end".
//
// A record counts if its line is complete, including the newline. Each line is one write at the end of its
// file, so a kill leaves at most one torn line, the last. Open ignores a torn line and Resume removes it.
//
// The histogram of a trial is written before its line in the journal. Both files are synced when the run
// begins, at the end of each block, and at the end, so a power cut loses nothing before the last "block"
// record. After that record it may lose lines of either file. A trial counts only if its histogram is there
// too. The other trials are run again, and [Journal.Notes] reports their number.
//
// Every line ends with a member "crc": 8 hexadecimal digits, the CRC-32C (Castagnoli) of the bytes of the line
// before that member. It continues from the checksum of the previous line in the same file, without the digest
// of that line. The header has a checksum of its own and the first line after it starts again from zero, so
// that equal trials give equal lines. If a line was changed, lost, doubled or moved, its checksum does not
// match, or that of the next line does not.
//
// The records that come with a sync ("block", "look", "settings" and "end") are seals. Each has a member "digest": 64
// hexadecimal digits, a SHA-256. It covers the previous digest (at first the SHA-256 of the header line), the
// SHA-256 of the record's own bytes before that member, and the SHA-256 of both lines of each trial since the
// previous seal, the journal's line first. It ties the two files to each other and to the header. It also
// reveals lines whose checksums were forged.
//
// A run whose header has no checksum is older than checksums. It is read and continued without them; one run
// cannot mix lines with and without checksums. Damage of the journal is an error. Damage of the histograms,
// which no verdict depends on, is a note, but an incomplete run with such damage cannot be continued.
//
// A complete run is only read: without a lock, and without write permission. A run in progress checks at each
// sync that its files are still in their place.
package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"unicode/utf8"

	"github.com/brewput/brewput/result"
)

// The file names in a run directory.
const (
	journalName    = "journal.ndjson"
	histogramsName = "histograms.ndjson"
	failuresName   = "failures"
	lockName       = "lock"
)

// The kinds of record, apart from the two of [result.Trial].
const (
	kindRun      = "run"
	kindBlock    = "block"
	kindInterim  = "look"
	kindSettings = "settings"
	kindEnd      = "end"
)

// maxLine is the longest line that is written or read, in bytes. It keeps a foreign file from filling the
// memory; a trial with its histogram takes some kilobytes.
const maxLine = 64 << 20

// errNewer marks a run that a newer brewput wrote.
var errNewer = errors.New("newer than this brewput")

// record is a line of the journal. The pointers distinguish a missing number from zero.
type record struct {
	Kind          string          `json:"kind"`
	SchemaVersion int             `json:"schema_version"`
	Header        json.RawMessage `json:"header"`
	Block         *int            `json:"block"`
	Order         *int            `json:"order"`
	Trials        *int            `json:"trials"`
	Spent         float64         `json:"spent_seconds"` // used of the budget when the block ended
	Interim       json.RawMessage `json:"look"`
	Settings      json.RawMessage `json:"settings"`
	CRC           json.RawMessage `json:"crc"` // see [chain]

	trial result.Trial // of the kinds trial and observed
}

// key identifies a trial within a run.
type key struct {
	block, order int
	instrumented bool
}

func (k key) String() string { return fmt.Sprintf("block %d order %d", k.block, k.order) }

func keyOf(t *result.Trial) key { return key{t.Block, t.Order, t.Kind == result.KindInstrumented} }

// encode encodes v as a line, including the newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people read the journal
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	if n := b.Len() + digestLength + crcLength; n > maxLine {
		return nil, fmt.Errorf("a record of %d bytes is longer than the limit of %d", n, maxLine)
	}
	return b.Bytes(), nil
}

// parse decodes a line of the journal and checks it by itself; [state.check] does the rest.
func parse(line []byte) (record, error) {
	var r record
	if at := invalidUTF8(line); at >= 0 {
		return r, fmt.Errorf("byte %d is not valid UTF-8", at+1)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	isTrial := r.Kind == result.KindTrial || r.Kind == result.KindInstrumented
	versioned := r.Kind == kindRun || r.Kind == kindInterim || r.Kind == kindSettings || isTrial
	switch {
	case r.SchemaVersion > result.SchemaVersion:
		return r, fmt.Errorf("schema_version %d is %w, which knows %d: update brewput",
			r.SchemaVersion, errNewer, result.SchemaVersion)
	case r.SchemaVersion < 0 || versioned && r.SchemaVersion == 0:
		return r, fmt.Errorf("schema_version %d is unknown in a record of kind %q", r.SchemaVersion, r.Kind)
	}

	switch r.Kind {
	case kindRun, kindEnd:
	case result.KindTrial, result.KindInstrumented:
		if r.Block == nil || r.Order == nil || *r.Block < 0 || *r.Order < 0 {
			return r, errors.New("a trial needs a block and an order, 0 or more")
		}
		// Numbers of an answer stay as written, so that a 64-bit checksum is not rounded to a float64.
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		return r, dec.Decode(&r.trial)
	case kindBlock:
		if r.Block == nil || r.Trials == nil || *r.Block < 0 || *r.Trials < 0 {
			return r, errors.New("the end of a block needs its number and its number of trials, 0 or more")
		}
	case kindInterim:
		if len(r.Interim) == 0 {
			return r, errors.New("an interim analysis needs what it decided")
		}
	case kindSettings:
		if len(r.Settings) == 0 {
			return r, errors.New("new settings are missing")
		}
	default:
		return r, fmt.Errorf("unknown kind of record %q", r.Kind)
	}
	return r, nil
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, -1 if there is none.
func invalidUTF8(line []byte) int {
	if utf8.Valid(line) {
		return -1
	}
	for at := 0; at < len(line); {
		r, n := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// state is the state of a run after the records so far. Reader and writer share [state.check], so that no
// journal is written that cannot be read.
type state struct {
	seen   map[key]bool
	counts map[int]int // trials by block, instrumented ones too
	blocks map[int]int // the same for complete blocks only
	ended  bool
}

func newState() state {
	return state{seen: map[key]bool{}, counts: map[int]int{}, blocks: map[int]int{}}
}

func (s *state) clone() state {
	return state{maps.Clone(s.seen), maps.Clone(s.counts), maps.Clone(s.blocks), s.ended}
}

// check returns an error if the record must not follow those so far.
func (s *state) check(r *record) error {
	if s.ended {
		return fmt.Errorf("a record of kind %q after the end of the run", r.Kind)
	}
	switch r.Kind {
	case kindRun:
		return errors.New("a second header of a run")
	case kindEnd, kindInterim, kindSettings:
		return nil
	}

	_, complete := s.blocks[*r.Block]
	switch {
	case r.Kind == kindBlock && complete:
		return fmt.Errorf("the end of block %d is there twice", *r.Block)
	case r.Kind == kindBlock && *r.Trials != s.counts[*r.Block]:
		return fmt.Errorf("block %d ends with %d trials, but %d are there", *r.Block, *r.Trials, s.counts[*r.Block])
	case r.Kind == kindBlock:
		return nil
	case s.seen[keyOf(&r.trial)]:
		return fmt.Errorf("%v is there twice", keyOf(&r.trial))
	case complete:
		return fmt.Errorf("%v comes after the end of its block", keyOf(&r.trial))
	}
	return nil
}

// add applies a record that was checked.
func (s *state) add(r *record) {
	switch r.Kind {
	case kindEnd:
		s.ended = true
	case kindInterim, kindSettings:
	case kindBlock:
		s.blocks[*r.Block] = *r.Trials
	default:
		s.seen[keyOf(&r.trial)] = true
		s.counts[*r.Block]++
	}
}

// Histograms are the opaque histograms of one trial, by metric.
type Histograms struct {
	Block        int  `json:"block"`
	Order        int  `json:"order"`
	Instrumented bool `json:"observed"`
	// by metric, such as "latency"; base64 in the file; null if the trial has none
	Data map[string][]byte `json:"data"`
}

// parseHistogram decodes a line of the histograms, which must belong to trial k.
func parseHistogram(line []byte, k key) (Histograms, error) {
	var h Histograms
	if !isWhole(line) {
		return h, io.ErrUnexpectedEOF
	}
	if at := invalidUTF8(line); at >= 0 {
		return h, fmt.Errorf("byte %d is not valid UTF-8", at+1)
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return h, err
	}
	if got := (key{h.Block, h.Order, h.Instrumented}); got != k {
		return h, fmt.Errorf("this is the histogram of %v, where that of %v should be", got, k)
	}
	return h, nil
}
