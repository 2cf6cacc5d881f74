package remote

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// Raw is a codec of gRPC whose messages are bytes, so that every transport carries the same ones. A sent message is a
// []byte, which gRPC does not copy and which must not be changed any more, or a mem.Buffer, which gRPC frees when it is
// sent. A received message is a *[]byte, which gets a copy; its array is used again if it is large enough.
func Raw() encoding.CodecV2 { return raw{} }

type raw struct{}

// Name implements encoding.CodecV2.
func (raw) Name() string { return "raw" }

// Marshal implements encoding.CodecV2.
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	switch b := v.(type) {
	case []byte:
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	case mem.Buffer:
		return mem.BufferSlice{b}, nil
	}
	return nil, fmt.Errorf("the raw codec sends []byte or mem.Buffer, not %T", v)
}

// Unmarshal implements encoding.CodecV2.
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("the raw codec receives into *[]byte, not %T", v)
	}
	n := data.Len()
	if cap(*b) < n {
		*b = make([]byte, n)
	}
	*b = (*b)[:n]
	data.CopyTo(*b)
	return nil
}
