package input

import "regexp"

var (
	// userinfo matches the name and password in addresses, even malformed ones. People type passwords
	// unescaped. If a colon comes before the path, everything up to the last @ of the word may be a password. A
	// name alone ends at the last @ before the path, as in browsers and package net/url.
	userinfo = regexp.MustCompile(`(\b[a-zA-Z][a-zA-Z0-9+.-]*:/{1,3})(?:[^\s/?#]*:\S*|[^\s/?#"'<>]*)@`)
	// ported matches an address up to its path, with a host that has a port: neither name nor password follows.
	ported = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^\s/?#@:\[\]"'<>\\]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}/`)
	// bare matches a possible name and password in a word that is not an address.
	bare = regexp.MustCompile(`[^\s"]+:\S+@(\S)`)
)

// Redact removes names and passwords from the addresses in a text: http://me:secret@host becomes
// http://***@host. It also removes a name alone, because services accept tokens in its place. An @ in the path
// of a host with a port stays: a password of up to five digits before a slash, which would have to be escaped,
// looks like a port.
func Redact(text string) string {
	return userinfo.ReplaceAllStringFunc(text, func(address string) string {
		host := ported.FindString(address)
		if host != "" {
			return host + Redact(address[len(host):])
		}
		return userinfo.ReplaceAllString(address, "${1}***@")
	})
}

// RedactWords is Redact for a text with a word that may be an address without its scheme: me:secret@host
// becomes ***@host.
func RedactWords(text string) string { return bare.ReplaceAllString(Redact(text), "***@$1") }
