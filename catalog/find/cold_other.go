//go:build !linux

package find

import "github.com/brewput/brewput/plan"

// forget cannot drop a file from the cache here.
func forget(string) error {
	return &plan.Refusal{Field: "cache", Value: "cold",
		Reason: "this system cannot drop a file from its cache; use warm"}
}
