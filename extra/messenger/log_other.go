//go:build !unix

package messenger

import (
	"bufio"
	"errors"
	"os"

	"github.com/brewput/brewput/catalog/messenger"
)

// log is the log of a server: a file. It is not safe for concurrent use.
type log struct {
	f           *os.File
	at, records int
}

// openLog opens the log, which has room for a number of records, and returns what it has.
func openLog(path string, records int) (*log, *messenger.Ledger, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	stored, at, err := parseLog(bufio.NewReader(f)) // appended by WriteAt, so the position of f does not matter
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return &log{f: f, at: at, records: records}, stored, nil
}

// store appends a span.
func (l *log) store(client uint64, s messenger.Span) error {
	if l.at >= l.records*recordBytes {
		return errFull(l.records)
	}
	_, err := l.f.WriteAt(appendNumbers(nil, client, s.From, s.To), int64(l.at))
	l.at += recordBytes
	return err
}

// close closes the file.
func (l *log) close() error { return l.f.Close() }
