package main

import (
	"crypto/sha256"
	"sync"
)

// Set holds the checksums of all pages that it has seen.
type Set struct {
	mu   sync.Mutex
	seen map[[32]byte]bool
}

// Add reports whether the page is new.
func (s *Set) Add(page []byte) bool {
	sum := sha256.Sum256(page)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[sum] {
		return false
	}
	s.seen[sum] = true
	return true
}
