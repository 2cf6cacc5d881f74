//go:build !unix

package journal

// appendUntilKilled is used where processes can be killed.
func appendUntilKilled(_, _ string) error { return nil }
