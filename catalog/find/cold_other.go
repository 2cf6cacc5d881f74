//go:build !linux

package find

import "errors"

// forget cannot drop a file from the cache here.
func forget(string) error {
	return errors.New("this system does not say how to drop a file from its cache; use --cache warm")
}
