package endpoint

import (
	"cmp"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
)

// Request is a request to an endpoint.
type Request struct {
	Method string // "" means GET
	// URL is absolute. {port} in it stands for the port of the server that the trial starts. A user name and a password
	// become a header.
	URL    string
	Header http.Header // must not contain headers of the connection, such as Content-Length
	Body   []byte
}

// Reply is a complete reply.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // only valid until the check returns
}

// Service is an HTTP endpoint under load. It must not be changed while it is in use. [Service.Check] reports settings
// that cannot be carried out.
type Service struct {
	// Requests are sent in turn: in an open loop, request i of a trial is that with the index i modulo their number.
	// A closed loop also sends all of them in each round of as many requests, but each round begins with another one,
	// by a fixed hash of its number. So no worker keeps sending the same one, and all trials send the same.
	Requests []Request

	// Expect lists the statuses of right replies; other replies are wrong answers. If it is empty, a status of 400 or
	// more is a failed request.
	Expect Statuses
	// Verify returns an error for a wrong reply, which makes the trial a wrong answer. request is an index.
	// It is called concurrently, for each reply that did not fail. Without Verify, bodies are read and discarded.
	Verify func(request int, r Reply) error

	// Start is the command that starts the server of a trial; nil means that the server runs already. {port} in its
	// words stands for a free port.
	Start []string
	// Ready is the URL that is requested until it answers with a status below 400; "" waits until the port of the first
	// request accepts connections. {port} is replaced.
	Ready      string
	StartLimit time.Duration // how long the server may take until it is ready; 0 means 30 s

	Timeout   time.Duration // of one request, with its redirects and its body; 0 means 30 s
	MaxBody   int64         // bytes of a reply's body; 0 means 64 MiB
	MaxErrors float64       // the trial fails if a larger share of the requests fails

	AllowHosts []string    // hosts that are permitted although they are not loopback
	TLS        *tls.Config // may be nil
	Unix       string      // path of a socket that all connections use instead of TCP, with {port} replaced; "": TCP

	options optionNames
}

// optionNames are the options that the refusals of a service name. "" stands for that of the workload http.
type optionNames struct {
	url     string // has the address of the first request
	start   string // has Start
	example string // an address with {port}
	tls     bool   // the option tls turns on TLS, not https:// in an address
	known   bool   // messages may name the options that all endpoints share, such as timeout
}

// hint names an option in a message, if the workload has it.
func (o optionNames) hint(option string) string {
	if !o.known {
		return ""
	}
	return " (option " + option + ")"
}

const (
	defaultTimeout    = 30 * time.Second
	defaultStartLimit = 30 * time.Second
	defaultMaxBody    = 64 << 20
)

// portHolder is the text that the port of the started server replaces.
const portHolder = "{port}"

// exampleStart is a command as messages suggest it.
const exampleStart = "'./server -port {port}'"

// anyPort replaces {port} where only the rest of the text matters.
const anyPort = "1"

// Check returns a [plan.Refusal] if the service cannot be measured, or not safely. It opens no connection.
func (s *Service) Check() error {
	if len(s.Requests) == 0 {
		return plan.Refuse("url", nil, "is missing").Suggest("give one such as http://127.0.0.1:8080/, or {targets}")
	}
	for _, r := range s.Requests {
		if err := s.checkRequest(r); err != nil {
			return err
		}
	}
	if s.Ready != "" {
		u, err := s.parseURL("ready", s.Ready)
		if err != nil {
			return err
		}
		if err := s.checkHost("ready", u); err != nil {
			return err
		}
	}
	return s.checkStart()
}

// checkStart checks the command that starts the server.
func (s *Service) checkStart() error {
	started := strings.Contains(strings.Join(s.Start, "\n"), portHolder)
	address, start := cmp.Or(s.options.url, "url"), cmp.Or(s.options.start, "start")
	switch {
	case s.Start != nil && s.Unix == "" && started && !s.addressed():
		return plan.Refuse(address, nil, "has no %s, which is the port of the server that {"+start+"} starts",
			portHolder).Suggest("give an address such as %s", cmp.Or(s.options.example, "http://127.0.0.1:"+portHolder+"/"))
	case s.Start != nil && !started && s.addressed():
		return plan.Refuse(start, nil, "has no %s, but the address has it", portHolder).
			Suggest("give a command such as %s, or the number of the port", exampleStart)
	case s.Start == nil && s.usesPort():
		return plan.Refuse(address, nil, "has %s, which is the port of a server that {start} starts", portHolder).
			Suggest("give {start}, or the number of the port")
	case s.Start == nil && s.Ready != "":
		return plan.Refuse("ready", input.Redact(s.Ready), "is for a server that is started").Suggest("give {start}")
	case s.Start != nil && len(s.Start) == 0:
		return plan.Refuse(start, nil, "is empty").Suggest("give a command such as %s", exampleStart)
	}
	return nil
}

// checkRequest checks one request.
func (s *Service) checkRequest(r Request) error {
	u, err := s.parseURL("url", r.URL)
	if err != nil {
		return err
	}
	if !isToken(r.Method) && r.Method != "" || r.Method == http.MethodConnect {
		return plan.Refuse("method", quoted(r.Method), "is no method of a request").Suggest("give one such as POST")
	}
	for name, values := range r.Header {
		for _, v := range values {
			if err := checkHeader(name, v); err != nil {
				return err
			}
		}
	}
	return s.checkHost("url", u)
}

// usesPort reports whether {port} occurs.
func (s *Service) usesPort() bool {
	return s.addressed() || strings.Contains(strings.Join(s.Start, "\n"), portHolder)
}

// addressed reports whether {port} occurs in an address.
func (s *Service) addressed() bool {
	texts := []string{s.Ready, s.Unix}
	for _, r := range s.Requests {
		texts = append(texts, r.URL)
	}
	return strings.Contains(strings.Join(texts, "\n"), portHolder)
}

// withPort replaces {port} by a port.
func withPort(text, port string) string { return strings.ReplaceAll(text, portHolder, port) }

// parseURL parses an address of an option.
func (s *Service) parseURL(option, address string) (*url.URL, error) {
	u, err := url.Parse(withPort(address, anyPort))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, plan.Refuse(option, quoted(redact(address)), "is not the address of an HTTP endpoint").
			Suggest("give one such as http://127.0.0.1:8080/path")
	}
	return u, nil
}

// redact removes a password from an address, even if it has no scheme.
func redact(address string) string {
	if strings.Contains(address, "://") {
		return input.Redact(address)
	}
	return input.RedactWords(address)
}
