package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// pseudoterminal returns both ends of a terminal of a few lines.
func pseudoterminal(t *testing.T, lines uint16) (master, terminal *os.File) {
	t.Helper()
	control := func(request uintptr, argument unsafe.Pointer) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(argument)); e != 0 {
			t.Skip("no terminals here: ", e)
		}
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	unlock, number, size := int32(0), int32(0), [4]uint16{lines, 80}
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	return master, terminal
}

// TestPprofIsNotPaged checks that a page before pprof's views goes through no pager, because an interrupt of the pager
// would end the views.
func TestPprofIsNotPaged(t *testing.T) {
	profile := filepath.Join("..", "..", "lab", "testdata", "numbers.prof")
	for _, c := range []struct {
		flag  string
		lines uint16
		paged bool
	}{{"--quiet", 3, true}, {"--quiet", 0, false}, {"--pprof", 3, false}} {
		master, terminal := pseudoterminal(t, c.lines)
		cmd, _ := command(t, "explain", profile, c.flag)
		cmd.Env = append(cmd.Env, "TERM=xterm", "NO_PAGER=", "NO_COLOR=1", "PAGER=sed s/^/paged:/")
		cmd.Stdout = terminal
		page := make(chan string)
		go func() {
			text, _ := io.ReadAll(master) // until no process has the terminal, which is an error
			page <- string(text)
		}()

		if c.flag == "--pprof" {
			begun(t, cmd, "pprof's views are at")
			cmd.Process.Signal(os.Interrupt)
		} else if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		err := cmd.Wait()
		text := <-page
		if err != nil || strings.Contains(text, "paged:") != c.paged || strings.Count(text, "\n") < 4 {
			t.Errorf("%s on %d lines: %v\n%s", c.flag, c.lines, err, text)
		}
		master.Close()
	}
}
