package host

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/brewput/brewput/internal/proc"
)

// Processes is the CPU time that each process of the machine has used so far, by process ID. It is nil on systems that
// do not report it, which are all except Linux.
type Processes map[int]proc.Stat

// ReadProcesses reads the processes of the machine.
func ReadProcesses() Processes {
	root := systemRoot()
	if root == nil {
		return nil
	}
	tree, err := fs.Sub(root, "proc")
	if err != nil {
		return nil
	}
	return readProcesses(tree)
}

// readProcesses reads the processes from a tree such as /proc.
func readProcesses(tree fs.FS) Processes {
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil
	}
	var all Processes
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := fs.ReadFile(tree, e.Name()+"/stat")
		if err != nil {
			continue // it has ended
		}
		if p, ok := proc.ParseStat(string(text)); ok {
			if all == nil {
				all = Processes{}
			}
			all[pid] = p
		}
	}
	return all
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
		used := p.CPU
		if before, ok := earlier[pid]; ok && before.Start == p.Start {
			used -= before.CPU
		}
		if used > most && earlier != nil && since > 0 && !now.descends(pid, self) {
			most = used
			text = fmt.Sprintf("%s (PID %d), %.2f of a CPU", p.Name, pid, float64(used)/float64(since))
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
		pid = p.Parent
	}
	return false
}
