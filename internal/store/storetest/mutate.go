// Package storetest damages run directories as disks, editors and people do, for tests that no damage goes
// unnoticed.
package storetest

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
)

// mutations are the kinds of damage. Each returns nil if it finds nothing to damage in the file.
var mutations = []struct {
	kind string
	make func(rng *rand.Rand, file []byte) []byte
}{
	{"digit", changeDigit},
	{"bit", flipBit},
	{"delete bytes", deleteBytes},
	{"insert bytes", insertBytes},
	{"delete line", deleteLine},
	{"duplicate line", duplicateLine},
	{"swap lines", swapLines},
	{"truncate", truncate},
	{"key", changeKey},
	{"invalid UTF-8", invalidUTF8},
	{"schema version", changeVersion},
	{"line ends", changeLineEnds},
	{"byte order mark", func(_ *rand.Rand, file []byte) []byte { return slices.Concat([]byte("\xef\xbb\xbf"), file) }},
	{"file twice", func(_ *rand.Rand, file []byte) []byte { return slices.Concat(file, file) }},
	{"zeros", zeros},
}

// Mutate returns a copy of a journal, or of any file of lines, with damage in one place, and the kind of
// damage. The same state of rng gives the same copy.
func Mutate(rng *rand.Rand, file []byte) (kind string, mutated []byte) {
	for range 100 {
		m := mutations[rng.IntN(len(mutations))]
		if b := m.make(rng, file); b != nil && !bytes.Equal(b, file) {
			return m.kind, b
		}
	}
	return "append", append(slices.Clone(file), "{}\n"...)
}

// replace returns a copy of file in which by replaces file[from:to].
func replace(file []byte, from, to int, by ...byte) []byte {
	return slices.Concat(file[:from], by, file[to:])
}

// pick returns the range of one match of a pattern, or of its group.
func pick(rng *rand.Rand, file []byte, pattern *regexp.Regexp) (from, to int, ok bool) {
	all := pattern.FindAllSubmatchIndex(file, -1)
	if len(all) == 0 {
		return 0, 0, false
	}
	m := all[rng.IntN(len(all))]
	return m[len(m)-2], m[len(m)-1], true
}

var (
	digits   = regexp.MustCompile(`([0-9])`)
	keys     = regexp.MustCompile(`"([a-z_0-9]+)":`)
	versions = regexp.MustCompile(`"schema_version":([0-9]+)`)
)

func changeDigit(rng *rand.Rand, file []byte) []byte {
	at, _, ok := pick(rng, file, digits)
	if !ok {
		return nil
	}
	return replace(file, at, at+1, '0'+(file[at]-'0'+byte(1+rng.IntN(9)))%10)
}

func flipBit(rng *rand.Rand, file []byte) []byte {
	if len(file) == 0 {
		return nil
	}
	at := rng.IntN(len(file))
	return replace(file, at, at+1, file[at]^1<<rng.IntN(8))
}

func deleteBytes(rng *rand.Rand, file []byte) []byte {
	if len(file) == 0 {
		return nil
	}
	at := rng.IntN(len(file))
	return replace(file, at, min(at+1+rng.IntN(20), len(file)))
}

func insertBytes(rng *rand.Rand, file []byte) []byte {
	const printable = `0123456789.,:"{}[]abcxyz -+eE`
	by := make([]byte, 1+rng.IntN(8))
	for i := range by {
		by[i] = printable[rng.IntN(len(printable))]
	}
	at := rng.IntN(len(file) + 1)
	return replace(file, at, at, by...)
}

func deleteLine(rng *rand.Rand, file []byte) []byte {
	lines := bytes.SplitAfter(file, []byte("\n"))
	i := rng.IntN(len(lines))
	return bytes.Join(slices.Delete(lines, i, i+1), nil)
}

// duplicateLine repeats a line, next to it or elsewhere.
func duplicateLine(rng *rand.Rand, file []byte) []byte {
	lines := bytes.SplitAfter(file, []byte("\n"))
	from := rng.IntN(len(lines))
	to := from
	if rng.IntN(2) == 0 {
		to = rng.IntN(len(lines))
	}
	return bytes.Join(slices.Insert(lines, to, lines[from]), nil)
}

func swapLines(rng *rand.Rand, file []byte) []byte {
	lines := bytes.SplitAfter(file, []byte("\n"))
	i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
	lines[i], lines[j] = lines[j], lines[i]
	return bytes.Join(lines, nil)
}

// truncate cuts the file at any byte, or at the end of a line.
func truncate(rng *rand.Rand, file []byte) []byte {
	if len(file) == 0 {
		return nil
	}
	at := rng.IntN(len(file))
	if rng.IntN(2) == 0 {
		at = bytes.LastIndexByte(file[:at], '\n') + 1
	}
	return slices.Clone(file[:at])
}

// changeKey changes one letter of a member name, such as that of a metric.
func changeKey(rng *rand.Rand, file []byte) []byte {
	from, to, ok := pick(rng, file, keys)
	if !ok {
		return nil
	}
	at := from + rng.IntN(to-from)
	return replace(file, at, at+1, byte('a'+rng.IntN(26)))
}

func invalidUTF8(rng *rand.Rand, file []byte) []byte {
	at := rng.IntN(len(file) + 1)
	return replace(file, at, at, [][]byte{{0xff}, {0xc3}, {0xed, 0xa0, 0x80}, {0xf0, 0x9f}}[rng.IntN(4)]...)
}

func changeVersion(rng *rand.Rand, file []byte) []byte {
	from, to, ok := pick(rng, file, versions)
	if !ok {
		return nil
	}
	return replace(file, from, to, byte('0'+rng.IntN(10)))
}

// changeLineEnds replaces the line ends by those of another system or of an editor.
func changeLineEnds(rng *rand.Rand, file []byte) []byte {
	return bytes.ReplaceAll(file, []byte("\n"),
		[][]byte{[]byte("\r\n"), []byte("\r"), []byte(" \n"), []byte("\n\n")}[rng.IntN(4)])
}

// zeros overwrites part of the file with zeros, or appends them, as a file system may after a power cut.
func zeros(rng *rand.Rand, file []byte) []byte {
	from := rng.IntN(len(file) + 1)
	n := 1 + rng.IntN(512)
	if rng.IntN(4) == 0 {
		from = len(file)
	}
	return replace(file, from, min(from+n, len(file)), make([]byte, n)...)
}
