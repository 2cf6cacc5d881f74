package messenger

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"

	"connectrpc.com/connect"

	"github.com/brewput/brewput/extra/remote"
)

// bytesCodec is a codec of connect-go whose messages are bytes.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "raw" }

func (bytesCodec) Marshal(v any) ([]byte, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("the codec sends *[]byte, not %T", v)
	}
	return slices.Clone(*b), nil // it uses the array again
}

func (bytesCodec) Unmarshal(data []byte, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("the codec receives *[]byte, not %T", v)
	}
	*b = append((*b)[:0], data...)
	return nil
}

// http2 are the protocols of net/http: HTTP/2, also without TLS.
func http2() *http.Protocols {
	p := &http.Protocols{}
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// windows are those of gRPC.
func windows() *http.HTTP2Config {
	return &http.HTTP2Config{MaxReceiveBufferPerConnection: streamWindow, MaxReceiveBufferPerStream: streamWindow}
}

// serveConnect serves unary calls by connect-go and net/http.
func serveConnect(ctx context.Context, l net.Listener, h *handler) error {
	mux := http.NewServeMux()
	mux.Handle(callMethod, connect.NewUnaryHandler(callMethod,
		func(_ context.Context, r *connect.Request[[]byte]) (*connect.Response[[]byte], error) {
			reply, err := h.call(*r.Msg, nil)
			return connect.NewResponse(&reply), err
		}, connect.WithCodec(bytesCodec{})))
	s := &http.Server{Handler: mux, Protocols: http2(), HTTP2: windows()}
	context.AfterFunc(ctx, func() { s.Close() })
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// connectDialer makes calls by connect-go.
type connectDialer struct {
	transport *http.Transport
	client    *connect.Client[[]byte, []byte]
}

func newConnectDialer(p remote.Endpoint) (dialer, error) {
	config, err := p.Keys.Client()
	if err != nil {
		return nil, err
	}
	plain := remote.Endpoint{Network: p.Network, Address: p.Address}
	scheme := "http://"
	if config != nil {
		scheme = "https://"
	} else {
		config = &tls.Config{}
	}
	t := &http.Transport{Protocols: http2(), HTTP2: windows(), TLSClientConfig: config,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return plain.Dial(ctx) }}
	client := connect.NewClient[[]byte, []byte](&http.Client{Transport: t}, scheme+"localhost"+callMethod,
		connect.WithCodec(bytesCodec{}), connect.WithAcceptCompression("gzip", nil, nil)) // as gRPC does not compress
	return &connectDialer{transport: t, client: client}, nil
}

func (d *connectDialer) close() error {
	d.transport.CloseIdleConnections()
	return nil
}

func (d *connectDialer) dial() (conn, error) {
	return &unary{call: func(request []byte, reply *[]byte) error {
		r, err := d.client.CallUnary(context.Background(), connect.NewRequest(&request))
		if err == nil {
			*reply = *r.Msg
		}
		return err
	}}, nil
}
