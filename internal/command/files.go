package command

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/brewput/brewput/plan"
)

// checkInput refuses an input that is not a regular file. Each run reads it from its beginning.
func checkInput(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return plan.Refuse("input", nil, "%w", err)
	case !info.Mode().IsRegular():
		return plan.Refuse("input", path, "is not a regular file that every run can read again")
	}
	return nil
}

// openInput opens the input of a command.
func openInput(path string) (*os.File, error) {
	if err := checkInput(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// checksum returns the SHA-256 of an executable file.
func checksum(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
