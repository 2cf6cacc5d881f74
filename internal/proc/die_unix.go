//go:build unix && !linux

package proc

import "syscall"

// DieWithParent is OwnGroup: on this system a child outlives a killed parent.
func DieWithParent() *syscall.SysProcAttr { return OwnGroup() }
