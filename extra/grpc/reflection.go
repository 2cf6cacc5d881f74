package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
)

// Limits of what a server may send as descriptors.
const (
	maxFiles       = 10_000
	maxDescriptors = 64 << 20 // bytes
)

// reflected asks the server's reflection service for the file of the service, and for those that it imports. Servers
// that have only version v1alpha of that service get the same messages under its name.
func reflected(ctx context.Context, conn *grpc.ClientConn, s *endpoint.RPC) (*descriptorpb.FileDescriptorSet, error) {
	for _, version := range []string{"v1", "v1alpha"} {
		if set, err := reflectedBy(ctx, conn, version, s); status.Code(err) != codes.Unimplemented {
			return set, explainReflection(ctx, s, err)
		}
	}
	return nil, plan.Refuse("", nil, "%s has no reflection service, which would describe %s", quote.Line(s.Target),
		quote.Line(s.Service)).Suggest("give a descriptor set (option descriptor-set), which protoc " +
		"--include_imports --descriptor_set_out=FILE writes")
}

// explainReflection says what is wrong with a reflection service. err may be nil.
func explainReflection(ctx context.Context, s *endpoint.RPC, err error) error {
	target := quote.Line(s.Target)
	sent, isStatus := status.FromError(err)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the reflection service of %s does not answer", target)
	case err == nil || !isStatus:
		return err
	case ctx.Err() != nil:
		return plan.Refuse("", nil, "the reflection service of %s does not answer within %v", target, s.Timeout()).
			Suggest("give a descriptor set (option descriptor-set), or a longer limit (option timeout)")
	}
	return fmt.Errorf("the reflection service of %s failed: status %s (%s)", target, sent.Code(),
		quote.Line(shorten(sent.Message())))
}

// reflectedBy asks a version of the reflection service. The error of a server without it has the code Unimplemented.
func reflectedBy(ctx context.Context, conn *grpc.ClientConn, version string, s *endpoint.RPC) (
	*descriptorpb.FileDescriptorSet, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
		"/grpc.reflection."+version+".ServerReflection/ServerReflectionInfo", grpc.MaxCallRecvMsgSize(maxDescriptors))
	if err != nil {
		return nil, err
	}
	r := &reflector{stream: stream, set: &descriptorpb.FileDescriptorSet{}, have: map[string]bool{}}
	answer, err := r.ask(&reflection.ServerReflectionRequest{MessageRequest: &reflection.
		ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: s.Service}})
	if failed := answer.GetErrorResponse(); err == nil && failed != nil {
		return nil, r.noService(s, failed)
	}
	if err == nil {
		err = r.addAll(answer)
	}
	if err != nil {
		return nil, err
	}
	return r.set, nil
}

// reflector collects descriptors from a reflection service.
type reflector struct {
	stream grpc.ClientStream
	set    *descriptorpb.FileDescriptorSet
	have   map[string]bool // names of files in the set
	bytes  int
}

// ask sends a request and returns the answer.
func (r *reflector) ask(q *reflection.ServerReflectionRequest) (*reflection.ServerReflectionResponse, error) {
	answer := &reflection.ServerReflectionResponse{}
	if err := r.stream.SendMsg(q); err != nil && status.Code(err) != codes.Unknown { // io.EOF: RecvMsg has the cause
		return nil, err
	}
	return answer, r.stream.RecvMsg(answer)
}

// noService is the error of a service that the server does not have.
func (r *reflector) noService(s *endpoint.RPC, failed *reflection.ErrorResponse) error {
	answer, err := r.ask(&reflection.ServerReflectionRequest{MessageRequest: &reflection.
		ServerReflectionRequest_ListServices{}})
	if err != nil || answer.GetListServicesResponse() == nil || codes.Code(failed.ErrorCode) != codes.NotFound {
		return fmt.Errorf("the reflection service of %s does not describe %s: %s", quote.Line(s.Target),
			quote.Line(s.Service), quote.Line(shorten(failed.ErrorMessage)))
	}
	var known []string
	for _, x := range answer.GetListServicesResponse().Service {
		if !strings.HasPrefix(x.Name, "grpc.reflection.") {
			known = append(known, x.Name)
		}
	}
	return unknown("service", s.Service, s.Target, known)
}

// addAll adds the files of an answer, and asks for the files that they import.
func (r *reflector) addAll(answer *reflection.ServerReflectionResponse) error {
	wanted, err := r.add(answer)
	for err == nil && len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		if r.have[name] {
			continue
		}
		r.have[name] = true // also if the server does not have it: what it declares is then a placeholder
		var more []string
		answer, err = r.ask(&reflection.ServerReflectionRequest{MessageRequest: &reflection.
			ServerReflectionRequest_FileByFilename{FileByFilename: name}})
		if err == nil {
			more, err = r.add(answer)
			wanted = append(wanted, more...)
		}
	}
	return err
}

// add adds the files of an answer, and returns the names of those that they import.
func (r *reflector) add(answer *reflection.ServerReflectionResponse) (imports []string, err error) {
	for _, text := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		f := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(text, f); err != nil {
			return nil, errors.New("its reflection service sent a descriptor that cannot be read")
		}
		if r.bytes += len(text); len(r.set.File) == maxFiles || r.bytes > maxDescriptors {
			return nil, plan.Refuse("", nil, "its reflection service sends descriptors without end").
				Suggest("give a descriptor set (option descriptor-set)")
		}
		if !r.contains(f.GetName()) {
			r.have[f.GetName()] = true
			r.set.File = append(r.set.File, f)
			imports = append(imports, f.Dependency...)
		}
	}
	return imports, nil
}

// contains reports whether the set has a file with that name.
func (r *reflector) contains(name string) bool {
	for _, f := range r.set.File {
		if f.GetName() == name {
			return true
		}
	}
	return false
}
