// Package record stores the results of a campaign in a file of JSON lines, so that a campaign that was stopped can
// continue, and names the exit codes of campaigns. Only one process may use a record at a time.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Hash returns the SHA-256 of a file in hexadecimal digits. An entry that holds the hash of a program belongs to that
// build only.
func Hash(path string) (string, error) {
	text, err := os.ReadFile(path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Read returns the entries of a record in order, and none if there is no file. fits returns an error for an entry of
// another campaign. If a kill left the last line incomplete, Read truncates the file before it, so that the entry is
// measured again. Read does not change a file with any other fault.
func Read[T any](path string, fits func(T) error) (entries []T, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	end := bytes.LastIndexByte(text, '\n') + 1
	for line := range bytes.Lines(text[:end]) {
		var entry T
		err := json.Unmarshal(line, &entry)
		if err == nil {
			err = fits(entry)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(entries)+1, err)
		}
		entries = append(entries, entry)
	}

	if end == len(text) {
		return entries, nil
	}
	if text[end] != '{' {
		return nil, fmt.Errorf("%s:%d: not an entry of a record: give another file", path, len(entries)+1)
	}
	return entries, os.Truncate(path, int64(end))
}

// Append adds an entry. It creates the file if there is none.
func Append[T any](path string, entry T) error {
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
