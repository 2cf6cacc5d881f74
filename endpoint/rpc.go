package endpoint

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// RPC is a method of a gRPC server under load, and the checks of its replies. This package does not speak gRPC: see
// [Caller].
type RPC struct {
	Target          string // host:port, or unix:PATH; {port} in it is replaced when the server starts
	Service, Method string
	Data            []string    // requests in JSON, which are sent in turn
	DataFile        string      // with the requests instead; "" if there is none
	DescriptorSet   string      // file that describes the service; "": the server does by reflection
	Descriptors     []byte      // what is in that file
	Metadata        [][2]string // names and values
	TLS             bool        // use TLS; see [RPC.TLSConfig]
	CAFile          string      // certificates of authorities; "": those of the system
	Cert, Key       string      // files of the certificate of the client and its key; "": none
	Connections     int         // that calls share

	// Service has the settings that do not depend on the protocol. Its request stands for the target.
	service Service
	codes   map[int]bool // of right replies
	expect  string       // those codes as given
	json    []jsonCheck
}

// Caller calls a method. Its methods are safe for concurrent use.
type Caller interface {
	// Requests is the number of requests.
	Requests() int

	// Call sends request i, which is below Requests, and waits for the reply. If wanted, the reply has its content.
	Call(ctx context.Context, i int, wanted bool) RPCReply

	// Close closes the connections.
	Close() error
}

// RPCReply is the reply to a call.
type RPCReply struct {
	Code int   // status of gRPC: 0 is OK
	Err  error // the message of another status, or why no reply arrived; nil if Code is 0

	// Lost says that no complete reply arrived: Code is then the client's. Err is ErrReplySize if the reply is larger
	// than [RPC.MaxReply].
	Lost bool

	JSON []byte // the content, if it was wanted
}

// ErrReplySize is the error of a reply that is too large.
var ErrReplySize = errors.New("the reply is too large")

// Dial opens a connection to the target. It follows the rules for hosts, and counts connections and bytes.
type Dial func(ctx context.Context) (net.Conn, error)

// Timeout returns the time limit of a call.
func (r *RPC) Timeout() time.Duration { return cmp.Or(r.service.Timeout, defaultTimeout) }

// Stream starts the server if the options say so, waits until it is ready, connects to it and sends the first request.
// It returns the stream that sends the others. connect gets the RPC with the port of its target, and with what is in
// files.
func (r *RPC) Stream(_ env.Env, p plan.Point, connect func(context.Context, *RPC, Dial) (Caller, error)) (
	workload.Stream, error) {
	own, err := r.read(context.Background())
	if err != nil {
		return workload.Stream{}, err
	}
	s, port, err := own.service.ported()
	if err != nil {
		return workload.Stream{}, err
	}
	own.service = *s
	own.Target = withPort(r.Target, port)
	if p.Has(connectionsFactor) {
		own.Connections = p.Int(connectionsFactor)
	}
	c := &rpcClient{rpc: own, counters: &counters{named: codeMetric}}
	first, err := url.Parse(withPort(s.Requests[0].URL, port))
	if err != nil {
		return workload.Stream{}, err
	}

	l := &load{service: s, client: c, counters: c.counters, point: p, used: -1}
	if err := l.start(context.Background(), port, first); err != nil {
		return workload.Stream{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.Timeout())
	defer cancel()
	if c.caller, err = connect(ctx, own, c.dial); err != nil {
		return workload.Stream{}, both(l.explain(err, other), l.stop())
	}
	return l.stream()
}

// parseTarget returns an address that stands for a target, and the path of a unix socket.
func parseTarget(target string) (address, socket string, err error) {
	refused := plan.Refuse("target", quoted(target), "is not the address of a gRPC server").
		Suggest("give one such as 127.0.0.1:50051 or unix:PATH")
	if path, ok := strings.CutPrefix(target, "unix:"); ok {
		if path == "" {
			return "", "", refused
		}
		return "http://localhost", path, nil
	}
	host, port, err := net.SplitHostPort(withPort(target, anyPort))
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || host == "" || bad != nil || n == 0 ||
		strings.ContainsAny(host, "/@?# ") {
		return "", "", refused
	}
	return "http://" + target, "", nil
}

// parseMethod splits the name of a method: package.Service/Method, with or without a slash before it, or
// package.Service.Method.
func parseMethod(name string) (service, method string, err error) {
	text := strings.TrimPrefix(name, "/")
	i := strings.LastIndexByte(text, '/')
	if i < 0 {
		i = strings.LastIndexByte(text, '.')
	}
	if i <= 0 || i == len(text)-1 || strings.ContainsAny(text[:i], "/ ") {
		return "", "", plan.Refuse("method", quoted(name), "is no method of a service").
			Suggest("give one such as package.Service/Method")
	}
	return text[:i], text[i+1:], nil
}

// parseMetadata reads a name and a value, such as "authorization=Bearer x" or "authorization: Bearer x".
func parseMetadata(text string) (pair [2]string, err error) {
	i := strings.IndexAny(text, "=:")
	if i < 0 {
		i = 0
	}
	name := strings.ToLower(strings.TrimSpace(text[:i]))
	value := strings.TrimSpace(text[min(len(text), i+1):])
	printable := !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
	switch valid := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""; {
	case name == "" || !valid || !printable: // the text may be a secret, so it is not repeated
		return pair, plan.Refuse("header", nil, "is not NAME=VALUE").Suggest("give one such as 'x-request=1'")
	case strings.HasPrefix(name, "grpc-"), name == "content-type", name == "te", name == "user-agent":
		return pair, plan.Refuse("header", name, "is set by gRPC").Suggest("leave it out")
	}
	return [2]string{name, value}, nil
}

// CodeName is the name of a status of gRPC, such as NotFound; "Code(99)" if there is none.
func CodeName(code int) string {
	if code < 0 || code >= len(codeNames()) {
		return "Code(" + strconv.Itoa(code) + ")"
	}
	return codeNames()[code]
}

// codeNames are the names of the statuses, by their number.
func codeNames() []string {
	return []string{"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists",
		"PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented",
		"Internal", "Unavailable", "DataLoss", "Unauthenticated"}
}

// parseCodes reads a list of statuses: names in any case, with or without underscores, or numbers.
func parseCodes(text string) (map[int]bool, error) {
	codes := map[int]bool{}
	for term := range strings.SplitSeq(text, ",") {
		term = strings.TrimSpace(term)
		name := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(term), "_", ""), "cancelled", "canceled")
		found := false
		for code, known := range codeNames() {
			if name == strings.ToLower(known) || name == strconv.Itoa(code) {
				codes[code], found = true, true
			}
		}
		if !found {
			r := plan.Refuse("expect-code", quoted(term), "is no status of gRPC")
			if s := plan.Suggest(term, codeNames()); s != "" {
				return nil, r.Suggest("did you mean %s?", s)
			}
			return nil, r.Suggest("give a list such as OK,NotFound")
		}
	}
	return codes, nil
}

// codeMetric is the metric of a status, such as code_not_found, or code_99 if it has no name. The counted code is 1
// more, because 0 means no reply.
func codeMetric(counted int) string {
	code := counted - 1
	if code < 0 || code >= len(codeNames()) {
		return "code_" + strconv.Itoa(code)
	}
	var b strings.Builder
	b.WriteString("code")
	for i, r := range codeNames()[code] {
		if 'A' <= r && r <= 'Z' && (i == 0 || code > 0) { // not between the letters of OK
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// redactTarget is a target as an error shows it.
func redactTarget(target string) string { return quoted(input.RedactWords(target)) }
