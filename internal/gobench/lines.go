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

// blockLine names the block that the lines after it were measured in, and its run; readers of the format skip it.
var blockLine = regexp.MustCompile(`^block (\d+) of (\S+)$`)

// longestLine is what the format's reader takes, with the end of the line.
const longestLine = bufio.MaxScanTokenSize

// shorten empties the lines that are too long, such as what a program printed between results. One of results is an
// error.
func (f *File) shorten(text []byte) ([]byte, error) {
	var short []byte // the text so far, once a line was too long
	for rest, at := text, 1; len(rest) > 0; at++ {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		switch {
		case len(line) < longestLine:
			line = rest[:len(rest)-len(after)]
		case bytes.HasPrefix(line, []byte("Benchmark")):
			return nil, input.Refuse("%s:%d: the line is longer than %d bytes: remove it", f.Path, at, longestLine)
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

// mostBlock is the last number of a block that is taken.
const mostBlock = 1_000_000_000

// lines walks through the lines of a file, and finds the block of each.
type lines struct {
	rest    string
	at      int    // the line, counted from 1
	block   int    // its block
	run     string // that all lines so far name; "" where none does, or where there are several
	several bool
}

// to goes on to line n, or to the end, and returns the line. Errors begin with the line's number.
func (l *lines) to(n int) (line string, err error) {
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
		if l.block, err = strconv.Atoi(m[1]); err != nil || l.block > mostBlock {
			return "", fmt.Errorf("%d: block %s: the numbers of blocks end at %d", l.at, m[1], mostBlock)
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
