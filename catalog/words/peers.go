package words

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newWC runs wc in the C locale. A table lookup and a branch for each byte limit it.
func newWC(_ env.Env, p plan.Point) (workload.Job, error) { return wc(p, "C") }

// newWCUTF8 runs wc in a locale in which a byte is not a character.
func newWCUTF8(_ env.Env, p plan.Point) (workload.Job, error) { return wc(p, "C.UTF-8") }

// wc returns the job of the program wc in a locale. Its answer is checked by its own rule, not by that of the other
// designs. In other locales than C it is checked only if the file has no bytes on which locales disagree.
func wc(p plan.Point, locale string) (workload.Job, error) {
	in, err := newInput(p)
	if err != nil {
		return workload.Job{}, err
	}
	r, version, err := ruleHere()
	if err == nil && version == "" {
		err = errors.New("this system has no wc; leave out the reference designs")
	}
	if err != nil {
		return workload.Job{}, err
	}
	in.as = version
	words := 0
	return workload.Job{
		Bytes: in.size,
		Run: func(env.Env) (err error) {
			words, err = countWith(locale, nil, "-w", in.path)
			return err
		},
		Check: func() (workload.Answer, error) {
			if plain, err := in.plain(); locale == "C" || plain || err != nil {
				answer, wrong := in.verify(words, r)
				return answer, errors.Join(wrong, err)
			}
			return workload.Answer{"words": words, "bytes": in.size, "rule": locale + ", not checked",
				"rule_of": version}, nil
		},
	}, nil
}

// plain reports whether the file has only bytes on which all locales and rules agree.
func (in *input) plain() (bool, error) {
	plain := true
	_, err := in.each(64<<10, func(p []byte) {
		for _, b := range p {
			plain = plain && printing.class(b) != other
		}
	})
	return plain, err
}

// countWith runs wc in a locale and returns the first number that it prints.
func countWith(locale string, stdin []byte, args ...string) (int, error) {
	cmd := exec.Command("wc", args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL="+locale)
	cmd.Stdin = strings.NewReader(string(stdin))
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("wc %s: %w", strings.Join(args, " "), err)
	}
	number, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0, fmt.Errorf("wc %s printed %q, which is not a number", strings.Join(args, " "), out)
	}
	return n, nil
}

// ruleHere returns the rule and the version of this machine's wc in the C locale. It determines the rule by running wc.
// Without wc, the version is "" and the rule that of current versions.
func ruleHere() (rule, string, error) {
	if _, err := exec.LookPath("wc"); err != nil {
		return anyRun, "", nil
	}
	n, err := countWith("C", []byte{1}, "-w")
	if err != nil {
		return anyRun, "", err
	}
	version := "wc"
	if out, err := exec.Command("wc", "--version").Output(); err == nil {
		version, _, _ = strings.Cut(string(out), "\n")
	}
	if n == 0 {
		return printing, version, nil
	}
	return anyRun, version, nil
}

// newCat runs cat, which copies the file to /dev/null. The copy from the page cache limits it.
func newCat(_ env.Env, p plan.Point) (workload.Job, error) {
	in, err := newInput(p)
	if err != nil {
		return workload.Job{}, err
	}
	if _, err := exec.LookPath("cat"); err != nil {
		return workload.Job{}, errors.New("this system has no cat; leave out the reference designs")
	}
	return workload.Job{
		Bytes: in.size,
		Run:   func(env.Env) error { return exec.Command("cat", in.path).Run() }, // its output goes to /dev/null
	}, nil
}
