package sim

// Checksum returns a hash over all decisions of the scheduler: which goroutine ran where, when and after which, what
// was stolen, which CPU was woken. It differs if one decision of two runs differs.
func (k *Kernel) Checksum() uint64 { return k.sum }

// Constants of FNV-1a, which here hashes words instead of bytes.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Decisions, as they enter the checksum.
const (
	didRun = iota + 1
	didInherit
	didSteal
	didWake
	didSleep
	didPreempt
	didSelect
	didHandOff
	didRetake
	didTimer
)

// decided adds a decision to the checksum.
func (k *Kernel) decided(what int, c int32, who int64) {
	h := (k.sum ^ uint64(k.now)) * fnvPrime
	h = (h ^ uint64(what)<<32 ^ uint64(c)) * fnvPrime
	k.sum = (h ^ uint64(who)) * fnvPrime
}
