package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/lock"
)

// tries is the number of connections that may break before a file is given up. Each continues the previous one.
const tries = 5

// patience is how long a repository may send nothing before its connection counts as broken.
const patience = time.Minute

// fetcher fetches files of a Maven repository into a directory.
type fetcher struct {
	dir, from string
	stdout    io.Writer
	client    http.Client
	patience  time.Duration
}

// fetch fetches the files that are missing or damaged. Only one process may fetch into a directory at a time.
func (f *fetcher) fetch(ctx context.Context, jars []corenlp.Jar) error {
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	held, err := lock.Lock(filepath.Join(f.dir, "lock"))
	if err != nil {
		return fmt.Errorf("%s: %w; wait for the other process", f.dir, err)
	}
	defer held.Close()
	for _, j := range jars {
		if err := f.one(ctx, j); err != nil {
			return fmt.Errorf("%s: %w", j.Name(), err)
		}
	}
	return nil
}

// one fetches a file, unless it is there.
func (f *fetcher) one(ctx context.Context, j corenlp.Jar) error {
	file := filepath.Join(f.dir, j.Name())
	if problem := verify(ctx, file, j); problem == nil {
		fmt.Fprintf(f.stdout, "%s: already there\n", j.Name())
		return nil
	} else if !errors.Is(problem, fs.ErrNotExist) {
		fmt.Fprintf(f.stdout, "%s: %v\n", j.Name(), problem)
	}

	fmt.Fprintf(f.stdout, "%s: fetching %d bytes\n", j.Name(), j.Bytes)
	part := file + ".part"
	var err error
	for range tries {
		var broken bool
		if broken, err = f.more(ctx, j, part); !broken || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return err
	}
	if err := verify(ctx, part, j); err != nil {
		err = fmt.Errorf("%w; the repository sent something else, so it was removed", err)
		return errors.Join(err, os.Remove(part))
	}
	fmt.Fprintf(f.stdout, "%s: fetched\n", j.Name())
	return os.Rename(part, file)
}

// more appends to a partial file what it lacks. It reports whether the connection broke, so that another call may
// continue.
func (f *fetcher) more(ctx context.Context, j corenlp.Jar, part string) (broken bool, err error) {
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil || have == j.Bytes {
		return false, err
	}
	if have > j.Bytes {
		have = 0
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := fmt.Errorf("the repository sent nothing for %v", f.patience)
	timer := time.AfterFunc(f.patience, func() { cancel(silent) })
	defer timer.Stop()
	defer func() {
		if err != nil && context.Cause(ctx) == silent {
			err = silent // instead of what the canceled connection says
		}
	}()

	response, err := f.request(ctx, j, have)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	if have, broken, err = f.begin(response, j, have); err != nil {
		return broken, err
	}
	if err := out.Truncate(have); err != nil {
		return false, err
	}
	if _, err := out.Seek(have, io.SeekStart); err != nil {
		return false, err
	}
	n, err := io.Copy(out, io.LimitReader(heard{response.Body, timer, f.patience}, j.Bytes-have))
	if have += n; err == nil && have < j.Bytes {
		err = fmt.Errorf("the connection ended after %d of %d bytes", have, j.Bytes)
	}
	return err != nil, err
}

// heard puts off a timer whenever something is read.
type heard struct {
	io.Reader
	timer    *time.Timer
	patience time.Duration
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.timer.Reset(h.patience)
	}
	return n, err
}

// address returns the URL of a file.
func (f *fetcher) address(j corenlp.Jar) string {
	return strings.TrimSuffix(f.from, "/") + "/" + j.Path
}

// request asks for a file from a byte on.
func (f *fetcher) request(ctx context.Context, j corenlp.Jar, from int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address(j), nil)
	if err != nil {
		return nil, err
	}
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	return f.client.Do(request)
}

// begin returns the byte at which the reply to a request from a byte on begins, or an error, and whether another
// request may succeed.
func (f *fetcher) begin(r *http.Response, j corenlp.Jar, from int64) (begin int64, again bool, err error) {
	switch {
	case r.StatusCode == http.StatusOK:
		return 0, false, nil // the whole file, although only the rest was asked for
	case r.StatusCode != http.StatusPartialContent || from == 0:
		return 0, r.StatusCode >= 500, fmt.Errorf("%s answers %s", input.Redact(f.address(j)), r.Status)
	case !strings.HasPrefix(r.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", from)):
		return 0, false, fmt.Errorf("%s sends another part than bytes %d-", input.Redact(f.address(j)), from)
	}
	return from, false, nil
}

// verify returns an error if a file is not the one that was published.
func verify(ctx context.Context, file string, j corenlp.Jar) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Size() != j.Bytes {
		return fmt.Errorf("%d bytes instead of %d", info.Size(), j.Bytes)
	}
	sum, err := input.Sum(ctx, file, input.Program)
	if err == nil && sum != j.SHA256 {
		err = fmt.Errorf("SHA-256 %s instead of %s", sum, j.SHA256)
	}
	return err
}
