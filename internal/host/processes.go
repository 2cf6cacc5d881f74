package host

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Processes is the CPU time that each process of the machine has used so far, by process ID. It is nil on systems that
// do not report it, which are all except Linux.
type Processes map[int]process

// process is a process at a moment.
type process struct {
	name    string
	parent  int
	cpu     time.Duration
	started string // distinguishes processes that have the same ID one after the other
}

// ReadProcesses reads the processes of the machine.
func ReadProcesses() Processes {
	root := systemRoot()
	if root == nil {
		return nil
	}
	proc, err := fs.Sub(root, "proc")
	if err != nil {
		return nil
	}
	return readProcesses(proc)
}

// readProcesses reads the processes from a tree such as /proc.
func readProcesses(proc fs.FS) Processes {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil
	}
	var all Processes
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := fs.ReadFile(proc, e.Name()+"/stat")
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseProcess(string(text)); ok {
			if all == nil {
				all = Processes{}
			}
			all[pid] = p
		}
	}
	return all
}

// parseProcess reads a line of /proc/PID/stat. The name, in parentheses, may hold any characters: proc(5).
func parseProcess(stat string) (p process, ok bool) {
	from, to := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if from < 0 || to < from {
		return p, false
	}
	fields := strings.Fields(stat[to+1:]) // from field 3, the state
	if len(fields) < 20 {
		return p, false
	}
	parent, err := strconv.Atoi(fields[1])
	user, err2 := strconv.ParseInt(fields[11], 10, 64)
	system, err3 := strconv.ParseInt(fields[12], 10, 64)
	if err != nil || err2 != nil || err3 != nil {
		return p, false
	}
	return process{stat[from+1 : to], parent, time.Duration(user+system) * (time.Second / userHZ), fields[19]}, true
}

// Busiest describes the process that used most CPU time since an earlier reading, except this process and its
// descendants, as "firefox (PID 123), 0.85 of a CPU". It is "" if the system does not report it, or if none used a
// hundredth of a CPU. Processes that have ended are not known.
func (now Processes) Busiest(earlier Processes, since time.Duration) string {
	return now.busiest(earlier, since, os.Getpid())
}

func (now Processes) busiest(earlier Processes, since time.Duration, self int) string {
	text, most := "", since/100
	for pid, p := range now {
		used := p.cpu
		if before, ok := earlier[pid]; ok && before.started == p.started {
			used -= before.cpu
		}
		if used > most && earlier != nil && since > 0 && !now.descends(pid, self) {
			most = used
			text = fmt.Sprintf("%s (PID %d), %.2f of a CPU", p.name, pid, float64(used)/float64(since))
		}
	}
	return text
}

// descends reports whether a process is another one or a descendant of it.
func (now Processes) descends(pid, ancestor int) bool {
	for range now { // a reading is no snapshot, so that parents might form a circle
		p, ok := now[pid]
		switch {
		case pid == ancestor:
			return true
		case !ok:
			return false
		}
		pid = p.parent
	}
	return false
}
