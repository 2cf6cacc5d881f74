package endpoint

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// kind is the kind of a failed request.
type kind int

// The kinds.
const (
	refused   kind = iota // nothing accepts connections there
	timeout               // the reply was not complete in time
	reset                 // the server reset the connection
	closed                // the server closed the connection before the reply was complete
	insecure              // no TLS connection, or a wrong certificate
	body                  // the body is too long
	redirect              // a redirect that is not followed
	status                // a status of 400 or more
	protocol              // not the protocol that was asked for
	other                 // anything else
	kindCount = iota
)

// String returns the word that metrics use.
func (k kind) String() string {
	return [...]string{"refused", "timeout", "reset", "closed", "tls", "body", "redirect", "status", "protocol",
		"other"}[k]
}

// failure is the error of a failed request.
type failure struct {
	kind kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failed makes a failure of a kind.
func failed(k kind, format string, args ...any) *failure {
	return &failure{k, fmt.Errorf(format, args...)}
}

// classify makes a failure of an error of the transport or of a body.
func classify(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var timed net.Error
	text := err.Error()
	k := other
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		k = timeout
	case errors.Is(err, syscall.ECONNREFUSED):
		k = refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		k = reset
	case LacksProtocol(text):
		k = protocol
	case isTLS(err), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		k = insecure
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "server closed"):
		k = closed
	case strings.Contains(text, "malformed"), strings.Contains(text, "http2"), strings.Contains(text, "stream error"),
		strings.Contains(text, "bad Content-Length"), strings.Contains(text, "invalid"):
		k = protocol // package net/http has no types for these
	}
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		err = fmt.Errorf("%w: the ports of closed connections are not free at once; reuse connections, or send fewer "+
			"requests", err)
	case errors.Is(err, syscall.EMFILE):
		err = fmt.Errorf("%w: raise the limit of ulimit -n, or give fewer workers", err)
	}
	return &failure{k, err}
}

// LacksProtocol reports whether the text of an error has the alert of a server with TLS that lacks the protocol of the
// client, such as HTTP/2.
func LacksProtocol(text string) bool { return strings.Contains(text, "tls: no application protocol") }

// isTLS reports whether an error is of TLS.
func isTLS(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		authority   x509.UnknownAuthorityError
		name        x509.HostnameError
		invalid     x509.CertificateInvalidError
	)
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &name) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "tls: ")
}
