package find

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newFiles is the pool with documents in files. Reading a warm file copies it from the page cache: there is no Z, S
// includes the system calls, and the CPUs are the limit from one goroutine per CPU on. Reading a cold file blocks a
// thread in a system call until the disk delivers, and the disk has a limit of its own.
func newFiles(_ env.Env, p plan.Point) (workload.Job, error) {
	t, g := newTask(p, p.Text("scanner") == "xml"), p.Int("goroutines")
	dir, err := filesOf(t.corpus, p.Int("items"))
	if err != nil {
		return workload.Job{}, fmt.Errorf("writing the documents of find: %w", err)
	}
	t.documents = t.documents[:0:len(t.documents)]
	names := make([]string, cap(t.documents))
	for i := range names {
		names[i] = filepath.Join(dir, strconv.Itoa(i)+".xml")
		if p.Text("cache") == "cold" {
			if err := forget(names[i]); err != nil {
				return workload.Job{}, fmt.Errorf("cold files: %w", err)
			}
		}
	}
	j := t.job(func(e env.Env) (int, error) {
		numbers, done := env.NewChan[int](e, "documents", len(names)), e.Group()
		for i := range names {
			numbers.Send(i)
		}
		numbers.Close()
		readers := make([]*reader, min(g, len(names)))
		for k := range readers {
			readers[k] = t.reader()
			done.Go(e, "reader", func(e env.Env) {
				for i, ok := numbers.Recv(); ok; i, ok = numbers.Recv() {
					readers[k].file(e, i, names[i])
				}
			})
		}
		done.Wait()
		return sum(readers)
	})
	j.Items = int64(len(names))
	return j, nil
}

// file reads and parses a file.
func (r *reader) file(e env.Env, i int, name string) {
	document, err := os.ReadFile(name)
	if err != nil {
		r.err = errors.Join(r.err, err)
		return
	}
	r.parse(e, i, document)
}

// filesOf returns the directory with the documents as files. It writes them if they do not exist yet.
func filesOf(c corpus, items int) (dir string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "brewput", "data")
	dir = filepath.Join(parent, fmt.Sprintf("find-%d-%d-%d", seed, len(c.documents), items))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(parent, "find-*.new")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	for i, d := range c.documents {
		if err := writeFile(filepath.Join(fresh, strconv.Itoa(i)+".xml"), d); err != nil {
			return "", err
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
}

// writeFile writes a file and syncs it. Data that is only in the page cache could not be dropped from it.
func writeFile(name string, data []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
