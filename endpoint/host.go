package endpoint

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// isLoopback reports whether a host is a loopback address or localhost. Other names are not, whatever they resolve to.
func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// allows reports whether the service permits a host although it is not loopback.
func (s *Service) allows(host string) bool {
	return slices.ContainsFunc(s.AllowHosts, func(name string) bool {
		return strings.EqualFold(strings.Trim(name, "[]"), host)
	})
}

// checkHost refuses an address whose host is neither loopback nor permitted.
func (s *Service) checkHost(option string, u *url.URL) error {
	host := u.Hostname()
	if s.Unix != "" || isLoopback(host) || s.allows(host) {
		return nil
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Unmap().IsUnspecified() {
		return plan.Refuse(option, quoted(host), "is no address to connect to").Suggest("give 127.0.0.1 or [::1]")
	}
	return plan.Refuse(option, quoted(host), "is beyond this machine: load may harm it").
		Suggest("measure a server on 127.0.0.1, or give {allow-host} %s with {rate} and {operations}", quote.Line(host))
}

// parseHosts checks the hosts that are allowed.
func parseHosts(v workload.Given) error {
	for _, name := range v["allow-host"] {
		host := strings.Trim(name, "[]")
		if _, err := netip.ParseAddr(host); host == "" || err != nil && strings.ContainsAny(host, ":/ ") {
			return plan.Refuse("allow-host", quoted(name), "is not a host").
				Suggest("give one without scheme and port, such as example.org")
		}
	}
	return nil
}

// checkAllowed refuses a host that is allowed and that no request goes to: the load would have the limits of one to
// other machines for nothing, or the name is wrong.
func (s *Service) checkAllowed() error {
	for _, name := range s.AllowHosts {
		if !s.goesTo(strings.Trim(name, "[]")) {
			return plan.Refuse("allow-host", quoted(name), "is the host of no address").
				Suggest("leave it out, or correct it")
		}
	}
	return nil
}

// goesTo reports whether a request has an address with a host.
func (s *Service) goesTo(host string) bool {
	has := func(address string) bool {
		u, err := s.parseURL("url", address)
		return err == nil && strings.EqualFold(u.Hostname(), host)
	}
	return has(s.Ready) || slices.ContainsFunc(s.Requests, func(r Request) bool { return has(r.URL) })
}

// beyondError is the error of a connection to an address that is not loopback, for a host that is not permitted.
type beyondError struct{ host, address string }

func (b beyondError) Error() string {
	return fmt.Sprintf("%s resolves to %s, which is beyond this machine; measure a server on 127.0.0.1, or allow the "+
		"host (option allow-host) with a rate and a number of operations", quote.Line(b.host), b.address)
}

// dial opens a connection for the transport. It checks the resolved address just before it connects, so that no later
// answer of a name server can lead elsewhere.
func (s *Service) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	if s.Unix != "" {
		return d.DialContext(ctx, "unix", s.Unix)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !s.allows(host) {
		d.Control = func(_, resolved string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(resolved)
			if err == nil && !to.Addr().Unmap().IsLoopback() {
				err = beyondError{host, to.Addr().String()}
			}
			return err
		}
	}
	return d.DialContext(ctx, network, address)
}

// quoted formats external text for a message.
func quoted(text string) string { return fmt.Sprintf("%q", shorten(text)) }

// shorten cuts a long text for a message.
func shorten(text string) string {
	const most = 200
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
