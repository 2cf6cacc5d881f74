package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// settings are the parsed options of the workload http. Files are not read yet.
type settings struct {
	service   Service // without Start and what is in files
	given     workload.Given
	start     []string // of --start
	a, b      []string // of --a and --b
	bodyText  string   // that each reply must contain
	jsonPaths []jsonCheck
}

// parse reads the options. It opens no file and no connection.
func parse(v workload.Given) (*settings, error) {
	set := &settings{given: v, bodyText: v.Get("expect-body")}
	set.service.AllowHosts, set.service.Unix, set.service.Ready = v["allow-host"], v.Get("unix"), v.Get("ready")
	for _, step := range []func(workload.Given) error{
		set.parseRequest, set.parseCommands, set.parseLimits, set.parseChecks, set.parseTLS,
	} {
		if err := step(v); err != nil {
			return nil, err
		}
	}
	if v.Get("targets") != "" {
		return set, nil // which are checked when they are read
	}
	return set, set.check(set.service)
}

// parseRequest reads the options of the request.
func (set *settings) parseRequest(v workload.Given) error {
	body, headers := v.Get("body"), http.Header{}
	for _, text := range v["header"] {
		if err := addHeader(headers, text); err != nil {
			return err
		}
	}
	if body != "" && v.Get("body-file") != "" {
		return plan.Refuse("body-file", quoted(v.Get("body-file")), "excludes {body}").Suggest("give one of them")
	}
	if v.Get("targets") != "" {
		for _, name := range []string{"url", "method", "body", "body-file"} {
			if v.Get(name) != "" {
				return plan.Refuse(name, nil, "is in the file of {targets}").Suggest("leave out one of them")
			}
		}
		set.service.Requests = []Request{{Header: headers}} // which all targets get
		return nil
	}

	method := http.MethodGet
	if body != "" || v.Get("body-file") != "" {
		method = http.MethodPost
	}
	if v.Get("url") == "" {
		return nil // which Check refuses
	}
	set.service.Requests = []Request{{Method: cmp.Or(v.Get("method"), method), URL: v.Get("url"), Header: headers,
		Body: []byte(body)}}
	return nil
}

// parseCommands reads the commands that start servers.
func (set *settings) parseCommands(v workload.Given) error {
	for name, words := range map[string]*[]string{"start": &set.start, "a": &set.a, "b": &set.b} {
		text := v.Get(name)
		if text == "" {
			continue
		}
		var err error
		if *words, err = proc.Words(text); err == nil && len(*words) == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			return plan.Refuse(name, quoted(text), "is no command: %w", err).
				Suggest("give one such as %s", exampleStart)
		}
	}
	switch {
	case (set.a == nil) != (set.b == nil):
		return plan.Refuse("", nil, "{a} and {b} are the two servers to compare").Suggest("give both, or {start}")
	case set.a != nil && set.start != nil:
		return plan.Refuse("start", nil, "excludes {a} and {b}").Suggest("give {a} and {b}, or {start}")
	}
	return nil
}

// parseLimits reads times and numbers.
func (set *settings) parseLimits(v workload.Given) error {
	s := &set.service
	for name, d := range map[string]*time.Duration{"timeout": &s.Timeout, "ready-within": &s.StartLimit} {
		text := v.Get(name)
		if text == "" {
			continue
		}
		var err error
		if *d, err = time.ParseDuration(text); err != nil || *d <= 0 {
			return plan.Refuse(name, quoted(text), "is not a time above zero").Suggest("give one such as 500ms or 30s")
		}
	}
	if text := v.Get("max-body"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 {
			return plan.Refuse("max-body", quoted(text), "is not a number of bytes").
				Suggest("give one above zero, such as 1048576")
		}
		s.MaxBody = n
	}

	x, err := strconv.ParseFloat(cmp.Or(v.Get("max-errors"), "0.1"), 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return plan.Refuse("max-errors", quoted(v.Get("max-errors")), "is not a share").
			Suggest("give one from 0 to 1, such as 0.01")
	}
	s.MaxErrors = x
	return nil
}

// parseChecks reads the checks of replies.
func (set *settings) parseChecks(v workload.Given) (err error) {
	if text := v.Get("expect-status"); text != "" {
		if set.service.Expect, err = ParseStatuses(text); err != nil {
			return err
		}
	}
	for _, text := range v["expect-json"] {
		c, err := parseJSONCheck(text)
		if err != nil {
			return err
		}
		set.jsonPaths = append(set.jsonPaths, c)
	}
	if set.bodyText != "" || set.jsonPaths != nil {
		set.service.Verify = set.verify
	}
	return nil
}

// verify checks the body of a reply.
func (set *settings) verify(_ int, r Reply) error {
	if !bytes.Contains(r.Body, []byte(set.bodyText)) {
		return fmt.Errorf("the body does not contain %s, but begins with %s", quoted(set.bodyText),
			quoted(string(r.Body[:min(len(r.Body), 100)])))
	}
	if set.jsonPaths == nil {
		return nil
	}
	v, err := decodeJSON(r.Body)
	if err != nil {
		return err
	}
	for _, c := range set.jsonPaths {
		if err := c.check(v); err != nil {
			return err
		}
	}
	return nil
}

// parseTLS reads the options of TLS.
func (set *settings) parseTLS(v workload.Given) error {
	if (v.Get("cert") == "") != (v.Get("key") == "") {
		return plan.Refuse("", nil, "{cert} and {key} belong together").Suggest("give both")
	}
	on, err := strconv.ParseBool(cmp.Or(v.Get("insecure"), "false"))
	if err != nil {
		return plan.Refuse("insecure", quoted(v.Get("insecure")), "is neither true nor false").Suggest("give true")
	}
	if on {
		set.service.TLS = &tls.Config{InsecureSkipVerify: true} // the user asks for it
	}
	return nil
}

// named is a server with its name in the results.
type named struct {
	name, doc string
	start     []string // nil: it runs already
}

// servers returns the servers to measure.
func (set *settings) servers() []named {
	if set.a == nil {
		return []named{{"server", "the server at the given address", set.start}}
	}
	return []named{
		{"a", "the server that the command a starts", set.a},
		{"b", "the server that the command b starts", set.b},
	}
}

// load reads the files and returns the service, without the command that starts it. The error is a [plan.Refusal].
func (set *settings) load(ctx context.Context) (*Service, error) {
	s, v := set.service, set.given
	var err error
	if name := v.Get("body-file"); name != "" {
		s.Requests = []Request{s.Requests[0]}
		if s.Requests[0].Body, err = readBody(ctx, "body-file", name); err != nil {
			return nil, err
		}
	}
	if name := v.Get("targets"); name != "" {
		common := s.Requests[0].Header
		if s.Requests, err = readTargets(ctx, name); err != nil {
			return nil, err
		}
		for _, r := range s.Requests {
			for header, values := range common {
				r.Header[header] = append(r.Header[header], values...)
			}
		}
	}
	if s.TLS, err = readTLS(ctx, v, s.TLS); err != nil {
		return nil, err
	}

	return &s, set.check(s)
}

// check checks a service with each of the servers.
func (set *settings) check(s Service) error {
	for _, server := range set.servers() {
		s.Start = server.start
		if err := s.Check(); err != nil {
			return err
		}
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
		return nil, plan.Refuse("cert", quoted(strings.TrimSpace(v.Get("cert"))), "cannot be used: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
