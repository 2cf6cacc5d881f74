package endpoint

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

const (
	connectionsFactor = "connections"

	// rpcProgram is the program that has the client of gRPC.
	rpcProgram = "brewput-extra"
)

// RPCWorkload returns the workload grpc. Its options describe a method of a server. Another program runs its designs,
// because this one does not contain gRPC: there, stream is the constructor of a design. Here, stream is nil.
func RPCWorkload(stream func(r *RPC) func(env.Env, plan.Point) (workload.Stream, error)) *workload.Workload {
	w := rpcWorkload(&RPC{}, nil, []named{{"server", "the server of the target", nil}}, stream)
	w.Make = func(g workload.Given) (*workload.Workload, error) {
		r, servers, err := parseRPC(g)
		if err != nil {
			return nil, err
		}
		return rpcWorkload(r, g, servers, stream), nil
	}
	return w
}

// rpcWorkload returns the workload for a method and its servers, without its Make.
func rpcWorkload(r *RPC, g workload.Given, servers []named,
	stream func(*RPC) func(env.Env, plan.Point) (workload.Stream, error)) (w *workload.Workload) {
	files := sync.OnceValue(func() error {
		_, err := r.read(context.Background())
		return err
	})
	w = &workload.Workload{
		Name: "grpc",
		Doc:  "Load on any gRPC server: calls of a method, with checks of the replies.",
		Factors: []plan.Factor{{Name: connectionsFactor, Doc: "connections that all calls share", Kind: plan.Int,
			Default: "1", Min: 1, Max: 10_000}},
		Options:        rpcOptions(),
		Source:         sources,
		Preflight:      true,
		Check:          func(plan.Point) error { return files() },
		FurtherMetrics: []string{"latency_p50_ns", "latency_p99_ns", "throughput_per_s", "error_share"},
		OpenWorkers:    defaultOpenPool,
		Example:        "{target} 127.0.0.1:50051 {method} package.Service/Method {workers} 8",
		Limited:        len(r.service.AllowHosts) > 0,
		Files:          func() []string { return append(givenFiles(g), programs(servers)...) },
	}
	for _, server := range servers {
		own := *r
		own.service.Start = server.start
		d := workload.Design{Name: server.name, Doc: server.doc, Uses: []string{connectionsFactor},
			Worlds: workload.LiveOnly, Remote: true}
		if stream != nil {
			d.Stream = stream(&own)
		} else {
			d.Program = &workload.Program{File: rpcProgram}
			d.Stream = func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{}, errors.New("calls of gRPC run in the program " + rpcProgram)
			}
		}
		w.Designs = append(w.Designs, d)
	}
	return w
}

// rpcOptions are the options of the workload grpc.
func rpcOptions() []workload.Option {
	own := []workload.Option{
		{Name: "target", Doc: "address of the server, as in 127.0.0.1:50051 or unix:PATH", Value: "ADDRESS"},
		{Name: "method", Doc: "method to call, as in package.Service/Method", Value: "METHOD"},
		{Name: "data", Doc: "request in JSON (default {}); several are sent in turn", Value: "JSON", Many: true},
		{Name: "data-file", Doc: "file of requests in JSON, one after the other", Value: "FILE"},
		{Name: "header", Doc: "metadata of each call, as in x-request=1", Value: "NAME=VALUE", Many: true},
		{Name: "descriptor-set", Doc: "file of protoc or buf that describes the service (default: the server's " +
			"reflection service does)", Value: "FILE"},
		{Name: "tls", Doc: "use TLS"},
		{Name: "expect-code", Doc: "statuses of right replies, as in OK,NotFound", Value: "LIST"},
	}
	for _, o := range options() {
		switch o.Name {
		case "timeout", "expect-json", "max-body", "max-errors", "start", "a", "b", "ready", "ready-within",
			"allow-host", "insecure", "ca-file", "cert", "key":
			own = append(own, o)
		}
	}
	return own
}

// parseRPC reads the options. It opens no file and no connection.
func parseRPC(v workload.Given) (*RPC, []named, error) {
	r := &RPC{Target: v.Get("target"), Data: v["data"], DataFile: v.Get("data-file"), TLS: v.Has("tls"),
		DescriptorSet: v.Get("descriptor-set"), CAFile: v.Get("ca-file"), Cert: v.Get("cert"), Key: v.Get("key"),
		Connections: 1}
	set := &settings{given: v}
	for _, step := range []func(workload.Given) error{r.parseCall, set.parseLimits, set.parseCommands,
		set.parseTLS, parseHosts} {
		if err := step(v); err != nil {
			return nil, nil, err
		}
	}
	for _, text := range v["expect-json"] {
		c, err := parseJSONCheck(text)
		if err != nil {
			return nil, nil, err
		}
		r.json = append(r.json, c)
	}

	address, socket, err := parseTarget(r.Target)
	if err != nil {
		return nil, nil, err
	}
	r.service = set.service
	r.service.AllowHosts, r.service.Ready, r.service.Unix = v["allow-host"], v.Get("ready"), socket
	r.service.Requests = []Request{{URL: address}}
	r.service.options = optionNames{url: "target", example: "127.0.0.1:" + portHolder, tls: true, known: true}
	servers := set.servers()
	for i := range servers {
		if servers[i].name == "server" {
			servers[i].doc = "the server of the target"
		}
	}
	if err := set.check(r.service); err != nil {
		refusal := plan.AsRefusal(err)
		if refusal.Field == "url" || refusal.Field == "target" {
			refusal.Field, refusal.Value = "target", redactTarget(r.Target)
		}
		return nil, nil, refusal
	}
	return r, servers, nil
}

// parseCall reads the options of the call.
func (r *RPC) parseCall(v workload.Given) (err error) {
	switch {
	case r.Target == "":
		return plan.Refuse("target", nil, "is missing").Suggest("give one such as 127.0.0.1:50051")
	case v.Get("method") == "":
		return plan.Refuse("method", nil, "is missing").Suggest("give one such as package.Service/Method")
	case r.DataFile != "" && len(r.Data) > 0:
		return plan.Refuse("data-file", quoted(r.DataFile), "excludes {data}").Suggest("give one of them")
	}
	if r.Service, r.Method, err = parseMethod(v.Get("method")); err != nil {
		return err
	}
	if r.expect = v.Get("expect-code"); r.expect != "" {
		if r.codes, err = parseCodes(r.expect); err != nil {
			return err
		}
	}
	for _, text := range v["header"] {
		pair, err := parseMetadata(text)
		if err != nil {
			return err
		}
		r.Metadata = append(r.Metadata, pair)
	}
	return nil
}

// MaxReply returns the largest size of a reply in bytes, and of all replies of a stream together.
func (r *RPC) MaxReply() int64 { return cmp.Or(r.service.MaxBody, defaultMaxBody) }
