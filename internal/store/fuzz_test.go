package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/result"
)

// FuzzOpen reads any journal without a panic. What it accepts can be resumed and then reads the same.
func FuzzOpen(f *testing.F) {
	dir := write(f, sweep())
	journal := get(os.ReadFile(filepath.Join(dir, journalName)))(f)
	histograms := get(os.ReadFile(filepath.Join(dir, histogramsName)))(f)
	f.Add(journal, histograms)
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
		r, j, err := resume(dir, withoutSync)
		if err != nil {
			return
		}
		if !j.Ended {
			must(t, r.Append(step{kind: result.KindTrial, block: 1 << 40, order: 1}.trial(), nil))
		}
		must(t, r.Close())
		after := get(Open(dir))(t)
		if n := len(before.Trials); after.Torn != 0 || len(after.Trials) < n || !after.Ended && len(after.Trials) != n+1 {
			t.Fatalf("%d trials, then %d and %d bytes torn", n, len(after.Trials), after.Torn)
		}
	})
}
