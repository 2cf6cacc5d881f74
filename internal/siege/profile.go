//go:build linux

package main

import (
	"bytes"

	"github.com/google/pprof/profile"
)

// profileOf is a CPU profile whose time is that of a function in a file.
func profileOf(function, file string) ([]byte, error) {
	f := &profile.Function{ID: 1, Name: function, SystemName: function, Filename: file}
	root := &profile.Function{ID: 2, Name: "main.main", Filename: file}
	m := &profile.Mapping{ID: 1, File: file, BuildID: file}
	at := []*profile.Location{{ID: 1, Mapping: m, Line: []profile.Line{{Function: f, Line: 3}}}, {ID: 2, Mapping: m, Line: []profile.Line{{Function: root, Line: 4}}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}, DurationNanos: 1e9,
		Sample:  []*profile.Sample{{Location: at, Value: []int64{90, 9e8}}},
		Mapping: []*profile.Mapping{m}, Location: at, Function: []*profile.Function{f, root},
	}
	var packed bytes.Buffer
	err := p.Write(&packed)
	return packed.Bytes(), err
}
