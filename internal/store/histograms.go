package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
)

// pair reads the histograms of the trials, and compares the digests of the seals with the lines of both files.
// A power cut may keep the line of a trial after the last seal, but not its histogram. Such a trial does not
// count, nor does any after it.
func (j *Journal) pair() error {
	path := filepath.Join(j.Dir, histogramsName)
	f, err := input.Open(context.Background(), path, input.Journal)
	if err != nil {
		// The file was synced with the header, so no crash removed it. The trials can be shown without it.
		j.histogramsErr = err
		return nil
	}
	defer f.Close()
	in := newLines(f)
	safe := len(j.Trials) - len(j.starts)
	for i := range j.Trials {
		if err := j.compareSeals(i); err != nil {
			return err
		}
		line, err := in.next()
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", path, err)
		}
		crc, err := j.histogram(line, &j.Trials[i], i < safe)
		switch {
		case err == nil:
		case i >= safe:
			j.dropFrom(i, j.starts[i-safe])
			return nil
		case !isWhole(line):
			j.histogramsErr = fmt.Errorf("%s: it ends within line %d, but the complete blocks have %d trials", path,
				i+1, safe)
			return nil
		default:
			j.histogramsErr = fmt.Errorf("%s:%d: the histogram of %v: %w", path, i+1, keyOf(&j.Trials[i]), err)
			return nil
		}

		j.histogramsEnd, j.chain.histograms = in.offset, crc
		if j.Checked {
			sum := sha256.Sum256(line)
			j.chain.sums = append(append(j.chain.sums, j.sums[i][:]...), sum[:]...)
		}
	}
	if err := j.compareSeals(len(j.Trials)); err != nil {
		return err
	}
	for in.more() {
		if _, err := in.next(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		j.extra++
	}
	j.extraBytes = in.offset - j.histogramsEnd
	return nil
}

// histogram checks the histogram line of a trial. For a sealed line the digest shows that it belongs to this
// trial.
func (j *Journal) histogram(line []byte, t *result.Trial, sealed bool) (crc uint32, err error) {
	if isWhole(line) {
		if crc, err = j.chain.verify(line, j.chain.histograms); err != nil || sealed && j.Checked {
			return crc, err
		}
	}
	_, err = parseHistogram(line, keyOf(t))
	return crc, err
}

// compareSeals compares the digests of the seals after the given number of trials with the lines since the
// previous seal.
func (j *Journal) compareSeals(trials int) error {
	for len(j.seals) > 0 && j.seals[0].trials == trials {
		s := j.seals[0]
		if digest(j.chain.digest, s.record, j.chain.sums) != s.digest {
			since := "since the seal before it: some were changed, and their checksums with them"
			if !j.sealFits {
				since = "before it: the header is that of another run, or some were changed, and their " +
					"checksums with them"
			}
			return fmt.Errorf("%s:%d: its digest does not match the lines of this file and of %s %s; %s",
				filepath.Join(j.Dir, journalName), s.line, histogramsName, since, restoreHint)
		}
		j.sealFits = true
		j.seals, j.chain.digest, j.chain.sums = j.seals[1:], s.digest, j.chain.sums[:0]
	}
	return nil
}

// dropFrom drops the trials from number i on, whose lines start at from.
func (j *Journal) dropFrom(i int, from start) {
	for _, t := range j.Trials[i:] {
		delete(j.state.seen, keyOf(&t))
		j.state.counts[t.Block]--
	}
	j.lost = len(j.Trials) - i
	j.Trials = j.Trials[:i]
	j.Torn += j.end - from.offset
	j.end, j.chain.journal = from.offset, from.crc
}

// Histograms iterates over the histograms of the trials in the order of j.Trials, without trials that have
// none. An error is the last element.
func (j *Journal) Histograms() iter.Seq2[Histograms, error] {
	return func(yield func(Histograms, error) bool) {
		path := filepath.Join(j.Dir, histogramsName)
		f, err := input.Open(context.Background(), path, input.Journal)
		if err != nil {
			yield(Histograms{}, err)
			return
		}
		defer f.Close()
		in := newLines(f)
		for _, t := range j.Trials {
			var h Histograms
			line, err := in.next()
			if err == nil {
				h, err = parseHistogram(line, keyOf(&t))
			}
			if err != nil {
				yield(Histograms{}, fmt.Errorf("%s:%d: the histogram of %v: %w", path, in.number, keyOf(&t), err))
				return
			}
			if len(h.Data) > 0 && !yield(h, nil) {
				return
			}
		}
	}
}
