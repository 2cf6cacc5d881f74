package explain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// bufferLevel matches the buffer size in the name of a design.
var bufferLevel = regexp.MustCompile(`\bbuffer=(\d+)\b`)

var makeChan = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9.]*)\s*:?=\s*make\(chan `)

// isBuffered reports whether the channels in the files that use a resource are made with a buffer, as far as the source
// shows. A computed size counts as a buffer.
func (a *analysis) isBuffered(r *evidence.Resource) bool {
	if m := bufferLevel.FindStringSubmatch(a.prog.Name); m != nil {
		return m[1] != "0"
	}

	unbuffered, buffered := 0, 0
	var files []string
	for _, s := range r.Sites {
		at, ok := a.prog.ownFrame(s)
		if !ok || slices.Contains(files, at.File) {
			continue
		}
		files = append(files, at.File)
		u, b := a.prog.channelCounts(at.File)
		unbuffered += u
		buffered += b
		for _, s := range r.Sites {
			if hasBuffer, known := a.makesBuffered(s); known {
				return hasBuffer
			}
		}
	}

	return buffered > unbuffered
}

// makesBuffered finds the make call for the channel of a stack, by its name in the same file, and reports whether it
// has a buffer.
func (a *analysis) makesBuffered(stack []evidence.Frame) (buffered, known bool) {
	at, ok := a.prog.ownFrame(stack)
	if !ok || a.prog.Source == nil {
		return false, false
	}

	line := a.prog.sourceLine(at)
	for n := 1; n < 3000; n++ {
		text := a.prog.Source(at.File, n)
		m := makeChan.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		name := text[m[2]:m[3]]
		name = name[strings.LastIndexByte(name, '.')+1:]
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(line) {
			continue
		}
		size := chanCapacity(text[m[1]:])
		return size != "" && size != "0", true
	}

	return false, false
}

// channelCounts returns how many channels a source file makes without and with a buffer. A computed size counts as a
// buffer.
func (p program) channelCounts(file string) (unbuffered, buffered int) {
	if p.Source == nil {
		return 0, 0
	}

	for line := 1; line < 5000; line++ {
		text := p.Source(file, line)
		if text == "" && line > 1 && p.Source(file, line+1) == "" && p.Source(file, line+2) == "" &&
			p.Source(file, line+3) == "" {
			break
		}
		for {
			_, rest, ok := strings.Cut(text, "make(chan ")
			if !ok {
				break
			}
			if chanCapacity(rest) == "" || chanCapacity(rest) == "0" {
				unbuffered++
			} else {
				buffered++
			}
			text = rest
		}
	}

	return unbuffered, buffered
}

// chanCapacity returns the second argument of a make call, given the text after "make(chan ".
func chanCapacity(rest string) string {
	depth, comma := 0, -1
	for i, c := range rest {
		switch c {
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 0 {
				comma = i
			}
		case ')', ']', '}':
			if depth--; depth < 0 {
				if comma < 0 {
					return ""
				}
				return strings.TrimSpace(rest[comma+1 : i])
			}
		}
	}

	return ""
}
