package cli

import (
	"os"
	"path/filepath"
)

// writable refuses a file that cannot be written, before anything is calculated for it.
func writable(flag, path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	target, targetErr := os.Stat(path)
	switch {
	case err != nil || !info.IsDir():
		return usage("%s %s: there is no directory %s; make it first", flag, path, dir)
	case targetErr == nil && !target.Mode().IsRegular():
		return usage("%s %s exists and is not a file; give another name", flag, path)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
