package messenger

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/brewput/brewput/catalog/messenger"
)

// recordBytes is the size of a record in the log of a server: client, from and to, little-endian. A record is valid
// when to is not 0, which is written last.
const recordBytes = 24

// readLog reads the log of a server. A record that a killed server did not complete ends it.
func readLog(path string) (*messenger.Ledger, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, _, err := parseLog(bufio.NewReader(f))
	return l, err
}

// parseLog returns the spans of a log, and the length of their records. It reads no more than those: the file may be
// much larger.
func parseLog(r io.Reader) (*messenger.Ledger, int, error) {
	l, b := &messenger.Ledger{}, [recordBytes]byte{}
	for at := 0; ; at += recordBytes {
		_, err := io.ReadFull(r, b[:])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, at, err
		}
		number := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
		if err != nil || number(2) == 0 {
			return l, at, nil
		}
		s := messenger.Span{From: number(1), To: number(2)}
		if s.From == 0 || s.From > s.To {
			return nil, at, fmt.Errorf("the log has a record of the messages %d to %d of client %d at byte %d", s.From,
				s.To, number(0), at)
		}
		l.Add(number(0), s, messenger.Acknowledged)
	}
}

// errFull is the error of a log with more records than messages.
func errFull(records int) error {
	return fmt.Errorf("the log is full: it has room for %d records", records)
}
