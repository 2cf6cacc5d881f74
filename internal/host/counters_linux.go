package host

import (
	"github.com/brewput/brewput/result"
	"golang.org/x/sys/unix"
)

// files is the state for reading the counters of Linux. The process's count of read calls includes those of the
// snapshots themselves: before and after are their numbers before and after the count is read.
type files struct {
	buf           []byte
	before, after int
	known         bool   // group was searched for
	group         cgroup // the process's own cgroup and those above it
	root          string // root of the file system, in tests
}

func (c *Counters) readSystem() {
	f := &c.own
	f.before, f.after = 0, 0
	calls := 0
	read := func(name string) string {
		text, n := f.read(name)
		calls += n
		return text
	}
	if !f.known {
		f.group, _ = findCgroup(read("/proc/self/cgroup"), read("/proc/self/mountinfo"))
		f.known = true
	}
	stat := read("/proc/stat")
	c.total[steal], c.total[machineCPU] = value(parseSteal(stat)), value(parseBusy(stat))
	c.load1 = value(parseLoad1(read("/proc/loadavg")))
	if n, ok := f.group.throttled(read); ok {
		c.total[throttled] = result.Value(n)
	}
	c.readUsage()
	// The peak of getrusage is at least that of the parent process when it forked.
	if hwm := count(read("/proc/self/status"), "VmHWM"); hwm.Known() {
		c.maxRSS = hwm * 1024
	}
	f.before, calls = calls, 0
	io := read("/proc/self/io")
	f.after = calls
	c.total[readCalls], c.total[writeCalls] = count(io, "syscr"), count(io, "syscw")
}

// read returns the text of a file, "" if it cannot be read, and the number of read calls. Files longer than 1
// MB are cut; none that is read here is so long.
func (f *files) read(name string) (text string, calls int) {
	const most = 1 << 20
	fd, err := unix.Open(f.root+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", 0
	}
	defer unix.Close(fd)
	if f.buf == nil {
		f.buf = make([]byte, 16<<10)
	}
	for n := 0; ; {
		if n == len(f.buf) {
			if n >= most {
				return string(f.buf[:n]), calls
			}
			f.buf = append(f.buf, make([]byte, n)...)
		}
		got, err := unix.Read(fd, f.buf[n:])
		calls++
		if err == unix.EINTR {
			continue
		}
		if err != nil || got <= 0 {
			return string(f.buf[:n]), calls
		}
		n += got
	}
}

func count(text, key string) result.Value {
	n, ok := parseKeyed(text, key)
	return value(float64(n), ok)
}

func value(x float64, ok bool) result.Value {
	if !ok {
		return result.Unavailable
	}
	return result.Value(x)
}
