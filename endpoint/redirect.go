package endpoint

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// follows reports whether a reply is a redirect, and not one that is expected as it is.
func (c *client) follows(r *http.Response) bool {
	switch r.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return !c.service.Expect.Has(r.StatusCode) && r.Header.Get("Location") != ""
	}
	return false
}

// maxHops is the largest number of redirects of one request.
const maxHops = 10

// redirected returns the request that follows a redirect. Only the path may change: a server must not send the load
// elsewhere.
func redirected(from *http.Request, r *http.Response, hop int) (*http.Request, *failure) {
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil {
		return nil, failed(redirect, "status %s leads to an address that cannot be read", statusText(r.StatusCode))
	}
	to = from.URL.ResolveReference(to)
	switch {
	case to.Scheme != from.URL.Scheme || hostPort(to) != hostPort(from.URL):
		return nil, failed(redirect, "status %s leads to %s, which is another server; give its own address",
			statusText(r.StatusCode), quoted(to.Scheme+"://"+to.Host))
	case hop == maxHops:
		return nil, failed(redirect, "more than %d redirects, the last to %s", maxHops, quoted(to.Path))
	}

	next := from.Clone(context.Background())
	next.URL, to.User = to, nil
	seeOther := r.StatusCode == http.StatusSeeOther && from.Method != http.MethodHead
	moved := r.StatusCode == http.StatusMovedPermanently || r.StatusCode == http.StatusFound
	if seeOther || moved && from.Method == http.MethodPost {
		next.Method = http.MethodGet
		maps.DeleteFunc(next.Header, func(name string, _ []string) bool { // names have the case that the user gave
			return strings.EqualFold(name, "Content-Type")
		})
	}
	return next, nil
}

// hostPort returns host and port of an address in one form.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
