package grpc

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
)

// method is a method of a service, with the types of its messages.
type method struct {
	path    string // as HTTP/2 sends it: /package.Service/Method
	in, out protoreflect.MessageDescriptor
	streams bool // the server sends a stream of replies
	types   *dynamicpb.Types
}

// findMethod returns the method that the settings name: from a file with a descriptor set, or else from the server's
// reflection service.
func findMethod(ctx context.Context, s *endpoint.RPC, conn *grpc.ClientConn) (*method, error) {
	var set *descriptorpb.FileDescriptorSet
	var err error
	if s.DescriptorSet != "" {
		set, err = readSet(s)
	} else {
		set, err = reflected(ctx, conn, s)
	}
	if err != nil {
		return nil, err
	}
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("the descriptors of %s cannot be used: %s", s.Service, clean(err))
	}
	return methodIn(files, s)
}

// readSet decodes a descriptor set, as protoc and buf write it.
func readSet(s *endpoint.RPC) (*descriptorpb.FileDescriptorSet, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(s.Descriptors, set); err != nil || len(set.File) == 0 {
		path := quote.Line(s.DescriptorSet)
		return nil, plan.Refuse("descriptor-set", path, "is no descriptor set").
			Suggest("write one with protoc --include_imports --descriptor_set_out=%s FILE.proto", path)
	}
	return set, nil
}

// methodIn finds the method in a set of files.
func methodIn(files *protoregistry.Files, s *endpoint.RPC) (*method, error) {
	d, err := files.FindDescriptorByName(protoreflect.FullName(s.Service))
	service, ok := d.(protoreflect.ServiceDescriptor)
	if err != nil || !ok {
		var known []string
		files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
			for i := range f.Services().Len() {
				known = append(known, string(f.Services().Get(i).FullName()))
			}
			return true
		})
		return nil, unknown("service", s.Service, "the descriptor set", known)
	}
	m := service.Methods().ByName(protoreflect.Name(s.Method))
	if m == nil {
		var known []string
		for i := range service.Methods().Len() {
			known = append(known, string(service.Methods().Get(i).Name()))
		}
		return nil, unknown("method", s.Method, s.Service, known)
	}
	if m.IsStreamingClient() {
		return nil, fmt.Errorf("%s/%s takes a stream of requests; name a method that takes one request",
			quote.Line(s.Service), quote.Line(s.Method))
	}
	for _, x := range []protoreflect.MessageDescriptor{m.Input(), m.Output()} {
		if name := missing(x, map[protoreflect.FullName]bool{}); name != "" {
			return nil, plan.Refuse("", nil, "the descriptors of %s lack the file that declares %s",
				quote.Line(s.Service), quote.Line(string(name))).
				Suggest("give a descriptor set (option descriptor-set), which protoc --include_imports " +
					"--descriptor_set_out=FILE writes")
		}
	}
	return &method{"/" + s.Service + "/" + s.Method, m.Input(), m.Output(), m.IsStreamingServer(),
		dynamicpb.NewTypes(files)}, nil
}

// missing returns the name of a type that is not declared, if messages of a type cannot be converted without it: the
// type itself, or one in it that has a form of its own in JSON. seen has the types in which it is not searched.
func missing(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) protoreflect.FullName {
	name := d.FullName()
	if d.IsPlaceholder() && (len(seen) == 0 || strings.HasPrefix(string(name), "google.protobuf.")) {
		return name
	}
	if seen[name] {
		return ""
	}
	seen[name] = true
	for i := range d.Fields().Len() {
		if of := d.Fields().Get(i).Message(); of != nil {
			if name := missing(of, seen); name != "" {
				return name
			}
		}
	}
	return ""
}

// unknown is the error of a name that does not exist: it suggests one of the known names, and lists some of them.
func unknown(what, name, where string, known []string) error {
	var others []string
	for _, k := range known {
		others = append(others, quote.Line(k))
	}
	most, more := 10, ""
	if len(others) > most {
		others, more = others[:most], fmt.Sprintf(" and %d others", len(known)-most)
	}
	suggestion := ""
	if s := plan.Suggest(name, known); s != "" {
		suggestion = fmt.Sprintf(", did you mean %s?", quote.Line(s))
	}
	has := "has none"
	if len(others) > 0 {
		has = "it has " + strings.Join(others, ", ") + more
	}
	return fmt.Errorf("%s has no %s %s%s; %s", quote.Line(where), what, quote.Line(name), suggestion, has)
}

// encode converts a request from JSON, by the rules of protobuf, to what is sent.
func (m *method) encode(text string) (sent []byte, err error) {
	defer m.unusable(&err)
	x := dynamicpb.NewMessage(m.in)
	if err := (protojson.UnmarshalOptions{Resolver: m.types}).Unmarshal([]byte(text), x); err != nil {
		reason := clean(err)
		if _, after, ok := strings.Cut(reason, `unknown field "`); ok {
			field, _, _ := strings.Cut(after, `"`)
			reason += m.fieldHint(field)
		}
		return nil, fmt.Errorf("%s is no %s: %s", quote.Line(shorten(text)), m.in.FullName(), reason)
	}
	sent, err = proto.Marshal(x)
	if err != nil {
		return nil, fmt.Errorf("%s is no %s: %s", quote.Line(shorten(text)), m.in.FullName(), clean(err))
	}
	return sent, nil
}

// unusable turns a panic into an error: package protojson panics if descriptors declare a type of google.protobuf in
// another way than it expects.
func (m *method) unusable(err *error) {
	if x := recover(); x != nil {
		*err = fmt.Errorf("the descriptors of %s cannot be used: %s", quote.Line(m.path), quote.Line(fmt.Sprint(x)))
	}
}

// fieldHint suggests a field of the request, or of a message in it, or lists the fields of the request.
func (m *method) fieldHint(field string) string {
	var known []string
	seen := map[protoreflect.FullName]bool{}
	var walk func(protoreflect.MessageDescriptor)
	walk = func(d protoreflect.MessageDescriptor) {
		if seen[d.FullName()] {
			return
		}
		seen[d.FullName()] = true
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			known = append(known, f.JSONName())
			if f.Message() != nil {
				walk(f.Message())
			}
		}
	}
	walk(m.in)
	if s := plan.Suggest(field, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	if own := known[:min(len(known), m.in.Fields().Len())]; len(own) > 0 {
		return "; its fields are " + strings.Join(own, ", ")
	}
	return "; it has no fields"
}

// decode converts a reply to JSON. Fields that are not set have their zero values.
func (m *method) decode(reply []byte) (text []byte, err error) {
	defer m.unusable(&err)
	x := dynamicpb.NewMessage(m.out)
	if err := (proto.UnmarshalOptions{Resolver: m.types}).Unmarshal(reply, x); err != nil {
		return nil, fmt.Errorf("the reply is no %s: %s", m.out.FullName(), clean(err))
	}
	text, err = protojson.MarshalOptions{Resolver: m.types, EmitDefaultValues: true}.Marshal(x)
	if err != nil {
		return nil, fmt.Errorf("the reply, a %s, has no form in JSON: %s", m.out.FullName(), clean(err))
	}
	return text, nil
}

// clean is an error of package protobuf in plain characters: the package puts spaces that do not break into its errors.
func clean(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return quote.Line(strings.TrimPrefix(text, "proto: "))
}

// shorten is the beginning of a text that an error quotes.
func shorten(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}
