package endpoint

import (
	"context"
	"embed"
	"strings"
	"sync"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// The factors of an endpoint, and their levels.
const (
	reuseFactor    = "reuse"
	protocolFactor = "protocol"

	on, off         = "on", "off"
	http1, h2, h2c  = "http/1.1", "h2", "h2c"
	defaultOpenPool = "256"
)

//go:embed advice.go client.go conn.go counts.go ending.go failure.go host.go redirect.go service.go stream.go
//go:embed workload.go
var sources embed.FS

// Factors returns the factors that [Service.Stream] reads.
func Factors() []plan.Factor {
	return []plan.Factor{
		{Name: reuseFactor, Doc: "reuse connections: on, or off for a new one for each request", Kind: plan.Text,
			Default: on, Words: []string{on, off}},
		{Name: protocolFactor, Doc: "http/1.1, h2 (HTTP/2 over TLS) or h2c (HTTP/2 without TLS)", Kind: plan.Text,
			Default: http1, Words: []string{http1, h2, h2c}},
	}
}

// Workload returns the workload http, whose options describe the endpoint. Its designs run only after
// [workload.Workload.With] has set --url or --targets.
func Workload() *workload.Workload {
	w := unset(&settings{})
	w.Make = func(g workload.Given) (*workload.Workload, error) {
		set, err := parse(g)
		if err != nil {
			return nil, err
		}
		return unset(set), nil
	}
	return w
}

// unset returns the workload for settings, without its Make.
func unset(set *settings) *workload.Workload {
	load := sync.OnceValues(func() (*Service, error) { return set.load(context.Background()) })
	w := &workload.Workload{
		Name:      "http",
		Doc:       "Load on any HTTP server: requests of your own, with checks of the replies.",
		Factors:   Factors(),
		Options:   options(),
		Source:    sources,
		Preflight: true,
		Check: func(p plan.Point) error {
			s, err := load()
			if err != nil {
				return err
			}
			return s.checkPoint(p)
		},
		FurtherMetrics: []string{"latency_p50_ns", "latency_p99_ns", "throughput_per_s", "error_share"},
		OpenWorkers:    defaultOpenPool,
		Example:        "{url} http://127.0.0.1:8080/ {workers} 8",
		Files: func() []string {
			load() // which notes the bodies of targets; its errors are those of Check
			return set.files()
		},
		Limited: len(set.service.AllowHosts) > 0,
	}
	for _, d := range set.servers() {
		w.Designs = append(w.Designs, workload.Design{
			Name: d.name, Doc: d.doc, Uses: []string{reuseFactor, protocolFactor}, Worlds: workload.LiveOnly,
			Remote: true,
			Stream: func(e env.Env, p plan.Point) (workload.Stream, error) {
				s, err := load()
				if err != nil {
					return workload.Stream{}, err
				}
				own := *s
				own.Start = d.start
				return own.Stream(e, p)
			},
			Served: func(ctx context.Context, p plan.Point) (string, func() error, error) {
				s, err := load()
				if err != nil {
					return "", nil, err
				}
				own := *s
				own.Start = d.start
				return own.Load(ctx, p, p.Int("workers"))
			},
		})
	}
	return w
}

// checkPoint refuses a point at which the service cannot be measured.
func (s *Service) checkPoint(p plan.Point) error {
	if !p.Has(protocolFactor) {
		return nil
	}

	word := p.Text(protocolFactor)
	for _, r := range s.Requests {
		secure := strings.HasPrefix(strings.ToLower(r.URL), "https:")
		switch {
		case word == h2 && !secure:
			return plan.Refuse(protocolFactor, h2, "needs https, and the request goes to http").
				Suggest("give {protocol} %s", h2c)
		case word == h2c && secure:
			return plan.Refuse(protocolFactor, h2c, "needs http, and the request goes to https").
				Suggest("give {protocol} %s", h2)
		}
	}
	return nil
}
