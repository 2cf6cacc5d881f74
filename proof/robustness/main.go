//go:build linux

// Command robustness attacks the built brewput with damaged journals, killed processes, random command lines and
// hostile names: make siege. It prints a table of attempts and finds, by area. A seed determines what each attempt
// does. A later call continues from the record.
//
//	go build -buildvcs=false -o brewput ./cmd/brewput
//	go run ./proof/robustness -program ./brewput -record siege.ndjson
//
// It keeps each find in a directory next to the record, with its command lines and inputs. -only repeats one attempt,
// as in -only lines:17. It exits with 1 if it found anything, with 2 if the flags are wrong, with 3 if attempts are
// left, and with 4 if the campaign itself failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brewput/brewput/proof/record"
)

func main() {
	if name, ok := os.LookupEnv(userVariable); ok {
		userMain(name) // as the program of a user, whose workload has that name
	}
	c := campaign{stderr: os.Stderr}
	only := flag.String("only", "", "repeat one attempt, `AREA:INDEX`, and record nothing")
	flag.StringVar(&c.program, "program", "", "the `PATH` of brewput")
	flag.StringVar(&c.record, "record", "", "`FILE` of the attempts so far")
	limit := flag.Duration("for", 0, "a `TIME` after which no attempt begins (default: until all are done)")
	flag.Float64Var(&c.share, "share", 1, "the `SHARE` of each area's attempts, such as 0.02")
	flag.Uint64Var(&c.seed, "seed", 1, "the `SEED` of all random choices")
	flag.IntVar(&c.n, "n", 2, "attempts at a time, except kills, which are made alone")
	areas := flag.String("areas", "journal,lines,names,kills", "the `AREAS` to attack")
	flag.Parse()
	c.areas, c.piece = strings.Split(*areas, ","), record.NewPiece(*limit)
	if c.program == "" || c.record == "" || !(c.share > 0 && c.share <= 1) || c.n < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "siege: give -program, -record, -share above 0 and at most 1, and -n "+
			"above 0; see -help")
		os.Exit(record.ExitUsage)
	}

	if err := c.validate(*only); err != nil {
		fmt.Fprintln(os.Stderr, "siege:", err)
		os.Exit(record.ExitUsage)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	t, err := c.start(ctx, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "siege:", err)
		os.Exit(record.ExitFailed)
	}
	fmt.Print(t.text())
	os.Exit(t.code())
}

// campaign attacks one build of brewput.
type campaign struct {
	program, record string
	areas           []string
	piece           record.Piece
	share           float64
	seed            uint64
	n               int
	stderr          interface{ Write([]byte) (int, error) }

	sum  string     // SHA-256 of the program
	self string     // this program, which also serves as the program of a user
	work string     // directory next to the record, with a name that the go command ignores
	once bool       // a repetition, which is not recorded
	mu   sync.Mutex // guards the record and done
	done []outcome
}

// area is a kind of attack.
type area struct {
	name  string
	full  int  // attempts at a share of 1
	alone bool // one at a time, because exact times matter
	// open prepares what the attempts share. Each attempt has a random source of its own.
	open func(ctx context.Context, c *campaign) (attack, error)
}

// attack makes one attempt, and adds what it finds to the attempt.
type attack func(ctx context.Context, a *attempt) error

// list returns the areas in the order in which they are attacked.
func list() []area {
	return []area{
		{name: "journal", full: 2000, open: openJournals},
		{name: "lines", full: 1000, open: openLines},
		{name: "names", full: 200, open: openNames},
		{name: "kills", full: 200, alone: true, open: openKills},
	}
}

// start makes all attempts that are not recorded, or only the one given.
func (c *campaign) start(ctx context.Context, only string) (table, error) {
	if err := c.open(only); err != nil {
		return nil, err
	}

	t := table{}
	for _, ar := range list() {
		if !slices.Contains(c.areas, ar.name) {
			continue
		}
		wanted, err := c.wanted(ar, only)
		if err == nil {
			err = c.attack(ctx, ar, wanted)
		}
		if err != nil {
			return nil, err
		}
		r, err := c.row(ar)
		if err != nil {
			return nil, err
		}
		t = append(t, r)
	}
	return t, nil
}

// row counts the attempts of an area. What is left is what this share wants: another share may have made other
// attempts.
func (c *campaign) row(ar area) (row, error) {
	r := tally(ar, c.done, 0, c.seed)
	if c.once {
		return r, nil
	}
	rest, err := c.wanted(ar, "")
	r.planned = r.n + len(rest)
	return r, err
}

// cutOnly parses an area and an index.
func cutOnly(only string) (name string, index int, err error) {
	name, text, _ := strings.Cut(only, ":")
	if index, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("-only %s is not AREA:INDEX", only)
	}
	return name, index, nil
}

// validate returns an error if the areas contain an unknown one, or if only names no attempt of the areas.
func (c *campaign) validate(only string) error {
	for _, name := range c.areas {
		if !slices.ContainsFunc(list(), func(ar area) bool { return ar.name == name }) {
			return fmt.Errorf("-areas: there is no area %q; the areas are journal, lines, names and kills", name)
		}
	}
	if only == "" {
		return nil
	}
	name, index, err := cutOnly(only)
	if err != nil {
		return err
	}
	for _, ar := range list() {
		if ar.name != name || !slices.Contains(c.areas, name) {
			continue
		}
		if index < 0 || index >= ar.full {
			return fmt.Errorf("-only %s: the attempts of %s are 0 to %d", only, name, ar.full-1)
		}
		return nil
	}
	return fmt.Errorf("-only %s: no such area is in -areas %s", only, strings.Join(c.areas, ","))
}

// open makes the directories and reads the record.
func (c *campaign) open(only string) (err error) {
	if c.program, err = filepath.Abs(c.program); err != nil {
		return err
	}
	if c.record, err = filepath.Abs(c.record); err != nil {
		return err
	}
	if c.self, err = os.Executable(); err != nil {
		return err
	}
	if c.sum, err = record.Hash(c.program); err != nil {
		return err
	}
	c.work = filepath.Join(filepath.Dir(c.record), "."+strings.TrimSuffix(filepath.Base(c.record), ".ndjson"))
	if err := errors.Join(os.MkdirAll(filepath.Join(c.work, "finds"), 0o777),
		os.MkdirAll(filepath.Join(c.work, "box"), 0o777)); err != nil {
		return err
	}
	if c.once = only != ""; !c.once {
		if c.done, err = record.Read(c.record, c.fits); err != nil {
			return err
		}
	}
	return nil
}

// attempts is the number of attempts of an area at this share.
func (c *campaign) attempts(ar area) int { return int(math.Ceil(c.share * float64(ar.full))) }

// wanted returns the indices that are left. At a small share they are spread over all attempts.
func (c *campaign) wanted(ar area, only string) (indices []int, err error) {
	if only != "" {
		name, index, err := cutOnly(only)
		if name == ar.name {
			indices = append(indices, index)
		}
		return indices, err
	}
	made := map[int]bool{}
	for _, o := range c.done {
		if o.Area == ar.name {
			made[o.Index] = true
		}
	}
	n := c.attempts(ar)
	for i := range n {
		index := i*ar.full/n + 7*i%(ar.full/n) // so that all kinds that alternate occur
		if !made[index] {
			indices = append(indices, index)
		}
	}
	return indices, nil
}

// attack makes the attempts of an area, c.n at a time.
func (c *campaign) attack(ctx context.Context, ar area, indices []int) error {
	if len(indices) == 0 || c.piece.Over() {
		return nil
	}
	attack, err := ar.open(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", ar.name, err)
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan int)
	var all sync.WaitGroup
	for range map[bool]int{false: c.n, true: 1}[ar.alone] {
		all.Go(func() {
			for index := range queue {
				if err := c.attempt(ctx, ar.name, index, attack); err != nil {
					cancel(err)
				}
			}
		})
	}

	for _, index := range indices {
		if c.piece.Over() || ctx.Err() != nil {
			break
		}
		queue <- index
	}
	close(queue)
	all.Wait()
	if err := context.Cause(ctx); errors.Is(err, context.Canceled) {
		return errors.New("interrupted; the attempts so far are in " + c.record)
	} else {
		return err
	}
}
