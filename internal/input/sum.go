package input

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Sum returns the SHA-256 of a file of a kind, in hexadecimal digits. Errors are those of [Open] and of reading.
func Sum(ctx context.Context, path string, kind Kind) (string, error) {
	f, err := Open(ctx, path, kind)
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
