package collect

import (
	"os"
	"path/filepath"
	"strings"
)

// SavedIn returns the profiles and the trace in a directory without Go files.
func SavedIn(dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".go":
			return nil
		case ".pprof":
			files = append(files, filepath.Join(dir, e.Name()))
		case ".out":
			if e.Name() == "trace.out" {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	return files
}

// IsImportPath reports whether a word that is no file looks like a package that the go command knows.
func IsImportPath(word string) bool {
	return isPattern(word) || filepath.Ext(word) == "" && (strings.HasPrefix(word, "./") ||
		strings.Contains(word, ".") && strings.Contains(word, "/"))
}
