package endpoint

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
)

// ownHeaders are the headers that the connection determines.
var ownHeaders = []string{"Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade"}

// checkHeader refuses a header that cannot be sent as it is given.
func checkHeader(name, value string) error {
	switch canonical := textproto.CanonicalMIMEHeaderKey(name); {
	case !isToken(name):
		return plan.Refuse("header", quoted(name), "is no name of a header").Suggest("give NAME: VALUE")
	case slices.Contains(ownHeaders, canonical):
		return plan.Refuse("header", canonical, "is set by the connection").
			Suggest("leave it out; the factors {reuse} and {protocol} set the connection")
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return plan.Refuse("header", canonical, "has a control character in its value").Suggest("give NAME: VALUE")
	}
	return nil
}

// addHeader adds a header such as "Accept: text/plain" and keeps the case of its name.
func addHeader(to http.Header, text string) error {
	name, value, found := strings.Cut(text, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !found || name == "" {
		// The text may be a secret, so it is not repeated.
		return plan.Refuse("header", nil, "is not NAME: VALUE").Suggest("give one such as 'Accept: text/plain'")
	}
	if err := checkHeader(name, value); err != nil {
		return err
	}
	to[name] = append(to[name], value)
	return nil
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for _, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
			return false
		}
	}
	return s != ""
}
