package lab

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/sweep"
)

// readHeader reads the header of the run in dir, and refuses one that what is stored there does not fit.
func readHeader(dir string, j *store.Journal) (sweep.Header, error) {
	h, err := sweep.ReadHeader(dir, j.Header)
	if err != nil {
		return h, err
	}
	return h, h.Fits(dir, j.Trials, j.Blocks, j.Looks, !j.Checked)
}

// storeError makes a refusal of an error about a run directory, unless a disk failed or the directory was removed.
func storeError(err error) error {
	if store.Broken(err) {
		return err
	}
	return refuse("", nil, "%w", err)
}

// runDirectory is where a run of benchmarks goes. In the usual place git is told to look away: a run is no change of
// the user's tree.
func runDirectory(output string) string {
	if output != "" {
		return output
	}
	const parent = "brewput-runs"
	if !exists(parent) && os.Mkdir(parent, 0o777) == nil {
		os.WriteFile(filepath.Join(parent, ".gitignore"), []byte("*\n"), 0o666)
	}
	began := "bench-" + time.Now().Format("20060102-150405")
	dir := filepath.Join(parent, began)
	for n := 2; exists(dir); n++ {
		dir = filepath.Join(parent, began+"-"+strconv.Itoa(n))
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
