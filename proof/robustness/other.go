//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "siege: it finds processes in /proc, so it needs Linux")
	os.Exit(2)
}
