//go:build !linux && !darwin && !windows

package host

import "github.com/brewput/brewput/result"

func readSystem(*result.Machine) {}
