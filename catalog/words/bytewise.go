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
// Its count is wrong: a word counts only if a letter precedes the space, so a word before a full stop is lost.

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

// endings counts words as the original does.
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

// newOneByte reads each byte with a system call. The call and an allocation for each byte limit it.
func newOneByte(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return in.rule.steps(f, freshByte) })
	}))
}

// newBuffered reads each byte from a buffer of 4096 bytes. An allocation for each byte limits it.
func newBuffered(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return in.rule.steps(bufio.NewReader(f), freshByte) })
	}))
}

// newReused reads each byte from a buffer into the same variable. A call through an interface for each byte limits it.
func newReused(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) {
		return in.bytewise(func(f io.Reader) (int, error) { return in.rule.steps(bufio.NewReader(f), reusedByte()) })
	}))
}

// steps counts byte by byte, with a call of read for each.
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

// freshByte reads into a new variable. An io.Reader might keep the slice, so the variable escapes to the heap each
// time.
func freshByte(f io.Reader) (byte, error) {
	var buf [1]byte
	_, err := f.Read(buf[:])
	return buf[0], err
}

// reusedByte returns a function that reads into the same variable each time.
func reusedByte() func(io.Reader) (byte, error) {
	buf := make([]byte, 1)
	return func(f io.Reader) (byte, error) {
		_, err := f.Read(buf)
		return buf[0], err
	}
}

// bytewise opens the file and counts its words.
func (in *input) bytewise(count func(io.Reader) (int, error)) (int, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return count(f)
}
