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

// A line of a checked file ends with its checksum, the record of a seal with its digest before that.
const (
	crcMember    = `,"crc":"`
	crcLength    = len(crcMember) + 8 + len("\"}\n")
	digestMember = `,"digest":"`
	digestLength = len(digestMember) + 2*sha256.Size + len(`"`)
)

// checked matches the end of a line that has a checksum.
var checked = regexp.MustCompile(`,"crc":"[0-9a-f]{8}"}\n$`)

var (
	errChecksum = errors.New("its checksum does not fit it and the lines before it: it was changed, or a line was " +
		"lost, doubled or moved")
	errNoChecksum = errors.New("it has no checksum, and the header of the run has one: it was changed, or " +
		"another program wrote it")
	errMoved = errors.New("its checksum is not at its end: an editor or a transfer changed it, perhaps " +
		"the ends of its lines")
	errMixed = errors.New("it has a checksum, and the header of the run has none: the header was changed, or " +
		"lines of two runs were mixed")
)

// chain is what the checksums of a run have come to. The checksum of a line is the CRC-32C of its bytes up to it, which
// goes on from that of the line before it in the same file, without that line's digest. It does not go on from the
// header: that holds when the run began, and two runs that came to the same have the same lines of trials after it. The
// digests begin with the header, so that only the seals tell the two apart.
type chain struct {
	checked    bool // false: the run was begun before there were checksums, and goes on without
	journal    uint32
	histograms uint32
	digest     [sha256.Size]byte // of the last seal; before the first, of the header
	sums       []byte            // SHA-256 of each trial's two lines since that seal, the journal's first
}

// begin takes in the line of the header of a run.
func (c *chain) begin(header []byte) error {
	c.checked = checked.Match(header[max(0, len(header)-crcLength):])
	c.digest = sha256.Sum256(header)
	_, err := c.verify(header, 0)
	return err
}

// checksum is the CRC-32C of bytes, continued from that of the bytes before them.
func checksum(before uint32, b []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), b)
}

// sign adds its checksum to a line. crc is that of the line before it.
func (c *chain) sign(line []byte, crc uint32) (signed []byte, next uint32) {
	if !c.checked {
		return line, 0
	}
	body := line[:len(line)-len("}\n")]
	next = checksum(crc, body)
	return fmt.Appendf(body, "%s%08x\"}\n", crcMember, next), next
}

// verify checks the checksum of a whole line and returns it.
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

// trial takes in the two lines of a trial that were written.
func (c *chain) trial(journal, histograms []byte) {
	if c.checked {
		a, b := sha256.Sum256(journal), sha256.Sum256(histograms)
		c.sums = append(append(c.sums, a[:]...), b[:]...)
	}
}

// seal adds its digest and its checksum to the record of a seal. The digest is the SHA-256 of the digest before it, of
// the record itself, and of all lines of trials in between. The checksum of the next line goes on from crc.
func (c *chain) seal(line []byte) (sealed []byte, next [sha256.Size]byte, crc uint32) {
	if !c.checked {
		return line, c.digest, 0
	}
	body := line[:len(line)-len("}\n")]
	next, crc = digest(c.digest, sha256.Sum256(body), c.sums), checksum(c.journal, body)
	sealed, _ = c.sign(fmt.Appendf(body, "%s%x\"}\n", digestMember, next), c.journal)
	return sealed, next, crc
}

func digest(before, record [sha256.Size]byte, sums []byte) (d [sha256.Size]byte) {
	h := sha256.New()
	h.Write(before[:])
	h.Write(record[:])
	h.Write(sums)
	h.Sum(d[:0])
	return d
}

// A seal is the record of a journal that a sync came with, as it was read.
type seal struct {
	line   int
	trials int // before it
	record [sha256.Size]byte
	digest [sha256.Size]byte
	crc    uint32 // which the checksum of the next line goes on from
}

// readSeal reads the digest of a whole line whose checksum is right. crc is that of the line before it.
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
