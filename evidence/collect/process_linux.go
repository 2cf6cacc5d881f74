package collect

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/proc"
)

// beforeReaping reads counts of a process that has ended, before the kernel discards them with its exit status.
func beforeReaping(pid int) (ioCounts, time.Duration) {
	dir := "/proc/" + strconv.Itoa(pid)
	counts := unknownIO()
	if text, err := os.ReadFile(dir + "/io"); err == nil {
		counts = parseIO(string(text))
	}
	text, _ := os.ReadFile(dir + "/stat")
	stat, _ := proc.ParseStat(string(text))
	return counts, stat.ChildCPU
}

// parseIO parses /proc/PID/io.
func parseIO(text string) ioCounts {
	c := unknownIO()
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "syscr":
			c.reads = n
		case "syscw":
			c.writes = n
		case "rchar":
			c.readBytes = n
		case "wchar":
			c.writeBytes = n
		}
	}

	return c
}

// countsOf returns the kernel's counts for a process that has ended.
func countsOf(s *os.ProcessState) (c kernelCounts) {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		c = kernelCounts{u.Nvcsw, u.Nivcsw, u.Minflt, u.Maxrss << 10}
	}
	return c
}
