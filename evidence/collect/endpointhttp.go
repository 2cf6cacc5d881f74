package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pprofURL returns the URL of the profiles. An address without a path gets the usual one.
func pprofURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		if at := strings.LastIndexByte(address, '@'); at >= 0 { // A misspelled part may be a password.
			scheme, _, _ := strings.Cut(address, "://")
			address = scheme + "://***" + address[at:]
		} else if err == nil && u.Scheme == "file" {
			return nil, fmt.Errorf("%s is %w, but a file; give its path: %s", address, ErrAddress, u.Path)
		}
		return nil, fmt.Errorf("%s is %w; give one such as http://localhost:6060", address, ErrAddress)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/debug/pprof/"
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}

	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// withoutUser returns a URL without user name and password.
func withoutUser(u *url.URL) string {
	bare := *u
	bare.User = nil
	return bare.String()
}

// get writes a reply of at most most bytes to a file. It reports whether there was more. Its errors contain no
// password.
func (e *endpoint) get(ctx context.Context, what, file string, wait time.Duration, most int64) (cut bool, err error) {
	over := fmt.Errorf("no complete reply within %v", wait+grace)
	until := time.Now().Add(wait + grace)
	if e.deadline.Before(until) { // A slow server would otherwise have the grace period for each reply.
		until, over = e.deadline, fmt.Errorf("no complete reply within the time limit of %v", e.opts.TimeLimit)
	}

	ctx, cancel := context.WithDeadlineCause(ctx, until, over)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.base+what, nil)
	if err != nil {
		return false, err
	}

	defer func() {
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
	}()
	client := e.opts.client
	if client == nil {
		client = http.DefaultClient
	}

	answer, err := client.Do(request)
	if err != nil {
		var of *url.Error // url.Error repeats the address.
		if errors.As(err, &of) {
			err = of.Err
		}
		return false, err
	}

	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		return false, statusError{answer.StatusCode, strings.TrimSpace(string(text))}
	}

	f, err := os.Create(file)
	if err != nil {
		return false, err
	}

	n, err := io.Copy(f, io.LimitReader(answer.Body, most+1))
	if n > most {
		err = errors.Join(err, f.Truncate(most))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}

	return n > most, nil
}

// statusError is a reply with a status other than 200.
type statusError struct {
	code int
	text string
}

func (s statusError) Error() string { return fmt.Sprintf("status %d: %s", s.code, s.text) }

// checkReachable returns an error with advice if the process does not answer.
func (e *endpoint) checkReachable(ctx context.Context) error {
	_, err := e.get(ctx, "cmdline", filepath.Join(e.temp, "cmdline"), 0, 4<<10)
	var status statusError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &status):
		return fmt.Errorf("%s answers with %w: does the program import _ \"net/http/pprof\", and serve "+
			"http.DefaultServeMux? Otherwise give the whole address, as in http://HOST:PORT/debug/pprof/", e.name, err)
	case err != nil:
		return fmt.Errorf("%s cannot be reached: %w; does the program run, and listen there?", e.name, err)
	}

	return nil
}
