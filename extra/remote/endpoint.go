package remote

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Endpoint is where clients connect to.
type Endpoint struct {
	Network string // tcp or unix
	Address string
	Keys    *Keys // for TLS; nil: without
}

// Dial connects, with TLS if the endpoint has keys: the handshake is then done.
func (p Endpoint) Dial(ctx context.Context) (net.Conn, error) {
	config, err := p.Keys.Client()
	if err != nil {
		return nil, err
	}
	if config == nil {
		return new(net.Dialer).DialContext(ctx, p.Network, p.Address)
	}
	return (&tls.Dialer{Config: config}).DialContext(ctx, p.Network, p.Address)
}

// GRPC returns a connection of gRPC, which connects when it is used. After a failure it connects again after 10 ms, and
// then after up to 100 ms: a server is restarted within that time.
func (p Endpoint) GRPC(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	config, err := p.Keys.Client()
	if err != nil {
		return nil, err
	}
	secure := insecure.NewCredentials()
	if config != nil {
		secure = credentials.NewTLS(config)
	}
	plain := Endpoint{Network: p.Network, Address: p.Address}
	return grpc.NewClient("passthrough:///"+serverName, append([]grpc.DialOption{
		grpc.WithTransportCredentials(secure),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return plain.Dial(ctx) }),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 5 * time.Second, Backoff: backoff.Config{
			BaseDelay: 10 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 100 * time.Millisecond}}),
	}, options...)...)
}
