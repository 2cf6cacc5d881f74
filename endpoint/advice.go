package endpoint

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// lastWords is how long a server that broke a connection may take until it has ended. A program with the race detector
// sleeps for a second before it exits (atexit_sleep_ms).
const lastWords = 2 * time.Second

// explain adds to the error of a failed request why the server ended, if it did.
func (l *load) explain(err error, k kind) error {
	if l.server == nil {
		return err
	}
	select { // without a choice between two channels that are both ready
	case <-l.server.exited():
		return both(err, l.server.cause())
	default:
	}
	switch k {
	case refused, reset, closed, protocol, other: // which may be the end of the server
	default:
		return err
	}

	select {
	case <-l.server.exited():
		return both(err, l.server.cause())
	case <-time.After(lastWords):
		return err
	}
}

// advise adds to the error of the first request what to do. code is the status of its reply, or 0.
func (l *load) advise(err error, k kind, code int) error {
	advice, options := "", l.service.options
	_, ofHTTP := l.client.(*client)
	switch {
	case k == insecure:
		advice = TLSAdvice(err)
	case k == timeout && options.known:
		advice = "allow more time" + options.hint("timeout")
	case k == body && options.known:
		advice = "allow a larger one" + options.hint("max-body")
	case k == status && code == http.StatusNotFound:
		advice = "correct the address, or expect that status (option expect-status)"
	case k == status && code == http.StatusBadRequest && l.plain():
		advice = "if the server has TLS, use https://; else correct the request, or expect that status (option " +
			"expect-status)"
	case k == protocol && ofHTTP && lacksHTTP2(err.Error()):
		advice = "the server has no HTTP/2 there: use http/1.1 (option protocol)"
	case k == protocol && ofHTTP && strings.Contains(err.Error(), "http2: client conn could not be established"):
		advice = "if the server has no HTTP/2 there, use http/1.1 (option protocol)"
	case k == refused && l.server == nil:
		advice = "start the server, or give its command (option start)"
	}
	if advice != "" {
		err = fmt.Errorf("%w; %s", err, advice)
	}
	return l.explain(err, k)
}

// plain reports whether the first request goes to a server without TLS.
func (l *load) plain() bool {
	return len(l.service.Requests) > 0 && strings.HasPrefix(strings.ToLower(l.service.Requests[0].URL), "http:")
}

// lacksHTTP2 reports whether the error of a request in HTTP/2 says that the server only has HTTP/1.1.
func lacksHTTP2(text string) bool {
	return strings.Contains(text, "looked like an HTTP/1.1 header") || LacksProtocol(text) ||
		strings.Contains(text, "the server answers with HTTP/1")
}

// TLSAdvice returns what to do about an error of TLS, or "". It reads the text, because gRPC keeps no types and package
// crypto/tls has none for alerts of the peer.
func TLSAdvice(err error) string {
	has := func(part string) bool { return strings.Contains(err.Error(), part) }
	switch {
	case has("certificate signed by unknown authority"):
		return "give the certificate of its authority (option ca-file), or accept any (option insecure)"
	case has("x509: cannot validate certificate for"), has("x509: certificate is valid for"),
		has("x509: certificate is not valid for any names"), has("x509: certificate relies on legacy Common Name"):
		return "use a name of the certificate in the address, or accept any certificate (option insecure)"
	case has("x509: certificate has expired or is not yet valid"):
		return "renew the server's certificate or correct the clock, or accept any certificate (option insecure)"
	case has("server gave HTTP response to HTTPS client"), has("first record does not look like a TLS handshake"):
		return "the server has no TLS there: use http://"
	case has("remote error: tls: certificate required"), has("remote error: tls: bad certificate"),
		has("remote error: tls: unknown certificate"), has("remote error: tls: expired certificate"),
		has("remote error: tls: revoked certificate"), has("remote error: tls: unsupported certificate"):
		return "give a client certificate that the server accepts (option cert), and its key (option key)"
	case has("remote error: tls: handshake failure"):
		return "the server may require a client certificate (option cert) and its key (option key), or it has no " +
			"cipher suite in common with Brewput"
	}
	return ""
}

// both joins two errors, which may be nil, in one line.
func both(first, second error) error {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return fmt.Errorf("%w; %w", first, second)
}
