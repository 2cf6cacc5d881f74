package host

import (
	"fmt"
	"reflect"
	"strings"
)

// Difference is a field in which two records differ, by its JSON name.
type Difference struct {
	Name string
	A, B string // formatted for people; "unknown" if null
}

// MachineDifferences returns the differences of the machines of e and o. Raw times of two machines must not be
// mixed or compared.
func (e Environment) MachineDifferences(o Environment) []Difference {
	return fields(e.Machine, o.Machine)
}

// ProgramDifferences returns the differences of the builds and the runtime settings of two runs. A user may
// want to compare these on one machine.
func (e Environment) ProgramDifferences(o Environment) []Difference {
	return fields(e.program(), o.program())
}

// program is the part of an environment that does not belong to the machine, without GOMAXPROCS, which each
// trial sets.
type program struct {
	Build
	GODEBUG    *string `json:"godebug"`
	GOGC       string  `json:"gogc"`
	GOMEMLIMIT string  `json:"gomemlimit"`
}

func (e Environment) program() program { return program{e.Build, e.GODEBUG, e.GOGC, e.GOMEMLIMIT} }

// fields returns the fields in which two structs of the same type differ.
func fields(x, y any) []Difference {
	var all []Difference
	a, b := reflect.ValueOf(x), reflect.ValueOf(y)
	for _, f := range reflect.VisibleFields(a.Type()) {
		if f.Anonymous {
			continue
		}
		if x, y := show(a.FieldByIndex(f.Index)), show(b.FieldByIndex(f.Index)); x != y {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			all = append(all, Difference{name, x, y})
		}
	}
	return all
}

// show formats the value of a field for messages and hashes.
func show(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "unknown"
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.String || v.Kind() == reflect.Slice {
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
