package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/result"
)

// FuzzOpen checks that no journal causes a panic, and that an accepted journal can be resumed and then reads
// the same.
func FuzzOpen(f *testing.F) {
	dir := write(f, sweep())
	journal := get(os.ReadFile(filepath.Join(dir, journalName)))(f)
	histograms := get(os.ReadFile(filepath.Join(dir, histogramsName)))(f)
	f.Add(journal, histograms)
	// an old run, in which a change has more effect
	f.Add(checks.ReplaceAll(journal, nil), checks.ReplaceAll(histograms, nil))
	f.Add(checks.ReplaceAll(journal[:len(journal)/2], nil), checks.ReplaceAll(histograms, nil))
	f.Add(journal[:len(journal)-20], histograms[:len(histograms)-9])
	f.Add([]byte("{\"kind\":\"run\",\"schema_version\":1}\n{\"kind\":\"block\",\"block\":0,\"trials\":0}\n"), []byte{})
	f.Add([]byte("\x89PNG\r\n\x1a\n"), []byte("\x00"))
	f.Fuzz(func(t *testing.T, journal, histograms []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, journalName), journal, 0o666))
		must(t, os.WriteFile(filepath.Join(dir, histogramsName), histograms, 0o666))
		before, err := Open(dir)
		if err != nil {
			return
		}
		for _, err := range before.Histograms() {
			_ = err
		}
		_ = before.Notes()
		r, j, err := resume(dir, withoutSync)
		if err != nil {
			return
		}
		if !j.Ended {
			must(t, r.Append(step{kind: result.KindTrial, block: 1 << 40, order: 1}.trial(), nil))
		}
		must(t, r.Close())
		after := get(Open(dir))(t)
		n := len(before.Trials) // a run that has ended is not repaired
		if len(after.Trials) < n || after.Checked != before.Checked ||
			!after.Ended && (after.Torn != 0 || len(after.Trials) != n+1) {
			t.Fatalf("%d trials, then %d and %d bytes torn", n, len(after.Trials), after.Torn)
		}
	})
}

// FuzzLine checks that no line of a journal causes a panic, and that lines that are written can be read.
func FuzzLine(f *testing.F) {
	for _, dir := range []string{write(f, sweep())} {
		for _, line := range append(linesOf(f, dir, journalName), linesOf(f, dir, histogramsName)...) {
			f.Add(line, uint32(7))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte, crc uint32) {
		for _, c := range []chain{{}, {checked: true}} {
			if _, err := c.verify(line, crc); err == nil && c.checked {
				readSeal(line, crc)
			}
			if _, err := parse(line); err == nil && isWhole(line) && bytes.HasSuffix(line, []byte("}\n")) {
				signed, next := c.sign(bytes.Clone(line), crc)
				if got, err := c.verify(signed, crc); c.checked && (err != nil || got != next) {
					t.Fatalf("%q is signed as %q, which does not fit: %v", line, signed, err)
				}
			}
		}
	})
}
