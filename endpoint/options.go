package endpoint

import "github.com/brewput/brewput/workload"

// options are the options of the workload http.
func options() []workload.Option {
	return []workload.Option{
		{Name: "url", Doc: "address of the endpoint", Value: "URL"},
		{Name: "method", Doc: "method of the request (default GET, or POST with a body)", Value: "METHOD"},
		{Name: "header", Doc: "header of each request, as in 'Accept: text/plain'", Value: "HEADER", Many: true},
		{Name: "body", Doc: "body of the request", Value: "TEXT"},
		{Name: "body-file", Doc: "file with the body of the request", Value: "FILE"},
		{Name: "targets", Doc: "file of requests in vegeta's http format, which are sent in turn", Value: "FILE"},
		{Name: "timeout", Doc: "how long a reply may take until it is complete (default 30s)", Value: "TIME"},
		{Name: "expect-status", Doc: "statuses of right replies, as in 200,404 or 2xx", Value: "LIST"},
		{Name: "expect-body", Doc: "text that each right reply contains", Value: "TEXT"},
		{Name: "expect-json", Doc: "value in each right reply, as in '$.a.b[0]=x', or only its path",
			Value: "PATH=VALUE", Many: true},
		{Name: "max-body", Doc: "largest body of a reply in bytes (default 64 MiB)", Value: "BYTES"},
		{Name: "max-errors", Doc: "largest share of failed requests (default 0.1)", Value: "SHARE"},
		{Name: "start", Doc: "command that starts the server in each trial; a free port replaces {port} in it, in " +
			"the address and in that of ready", Value: "COMMAND"},
		{Name: "a", Doc: "command that starts the first of two servers to compare", Value: "COMMAND"},
		{Name: "b", Doc: "command that starts the second server", Value: "COMMAND"},
		{Name: "ready", Doc: "address that answers with a status below 400 when the started server is ready " +
			"(default: its port accepts a connection)",
			Value: "URL"},
		{Name: "ready-within", Doc: "how long the started server may take until it is ready (default 30s)",
			Value: "TIME"},
		{Name: "allow-host", Doc: "host beyond this machine to send load to; needs a rate and a number of " +
			"operations", Value: "HOST", Many: true},
		{Name: "insecure", Doc: "accept any certificate"},
		{Name: "ca-file", Doc: "certificates of authorities to trust instead of the system's, in PEM", Value: "FILE"},
		{Name: "cert", Doc: "client certificate, in PEM; needs a key", Value: "FILE"},
		{Name: "key", Doc: "private key of the client certificate, in PEM", Value: "FILE"},
		{Name: "unix", Doc: "socket to connect to instead of the host of the address", Value: "PATH"},
	}
}
