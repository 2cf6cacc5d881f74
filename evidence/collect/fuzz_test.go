package collect

import (
	"errors"
	"strings"
	"testing"
)

// FuzzAddress checks that an address is valid or an ErrAddress, and that neither result shows the text before the @.
func FuzzAddress(f *testing.F) {
	f.Add("http", "me:secret", "host:1", "/x")
	f.Add("file", "me:sec/ret", "h", "")
	f.Fuzz(func(t *testing.T, scheme, user, host, path string) {
		if strings.ContainsAny(scheme+host+path, "@") || strings.Contains(scheme, "://") {
			return
		}
		const secret = "xyzzy"
		u, err := pprofURL(scheme + "://" + user + secret + "@" + host + path)
		if err != nil {
			if !errors.Is(err, ErrAddress) || strings.Contains(err.Error(), secret) &&
				!strings.Contains(scheme+host+path, secret) {
				t.Fatal(err)
			}
			return
		}
		if shown := withoutUser(u); strings.Contains(shown, secret) &&
			!strings.Contains(scheme+host+path+u.Path, secret) {
			t.Fatal(shown)
		}
	})
}

// FuzzEscapes parses arbitrary compiler output.
func FuzzEscapes(f *testing.F) {
	f.Add("./a.go:3:4: x escapes to heap\nb.go:99999999999999999999:1: moved to heap: y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range parseEscapes("/m", text) {
			if e.File == "" || e.Line < 0 {
				t.Fatalf("%+v", e)
			}
		}
	})
}
