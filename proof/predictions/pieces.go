package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brewput/brewput/internal/store"
)

// piece is a part of the campaign of real code: one run of a workload of the catalogue, in a folder of its own. It
// takes a few minutes on an idle machine, so that the campaign can be stopped between any two.
type piece struct {
	name string
	args []string // of brewput run
}

// pieces are seven workloads of real code on one CPU and on two. Their inputs are the usual ones, or
// large enough for a job to take some milliseconds.
func pieces() []piece {
	return []piece{
		{"sum", []string{"sum"}},
		{"sort", []string{"sort", "--designs", "sequential,branchless,resort,odd-even"}},
		{"sort-fast", []string{"sort", "--rounds", "100", "--designs", "merge,planned,library,merging"}},
		{"lines", []string{"lines", "--gogc", "1000", "--total", "50000"}},
		{"lines-gogc", []string{"lines", "--total", "20000", "--designs", "sequential,batch,index"}},
		{"parse", []string{"parse"}},
		{"find", []string{"find"}},
		{"mandelbrot", []string{"mandelbrot", "--size", "384", "--designs",
			"sequential,row,pool,counter,tiles,stealing"}},
		{"mandelbrot-fast", []string{"mandelbrot", "--size", "768", "--designs",
			"cycles,lanes,mirror,overlap,parallel,png-standard,png-serial,png-parallel"}},
		{"mandelbrot-pixel", []string{"mandelbrot", "--size", "96", "--designs", "pixel"}},
		{"words", []string{"words", "--size", "20000000", "--designs",
			"buffered,reused,table,swar,chunks,mmap,read,calls,allocs,scan-bytes,scan-table,scan-swar"}},
	}
}

// realCampaign measures the pieces, each with its predictions first, and scores what is stored.
type realCampaign struct {
	progress io.Writer
	dir      string        // of all runs
	command  []string      // brewput
	limit    time.Duration // after which no trial is begun
}

// realBlocks are enough where neighbours on the cores of a shared machine slow trials of a few ms by up to 1.7x: an
// error of six blocks is then known within 30% only.
const realBlocks = 20

// leastLeft is how long a piece must have for it to be begun.
const leastLeft = 30 * time.Second

// measure runs the pieces that are not complete until the time is over. It returns how many are left.
func (c *realCampaign) measure(ctx context.Context) (left int, err error) {
	end := time.Now().Add(c.limit)
	for _, p := range pieces() {
		dir := filepath.Join(c.dir, p.name)
		complete, begun := ended(dir)
		if complete {
			continue
		}
		if time.Until(end) < leastLeft || ctx.Err() != nil {
			left++
			continue
		}
		args := append([]string{"run"}, p.args...)
		args = append(args, "--cpus", "1,2", "--count", strconv.Itoa(realBlocks), "-o", dir)
		if begun {
			args = []string{"run", "--resume", dir}
		}
		fmt.Fprintf(c.progress, "measuring %s\n", p.name)
		if err := c.run(ctx, end, args); err != nil {
			return left, fmt.Errorf("%s: %w", p.name, err)
		}
		if complete, _ := ended(dir); !complete {
			left++
		}
	}
	return left, nil
}

// run runs brewput, and interrupts it when the time is over: what it has measured by then is stored.
func (c *realCampaign) run(ctx context.Context, end time.Time, args []string) error {
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	cmd := exec.CommandContext(ctx, c.command[0], append(c.command[1:], args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = leastLeft
	cmd.Stderr = c.progress
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil // it goes on next time
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == exitMissed {
		return nil // the original designs count wrong
	}
	return err
}

// ended reports whether a run is complete, or else at least begun.
func ended(dir string) (complete, begun bool) {
	j, err := store.Open(dir)
	if err != nil {
		return false, store.HoldsRun(dir)
	}
	return j.Ended, true
}
