package grpc

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
)

// greeting is the time limit of a connection without gRPC.
const greeting = 5 * time.Second

// dialer makes the connections to a server.
type dialer struct {
	rpc    *endpoint.RPC
	dial   endpoint.Dial
	target string      // quoted
	host   string      // that the calls and the certificate are for; "": that of the target
	tls    *tls.Config // nil: without TLS
}

// newDialer returns a dialer that connects by dial.
func newDialer(r *endpoint.RPC, dial endpoint.Dial) *dialer {
	d := &dialer{rpc: r, dial: dial, target: quote.Line(r.Target)}
	if strings.HasPrefix(r.Target, "unix:") {
		d.host = "localhost"
	}
	if !r.TLS {
		return d
	}
	name := d.host
	if name == "" {
		name, _, _ = net.SplitHostPort(r.Target) // which endpoint has checked
	}
	d.tls = r.TLSConfig()
	d.tls.ServerName, d.tls.NextProtos = name, []string{"h2"}
	return d
}

// connect returns a connection that is ready for calls.
func (d *dialer) connect(ctx context.Context) (*grpc.ClientConn, error) {
	secure := insecure.NewCredentials()
	if d.tls != nil {
		secure = credentials.NewTLS(d.tls)
	}
	conn, err := grpc.NewClient("passthrough:///"+cmp.Or(d.host, d.rpc.Target), grpc.WithTransportCredentials(secure),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(),
		grpc.WithConnectParams(connectParams(d.rpc.Timeout())), grpc.WithUserAgent("brewput"), grpc.WithIdleTimeout(0),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return d.dial(ctx) }))
	if err != nil {
		return nil, err
	}
	conn.Connect()
	for s := conn.GetState(); s != connectivity.Ready; s = conn.GetState() {
		if s == connectivity.TransientFailure || !conn.WaitForStateChange(ctx, s) {
			return nil, errors.Join(d.explain(ctx, conn), conn.Close())
		}
	}
	return conn, nil
}

// explain says in one line why a connection could not be made. It first connects without gRPC, because the errors of a
// handshake are clearer than what gRPC makes of them.
func (d *dialer) explain(ctx context.Context, conn *grpc.ClientConn) error {
	own, cancel := context.WithTimeout(context.Background(), d.greetingTime())
	defer cancel()
	if err := d.greet(own); err != nil {
		return err
	}
	err := conn.Invoke(ctx, "/brewput/Connect", []byte(nil), &message{}, grpc.ForceCodecV2(raw{}))
	reason := status.Convert(err).Message()
	// If the time limit of the connection ends before that of the call, gRPC closes the connection.
	closed := strings.Contains(reason, "server preface") && strings.Contains(reason, net.ErrClosed.Error())
	if status.Code(err) == codes.DeadlineExceeded || closed {
		reason = fmt.Sprintf("it accepts connections, and sends nothing within %v", d.rpc.Timeout())
	}
	refusal := plan.Refuse("", nil, "%s does not speak gRPC: %s", d.target, quote.Line(shorten(reason)))
	if d.tls == nil {
		return refusal.Suggest("if it has TLS, use it (option tls)")
	}
	return refusal
}

// greet connects without gRPC. It returns what is wrong, or nil.
func (d *dialer) greet(ctx context.Context) error {
	conn, err := d.dial(ctx)
	if err != nil {
		return d.explainDial(err)
	}
	defer conn.Close()
	if d.tls == nil {
		return nil
	}
	secured := tls.Client(conn, d.tls)
	switch err := secured.HandshakeContext(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return plan.Refuse("", nil, "%s accepts connections, and does not finish the TLS handshake within %v", d.target,
			d.greetingTime()).Suggest("if the server has no TLS, leave TLS out (option tls)")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return plan.Refuse("", nil, "%s accepts connections, and closes them during the TLS handshake", d.target).
			Suggest("if the server has no TLS, leave TLS out (option tls)")
	case err != nil:
		return d.explainDial(err)
	}
	if secured.ConnectionState().NegotiatedProtocol != "h2" {
		return d.withoutHTTP2()
	}

	// In TLS 1.3, a server refuses the certificate of a client after the handshake: read until its first byte, which
	// some servers send only after the client's.
	if limit, ok := ctx.Deadline(); ok {
		conn.SetReadDeadline(limit)
	}
	if _, err := secured.Read(make([]byte, 1)); isAlert(err) {
		return d.explainDial(err)
	}
	return nil
}

// greetingTime is the time limit of greet.
func (d *dialer) greetingTime() time.Duration { return min(d.rpc.Timeout(), greeting) }

// withoutHTTP2 says that the server has TLS, but not for gRPC.
func (d *dialer) withoutHTTP2() error {
	return plan.Refuse("", nil, "%s does not speak gRPC: it offers TLS without HTTP/2", d.target).
		Suggest("give the port of the gRPC server, or let it offer h2 (ALPN)")
}

// isAlert reports whether an error of TLS is the server's, which refuses the connection.
func isAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// explainDial says in one line why a connection or a handshake failed.
func (d *dialer) explainDial(err error) error {
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return plan.Refuse("", nil, "the certificate of %s is refused: %s", d.target,
			quote.Line(certificate.Err.Error())).Suggest("%s", endpoint.TLSAdvice(certificate.Err))
	case errors.As(err, &record):
		return plan.Refuse("", nil, "%s does not speak TLS", d.target).Suggest("leave TLS out (option tls)")
	case isAlert(err) && endpoint.LacksProtocol(err.Error()):
		return d.withoutHTTP2()
	case isAlert(err):
		return plan.Refuse("", nil, "%s refuses the connection: %s", d.target, quote.Line(err.Error())).
			Suggest("%s", endpoint.TLSAdvice(err))
	case errors.Is(err, context.DeadlineExceeded):
		return plan.Refuse("", nil, "%s accepts no connection within %v", d.target, d.greetingTime()).
			Suggest("correct the address, or open the firewall")
	case errors.Is(err, syscall.ECONNREFUSED):
		return plan.Refuse("", nil, "%s refuses connections", d.target).
			Suggest("start the server, or give its command (option start)")
	}
	return fmt.Errorf("cannot connect to %s: %s", d.target, quote.Line(strings.TrimSpace(err.Error())))
}
