package input

import "regexp"

var (
	// userinfo finds the name and password in addresses, whole or misspelt. People type passwords unescaped: where a
	// colon comes before the path, all up to the last @ of the word may be one. A name alone ends at the last @ before
	// the path, as browsers and package net/url read it.
	userinfo = regexp.MustCompile(`(\b[a-zA-Z][a-zA-Z0-9+.-]*:/{1,3})(?:[^\s/?#]*:\S*|[^\s/?#"'<>]*)@`)
	// ported is an address up to its path, whose host has a port: what comes after is neither name nor password.
	ported = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^\s/?#@:\[\]"'<>\\]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}/`)
	// bare finds what may be a name and password in a word that is no address.
	bare = regexp.MustCompile(`[^\s"]+:\S+@(\S)`)
)

// Redact leaves names and passwords out of the addresses in a text: http://me:secret@host is http://***@host. A name
// alone goes too, since services take tokens in its place. An @ in the path of a host with a port stays: a password of
// up to five digits before a slash, which has to be escaped, cannot be told from a port.
func Redact(text string) string {
	return userinfo.ReplaceAllStringFunc(text, func(address string) string {
		host := ported.FindString(address)
		if host != "" {
			return host + Redact(address[len(host):])
		}
		return userinfo.ReplaceAllString(address, "${1}***@")
	})
}

// RedactWords is Redact of a text about a word that may be an address without its scheme: me:secret@host is ***@host.
func RedactWords(text string) string { return bare.ReplaceAllString(Redact(text), "***@$1") }
