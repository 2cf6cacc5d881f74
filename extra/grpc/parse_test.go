package grpc

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/brewput/brewput/endpoint"
)

// FuzzData checks that a method encodes requests in JSON, or names an error.
func FuzzData(f *testing.F) {
	for _, text := range []string{`{"drink":"a"}`, "", "{", `{"ownBeans":{"origin":1}}`, "null", "[]"} {
		f.Add(text)
	}
	m, err := methodIn(shopFiles(), &endpoint.RPC{Service: "shop.Barista", Method: "Brew"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sent, err := m.encode(text)
		if err != nil {
			return
		}
		if _, err := m.decode(sent); err != nil { // a coffee has the same types of fields, but for one
			t.Log(err)
		}
	})
}

// FuzzDescriptors checks that a descriptor set gives a method or an error, also a damaged one.
func FuzzDescriptors(f *testing.F) {
	good, err := proto.Marshal(shopSet())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	for _, files := range [][]string{{caller}, {caller, timed}, {caller, timed, oddTime}} {
		text, err := proto.Marshal(filesOf(files...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set := &descriptorpb.FileDescriptorSet{}
		if proto.Unmarshal(text, set) != nil {
			return
		}
		files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(set)
		if err != nil {
			return
		}
		if m, err := methodIn(files, &endpoint.RPC{Service: "shop.Barista", Method: "Brew"}); err == nil {
			m.encode(`{"drink":"x"}`)
			m.encode(`{"at":"2026-01-02T03:04:05Z"}`)
			m.decode([]byte("\x0a\x01x"))
		}
	})
}
