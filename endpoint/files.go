package endpoint

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/brewput/brewput/workload"
)

// files returns the paths of the files that options and targets name, with the programs of servers. The key of a
// certificate is left out, because checksums are stored.
func (set *settings) files() []string {
	return slices.Concat(givenFiles(set.given), set.bodies, programs(set.servers()))
}

// givenFiles returns the paths of the files that options name.
func givenFiles(v workload.Given) (list []string) {
	for _, name := range []string{"body-file", "targets", "data-file", "descriptor-set", "ca-file", "cert"} {
		if v.Get(name) != "" {
			list = append(list, v.Get(name))
		}
	}
	return list
}

// programs returns the paths of the programs that start servers.
func programs(servers []named) (list []string) {
	for _, s := range servers {
		words := s.start
		for len(words) > 1 && (words[0] == "env" || strings.Contains(words[0], "=")) { // env NAME=VALUE PROGRAM
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if path, err := exec.LookPath(words[0]); err == nil {
			list = append(list, path)
		}
	}
	return list
}
