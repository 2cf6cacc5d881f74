package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/record"
)

// gust is how long the load lasts, and how long it then pauses: about the time of one side of a comparison.
const gust = 3 * time.Second

// sequential compares the base with itself under intermittent load, alternately one side after the other and in blocks.
// It returns the exit code.
func (c *campaign) sequential(ctx context.Context) (code int, err error) {
	binary := filepath.Join(c.repo, "shop.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, ".")
	build.Dir, build.Env = c.repo, append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	const line = "%5v  %-26s  %s\n"
	fmt.Printf(line, "", "one side after the other", "in blocks")
	wrong := [2]int{}
	for n := range c.runs {
		var verdicts [2]verdict
		if verdicts[0], err = c.after(ctx, binary); err == nil {
			verdicts[1], err = c.blocks(ctx, n+1)
		}
		if err != nil {
			return 0, err
		}
		for i, v := range verdicts {
			wrong[i] += one(v.Verdict == "faster" || v.Verdict == "slower")
		}
		fmt.Printf(line, n+1, verdicts[0], verdicts[1])
	}
	fmt.Printf("\nThe program is the same on both sides. One side after the other, %d of %d comparisons report a "+
		"difference; in blocks, %d of %d.\n",
		wrong[0], c.runs, wrong[1], c.runs)
	if stat.BinomialTail(wrong[1], c.runs, 1-promised) < 0.01 {
		return record.ExitBroken, nil
	}
	return 0, nil
}

// verdict is a verdict of brewput on the time of an operation.
type verdict struct {
	Kind, Metric, Verdict string
	Ratio, Low, High      float64
}

func (v verdict) String() string {
	return fmt.Sprintf("%.2fx, %s", v.Ratio, v.Verdict)
}

// after returns the verdict on two files that go test writes one after the other.
func (c *campaign) after(ctx context.Context, binary string) (verdict, error) {
	defer load(ctx, gust)()
	for _, name := range []string{"first.txt", "second.txt"} {
		cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench=Brew", "-test.benchtime=100ms",
			"-test.count=20", "-test.cpu=1")
		cmd.Dir = c.repo
		out, err := cmd.Output()
		if err == nil {
			err = os.WriteFile(filepath.Join(c.repo, name), out, 0o666)
		}
		if err != nil {
			return verdict{}, err
		}
	}
	return c.verdict(ctx, "compare", "first.txt", "second.txt")
}

// blocks returns the verdict of brewput bench. The seed sets the order of the blocks.
func (c *campaign) blocks(ctx context.Context, seed int) (verdict, error) {
	defer load(ctx, gust)()
	defer os.RemoveAll(filepath.Join(c.repo, "run"))
	return c.verdict(ctx, "bench", "--base", "HEAD", "--bench", "Brew", "--cpus", "1", "--count", "20", "--duration",
		"100ms", "--seed", strconv.Itoa(seed), "-o", "run")
}

// verdict runs brewput and returns its verdict.
func (c *campaign) verdict(ctx context.Context, args ...string) (verdict, error) {
	code, stdout, stderr, err := c.brewput(ctx, append(args, "--format", "json")...)
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", args[0], err)
	}
	if code != 0 {
		return verdict{}, fmt.Errorf("%s exits with %d:\n%s", args[0], code, stderr)
	}
	for l := range bytes.Lines(stdout) {
		var v verdict
		if json.Unmarshal(l, &v) == nil && v.Kind == "verdict" && v.Metric == "time_per_op_ns" {
			return v, nil
		}
	}
	return verdict{}, fmt.Errorf("%s gives no verdict:\n%s", args[0], stdout)
}
