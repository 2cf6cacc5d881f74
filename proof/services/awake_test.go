package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/proof/record"
)

// TestStayAwake: the file gets a latency of 0 µs and stays open until it is released.
func TestStayAwake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latency")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := stayAwake(path, func(os.FileMode) bool { return true })
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
	release, err = stayAwake(filepath.Join(t.TempDir(), "none"), isDevice)
	if !errors.Is(err, os.ErrNotExist) || release() != nil {
		t.Errorf("without the file: %v", err)
	}
	if release, err = stayAwake(os.DevNull, isDevice); err != nil || release() != nil {
		t.Errorf("a device: %v", err)
	}
	release, err = stayAwake(path, isDevice)
	if err == nil || !strings.Contains(err.Error(), "is no device") || release() != nil {
		t.Errorf("a regular file: %v", err)
	}
}

// TestAwakeRecord: the page says whether idle CPUs stayed awake, and a record holds only measurements of one kind.
func TestAwakeRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	var page bytes.Buffer
	c := campaign{stdout: &page, stderr: io.Discard, record: path, hashes: "p", awake: true}
	for _, cells := range [][]cell{{fake("a", good())}, nil} { // the second call reads what the first one wrote
		page.Reset()
		if _, err := c.run(t.Context(), cells, record.NewPiece(0)); err != nil ||
			!strings.HasPrefix(page.String(), "Idle CPUs are kept awake.\n") {
			t.Errorf("%q, %v", page.String(), err)
		}
	}
	c.awake = false
	want := "with idle CPUs that are kept awake, and now they may sleep, and wake late: run make services as the " +
		"user who began it, or remove " + path + " to start over"
	if _, err := c.run(t.Context(), nil, record.Piece{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
