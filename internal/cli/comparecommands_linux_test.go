package cli_test

import "testing"

// TestKilledCommands kills a comparison of commands. No process may be left, not even one of the commands.
func TestKilledCommands(t *testing.T) {
	compared := func(dir string) []string {
		return []string{"compare", "--count", "10", "-o", dir, "--", "sleep", "0.01", ":::", "sleep", "0.02"}
	}
	kills{verb: "compare", args: compared, n: 12, resumed: 3, seed: 2, from: 0.2, to: 0.9, blocks: 10,
		perBlock: 2}.check(t)
}
