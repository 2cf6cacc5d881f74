package self

// State is what a goroutine does, as seen from outside.
type State uint8

// States of a goroutine.
const (
	Unknown  State = iota // this build of Go does not show it, or the goroutine has ended
	Runnable              // it runs, or waits for a CPU
	Switched              // it has resumed a coroutine, or is a coroutine that is not resumed
	// It waits for something else: a lock, a channel, a timer, the network, or the garbage collector.
	Waiting
	InSyscall // it is in a system call or in C, where it computes or sleeps: see [Inspector.Asleep]
)
