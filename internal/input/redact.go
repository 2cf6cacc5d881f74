package input

import "regexp"

var (
	// userinfo finds the name and password in addresses, whole or misspelt. People type passwords unescaped: where a colon comes
	// before the path, all up to the last @ of the word may be one. A name alone ends at the last @ before the path, as browsers and
	// package net/url read it.
	userinfo = regexp.MustCompile(`(\b[a-zA-Z][a-zA-Z0-9+.-]*:/{1,3})(?:[^\s/?#]*:\S*|[^\s/?#"'<>]*)@`)
	// bare finds what may be a name and password in a word that is no address.
	bare = regexp.MustCompile(`[^\s"]+:\S+@(\S)`)
)

// Redact leaves names and passwords out of the addresses in a text: http://me:secret@host is http://***@host. A name
// alone goes too, since services take tokens in its place.
func Redact(text string) string { return userinfo.ReplaceAllString(text, "${1}***@") }

// RedactWords is Redact of a text about a word that may be an address without its scheme: me:secret@host is ***@host.
func RedactWords(text string) string { return bare.ReplaceAllString(Redact(text), "***@$1") }
