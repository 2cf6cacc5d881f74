package gopprof

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// message encodes protobuf messages.
type message []byte

func (m *message) number(id int, x uint64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(id)<<3), x)
}

func (m *message) bytes(id int, b []byte) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(id)<<3|2), uint64(len(b)))
	*m = append(*m, b...)
}

// write encodes a profile. Locations hold one frame, or several if they are inlined.
func write(p *Profile, inlined, packed bool) []byte {
	var m message
	index, list := map[string]uint64{"": 0}, []string{""}
	text := func(s string) uint64 {
		if _, ok := index[s]; !ok {
			index[s] = uint64(len(list))
			list = append(list, s)
		}
		return index[s]
	}
	for _, t := range p.Types {
		var v message
		v.number(1, text(t.Type))
		v.number(2, text(t.Unit))
		m.bytes(1, v)
	}
	for _, b := range []Binary{p.Binary, {"libmilk.so", "5a1"}} { // the second mapping is ignored
		var v message
		v.number(1, 1)
		v.number(5, text(b.File))
		v.number(6, text(b.BuildID))
		m.bytes(3, v)
	}
	id := uint64(0)
	for _, s := range p.Samples {
		var v message
		var ids, values []byte
		for i := 0; i < len(s.Stack); {
			n := 1
			if inlined && i+1 < len(s.Stack) {
				n = 2
			}
			id++
			var l message
			l.number(1, id)
			l.number(3, 0xffff) // an address, which is ignored
			for _, f := range s.Stack[i : i+n] {
				id++
				var fn, line message
				fn.number(1, id)
				fn.number(2, text(f.Function))
				fn.number(4, text(f.File))
				m.bytes(5, fn)
				line.number(1, id)
				line.number(2, uint64(f.Line))
				l.bytes(4, line)
			}
			i += n
			m.bytes(4, l)
			first := id - uint64(n)
			if packed {
				ids = binary.AppendUvarint(ids, first)
			} else {
				v.number(1, first)
			}
		}
		for _, x := range s.Values {
			if packed {
				values = binary.AppendUvarint(values, uint64(x))
			} else {
				v.number(2, uint64(x))
			}
		}
		if packed {
			v.bytes(1, ids)
			v.bytes(2, values)
		}
		v.bytes(3, []byte{8, 1}) // a label, which is ignored
		m.bytes(2, v)
	}
	for _, s := range list {
		m.bytes(6, []byte(s))
	}
	m.number(10, uint64(p.Duration))
	return m
}

// Profiles are parsed as they were encoded, compressed or not.
func TestParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := rapid.Custom(func(t *rapid.T) Frame {
			return Frame{rapid.String().Draw(t, "function"), rapid.String().Draw(t, "file"),
				rapid.IntRange(0, 1<<40).Draw(t, "line")}
		})
		want := &Profile{
			Duration: time.Duration(rapid.Int64().Draw(t, "duration")),
			Binary:   Binary{rapid.String().Draw(t, "binary"), rapid.String().Draw(t, "build")},
		}
		for range rapid.IntRange(0, 3).Draw(t, "types") {
			want.Types = append(want.Types, ValueType{rapid.String().Draw(t, "type"), rapid.String().Draw(t, "unit")})
		}
		for range rapid.IntRange(0, 5).Draw(t, "samples") {
			s := Sample{Stack: rapid.SliceOfN(frame, 0, 5).Draw(t, "stack")}
			for range want.Types {
				s.Values = append(s.Values, rapid.Int64().Draw(t, "value"))
			}
			want.Samples = append(want.Samples, s)
		}
		data := write(want, rapid.Bool().Draw(t, "inlined"), rapid.Bool().Draw(t, "packed"))
		if rapid.Bool().Draw(t, "gzip") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(data)
			z.Close()
			data = b.Bytes()
		}
		got, err := Parse(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
	})
}

// A profile of the Go runtime is parsed.
func TestRuntimeProfile(t *testing.T) {
	kept := make([][]byte, 0, 64)
	for range 64 {
		kept = append(kept, make([]byte, 1<<20))
	}
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	p, err := Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if want := (ValueType{"alloc_space", "bytes"}); len(p.Types) != 4 || p.Types[1] != want {
		t.Fatalf("types %v", p.Types)
	}
	if name, err := os.Executable(); err != nil || filepath.Base(p.Binary.File) != filepath.Base(name) {
		t.Errorf("it is of %q, not of %s, %v", p.Binary.File, name, err)
	}
	var here int64
	for _, s := range p.Samples {
		for _, f := range s.Stack {
			if strings.HasSuffix(f.Function, "gopprof.TestRuntimeProfile") &&
				strings.HasSuffix(f.File, "gopprof_test.go") && f.Line > 0 {
				here += s.Values[1]
				break
			}
		}
	}
	if here < 48<<20 || here > 80<<20 { // allocations are sampled too
		t.Errorf("%d bytes are said to be allocated here, of %d", here, len(kept)<<20)
	}
	runtime.KeepAlive(kept)
}

func TestBrokenProfiles(t *testing.T) {
	good := write(&Profile{Types: []ValueType{{"cpu", "ns"}},
		Samples: []Sample{{[]Frame{{"f", "f.go", 1}}, []int64{3}}}}, false, true)
	if _, err := Parse(good); err != nil {
		t.Fatal(err)
	}
	var noFunction, noLocation, values, noName message
	for name, data := range map[string][]byte{
		"nothing":             nil,
		"gzip of nothing":     {0x1f, 0x8b},
		"a cut profile":       good[:len(good)/2],
		"a number for bytes":  {1 << 3, 1},
		"an unknown wire":     {3, 0},
		"a too long string":   {6<<3 | 2, 200, 1},
		"an endless number":   bytes.Repeat([]byte{0xff}, 20),
		"a missing function":  append(append(noFunction, 4<<3|2, 6, 8, 1, 4<<3|2, 2, 8, 9), 6<<3|2, 0),
		"a missing location":  append(append(noLocation, 2<<3|2, 2, 8, 1), 6<<3|2, 0),
		"a missing name":      append(append(noName, 3<<3|2, 2, 5<<3, 9), 6<<3|2, 0),
		"values without type": append(append(values, 2<<3|2, 2, 2<<3, 1), 6<<3|2, 0),
	} {
		if p, err := Parse(data); err == nil {
			t.Errorf("%s is read as %+v", name, p)
		}
	}
}

// Profiles whose few bytes stand for millions of parts are refused before they take memory.
func TestHugeProfiles(t *testing.T) {
	repeated := func(part []byte, n int) []byte { return append(bytes.Repeat(part, n), 6<<3|2, 0) }
	many := func(id int, part message, n int) []byte {
		var m message
		m.bytes(id, bytes.Repeat(part, n))
		return append(m, 6<<3|2, 0)
	}
	packed := func(id int) []byte {
		var s message
		s.bytes(id, make([]byte, 20<<20))
		return many(2, s, 1)
	}
	const parts = 4 << 20
	for _, c := range []struct {
		what string
		data []byte
	}{
		{"types of values", repeated([]byte{1<<3 | 2, 0}, parts)},
		{"samples", repeated([]byte{2<<3 | 2, 0}, parts)},
		{"locations", repeated([]byte{4<<3 | 2, 2, 1 << 3, 1}, parts)},
		{"functions", repeated([]byte{5<<3 | 2, 2, 1 << 3, 1}, parts)},
		{"strings", repeated([]byte{6<<3 | 2, 0}, parts)},
		{"frames in its stacks", many(2, message{1 << 3, 1}, 11<<20)},
		{"values", many(2, message{2 << 3, 1}, 11<<20)},
		{"lines", many(4, message{4<<3 | 2, 0}, 11<<20)},
		{"frames in its stacks", packed(1)},
		{"values", packed(2)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := Parse(c.data)
		if err == nil || !strings.Contains(err.Error(), "more than") || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: %v", c.what, err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<30 {
			t.Errorf("%s: %d MB", c.what, took>>20)
		}
		runtime.KeepAlive(p)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(write(&Profile{Types: []ValueType{{"cpu", "ns"}},
		Samples: []Sample{{[]Frame{{"f", "f.go", 1}, {"g", "g.go", 2}}, []int64{3}}}}, true, true))
	f.Add(write(&Profile{Binary: Binary{"/bin/tea", "1ea"}}, false, false))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			return
		}
		for _, s := range p.Samples { // the result is complete
			if len(s.Values) != len(p.Types) {
				t.Errorf("%d values, %d types", len(s.Values), len(p.Types))
			}
		}
		again, err := Parse(write(p, false, false))
		if err != nil || len(again.Samples) != len(p.Samples) || again.Binary != p.Binary {
			t.Errorf("what was read cannot be written and read again: %v", err)
		}
	})
}
