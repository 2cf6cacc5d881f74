package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
)

// methodLine matches the first line of a target.
var methodLine = regexp.MustCompile(`^[A-Z]+\s`)

// target is a request as a file of targets describes it: its body is in a file.
type target struct {
	Request
	bodyFile string
	line     int // its first one
}

// maxTargets limits the memory that requests take.
const maxTargets = 1_000_000

// parseTargets reads targets in vegeta's http format: a line with method and URL, lines with headers, and a line with @
// and the path of the body. A blank line ends a target, and so does the path of the body. Lines that begin with # are
// comments. name is that of the file. The error is a [plan.Refusal] that names the line.
func parseTargets(name, text string) ([]target, error) {
	var all []target
	inside := false // a target may continue
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		refuse := func(reason, suggestion string, args ...any) error {
			return plan.Refuse("targets", quoted(name), "line %d "+reason, number).Suggest(suggestion, args...)
		}
		switch {
		case line == "":
			inside = false
		case line[0] == '#':
		case methodLine.MatchString(line):
			if len(all) == maxTargets {
				return nil, refuse("is one target too many", "give at most %d; they are repeated", maxTargets)
			}
			method := strings.Fields(line)[0]
			address := strings.TrimSpace(line[len(method):])
			r := Request{Method: method, URL: address, Header: http.Header{}}
			all = append(all, target{Request: r, line: number})
			inside = true
		case !inside:
			return nil, refuse("is not the first line of a target", "write METHOD URL, as in GET http://127.0.0.1/")
		case line[0] == '@':
			if all[len(all)-1].bodyFile = line[1:]; line == "@" {
				return nil, refuse("names no file", "write @ and the path of the body")
			}
			inside = false
		default:
			if err := addHeader(all[len(all)-1].Header, line); err != nil {
				return nil, plan.AsRefusal(err).In("targets", quoted(name), fmt.Sprintf("line %d", number))
			}
		}
	}
	if len(all) == 0 {
		return nil, plan.Refuse("targets", quoted(name), "has no target").
			Suggest("write METHOD URL, as in GET http://127.0.0.1/")
	}
	return all, nil
}

// readTargets reads a file of targets and the bodies that it names. Targets with the same body share its memory.
func readTargets(ctx context.Context, name string) ([]target, error) {
	text, err := input.ReadFile(ctx, name, input.Targets)
	if err != nil {
		return nil, plan.Refuse("targets", nil, "%w", err)
	}
	targets, err := parseTargets(name, string(text))
	if err != nil {
		return nil, err
	}

	bodies := map[string][]byte{}
	total := 0
	for i, t := range targets {
		if t.bodyFile == "" {
			continue
		}
		body, known := bodies[t.bodyFile]
		if !known {
			if body, err = readBody(ctx, "targets", t.bodyFile); err != nil {
				return nil, t.refusal(name, err)
			}
			bodies[t.bodyFile] = body
			total += len(body)
		}
		if total > maxBodies {
			return nil, plan.Refuse("targets", quoted(name), "names bodies of more than %d MB together", maxBodies>>20).
				Suggest("give fewer or smaller ones")
		}
		targets[i].Body = body
	}
	return targets, nil
}

// refusal returns the refusal of a target in a file with a name.
func (t target) refusal(name string, err error) error {
	return plan.AsRefusal(err).In("targets", quoted(name), fmt.Sprintf("line %d", t.line))
}

// maxBodies limits the memory of the bodies of a file of targets.
const maxBodies = 1 << 30

// readBody reads the body of a request.
func readBody(ctx context.Context, option, name string) ([]byte, error) {
	body, err := input.ReadFile(ctx, name, input.Body)
	if err != nil {
		return nil, plan.Refuse(option, nil, "%w", err)
	}
	return body, nil
}
