package sim

// Interrupt stops the kernel with an error: before its next event, within some thousand operations without an event,
// or at the next instruction of a [Program]. [Kernel.Err] then returns err, unless another error came first. Unlike
// all other methods it is safe for concurrent use; the first call counts. It influences no decision before the kernel
// stops.
func (k *Kernel) Interrupt(err error) {
	k.halt.CompareAndSwap(nil, &err)
	k.limit.Store(0)
}

// halts reports whether the kernel was interrupted. It is a single load, for the paths that bypass advance.
func (k *Kernel) halts() bool { return k.halt.Load() != nil }

// interrupts is halts, and records the error if so.
func (k *Kernel) interrupts() bool { return k.halts() && k.interrupted() }

// interrupted makes the interruption the kernel's error, if there is one.
func (k *Kernel) interrupted() bool {
	err := k.halt.Load()
	if err == nil {
		return false
	}
	k.Fail(*err)
	return true
}
