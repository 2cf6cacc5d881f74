//go:build amd64 || arm64

package self

// Mark is different for goroutines that live at the same time; one that begins later may have that of one that has ended. It takes
// two nanoseconds. It is where the runtime keeps what it knows of the goroutine, which a register holds while Go code runs: see "ABIInternal" in
// cmd/compile/abi-internal.md of Go's source.
func Mark() uintptr
