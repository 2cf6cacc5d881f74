package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStayAwake: the file gets a latency of 0 µs and stays open until it is released.
func TestStayAwake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latency")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := stayAwake(path)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "\x00\x00\x00\x00" {
		t.Errorf("%q, %v", data, err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if err := release(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("it was closed before: %v", err)
	}
	release, err = stayAwake(filepath.Join(t.TempDir(), "none"))
	if !errors.Is(err, os.ErrNotExist) || release() != nil {
		t.Errorf("without the file: %v", err)
	}
}

// TestPrintAwake: the page says in how many cells idle CPUs were kept awake.
func TestPrintAwake(t *testing.T) {
	var page bytes.Buffer
	cells := []cell{{name: "a", part: connectionPart}, {name: "b", part: connectionPart}, {name: "c"}}
	(&campaign{stdout: &page}).print(cells, map[string]entry{"a": {Awake: true}, "b": {}})
	if want := "Idle CPUs were kept awake in 1 of 2 cells.\n"; !strings.HasPrefix(page.String(), want) {
		t.Errorf("%q", page.String())
	}
}
