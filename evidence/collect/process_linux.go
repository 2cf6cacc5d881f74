package collect

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clockTick is the unit of times in /proc on every Linux that Go runs on (USER_HZ).
const clockTick = 10 * time.Millisecond

// beforeReaping reads counts of a process that has ended, before the kernel discards them with its exit status.
func beforeReaping(pid int) (ioCounts, time.Duration) {
	dir := "/proc/" + strconv.Itoa(pid)
	counts := unknownIO()
	if text, err := os.ReadFile(dir + "/io"); err == nil {
		counts = parseIO(string(text))
	}
	text, _ := os.ReadFile(dir + "/stat")
	return counts, parseChildren(string(text))
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

// parseChildren parses cutime and cstime of /proc/PID/stat, fields 16 and 17 (proc(5)). The second field may contain
// spaces.
func parseChildren(text string) time.Duration {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[13], 10, 64)
	system, _ := strconv.ParseInt(fields[14], 10, 64)
	return time.Duration(user+system) * clockTick
}

// contextSwitches returns the context switches of a process.
func contextSwitches(s *os.ProcessState) (voluntary, involuntary int64) {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Nvcsw, u.Nivcsw
	}
	return 0, 0
}
