package input

import "regexp"

// userinfo finds the name and password in addresses, whole or misspelt. The last @ before the path ends them, as browsers
// and package net/url read it.
var userinfo = regexp.MustCompile(`(\b[a-zA-Z][a-zA-Z0-9+.-]*:/{1,3})[^\s/?#"'<>]*@`)

// Redact leaves names and passwords out of the addresses in a text: http://me:secret@host is http://***@host. A name
// alone goes too, since services take tokens in its place.
func Redact(text string) string { return userinfo.ReplaceAllString(text, "${1}***@") }
