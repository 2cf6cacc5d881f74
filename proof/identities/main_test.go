package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog/peers"
	"github.com/brewput/brewput/proof/record"
)

// testCampaign returns a campaign of a few systems.
func testCampaign(t *testing.T, systems int, designs ...string) (*campaign, *bytes.Buffer) {
	var out bytes.Buffer
	return &campaign{stdout: &out, workload: peers.Workload(), designs: designs, systems: systems, each: 30,
		record: filepath.Join(t.TempDir(), "record")}, &out
}

// TestHundred checks a hundred systems of each design, and that a campaign which was stopped ends like another one.
func TestHundred(t *testing.T) {
	c, out := testCampaign(t, 40, "interleaved", "leased")
	if code, err := c.run(record.Piece{}); code != 0 || err != nil {
		t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	c.systems = 100
	if code, err := c.run(record.NewPiece(1)); code != record.ExitUndecided || err != nil ||
		!strings.HasSuffix(out.String(), "\n120 systems are left: run the same command again.\n") {
		t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	for range 2 {
		out.Reset()
		if code, err := c.run(record.Piece{}); code != 0 || err != nil {
			t.Fatalf("exit %d, %v\n%s", code, err, out)
		}
	}
	for _, name := range c.designs {
		row := `(?m)^` + name + ` +100 +[5-9]\d +[1-9]\d\d +[1-9]\d\d +nothing issued twice$`
		if !regexp.MustCompile(row).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", row, out)
		}
	}
	if text, err := os.ReadFile(c.record); err != nil || strings.Count(string(text), "\n") != 8 {
		t.Errorf("%v, want 4 pieces of each design:\n%s", err, text)
	}

	stopped := out.String()
	out.Reset()
	c.record = filepath.Join(t.TempDir(), "record")
	if code, err := c.run(record.Piece{}); code != 0 || err != nil || out.String() != stopped {
		t.Errorf("exit %d, %v\n%s\nwant\n%s", code, err, out, stopped)
	}
}

// TestTwice checks that identities that are issued twice end a campaign with exit code 1, also when that is read from
// the record.
func TestTwice(t *testing.T) {
	c, out := testCampaign(t, 5, "jump")
	for range 2 {
		out.Reset()
		if code, err := c.run(record.Piece{}); code != record.ExitBroken || err != nil ||
			!strings.Contains(out.String(), "was issued twice, by peers") {
			t.Errorf("exit %d, %v\n%s", code, err, out)
		}
	}
	if err := record.Append(c.record, entry{Program: "another"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.run(record.Piece{}); err == nil || !strings.Contains(err.Error(), "remove the file") {
		t.Error(err)
	}
}

// TestTooFewFaults checks that a campaign whose systems have few partitions or crashes fails.
func TestTooFewFaults(t *testing.T) {
	c, out := testCampaign(t, 10)
	if !c.print([]entry{{Design: "leased", Systems: 10, Faulty: 3, Partitions: 40}}) ||
		!strings.Contains(out.String(), "too few faults") {
		t.Errorf("not broken:\n%s", out)
	}
}
