package store

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/result"
)

// mountEnv is set in the child of TestDiskFull, which has its own mounts. Its value is a directory.
const mountEnv = "BREWPUT_STORE_TEST_MOUNT"

// TestDiskFull fills a real file system, a tmpfs of 64 KiB that only a child process sees.
func TestDiskFull(t *testing.T) {
	if dir := os.Getenv(mountEnv); dir != "" {
		fillMount(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$", "-test.v")
	cmd.Env = append(os.Environ(), mountEnv+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("the kernel gives no namespace: %v", err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS"):
		t.Fatalf("%v\n%s", err, out)
	}
}

func fillMount(t *testing.T, mount string) {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Skipf("making the mounts private: %v", err)
	}
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mounting a tmpfs: %v", err)
	}
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	ballast := filepath.Join(mount, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 24<<10), 0o666))

	dir := filepath.Join(mount, "run")
	r := get(Create(dir, header()))(t)
	n := 0
	var err error
	for ; err == nil; n++ {
		if n > 1000 {
			t.Fatal("64 KiB are never full")
		}
		err = r.Append(step{kind: result.KindTrial, order: n}.trial(), blob(300))
	}
	n--
	if !errors.Is(err, syscall.ENOSPC) || n < 10 {
		t.Fatalf("after %d trials: %v", n, err)
	}
	wantError(t, err, dir, "no space left", keptOrder(n-1), "free space and resume the run in "+dir)
	j := get(Open(dir))(t)
	if len(j.Trials) != n || j.Torn != 0 {
		t.Fatalf("%d trials and %d bytes torn; want %d and 0", len(j.Trials), j.Torn, n)
	}
	if _, err := r.Failure(0, n, strings.Repeat("panic ", 10000)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a failure's text on a full disk: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, failuresName)); len(files) != 0 {
		t.Fatalf("left behind: %v", files)
	}
	must(t, r.Close())

	_, err = Create(filepath.Join(mount, "other"), strings.Repeat("long ", 20000))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a header on a full disk: %v", err)
	}
	must(t, os.Remove(ballast))
	r, j = get2(t)(Resume(dir))
	if len(j.Trials) != n {
		t.Fatalf("%d trials; want %d", len(j.Trials), n)
	}
	for i := range 4 {
		must(t, r.Append(step{kind: result.KindTrial, order: n + i}.trial(), nil))
	}
	must(t, r.EndBlock(0, n+4, 0))
	must(t, r.End())
	must(t, r.Close())
	if j := get(Open(dir))(t); !j.Ended || j.Blocks[0] != n+4 {
		t.Fatalf("ended %v with the blocks %v", j.Ended, j.Blocks)
	}
}

// keptOrder returns the text of an error after the trial of this order in block 0.
func keptOrder(order int) string {
	return "everything up to " + key{order: order}.String() + " is kept"
}
