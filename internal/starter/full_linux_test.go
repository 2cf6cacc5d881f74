package starter

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestFull checks that a program that cannot be written completely, as on a full disk, leaves nothing. A limit of the
// size of files stands for the disk.
func TestFull(t *testing.T) {
	t.Chdir(t.TempDir())
	p := Program{Name: "mine", Local: checkout(t)}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	small := limit
	small.Cur = 1
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Skip(err)
	}
	_, err := p.Create()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("the files have no limit: %v", err)
	}
	if _, err := os.Stat("mine"); err == nil {
		t.Error("a part of the program is left")
	}
	if _, err := p.Create(); err != nil && strings.Contains(err.Error(), "exists already") {
		t.Error(err)
	}
}
