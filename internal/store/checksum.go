package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
)

// A line of a checked file ends with its checksum. The digest of a seal comes before the checksum.
const (
	crcMember    = `,"crc":"`
	crcLength    = len(crcMember) + 8 + len("\"}\n")
	digestMember = `,"digest":"`
	digestLength = len(digestMember) + 2*sha256.Size + len(`"`)
)

// checked matches the end of a line that has a checksum.
var checked = regexp.MustCompile(`,"crc":"[0-9a-f]{8}"}\n$`)

var (
	errChecksum = errors.New("its checksum does not match it and the lines before it: it was changed, or a line was " +
		"lost, duplicated or moved")
	errNoChecksum = errors.New("it has no checksum, and the header of the run has one: it was changed, or " +
		"another program wrote it")
	errMoved = errors.New("its checksum is not at its end: an editor or a transfer changed it, perhaps its line " +
		"endings")
	errMixed = errors.New("it has a checksum, and the header of the run has none: the header was changed, or " +
		"lines of two runs were mixed")
)

// chain is the state of the checksums of a run. The checksum of a line is the CRC-32C of its bytes before the
// checksum. It continues from that of the previous line in the same file, without the digest of that line.
//
// It does not continue from the header, which holds the time when the run began: two runs with equal results
// have equal lines of trials after it. The digests begin with the header, so only the seals distinguish such
// runs.
type chain struct {
	checked    bool // false: the run is older than checksums, and continues without them
	journal    uint32
	histograms uint32
	digest     [sha256.Size]byte // of the last seal; before the first seal, of the header
	sums       []byte            // SHA-256 of both lines of each trial since that seal, the journal's line first
}

// begin starts the chain with the header line of a run.
func (c *chain) begin(header []byte) error {
	c.checked = checked.Match(header[max(0, len(header)-crcLength):])
	c.digest = sha256.Sum256(header)
	_, err := c.verify(header, 0)
	return err
}

// checksum returns the CRC-32C of b, continued from the checksum of the bytes before.
func checksum(before uint32, b []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), b)
}

// sign adds the checksum to a line. crc is the checksum of the previous line.
func (c *chain) sign(line []byte, crc uint32) (signed []byte, next uint32) {
	if !c.checked {
		return line, 0
	}
	body := line[:len(line)-len("}\n")]
	next = checksum(crc, body)
	return fmt.Appendf(body, "%s%08x\"}\n", crcMember, next), next
}

// verify checks the checksum of a complete line and returns it. crc is the checksum of the previous line.
func (c *chain) verify(line []byte, crc uint32) (next uint32, err error) {
	has := checked.Match(line[max(0, len(line)-crcLength):])
	switch {
	case !c.checked && has:
		return 0, errMixed
	case !c.checked:
		return 0, nil
	case !has:
		return 0, errNoChecksum
	}
	body := line[:len(line)-crcLength]
	next = checksum(crc, body)
	if string(line[len(body):]) != fmt.Sprintf("%s%08x\"}\n", crcMember, next) {
		return 0, errChecksum
	}
	return next, nil
}

// addTrial adds both lines of a trial to the next digest.
func (c *chain) addTrial(journal, histograms []byte) {
	if c.checked {
		a, b := sha256.Sum256(journal), sha256.Sum256(histograms)
		c.sums = append(append(c.sums, a[:]...), b[:]...)
	}
}

// seal adds the digest and the checksum to the record of a seal. The digest is the SHA-256 of the previous
// digest, of the record itself, and of all lines of trials in between. The checksum of the next line continues
// from crc.
func (c *chain) seal(line []byte) (sealed []byte, next [sha256.Size]byte, crc uint32) {
	if !c.checked {
		return line, c.digest, 0
	}
	body := line[:len(line)-len("}\n")]
	next, crc = digest(c.digest, sha256.Sum256(body), c.sums), checksum(c.journal, body)
	sealed, _ = c.sign(fmt.Appendf(body, "%s%x\"}\n", digestMember, next), c.journal)
	return sealed, next, crc
}

// digest computes the digest of a seal.
func digest(before, record [sha256.Size]byte, sums []byte) (d [sha256.Size]byte) {
	h := sha256.New()
	h.Write(before[:])
	h.Write(record[:])
	h.Write(sums)
	h.Sum(d[:0])
	return d
}

// seal is a record of a journal that came with a sync, as it was read.
type seal struct {
	line   int
	trials int // number of trials before it
	record [sha256.Size]byte
	digest [sha256.Size]byte
	crc    uint32 // the checksum from which that of the next line continues
}

// readSeal reads the digest of a complete line whose checksum matches. crc is the checksum of the previous
// line.
func readSeal(line []byte, crc uint32) (s seal, err error) {
	body := line[:len(line)-crcLength]
	at := len(body) - digestLength
	if at < 0 || !bytes.HasPrefix(body[at:], []byte(digestMember)) || body[len(body)-1] != '"' {
		return s, errors.New("it has no digest of the lines before it: another program wrote it")
	}
	if _, err := hex.Decode(s.digest[:], body[at+len(digestMember):len(body)-1]); err != nil {
		return s, fmt.Errorf("its digest of the lines before it cannot be read: %w", err)
	}
	s.record, s.crc = sha256.Sum256(body[:at]), checksum(crc, body[:at])
	return s, nil
}
