package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// workRootVariable marks the processes that were started with a work root. Their children inherit the mark.
	workRootVariable = "BREWPUT_PLACE"
	// groupsName is the file of a work root with one line for each process group that was started with it.
	groupsName = "groups"
	// endRounds times endWait is the time that EndRecorded waits for processes to end.
	endRounds, endWait = 200, 5 * time.Millisecond
)

// Mark returns the environment variable that marks a process as started with a work root, a directory that only
// one process uses.
func Mark(root string) string { return workRootVariable + "=" + root }

// Record stores in a work root the process group of a child that was started by [OwnGroup] or [DieWithParent],
// so that [EndRecorded] can end it.
func Record(root string, child *os.Process) error {
	p, err := processAt(child.Pid)
	if err != nil {
		return nil // the process has ended
	}
	f, err := os.OpenFile(filepath.Join(root, groupsName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, p.pid, p.start, p.session, bootID())
	if also := f.Close(); err == nil {
		err = also
	}
	return err
}

// EndRecorded kills the processes that were started with a work root and are still alive. These are the
// processes with its mark, and the members of the groups recorded in it. Process IDs are reused, so a group
// counts only if its leader, or the rest of the group, started when the record says. The caller must make sure
// that the work root is not in use.
func EndRecorded(root string) {
	groups := recorded(filepath.Join(root, groupsName))
	mark := []byte(Mark(root))
	for range endRounds {
		found := survivors(groups, mark)
		if len(found) == 0 {
			return
		}
		for _, p := range found {
			p.kill()
		}
		time.Sleep(endWait)
	}
}

// process is the state of a process in /proc.
type process struct {
	pid, group, session int
	start               uint64 // in clock ticks since boot
	state               byte
	name                string
	parent              int
	cpu, childCPU       time.Duration // its own, and that of its ended children
}

// recorded reads a file of groups. Groups from before the last boot are dropped.
func recorded(file string) map[int]process {
	groups := map[int]process{}
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return groups
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return groups
	}
	boot := bootID()
	for line := range strings.Lines(string(text)) {
		var p process
		of := ""
		if n, _ := fmt.Sscan(line, &p.pid, &p.start, &p.session, &of); n == 4 && of == boot && p.pid > 1 {
			groups[p.pid] = p
		}
	}
	return groups
}

// survivors returns the processes that are still alive, without this one.
func survivors(groups map[int]process, mark []byte) (left []process) {
	for _, p := range living() {
		if inRecordedGroup(groups, p) || hasMark(p.environ(), mark) {
			left = append(left, p)
		}
	}
	return left
}

// living returns all processes that are alive, without this one and the first.
func living() []process {
	return slices.DeleteFunc(processes(), func(p process) bool { return p.state == 'Z' || p.state == 'X' })
}

// processes returns all processes without this one and the first. They include zombies.
func processes() (list []process) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil || pid == os.Getpid() || pid <= 1 {
			continue
		}
		if p, err := processAt(pid); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// environ returns the environment with which a process began. It is empty if this process must not read it.
func (p process) environ() []byte {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	return text
}

// hasMark reports whether an environment has a mark.
func hasMark(environ, mark []byte) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(entry, mark) {
			return true
		}
	}
	return false
}

// inRecordedGroup reports whether a process belongs to a group as it was recorded.
func inRecordedGroup(groups map[int]process, p process) bool {
	was, ok := groups[p.group]
	if !ok {
		return false
	}
	if p.pid == was.pid {
		return p.start == was.start
	}
	// The kernel keeps the ID while the group has a member. A living leader with another start time leads
	// another group.
	if leader, err := processAt(was.pid); err == nil && leader.start != was.start {
		return false
	}
	return p.start >= was.start && p.session == was.session
}

// kill kills a process, unless its ID belongs to another process by now.
func (p process) kill() { p.signal(syscall.SIGKILL) }

// signal sends a signal to a process, unless its ID belongs to another process by now.
func (p process) signal(s syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if now, err := processAt(p.pid); err == nil && now.start == p.start {
		handle.Signal(s)
	}
}

// processAt reads the state of a process.
func processAt(pid int) (process, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	s, ok := ParseStat(string(text))
	if !ok {
		return process{}, fmt.Errorf("/proc/%d/stat cannot be read: %q", pid, text)
	}
	return process{pid: pid, group: s.Group, session: s.Session, start: s.Start, state: s.State, name: s.Name,
		parent: s.Parent, cpu: s.CPU, childCPU: s.ChildCPU}, nil
}

// bootID identifies the current boot of the machine.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if id := strings.TrimSpace(string(text)); id != "" {
		return id
	}
	return "unknown"
}
