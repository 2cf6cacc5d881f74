package grpc

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// beans and shop are the files of the test server. The second one imports the first.
const (
	beans = `name: "beans.proto" package: "shop" syntax: "proto3"
		message_type { name: "Beans"
			field { name: "origin" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL json_name: "origin" } }`
	shop = `name: "shop.proto" package: "shop" syntax: "proto3" dependency: "beans.proto"
		message_type { name: "Order"
			field { name: "drink" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL json_name: "drink" }
			field { name: "size" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL json_name: "size" }
			field { name: "own_beans" number: 3 type: TYPE_MESSAGE type_name: ".shop.Beans" label: LABEL_OPTIONAL
				json_name: "ownBeans" } }
		message_type { name: "Coffee"
			field { name: "drink" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL json_name: "drink" }
			field { name: "number" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL json_name: "number" } }
		service { name: "Barista"
			method { name: "Brew" input_type: ".shop.Order" output_type: ".shop.Coffee" }
			method { name: "Watch" input_type: ".shop.Order" output_type: ".shop.Coffee" server_streaming: true }
			method { name: "Chat" input_type: ".shop.Order" output_type: ".shop.Coffee" client_streaming: true } }`
)

// caller is a file with the service only, timed has messages with a time, and oddTime declares times in a wrong way.
const (
	caller = `name: "caller.proto" package: "shop" syntax: "proto3" dependency: "timed.proto"
		service { name: "Barista" method { name: "Brew" input_type: ".shop.Order" output_type: ".shop.Order" } }`
	timed = `name: "timed.proto" package: "shop" syntax: "proto3" dependency: "google/protobuf/timestamp.proto"
		message_type { name: "Order" field { name: "at" number: 1 label: LABEL_OPTIONAL json_name: "at"
			type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" } }`
	oddTime = `name: "google/protobuf/timestamp.proto" package: "google.protobuf" syntax: "proto3"
		message_type { name: "Timestamp" }`
)

// shopSet returns the descriptors of the test server.
func shopSet() *descriptorpb.FileDescriptorSet { return filesOf(beans, shop) }

// filesOf returns the descriptors of texts.
func filesOf(texts ...string) *descriptorpb.FileDescriptorSet {
	set := &descriptorpb.FileDescriptorSet{}
	for _, text := range texts {
		f := &descriptorpb.FileDescriptorProto{}
		if err := prototext.Unmarshal([]byte(text), f); err != nil {
			panic(err)
		}
		set.File = append(set.File, f)
	}
	return set
}

// shopFiles returns the files of the test server.
func shopFiles() *protoregistry.Files {
	files, err := protodesc.NewFiles(shopSet())
	if err != nil {
		panic(err)
	}
	return files
}

// barista is the test server.
type barista struct {
	order, coffee protoreflect.MessageDescriptor
	drink, size   protoreflect.FieldDescriptor
}

func newBarista(files *protoregistry.Files) *barista {
	message := func(name protoreflect.FullName) protoreflect.MessageDescriptor {
		d, err := files.FindDescriptorByName(name)
		if err != nil {
			panic(err)
		}
		return d.(protoreflect.MessageDescriptor)
	}
	b := &barista{order: message("shop.Order"), coffee: message("shop.Coffee")}
	b.drink, b.size = b.order.Fields().ByName("drink"), b.order.Fields().ByName("size")
	return b
}

// register adds the service to a server, and the reflection service in versions.
func (b *barista) register(s *grpc.Server, files *protoregistry.Files, versions ...string) {
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "shop.Barista", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Brew", Handler: func(_ any, ctx context.Context, dec func(any) error,
			_ grpc.UnaryServerInterceptor) (any, error) {
			order := dynamicpb.NewMessage(b.order)
			if err := dec(order); err != nil {
				return nil, err
			}
			return b.brew(ctx, order.Get(b.drink).String(), 1)
		}}},
		Streams: []grpc.StreamDesc{{StreamName: "Watch", ServerStreams: true, Handler: func(_ any,
			s grpc.ServerStream) error {
			order := dynamicpb.NewMessage(b.order)
			if err := s.RecvMsg(order); err != nil {
				return err
			}
			for n := range order.Get(b.size).Int() {
				coffee, err := b.brew(s.Context(), order.Get(b.drink).String(), n+1)
				if err != nil {
					return err
				}
				if err := s.SendMsg(coffee); err != nil {
					return err
				}
			}
			return nil
		}}},
	}, b)
	options := reflection.ServerOptions{Services: s, DescriptorResolver: files}
	for _, v := range versions {
		if v == "v1" {
			reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options))
		} else {
			reflectionv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(options))
		}
	}
}

// brew makes a coffee. Some drinks are special.
func (b *barista) brew(ctx context.Context, drink string, number int64) (*dynamicpb.Message, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	switch drink {
	case "tea":
		return nil, status.Error(codes.NotFound, "no tea here")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	case "late":
		return nil, status.Error(codes.DeadlineExceeded, "the shop has closed")
	case "gone":
		return nil, status.Error(codes.Unavailable, "the beans are gone: connection refused")
	case "much":
		return nil, status.Error(codes.ResourceExhausted, "grpc: received message larger than max (2 vs. 1)")
	case "large":
		drink = strings.Repeat("x", 2000)
	case "die":
		fmt.Fprintln(os.Stderr, "the machine is broken")
		os.Exit(3)
	case "metadata":
		drink = fmt.Sprint(md.Get("x-table"))
	case "authority":
		drink = fmt.Sprint(md.Get(":authority"))
	}
	coffee := dynamicpb.NewMessage(b.coffee)
	coffee.Set(b.coffee.Fields().ByName("drink"), protoreflect.ValueOfString(drink))
	coffee.Set(b.coffee.Fields().ByName("number"), protoreflect.ValueOfInt64(number))
	return coffee, nil
}

// open starts the test server in this process and returns its address. config may be nil.
func open(t testing.TB, config *tls.Config, versions ...string) string {
	t.Helper()
	var options []grpc.ServerOption
	if config != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	s, files := grpc.NewServer(options...), shopFiles()
	newBarista(files).register(s, files, versions...)
	return serveAt(t, s, "tcp", "127.0.0.1:0")
}

// openEvil starts a server whose reflection service fails, and returns its address.
func openEvil(t testing.TB) string {
	return serveAt(t, grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
		return status.Error(codes.Internal, "no\nbeans")
	})), "tcp", "127.0.0.1:0")
}

// serveAt serves until the test ends, and returns the address.
func serveAt(t testing.TB, s *grpc.Server, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// asShop is the environment variable that makes the test binary a server at the address of its first argument.
const asShop = "BREWPUT_TEST_SHOP"

// serveShop serves until the process ends.
func serveShop(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s, files := grpc.NewServer(), shopFiles()
	newBarista(files).register(s, files, "v1")
	return s.Serve(l)
}

// writeSet writes a descriptor set.
func writeSet(t *testing.T, path string, set *descriptorpb.FileDescriptorSet) {
	t.Helper()
	text, err := proto.Marshal(set)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
