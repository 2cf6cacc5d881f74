// Package record keeps the entries of a campaign in a file, one line of JSON each, so that a campaign that was stopped
// continues. One process at a time uses a record.
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

// Hash is the SHA-256 of a file, in hexadecimal digits. An entry that holds it is of that build alone.
func Hash(path string) (string, error) {
	text, err := os.ReadFile(path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Read returns the entries of a record in their order; none if there is no file. fits returns an error for an entry of
// another campaign. A last line without its end, as a kill leaves it, is cut off, so that its entry is made again. A
// file with any other fault is left as it is.
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
		return nil, fmt.Errorf("%s:%d: not an entry: name another file", path, len(entries)+1)
	}
	return entries, os.Truncate(path, int64(end))
}

// Append adds an entry, and makes the file if there is none.
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
