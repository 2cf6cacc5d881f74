package words

import (
	"fmt"
	"io"
	"os"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// input is the file whose words are counted, with the rule and the parameters of the count.
type input struct {
	path  string
	size  int64
	rule  rule
	as    string // version of the wc that determines the rule; "" if the user chose the rule
	chunk int    // size of a chunk in bytes
	cpus  int
	words int // right answer, if it is known by construction; otherwise -1
}

// check returns an error if the file cannot be read repeatedly, or if the point has both a file and a size.
func check(p plan.Point) error {
	if !p.Has("file") {
		return nil
	}
	if p.Has("size") {
		return plan.Refuse("", nil, "{file} and {size} both set the input; give one of them")
	}
	info, err := os.Stat(p.Text("file"))
	switch {
	case err != nil:
		return &plan.Refusal{Field: "file", Reason: err.Error(), Err: err}
	case !info.Mode().IsRegular():
		return &plan.Refusal{Field: "file", Value: p.Text("file"),
			Reason: "not a regular file, so it cannot be read repeatedly; copy its content to one"}
	}
	return nil
}

// newInput finds or generates the file, and reads it once, so that it is in the page cache for all designs.
func newInput(p plan.Point) (*input, error) {
	in := &input{words: -1, cpus: p.Int("cpus")}
	if p.Has("chunk") {
		in.chunk = p.Int("chunk")
	}
	var err error
	if p.Has("file") {
		in.path = p.Text("file")
	} else {
		size := defaultSize
		if p.Has("size") {
			size = p.Int("size")
		}
		if in.path, in.words, err = generated(int64(size)); err != nil {
			return nil, err
		}
	}
	if in.rule, err = ruleOf(p.Text("rule")); p.Text("rule") == asWC {
		in.rule, in.as, err = ruleHere()
	}
	if err != nil {
		return nil, err
	}
	in.size, err = in.each(64<<10, func([]byte) {})
	return in, err
}

// each reads the file with that buffer size, calls use for each part, and returns the size of the file.
func (in *input) each(buffer int, use func([]byte)) (int64, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, buffer)
	for size := int64(0); ; {
		n, err := f.Read(buf)
		use(buf[:n])
		size += int64(n)
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}

// inOrder scans the file chunk by chunk.
func (in *input) inOrder(count scan) (int, error) {
	var t tally
	_, err := in.each(in.chunk, func(p []byte) { t = count(t, p) })
	return t.words, err
}

// expected returns the right answer by a rule: known by construction, or counted by the simplest scan.
func (in *input) expected(r rule) (int, error) {
	if in.words >= 0 {
		return in.words, nil
	}
	var t tally
	_, err := in.each(64<<10, func(p []byte) { t = r.simplest(t, p) })
	return t.words, err
}

// counting returns the job of a design that counts the words of its file.
func counting(p plan.Point, count func(e env.Env, in *input) (int, error)) (workload.Job, error) {
	in, err := newInput(p)
	if err != nil {
		return workload.Job{}, err
	}
	words := 0
	return workload.Job{
		Bytes: in.size,
		Run: func(e env.Env) (err error) {
			words, err = count(e, in)
			return err
		},
		Check: func() (workload.Answer, error) { return in.verify(words, in.rule) },
	}, nil
}

// alone runs a count in one goroutine, as one section of real code. The file is in memory, so reading it is work too.
func alone(count func(in *input) (int, error)) func(env.Env, *input) (int, error) {
	return func(e env.Env, in *input) (words int, err error) {
		w := e.Begin()
		words, err = count(in)
		w.End()
		return words, err
	}
}

// verify returns the answer, and an error if the number of words is wrong by the rule.
func (in *input) verify(words int, r rule) (workload.Answer, error) {
	answer := workload.Answer{"words": words, "bytes": in.size, "rule": r.String()}
	if in.as != "" {
		answer["rule_of"] = in.as
	}
	right, err := in.expected(r)
	if err == nil && words != right {
		err = fmt.Errorf("it counts %d words instead of %d (by the rule %s)", words, right, r)
	}
	return answer, err
}
