package messenger

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/brewput/brewput/catalog/messenger"
)

// recordBytes is the size of a record in the log of a server: client, from and to, little-endian. A record is valid
// when to is not 0, which is written last.
const recordBytes = 24

// readLog reads the log of a server. A record that a killed server did not complete ends it.
func readLog(path string) (*messenger.Ledger, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l, _, err := parseLog(b)
	return l, err
}

// parseLog returns the spans of a log, and the length of their records.
func parseLog(b []byte) (*messenger.Ledger, int, error) {
	l, at := &messenger.Ledger{}, 0
	for ; at+recordBytes <= len(b); at += recordBytes {
		number := func(i int) uint64 { return binary.LittleEndian.Uint64(b[at+8*i:]) }
		if number(2) == 0 {
			break
		}
		s := messenger.Span{From: number(1), To: number(2)}
		if s.From == 0 || s.From > s.To {
			return nil, at, fmt.Errorf("the log has a record of the messages %d to %d of client %d at byte %d", s.From,
				s.To, number(0), at)
		}
		l.Add(number(0), s, messenger.Acknowledged)
	}
	return l, at, nil
}

// errFull is the error of a log with more records than messages.
func errFull(records int) error {
	return fmt.Errorf("the log is full: it has room for %d records", records)
}
