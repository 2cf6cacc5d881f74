package costs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// readings are the results of a microprogram by name: nanoseconds, in order of measurement.
type readings map[string][]float64

func (r readings) add(name string, ns float64) { r[name] = append(r[name], ns) }

// answer encodes r as the answer of a trial: a text for each name.
func (r readings) answer() workload.Answer {
	a := workload.Answer{}
	for name, values := range r {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = strconv.FormatFloat(v, 'f', 2, 64)
		}
		a[name] = strings.Join(words, " ")
	}
	return a
}

// readAnswer decodes the answer of a trial.
func readAnswer(o trial.Outcome) (readings, error) {
	if !o.Trial.Good() {
		return nil, fmt.Errorf("the microprogram %s: %s: %s", o.Trial.Design, o.Trial.Status, o.Trial.Error)
	}
	var fields map[string]any
	switch a := o.Trial.Answer.(type) {
	case workload.Answer:
		fields = a
	case map[string]any:
		fields = a
	}
	r := readings{}
	for name, v := range fields {
		text, _ := v.(string)
		for word := range strings.FieldsSeq(text) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return nil, fmt.Errorf("the microprogram %s printed %q for %s, which is not a number", o.Trial.Design,
					word, name)
			}
			r.add(name, x)
		}
	}
	if len(r) == 0 {
		return nil, errors.New("the microprogram " + o.Trial.Design + " has no readings")
	}
	return r, nil
}
