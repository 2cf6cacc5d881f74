package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// prepareKeeper makes this process the parent of processes whose parent ends, and keeps the held stream to itself.
func prepareKeeper() {
	syscall.CloseOnExec(heldStream)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// keptMark returns the environment variable of the programs that this process keeps.
func keptMark() string {
	me, _ := processAt(os.Getpid())
	return keptVariable + "=" + keeperID(me)
}

// keeperID identifies a keeper: process IDs are reused, and are local to a PID namespace.
func keeperID(p process) string { return fmt.Sprintf("%s %d %d", pidNamespace(), p.pid, p.start) }

// pidNamespace identifies the PID namespace of this process.
func pidNamespace() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "unknown"
	}
	return name
}

// waitTree waits for all children of this process, which are the program and the adopted ones.
func waitTree(p *os.Process) (first <-chan firstExit, gone <-chan struct{}) {
	exit, none := make(chan firstExit, 1), make(chan struct{})
	go func() {
		defer close(none)
		for {
			var status unix.WaitStatus
			pid, err := unix.Wait4(-1, &status, 0, nil)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil: // no child is left
				return
			case pid == p.Pid:
				exit <- firstExit{exitStatus(status), status.Exited() && status.ExitStatus() == 0}
			}
		}
	}()
	return exit, none
}

// exitStatus describes the end of a process as [os.ProcessState] does.
func exitStatus(s unix.WaitStatus) string {
	if s.Signaled() {
		return "signal: " + s.Signal().String()
	}
	return "exit status " + strconv.Itoa(s.ExitStatus())
}

// askTree asks the descendants of this process to terminate that were not asked before. It adds them to asked.
func askTree(_ *os.Process, asked map[string]bool) {
	for _, p := range descendants(os.Getpid()) {
		if id := keeperID(p); !asked[id] {
			asked[id] = true
			p.signal(syscall.SIGTERM)
		}
	}
}

// endTree kills all descendants of this process and waits until gone is closed. It returns the names of those that
// cannot be killed, such as those of another user.
func endTree(_ *os.Process, gone <-chan struct{}) (left []string) {
	for range endRounds {
		for _, p := range descendants(os.Getpid()) {
			p.kill()
		}
		select {
		case <-gone:
			return nil
		case <-time.After(endWait):
		}
	}
	for _, p := range descendants(os.Getpid()) {
		left = append(left, p.name)
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// descendants returns the processes below a process that are alive.
func descendants(root int) []process { return below(root, living()) }

// below returns the processes of a list that descend from a process.
func below(root int, all []process) (found []process) {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	found = slices.Clone(children[root])
	delete(children, root) // a process that reused an ID during the listing must not make a circle
	for i := 0; i < len(found); i++ {
		pid := found[i].pid
		found = append(found, children[pid]...)
		delete(children, pid)
	}
	return found
}

// EndAbandoned kills the processes whose keeper was itself killed, in this process or in one before. It finds them by
// their environment, if this user may read it. It finds none that cleared or overwrote its environment.
func EndAbandoned() {
	for range endRounds {
		found := abandoned()
		if len(found) == 0 {
			return
		}
		for _, p := range found {
			p.kill()
		}
		time.Sleep(endWait)
	}
}

// abandoned returns the living processes whose keeper has ended.
func abandoned() (found []process) {
	local := []byte(pidNamespace() + " ")
	for _, p := range living() {
		for entry := range bytes.SplitSeq(p.environ(), []byte{0}) {
			mark, marked := bytes.CutPrefix(entry, []byte(keptVariable+"="))
			if id, ok := bytes.CutPrefix(mark, local); marked && ok && hasEnded(string(id)) {
				found = append(found, p)
			}
		}
	}
	return found
}

// hasEnded reports whether the keeper with an ID of this namespace, such as "12 3456", has ended. It reads the state of
// that process, and not a list of processes that was made before: the keeper may have been born meanwhile. A keeper
// whose state cannot be read, for lack of files, may be alive.
func hasEnded(id string) bool {
	var keeper process
	if n, _ := fmt.Sscan(id, &keeper.pid, &keeper.start); n != 2 {
		return false
	}
	now, err := processAt(keeper.pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
	}
	return now.start != keeper.start || now.state == 'Z' || now.state == 'X'
}

// keptProcesses returns the IDs of the processes below a keeper.
func keptProcesses(keeper int) (pids []int) {
	for _, p := range descendants(keeper) {
		pids = append(pids, p.pid)
	}
	return pids
}

// keptCPU returns the CPU time of the processes below a keeper, including those that have ended. Missing are ended
// processes that nobody waited for, because their parent ignores SIGCHLD.
func keptCPU(keeper int) (total time.Duration, ok bool) {
	of, err := processAt(keeper)
	if err != nil {
		return 0, false
	}
	total = of.childCPU
	for _, p := range below(keeper, processes()) { // a zombie's own time counts until it is waited for
		total += p.cpuTime() + p.childCPU
	}
	return total, true
}

// cpuTime returns the CPU time of a process with the resolution of the scheduler, or else of /proc.
func (p process) cpuTime() time.Duration {
	if d, ok := CPUTime(p.pid); ok {
		return d
	}
	return p.cpu
}

// CPUTime returns the CPU time of a process that runs, with the resolution of the scheduler. It is known on Linux.
func CPUTime(pid int) (time.Duration, bool) {
	var t unix.Timespec
	const cpuClock = 2 // CPUCLOCK_SCHED of a whole process, as clock_getcpuclockid(3) makes it
	err := unix.ClockGettime(int32(^pid<<3|cpuClock), &t)
	return time.Duration(t.Nano()), err == nil
}
