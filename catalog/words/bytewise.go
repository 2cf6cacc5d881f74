package words

import (
	"bufio"
	"io"
	"os"
	"unicode"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// The original is a word counter in three steps (D. Cheney, "Two Go Programs, Three Different Profiling Techniques").
// Its programs count wrong: a word counts only where a letter stands before its space, so that one with a full stop is
// lost.

func newOriginal(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return endings(f, freshByte) })
	}))
}

func newOriginalBuffered(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return endings(bufio.NewReader(f), freshByte) })
	}))
}

func newOriginalReused(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return endings(bufio.NewReader(f), reusedByte()) })
	}))
}

// endings counts as the original does.
func endings(f io.Reader, read func(io.Reader) (byte, error)) (int, error) {
	words, inWord := 0, false
	for {
		b, err := read(f)
		if err == io.EOF {
			return words, nil
		}
		if err != nil {
			return 0, err
		}
		if unicode.IsSpace(rune(b)) && inWord {
			words++
		}
		inWord = unicode.IsLetter(rune(b))
	}
}

// newOneByte asks the system for each byte. What limits it: a system call and an allocation for each.
func newOneByte(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return in.rule.steps(f, freshByte) })
	}))
}

// newBuffered asks a buffer of 4096 bytes for each byte. What limits it: an allocation for each.
func newBuffered(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return in.rule.steps(bufio.NewReader(f), freshByte) })
	}))
}

// newReused asks a buffer for each byte, which it always puts at the same place. What limits it: a call through an
// interface for each.
func newReused(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return in.rule.steps(bufio.NewReader(f), reusedByte()) })
	}))
}

// steps counts byte by byte.
func (r rule) steps(f io.Reader, read func(io.Reader) (byte, error)) (int, error) {
	var t tally
	for {
		b, err := read(f)
		if err == io.EOF {
			return t.words, nil
		}
		if err != nil {
			return 0, err
		}
		t.step(r.class(b))
	}
}

// freshByte reads into a byte of its own. Whoever implements an io.Reader might keep the slice, so that the byte
// escapes to the heap, each time.
func freshByte(f io.Reader) (byte, error) {
	var buf [1]byte
	_, err := f.Read(buf[:])
	return buf[0], err
}

// reusedByte reads into the same byte each time.
func reusedByte() func(io.Reader) (byte, error) {
	buf := make([]byte, 1)
	return func(f io.Reader) (byte, error) {
		_, err := f.Read(buf)
		return buf[0], err
	}
}

// bytewise opens the file for a count.
func (in *input) bytewise(count func(io.Reader) (int, error)) (int, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return count(f)
}
