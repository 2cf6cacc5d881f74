package result

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Value is a measured number. NaN means that it could not be measured: it is null in JSON and "unavailable" in tables.
type Value float64

// Unavailable is the value of a number that could not be measured.
var Unavailable = Value(math.NaN())

// Known reports whether the value was measured.
func (v Value) Known() bool { return !math.IsNaN(float64(v)) }

// MarshalJSON writes the number, and null for an unavailable or infinite value.
func (v Value) MarshalJSON() ([]byte, error) {
	if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads a number, and null as [Unavailable].
func (v *Value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = Unavailable
		return nil
	}
	return json.Unmarshal(b, (*float64)(v))
}

// Count returns a count with its noun, which gets an s unless n is 1: "1 case", "2 cases".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Rounded returns a duration rounded to the precision of an estimate: to 1 ms, 100 ms or, from 1 minute on, 1 s.
func Rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
