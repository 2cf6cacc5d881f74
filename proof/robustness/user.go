//go:build linux

package main

import (
	"encoding/hex"
	"fmt"
	"os"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/tools/hostile"
)

// userVariable makes this program act as the program of a user. Its value is a name in hexadecimal digits.
const userVariable = "BREWPUT_USER_NAME"

// userMain is the main function of a user whose designs, locks, messages and panics have the given name.
func userMain(digits string) {
	name, err := hex.DecodeString(digits)
	if err != nil {
		fmt.Fprintln(os.Stderr, "siege:", err)
		os.Exit(2)
	}
	brewput.Main(hostile.Workload(string(name)))
}
