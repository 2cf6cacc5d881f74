// Package pprofui serves pprof's web views of profiles to the user of this machine who knows their address. They have a
// random path, and show no source files except those below given directories.
package pprofui

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"flag"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"

	"github.com/brewput/brewput/internal/input"
)

// Profile is a profile file and the name of its views.
type Profile struct {
	Name string // "cpu"
	Path string
}

// Token returns a new secret of 130 bits that can be part of a URL path.
func Token() string { return strings.ToLower(rand.Text()) }

// Handler returns a handler that serves the views of each profile at /TOKEN/NAME/, and a page of links at /TOKEN/. Any
// user of this machine can connect, but a request without the token gets nothing. Requests for another host are
// refused, because the name of a hostile page could resolve to this machine. Source files are shown if they are below
// one of the roots. ctx cancels the reading of the profiles.
func Handler(ctx context.Context, profiles []Profile, token string, roots []string) (http.Handler, error) {
	if token == "" {
		return nil, fmt.Errorf("pprof's views need a token")
	}

	mux := http.NewServeMux()
	links := ""
	for _, p := range profiles {
		views, err := pprofViews(ctx, p, roots)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path, err)
		}
		base := "/" + p.Name
		for path, view := range views {
			mux.Handle(base+path, http.StripPrefix(base, view))
		}
		mux.Handle(base+"/{$}", http.RedirectHandler("/"+token+base+"/flamegraph", http.StatusFound))
		links += fmt.Sprintf("<li><a href=%q>%s</a></li>\n", "."+base+"/flamegraph", html.EscapeString(p.Name))
	}

	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>profiles</title><ul>\n%s</ul>\n", links)
	})

	return guard(token, mux), nil
}

// guard passes on requests for this machine that contain the token, and removes the token from their path.
func guard(token string, views http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "only for this machine", http.StatusForbidden)
			return
		}
		given, _, slash := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !slash || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the address lacks its token: open the one that brewput printed, as a whole",
				http.StatusForbidden)
			return
		}
		// The address is the secret: no other page and no disk may store it.
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("X-Frame-Options", "DENY")
		http.StripPrefix("/"+token, views).ServeHTTP(w, r)
	})
}

// local reports whether a host, with or without a port, is the loopback interface of this machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// pprofViews returns those handlers of pprof that only display something.
func pprofViews(ctx context.Context, p Profile, roots []string) (map[string]http.Handler, error) {
	views := map[string]http.Handler{}
	err := driver.PProf(&driver.Options{
		Flagset: newFlags("-http=localhost:0", "-no_browser", "-symbolize=none", "-source_path="+notServed,
			"-trim_path="+notServed+"none", p.Name),
		Fetch: file{ctx, p.Path, roots}, UI: noUI{}, Writer: noFiles{}, Obj: noObjects{},
		HTTPServer: func(a *driver.HTTPServerArgs) error {
			for _, path := range []string{"/flamegraph", "/top", "/source", "/peek", "/graph", "/download"} {
				if h := a.Handlers[path]; h != nil {
					views[path] = h
				}
			}
			return nil
		},
	})

	return views, err
}

// file fetches a profile from a file, restricted to source files below roots.
type file struct {
	ctx   context.Context
	path  string
	roots []string
}

func (f file) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	data, err := input.ReadFile(f.ctx, f.path, input.Profile)
	if err != nil {
		return nil, "", err
	}
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, "", err
	}
	confine(p, f.roots)
	return p, "", nil
}

// flags are the flags of one call of pprof, which its host must parse.
type flags struct {
	*flag.FlagSet
	args []string
}

// newFlags returns the flags for a pprof command line.
func newFlags(args ...string) flags {
	f := flag.NewFlagSet("pprof", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return flags{f, args}
}

func (f flags) Bool(name string, def bool, usage string) *bool {
	return f.FlagSet.Bool(name, def, usage)
}
func (f flags) Int(name string, def int, usage string) *int { return f.FlagSet.Int(name, def, usage) }
func (f flags) Float64(name string, def float64, usage string) *float64 {
	return f.FlagSet.Float64(name, def, usage)
}
func (f flags) String(name, def, usage string) *string { return f.FlagSet.String(name, def, usage) }

// StringList is for flags that may be repeated; none is used here.
func (f flags) StringList(name, def, usage string) *[]*string {
	return &[]*string{f.FlagSet.String(name, def, usage)}
}

func (flags) ExtraUsage() string   { return "" }
func (flags) AddExtraUsage(string) {}

func (f flags) Parse(func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		return nil
	}
	return f.Args()
}

// noUI prints nothing: errors are returned.
type noUI struct{}

func (noUI) ReadLine(string) (string, error)     { return "", io.EOF }
func (noUI) Print(...any)                        {}
func (noUI) PrintErr(...any)                     {}
func (noUI) IsTerminal() bool                    { return false }
func (noUI) WantBrowser() bool                   { return false }
func (noUI) SetAutoComplete(func(string) string) {}

// noFiles refuses to write files.
type noFiles struct{}

func (noFiles) Open(name string) (io.WriteCloser, error) {
	return nil, fmt.Errorf("%s is not written", name)
}
