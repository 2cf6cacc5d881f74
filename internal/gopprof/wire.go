package gopprof

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errBroken = errors.New("it is damaged, or not a profile")

// field is one field of a protobuf message: a number or bytes.
type field struct {
	id     uint64
	number uint64
	bytes  []byte
	packed bool // bytes is set instead of number
}

// next parses the first field of data.
func next(data []byte) (f field, rest []byte, err error) {
	key, data, err := varint(data)
	if err != nil {
		return f, nil, err
	}

	f.id = key >> 3
	switch key & 7 {
	case 0:
		f.number, data, err = varint(data)
		return f, data, err
	case 1:
		if len(data) < 8 {
			return f, nil, errBroken
		}
		f.number = binary.LittleEndian.Uint64(data)
		return f, data[8:], nil
	case 2:
		n, data, err := varint(data)
		if err != nil || n > uint64(len(data)) {
			return f, nil, errBroken
		}
		f.bytes, f.packed = data[:n], true
		return f, data[n:], nil
	case 5:
		if len(data) < 4 {
			return f, nil, errBroken
		}
		f.number = uint64(binary.LittleEndian.Uint32(data))
		return f, data[4:], nil
	}

	return f, nil, errBroken
}

// varint parses a variable-length integer.
func varint(data []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, nil, errBroken
	}
	return x, data[n:], nil
}

// eachField calls f with each field of a message.
func eachField(data []byte, f func(field) error) error {
	for len(data) > 0 {
		one, rest, err := next(data)
		if err != nil {
			return err
		}
		data = rest
		if err := f(one); err != nil {
			return err
		}
	}

	return nil
}

// numbers appends the values of a repeated field, packed or not, up to a limit.
func numbers(list []uint64, f field, room *limit) ([]uint64, error) {
	if !f.packed {
		return append(list, f.number), room.use()
	}

	for data := f.bytes; len(data) > 0; {
		x, rest, err := varint(data)
		if err != nil {
			return nil, err
		}
		if err := room.use(); err != nil {
			return nil, err
		}
		list, data = append(list, x), rest
	}

	return list, nil
}

// limit counts the parts of a kind that a profile may have. A few bytes of a packed file can stand for millions of
// them.
type limit struct {
	remaining, max int
	what           string
}

func newLimit(most int, what string) limit { return limit{most, most, what} }

// use counts one part. Call it before the part takes memory.
func (r *limit) use() error {
	if r.remaining--; r.remaining < 0 {
		return fmt.Errorf("it has more than %d %s: take it over a shorter time", r.max, r.what)
	}
	return nil
}

// The field numbers of the messages.
const (
	profileType, profileSample, profileMapping, profileLocation = 1, 2, 3, 4
	profileFunction, profileString, profileDuration             = 5, 6, 10

	typeType, typeUnit             = 1, 2
	sampleLocation, sampleValue    = 1, 2
	mappingFile, mappingBuildID    = 5, 6
	locationID, locationLine       = 1, 4
	lineFunction, lineNumber       = 1, 2
	functionID, functionName, file = 1, 2, 4
)

// profile parses the message Profile.
func (p *parser) profile(data []byte) error {
	return eachField(data, func(f field) error {
		if inner := f.id >= profileType && f.id <= profileString; inner && !f.packed {
			return errBroken
		}
		if room := p.limits[f.id]; room != nil {
			if err := room.use(); err != nil {
				return err
			}
		}
		switch f.id {
		case profileType:
			t := [2]int64{}
			p.types = append(p.types, t)
			return readNumbers(f.bytes, map[uint64]*int64{typeType: &p.types[len(p.types)-1][0],
				typeUnit: &p.types[len(p.types)-1][1]})
		case profileSample:
			return p.sample(f.bytes)
		case profileMapping:
			if p.mapped {
				return nil // the mapping of a library
			}
			p.mapped = true
			return readNumbers(f.bytes, map[uint64]*int64{mappingFile: &p.binary[0], mappingBuildID: &p.binary[1]})
		case profileLocation:
			return p.location(f.bytes)
		case profileFunction:
			return p.function(f.bytes)
		case profileString:
			p.strings = append(p.strings, string(f.bytes))
		case profileDuration:
			p.duration = int64(f.number)
		}
		return nil
	})
}

// readNumbers reads the number fields of a message.
func readNumbers(data []byte, into map[uint64]*int64) error {
	return eachField(data, func(f field) error {
		if to := into[f.id]; to != nil && !f.packed {
			*to = int64(f.number)
		}
		return nil
	})
}

// sample parses the message Sample.
func (p *parser) sample(data []byte) error {
	var s sample
	err := eachField(data, func(f field) (err error) {
		switch f.id {
		case sampleLocation:
			s.locations, err = numbers(s.locations, f, &p.ids)
		case sampleValue:
			var values []uint64
			values, err = numbers(nil, f, &p.values)
			for _, v := range values {
				s.values = append(s.values, int64(v))
			}
		}
		return err
	})

	p.samples = append(p.samples, s)
	return err
}

// location parses the message Location.
func (p *parser) location(data []byte) error {
	var id uint64
	var lines []line
	err := eachField(data, func(f field) error {
		switch f.id {
		case locationID:
			id = f.number
		case locationLine:
			var function, number int64
			numbers := map[uint64]*int64{lineFunction: &function, lineNumber: &number}
			if err := readNumbers(f.bytes, numbers); err != nil {
				return err
			}
			if err := p.lines.use(); err != nil {
				return err
			}
			lines = append(lines, line{uint64(function), number})
		}
		return nil
	})

	p.locations[id] = lines
	return err
}

// function parses the message Function.
func (p *parser) function(data []byte) error {
	var id int64
	var fn function
	err := readNumbers(data, map[uint64]*int64{functionID: &id, functionName: &fn.name, file: &fn.file})
	p.functions[uint64(id)] = fn
	return err
}
