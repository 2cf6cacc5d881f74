package messenger

import (
	"context"
	"fmt"
	"net"

	"storj.io/drpc"
	"storj.io/drpc/drpcconn"
	"storj.io/drpc/drpcmanager"
	"storj.io/drpc/drpcserver"
	"storj.io/drpc/drpcwire"

	"github.com/brewput/brewput/extra/remote"
)

// bytesEncoding is an encoding of drpc whose messages are bytes.
type bytesEncoding struct{}

func (bytesEncoding) Marshal(v drpc.Message) ([]byte, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("the encoding sends *[]byte, not %T", v)
	}
	return *b, nil
}

func (bytesEncoding) Unmarshal(data []byte, v drpc.Message) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("the encoding receives *[]byte, not %T", v)
	}
	*b = append((*b)[:0], data...)
	return nil
}

// HandleRPC handles a unary call of drpc.
func (h *handler) HandleRPC(s drpc.Stream, _ string) error {
	var b []byte
	if err := s.MsgRecv(&b, bytesEncoding{}); err != nil {
		return err
	}
	reply, err := h.call(b, nil)
	if err == nil {
		err = s.MsgSend(&reply, bytesEncoding{})
	}
	if err == nil {
		err = s.CloseSend()
	}
	return err
}

// managed are options of both sides: the default refuses messages above 4 MB.
func managed() drpcmanager.Options {
	return drpcmanager.Options{Reader: drpcwire.ReaderOptions{MaximumBufferSize: maxTransmission}}
}

// serveDRPC serves unary calls by drpc.
func serveDRPC(ctx context.Context, l net.Listener, h *handler) error {
	return drpcserver.NewWithOptions(h, drpcserver.Options{Manager: managed()}).Serve(ctx, l)
}

// drpcDialer makes connections of drpc.
type drpcDialer struct{ p remote.Endpoint }

func (drpcDialer) close() error { return nil }

func (d drpcDialer) dial() (conn, error) {
	c, err := d.p.Dial(context.Background())
	if err != nil {
		return nil, err
	}
	x := drpcconn.NewWithOptions(c, drpcconn.Options{Manager: managed()})
	return &unary{end: x.Close, call: func(request []byte, reply *[]byte) error {
		return x.Invoke(context.Background(), callMethod, bytesEncoding{}, &request, reply)
	}}, nil
}
