package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/pprofui"
)

// profilesToShow returns the profiles with views: the first of each kind.
func profilesToShow(c *collect.Collected) (list []pprofui.Profile) {
	for _, f := range c.Files {
		shown := slices.ContainsFunc(list, func(p pprofui.Profile) bool { return p.Name == f.Kind })
		if f.Kind != "trace" && !shown {
			list = append(list, pprofui.Profile{Name: f.Kind, Path: f.Path})
		}
	}
	return list
}

// servePprof serves the profiles in pprof's own views until it is interrupted. Everybody who has the printed address
// can see them.
func (a *app) servePprof(ctx context.Context, c *collect.Collected) error {
	list := profilesToShow(c)
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "brewput: no profile was recorded for pprof to show")
		return nil
	}
	token := pprofui.Token()
	handler, err := pprofui.Handler(ctx, list, token, c.SourceRoots(ctx))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("pprof's views cannot be served: %w", err)
	}

	a.endsByInterrupt = true
	server := http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(a.stderr, "pprof's views are at http://%v/%s/ until you interrupt this program; anyone with this "+
		"address can read the profiles, and the sources of this module and of Go\n", listener.Addr(), token)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
