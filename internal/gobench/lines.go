package gobench

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/input"
)

// blockLine matches a comment line that names the block and the run of the lines after it. Readers of the
// format skip it.
var blockLine = regexp.MustCompile(`^block (\d+) of (\S+)$`)

// maxLine is the limit of the format's reader for a line, including its end.
const maxLine = bufio.MaxScanTokenSize

// shorten empties the lines that are too long, such as program output between results. A line of results that
// is too long is an error.
func (f *File) shorten(text []byte) ([]byte, error) {
	var short []byte // the text so far, once a line was too long
	for rest, at := text, 1; len(rest) > 0; at++ {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		switch {
		case len(line) < maxLine:
			line = rest[:len(rest)-len(after)]
		case bytes.HasPrefix(line, []byte("Benchmark")):
			return nil, input.Refuse("%s:%d: the line is longer than %d bytes: remove it", f.Path, at, maxLine)
		default:
			if f.Long++; short == nil {
				short = append(make([]byte, 0, len(text)), text[:len(text)-len(rest)]...)
			}
			if line = nil; ended {
				line = []byte("\n")
			}
		}
		if short != nil {
			short = append(short, line...)
		}
		rest = after
	}
	if short == nil {
		return text, nil
	}
	return short, nil
}

// maxBlock is the largest block number that is accepted.
const maxBlock = 1_000_000_000

// lines iterates over the lines of a file and tracks the block of each.
type lines struct {
	rest    string
	at      int    // number of the line, from 1
	block   int    // block of the line
	run     string // run that all lines so far name; "" if none does, or if there are several
	several bool
}

// advance moves to line n, or to the end, and returns the line. Errors begin with the line number.
func (l *lines) advance(n int) (line string, err error) {
	for l.at < n && l.rest != "" {
		line, l.rest, _ = strings.Cut(l.rest, "\n")
		l.at++
		line = strings.TrimRight(line, " \t\r")
		if !strings.HasPrefix(line, "block ") {
			continue
		}
		m := blockLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if l.block, err = strconv.Atoi(m[1]); err != nil || l.block > maxBlock {
			return "", fmt.Errorf("%d: block %s: the numbers of blocks end at %d", l.at, m[1], maxBlock)
		}
		if l.run != "" && l.run != m[2] {
			l.several = true
		}
		l.run = m[2]
		if l.several {
			l.run = ""
		}
	}
	return line, nil
}
