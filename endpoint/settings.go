package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

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
	bodies    []string // load: the files of bodies that targets name
	bodyText  string   // that each reply must contain
	jsonPaths []jsonCheck
}

// parse reads the options. It opens no file and no connection.
func parse(v workload.Given) (*settings, error) {
	set := &settings{given: v, bodyText: v.Get("expect-body")}
	set.service.AllowHosts, set.service.Unix, set.service.Ready = v["allow-host"], v.Get("unix"), v.Get("ready")
	for _, step := range []func(workload.Given) error{
		set.parseRequest, set.parseLimits, set.parseCommands, set.parseChecks, set.parseTLS, parseHosts,
	} {
		if err := step(v); err != nil {
			return nil, err
		}
	}
	set.service.options.known = true
	if v.Get("targets") != "" {
		set.service.options.url = "targets"
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
	case v.Get("ready-within") != "" && set.a == nil && set.start == nil:
		return plan.Refuse("ready-within", quoted(v.Get("ready-within")), "is for a server that is started").
			Suggest("give {start}")
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
		targets, err := readTargets(ctx, name)
		if err != nil {
			return nil, err
		}
		common := s.Requests[0].Header
		s.Requests = nil
		for _, t := range targets {
			for header, values := range common {
				t.Header[header] = append(t.Header[header], values...)
			}
			if err := s.checkRequest(t.Request); err != nil {
				return nil, t.refusal(name, err)
			}
			s.Requests = append(s.Requests, t.Request)
			if t.bodyFile != "" {
				set.bodies = append(set.bodies, t.bodyFile)
			}
		}
		slices.Sort(set.bodies)
		set.bodies = slices.Compact(set.bodies)
	}
	if s.TLS, err = readTLS(ctx, v, s.TLS); err != nil {
		return nil, err
	}

	return &s, set.check(s)
}

// check checks a service with each of the servers, and that it uses what is given.
func (set *settings) check(s Service) error {
	for _, server := range set.servers() {
		if s.Start = server.start; set.a != nil {
			s.options.start = server.name
		}
		if err := s.Check(); err != nil {
			return err
		}
	}
	return cmp.Or(s.checkAllowed(), set.checkTLS(s))
}
