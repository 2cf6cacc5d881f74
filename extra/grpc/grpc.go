// Package grpc sends load to gRPC servers: the client of the workload grpc, which package endpoint declares.
//
// A method is called by its name. Its messages are described by the server's reflection service or by a descriptor set.
// Requests are encoded from JSON before the load. Replies are decoded only if their content is checked.
package grpc

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload grpc with this client.
func Workload() *workload.Workload {
	return endpoint.RPCWorkload(func(r *endpoint.RPC) func(env.Env, plan.Point) (workload.Stream, error) {
		return func(e env.Env, p plan.Point) (workload.Stream, error) { return r.Stream(e, p, connect) }
	})
}

// connect connects to a server, finds the method and encodes the requests. Its errors, which become the text of a
// trial's error, name refused options as flags.
func connect(ctx context.Context, r *endpoint.RPC, dial endpoint.Dial) (endpoint.Caller, error) {
	d := newDialer(r, dial)
	var conns []*grpc.ClientConn
	fail := func(err error) (endpoint.Caller, error) {
		for _, conn := range conns {
			conn.Close()
		}
		var refused *plan.Refusal
		if errors.As(err, &refused) {
			err = errors.New(refused.Text(func(option string) string { return "--" + option }))
		}
		return nil, err
	}
	for range r.Connections {
		conn, err := d.connect(ctx)
		if err != nil {
			return fail(err)
		}
		conns = append(conns, conn)
	}
	m, requests, err := prepare(ctx, r, conns[0])
	if err != nil {
		return fail(err)
	}
	return newClient(r, m, requests, conns), nil
}

// prepare finds the method and encodes the requests.
func prepare(ctx context.Context, r *endpoint.RPC, conn *grpc.ClientConn) (*method, [][]byte, error) {
	m, err := findMethod(ctx, r, conn)
	if err != nil {
		return nil, nil, err
	}
	data, name := r.Data, "data"
	switch {
	case r.DataFile != "":
		name = "data-file"
	case len(data) == 0:
		data = []string{"{}"}
	}
	var requests [][]byte
	for i, text := range data {
		sent, err := m.encode(text)
		if err != nil {
			if len(data) > 1 {
				err = fmt.Errorf("request %d: %w", i+1, err)
			}
			return nil, nil, plan.Refuse(name, nil, "%w", err)
		}
		requests = append(requests, sent)
	}
	return m, requests, nil
}
