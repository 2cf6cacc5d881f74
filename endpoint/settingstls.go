package endpoint

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// parseTLS reads the options of TLS.
func (set *settings) parseTLS(v workload.Given) error {
	if (v.Get("cert") == "") != (v.Get("key") == "") {
		return plan.Refuse("", nil, "{cert} and {key} belong together").Suggest("give both")
	}
	on, err := strconv.ParseBool(cmp.Or(v.Get("insecure"), "false"))
	if err != nil {
		return plan.Refuse("insecure", quoted(v.Get("insecure")), "is neither true nor false").Suggest("give true")
	}
	if on && v.Get("ca-file") != "" {
		return plan.Refuse("ca-file", quoted(v.Get("ca-file")), "excludes {insecure}, which accepts any certificate").
			Suggest("leave out one of them")
	}
	if on {
		set.service.TLS = &tls.Config{InsecureSkipVerify: true} // the user asks for it
	}
	return nil
}

// checkTLS refuses options of TLS if no address has it.
func (set *settings) checkTLS(s Service) error {
	secure := func(address string) bool { return strings.HasPrefix(strings.ToLower(address), "https:") }
	if set.given.Has("tls") || secure(s.Ready) ||
		slices.ContainsFunc(s.Requests, func(r Request) bool { return secure(r.URL) }) {
		return nil
	}
	for _, name := range []string{"cert", "ca-file", "insecure"} {
		if !set.given.Has(name) {
			continue
		}
		refusal := plan.Refuse(name, nil, "is for a server with TLS")
		if s.options.tls {
			return refusal.Suggest("give {tls} too")
		}
		return refusal.Suggest("give an address with https://")
	}
	return nil
}

// readTLS adds the certificates of files to a configuration, which may be nil.
func readTLS(ctx context.Context, v workload.Given, c *tls.Config) (*tls.Config, error) {
	if v.Get("ca-file") == "" && v.Get("cert") == "" {
		return c, nil
	}
	c = cmp.Or(c, &tls.Config{}).Clone()
	if name := v.Get("ca-file"); name != "" {
		pem, err := input.ReadFile(ctx, name, input.Certificates)
		if err != nil {
			return nil, plan.Refuse("ca-file", nil, "%w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, plan.Refuse("ca-file", quoted(name), "has no certificate in PEM").
				Suggest("give the certificate of the authority")
		}
	}
	if v.Get("cert") == "" {
		return c, nil
	}

	cert, err := input.ReadFile(ctx, v.Get("cert"), input.Certificates)
	if err != nil {
		return nil, plan.Refuse("cert", nil, "%w", err)
	}
	key, err := input.ReadFile(ctx, v.Get("key"), input.Certificates)
	if err != nil {
		return nil, plan.Refuse("key", nil, "%w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, plan.Refuse("cert", quoted(strings.TrimSpace(v.Get("cert"))), "cannot be used: %w", err).
			Suggest("give a certificate and its private key, both in PEM")
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
