package peers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/brewput/brewput/catalog/journal"
)

// number is a message with numbers of 8 bytes.
func number(n ...uint64) (text []byte) {
	for _, x := range n {
		text = binary.LittleEndian.AppendUint64(text, x)
	}
	return text
}

// numbers returns the numbers of a message; count 0 permits any number of them.
func numbers(text []byte, count int) (n []uint64, err error) {
	if len(text)%8 != 0 || count > 0 && len(text) != 8*count {
		return nil, status.Errorf(codes.InvalidArgument, "%d bytes are not the numbers expected", len(text))
	}
	for ; len(text) > 0; text = text[8:] {
		n = append(n, binary.LittleEndian.Uint64(text))
	}
	return n, nil
}

// readNumber reads a file of writeNumber; 0 if there is none.
func readNumber(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err == nil && len(text) != 8 {
		err = fmt.Errorf("%s has %d bytes, not a number", path, len(text))
	}
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(text), nil
}

// writeNumber replaces a file, and syncs it and its directory.
func writeNumber(path string, n uint64) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(number(n))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return journal.SyncDirs(filepath.Dir(path))
}
