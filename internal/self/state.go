package self

// State is what a goroutine does, as far as somebody else can see it.
type State uint8

// The states.
const (
	Unknown  State = iota // this build of Go does not let it be seen, or the goroutine has ended
	Busy                  // it runs or could run
	Switched              // it has resumed a coroutine, or is one that nobody has resumed
	// it waits for something else: a lock, a channel, a timer, the network, or the collector of garbage
	Waiting
	InSyscall // it is in a system call or in C, where it computes or sleeps: see [Eye.Asleep]
)
