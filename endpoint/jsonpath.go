package endpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/brewput/brewput/plan"
)

// step is one step of a path into JSON: the key of an object, or the index of an array.
type step struct {
	key   string
	index int // if array
	array bool
}

// jsonCheck expects a value at a path of a reply.
type jsonCheck struct {
	text  string // as given
	path  []step
	value string
	any   bool // any value will do
}

// parseJSONCheck reads PATH or PATH=VALUE. A path is $, then .key, ["key"] or [index], such as $.sentences[0].parse.
// The error is a [plan.Refusal].
func parseJSONCheck(text string) (jsonCheck, error) {
	c := jsonCheck{text: text}
	rest, found := strings.CutPrefix(text, "$")
	if !found {
		return c, refusePath(text, text)
	}
	for rest != "" && rest[0] != '=' {
		s, tail, ok := parseStep(rest)
		if !ok {
			return c, refusePath(text, rest)
		}
		c.path, rest = append(c.path, s), tail
	}
	c.value, found = strings.CutPrefix(rest, "=")
	c.any = !found
	return c, nil
}

// refusePath refuses a path that cannot be read from rest on.
func refusePath(text, rest string) error {
	return plan.Refuse("expect-json", quoted(text), "cannot be read at %s", quoted(rest)).
		Suggest("give PATH=VALUE or PATH, as in '$.a.b[0]=x' or '$[\"a b\"]'")
}

// parseStep reads the first step of a path.
func parseStep(text string) (s step, rest string, ok bool) {
	if key, found := strings.CutPrefix(text, "."); found {
		end := strings.IndexAny(key, ".[=")
		if end < 0 {
			end = len(key)
		}
		return step{key: key[:end]}, key[end:], end > 0
	}
	inside, found := strings.CutPrefix(text, "[")
	if !found {
		return step{}, text, false
	}

	if quoted, err := strconv.QuotedPrefix(inside); err == nil && quoted[0] == '"' {
		key, err := strconv.Unquote(quoted)
		rest, closed := strings.CutPrefix(inside[len(quoted):], "]")
		return step{key: key}, rest, err == nil && closed
	}
	number, rest, closed := strings.Cut(inside, "]")
	index, err := strconv.ParseUint(number, 10, 31)
	return step{index: int(index), array: true}, rest, closed && err == nil
}

// decodeJSON reads one JSON value.
func decodeJSON(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("the body has more than one JSON value")
	}
	return v, nil
}

// check returns an error if a decoded body does not have the value.
func (c jsonCheck) check(v any) error {
	for _, s := range c.path {
		var found bool
		switch x := v.(type) {
		case map[string]any:
			v, found = x[s.key]
			found = found && !s.array
		case []any:
			if found = s.array && s.index < len(x); found {
				v = x[s.index]
			}
		}
		if !found {
			return fmt.Errorf("the body has nothing at %s", quoted(c.pathText()))
		}
	}
	if c.any || sameJSON(v, c.value) {
		return nil
	}
	got, _ := json.Marshal(v) // v was decoded from JSON
	return fmt.Errorf("the body has %s at %s, not %s", shorten(string(got)), quoted(c.pathText()), quoted(c.value))
}

// pathText is the path without the value.
func (c jsonCheck) pathText() string {
	if c.any {
		return c.text
	}
	return strings.TrimSuffix(c.text, "="+c.value)
}

// sameJSON reports whether a decoded value is that of a text: the text of a string, with or without quotation marks, an
// equal number, or the same JSON.
func sameJSON(v any, text string) bool {
	if s, ok := v.(string); ok && s == text {
		return true
	}
	want, err := decodeJSON([]byte(text))
	if err != nil {
		return false
	}
	if a, ok := v.(json.Number); ok {
		b, isNumber := want.(json.Number)
		x, errX := a.Float64()
		y, errY := b.Float64()
		return isNumber && (a == b || errX == nil && errY == nil && x == y && !exact(a, b))
	}
	a, _ := json.Marshal(v) // both were decoded from JSON
	b, _ := json.Marshal(want)
	return bytes.Equal(a, b)
}

// exact reports whether two numbers are integers, which are compared by their digits.
func exact(a, b json.Number) bool { return isInteger(a) && isInteger(b) }

func isInteger(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }
