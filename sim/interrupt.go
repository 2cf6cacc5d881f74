package sim

// Interrupt stops the kernel: before its next event, or within some thousand operations that lead to no event, or at
// the next instruction of a [Program]. Then [Kernel.Err] is err, unless another reason came first. Unlike all else of a
// kernel it may be called by any goroutine, at any time; the first call counts. It decides nothing that happens before
// the kernel stops.
func (k *Kernel) Interrupt(err error) {
	k.halt.CompareAndSwap(nil, &err)
	k.limit.Store(0)
}

// halts reports whether the kernel was interrupted: one load, for the ways that go by advance.
func (k *Kernel) halts() bool { return k.halt.Load() != nil }

// interrupts is halts, and where it is so, interrupted.
func (k *Kernel) interrupts() bool { return k.halts() && k.interrupted() }

// interrupted is halts, and makes the interruption the kernel's error.
func (k *Kernel) interrupted() bool {
	err := k.halt.Load()
	if err == nil {
		return false
	}
	k.Fail(*err)
	return true
}
