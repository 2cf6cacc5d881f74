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

// beforeReaping reads what the kernel forgets of a process that has ended once somebody asks how.
func beforeReaping(pid int) (ioCounts, time.Duration) {
	dir := "/proc/" + strconv.Itoa(pid)
	counts := unknownIO()
	if text, err := os.ReadFile(dir + "/io"); err == nil {
		counts = parseIO(string(text))
	}
	text, _ := os.ReadFile(dir + "/stat")
	return counts, parseChildren(string(text))
}

// parseIO reads /proc/PID/io.
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

// parseChildren reads cutime and cstime of /proc/PID/stat, its fields 16 and 17 (proc(5)); the second field may hold
// blanks.
func parseChildren(text string) time.Duration {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[13], 10, 64)
	system, _ := strconv.ParseInt(fields[14], 10, 64)
	return time.Duration(user+system) * clockTick
}

// switches are the context switches of a process, those of its own accord first.
func contextSwitches(s *os.ProcessState) (voluntary, involuntary int64) {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Nvcsw, u.Nivcsw
	}
	return 0, 0
}
