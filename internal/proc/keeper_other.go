//go:build !linux

package proc

import (
	"os"
	"time"
)

// keptMark returns a variable that only says that a keeper started a program.
func keptMark() string { return keptVariable + "=1" }

// waitTree waits for the program, and then ends its group.
func waitTree(p *os.Process) (first <-chan firstExit, gone <-chan struct{}) {
	exit, none := make(chan firstExit, 1), make(chan struct{})
	go func() {
		defer close(none)
		state, err := p.Wait()
		EndGroup(p)
		if err != nil {
			exit <- firstExit{status: err.Error()}
			return
		}
		exit <- firstExit{state.String(), state.Success()}
	}()
	return exit, none
}

// askTree asks the group of the program to terminate, once.
func askTree(p *os.Process, asked map[string]bool) {
	if !asked[""] {
		asked[""] = true
		AskEnd(p)
	}
}

// endTree kills the group of the program. Processes that left the group continue: only Linux finds them.
func endTree(p *os.Process, gone <-chan struct{}) (left []string) {
	EndGroup(p)
	<-gone
	return nil
}

// EndAbandoned is implemented on Linux only.
func EndAbandoned() {}

// keptProcesses is implemented on Linux only.
func keptProcesses(int) []int { return nil }

// keptCPU is implemented on Linux only.
func keptCPU(int) (time.Duration, bool) { return 0, false }

// CPUTime is implemented on Linux only.
func CPUTime(int) (time.Duration, bool) { return 0, false }
