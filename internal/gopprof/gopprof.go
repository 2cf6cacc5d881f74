// Package gopprof parses profiles in the format of pprof, as package runtime/pprof writes them: stacks, their values
// and the binary. It ignores other parts of the format, and it treats its input as untrusted
// (github.com/google/pprof/proto/profile.proto).
package gopprof

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"
)

// Profile is a set of samples.
type Profile struct {
	Types    []ValueType // types of each sample's values
	Samples  []Sample
	Duration time.Duration // time that the profile covers; 0 if the profile does not give it
	Binary   Binary        // the program that was profiled
}

// Binary is the executable file of a program: the main mapping, which is the first one.
type Binary struct {
	File    string // path; "" if unknown
	BuildID string // differs between builds of different sources; "" if the linker wrote none
}

// ValueType is the type and unit of a value: {"cpu", "nanoseconds"}.
type ValueType struct{ Type, Unit string }

// Sample is a stack with its values.
type Sample struct {
	Stack  []Frame // innermost function first, with inlined functions
	Values []int64 // one for each of the profile's Types
}

// Frame is a function on a stack.
type Frame struct {
	Function string // with its package path: "runtime.chansend"
	File     string
	Line     int
}

// Limits of a profile. maxBytes is the size of an unpacked profile. maxFrames is the sum of the depths of its stacks,
// which can be far longer than the file. maxParts is the number of samples, strings, locations and functions, of each
// kind.
const (
	maxBytes  = 256 << 20
	maxFrames = 10 << 20
	maxParts  = 1 << 20
	maxTypes  = 1000
)

// Parse parses a profile, whether compressed by gzip or not. Profiles beyond the limits of the package are errors.
func Parse(data []byte) (*Profile, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		unpacked, err := unpack(data)
		if err != nil {
			return nil, fmt.Errorf("reading a profile: %w", err)
		}
		data = unpacked
	}

	p := newParser()
	if err := p.profile(data); err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}

	out, err := p.resolve()
	if err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}

	return out, nil
}

// unpack decompresses a profile, up to maxBytes.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(out) > maxBytes {
		err = fmt.Errorf("it has more than %d bytes", maxBytes)
	}
	return out, err
}

// parser holds the parts of a profile, which refer to each other by numbers and in any order.
type parser struct {
	strings   []string
	types     [][2]int64
	samples   []sample
	functions map[uint64]function
	locations map[uint64][]line
	duration  int64
	binary    [2]int64 // string numbers of its file and build ID
	mapped    bool     // the first mapping has been read

	limits             map[uint64]*limit // limits of the parts, by field number
	ids, values, lines limit             // limits over all samples and locations
}

func newParser() parser {
	p := parser{functions: map[uint64]function{}, locations: map[uint64][]line{}, limits: map[uint64]*limit{},
		ids: newLimit(maxFrames, "frames in its stacks"), values: newLimit(maxFrames, "values"),
		lines: newLimit(4*maxParts, "lines")}
	for id, r := range map[uint64]limit{
		profileType:     newLimit(maxTypes, "types of values"),
		profileSample:   newLimit(maxParts, "samples"),
		profileLocation: newLimit(maxParts, "locations"),
		profileFunction: newLimit(maxParts, "functions"),
		profileString:   newLimit(maxParts, "strings"),
	} {
		p.limits[id] = &r
	}

	return p
}

type sample struct {
	locations []uint64
	values    []int64
}

type function struct{ name, file int64 }

type line struct {
	function uint64
	number   int64
}

// resolve replaces numbers by the parts that they refer to.
func (p *parser) resolve() (*Profile, error) {
	if len(p.strings) == 0 || p.strings[0] != "" {
		return nil, errors.New("its table of strings does not begin with an empty one")
	}

	file, err := p.text(p.binary[0])
	build, err2 := p.text(p.binary[1])
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}

	out := &Profile{Duration: time.Duration(p.duration), Binary: Binary{file, build}}
	for _, t := range p.types {
		name, err := p.text(t[0])
		unit, err2 := p.text(t[1])
		if err = errors.Join(err, err2); err != nil {
			return nil, err
		}
		out.Types = append(out.Types, ValueType{name, unit})
	}

	stacks := map[uint64][]Frame{}
	for id, lines := range p.locations {
		frames, err := p.frames(lines)
		if err != nil {
			return nil, err
		}
		stacks[id] = frames
	}

	depth := 0
	for _, s := range p.samples {
		if len(s.values) != len(out.Types) {
			return nil, fmt.Errorf("a sample has %d values instead of %d", len(s.values), len(out.Types))
		}
		frames := []Frame{}
		for _, id := range s.locations {
			f, ok := stacks[id]
			if !ok {
				return nil, fmt.Errorf("a sample is at location %d, which is not there", id)
			}
			if depth += len(f); depth > maxFrames {
				return nil, fmt.Errorf("its stacks have more than %d frames", maxFrames)
			}
			frames = append(frames, f...)
		}
		out.Samples = append(out.Samples, Sample{frames, s.values})
	}

	return out, nil
}

// frames returns the functions of a location, the innermost first.
func (p *parser) frames(lines []line) ([]Frame, error) {
	var frames []Frame
	for _, l := range lines {
		f, ok := p.functions[l.function]
		if !ok {
			return nil, fmt.Errorf("a line is of function %d, which is not there", l.function)
		}
		name, err := p.text(f.name)
		file, err2 := p.text(f.file)
		if err = errors.Join(err, err2); err != nil {
			return nil, err
		}
		frames = append(frames, Frame{name, file, int(l.number)})
	}

	return frames, nil
}

// text returns a string by its number.
func (p *parser) text(i int64) (string, error) {
	if i < 0 || i >= int64(len(p.strings)) {
		return "", fmt.Errorf("it has no string number %d", i)
	}
	return p.strings[i], nil
}
