// Package pprofui serves pprof's own views of profiles, to this machine alone.
package pprofui

import (
	"flag"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

// Profile is a file with the name that its views have.
type Profile struct {
	Name string // "cpu"
	Path string
}

// Handler serves the views of each profile below its name, and a page of links. Who asks for another host is refused: a page
// of somebody else's could have its name lead here.
func Handler(profiles []Profile) (http.Handler, error) {
	mux := http.NewServeMux()
	links := ""
	for _, p := range profiles {
		views, err := viewsOf(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path, err)
		}
		base := "/" + p.Name
		for path, view := range views {
			mux.Handle(base+path, http.StripPrefix(base, view))
		}
		mux.Handle(base+"/{$}", http.RedirectHandler(base+"/flamegraph", http.StatusFound))
		links += fmt.Sprintf("<li><a href=%q>%s</a></li>\n", base+"/flamegraph", html.EscapeString(p.Name))
	}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>profiles</title><ul>\n%s</ul>\n", links)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "only for this machine", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

// local reports whether a host, with or without a port, is this machine by the loopback interface.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// viewsOf are pprof's handlers that only show something.
func viewsOf(p Profile) (map[string]http.Handler, error) {
	views := map[string]http.Handler{}
	err := driver.PProf(&driver.Options{
		Flagset: newFlags("-http=localhost:0", "-no_browser", "-symbolize=none", p.Name),
		Fetch:   file(p.Path), UI: silent{}, Writer: nowhere{},
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

// file fetches a profile from a file.
type file string

func (f file) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	in, err := os.Open(string(f))
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	p, err := profile.Parse(in)
	return p, "", err
}

// flags are those of one call of pprof, which has them parsed by its host.
type flags struct {
	*flag.FlagSet
	args []string
}

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

// StringList is of flags that are given several times; none is here.
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

// silent says nothing: what matters comes back as an error.
type silent struct{}

func (silent) ReadLine(string) (string, error)     { return "", io.EOF }
func (silent) Print(...any)                        {}
func (silent) PrintErr(...any)                     {}
func (silent) IsTerminal() bool                    { return false }
func (silent) WantBrowser() bool                   { return false }
func (silent) SetAutoComplete(func(string) string) {}

// nowhere refuses to write files.
type nowhere struct{}

func (nowhere) Open(name string) (io.WriteCloser, error) {
	return nil, fmt.Errorf("%s is not written", name)
}
