//go:build linux

package main

import (
	"encoding/hex"
	"fmt"
	"os"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/internal/hostile"
)

// sourVariable makes this program a user's. Its value is a name in hexadecimal digits.
const sourVariable = "BREWPUT_USER_NAME"

// sourMain is the command of a user whose designs, locks, messages and panics have a name.
func sourMain(digits string) {
	name, err := hex.DecodeString(digits)
	if err != nil {
		fmt.Fprintln(os.Stderr, "siege:", err)
		os.Exit(2)
	}
	brewput.Main(hostile.Workload(string(name)))
}
