package corenlp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/brewput/brewput/plan"
)

// Version is the version of CoreNLP whose parses are stored.
const Version = "4.5.7"

// Jar is a file that the server needs.
type Jar struct {
	Path   string // in a Maven repository
	Bytes  int64
	SHA256 string // of the file whose SHA-1 Maven Central publishes
}

// Name returns the name of the file without its directory.
func (j Jar) Name() string { return path.Base(j.Path) }

// Jars returns the files that the annotators of [Workload] need: CoreNLP, its English models, and the libraries for
// matrices and for Protocol Buffers that it loads.
func Jars() []Jar {
	return []Jar{
		{"edu/stanford/nlp/stanford-corenlp/4.5.7/stanford-corenlp-4.5.7.jar", 8_956_174,
			"0d8c74ddd1a199c5b1e50a8e91b056a225ece5763dde23eedc557106153da0d8"},
		{"edu/stanford/nlp/stanford-corenlp/4.5.7/stanford-corenlp-4.5.7-models.jar", 474_412_047,
			"44da9423895c33613869596c3efe7be5975c2f0458626fb72e7cdd781674f889"},
		{"org/ejml/ejml-core/0.39/ejml-core-0.39.jar", 199_222,
			"937fb1b1a0859d88e76b5cf0b2ddc62d03198120fbf213b5cdf2d6c950abc995"},
		{"org/ejml/ejml-ddense/0.39/ejml-ddense-0.39.jar", 335_068,
			"28bb9c06901211de146d80ef4ef0299c5dae468a8f9d585d016c19479ed93ef2"},
		{"org/ejml/ejml-simple/0.39/ejml-simple-0.39.jar", 178_321,
			"7639609431b267091f81362c70897768a3b8193836206d344c08b2004934d2ef"},
		{"com/google/protobuf/protobuf-java/3.19.6/protobuf-java-3.19.6.jar", 1_664_824,
			"6a9a2dff91dcf71f85be71ae971f6164b5a631dcd34bff08f0618535ca44ad02"},
	}
}

// DefaultDir returns the directory of the files: a folder of the user's cache directory. It returns an error if there
// is no cache directory.
func DefaultDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "brewput", "corenlp-"+Version), nil
}

// install is what a server is started with.
type install struct {
	java string // program
	dir  string // directory of the jars; "" means DefaultDir
}

// resolve returns the installation with its directory. It returns a [plan.Refusal] that tells what is missing and how
// to get it. It compares the sizes of the files; the program that fetches them compares their checksums.
func (in install) resolve() (install, error) {
	if in.dir == "" {
		dir, err := DefaultDir()
		if err != nil {
			return in, plan.Refuse("jars", nil, "has no default: %w", err).
				Suggest("give the directory of CoreNLP's files")
		}
		in.dir = dir
	}
	if problem := in.lacks(); problem != "" {
		return in, plan.Refuse("", nil, "CoreNLP %s (%d files, %d MB; needs Java 8 or later) is not installed: %s",
			Version, len(Jars()), size()/1_000_000, problem).
			Suggest("fetch them by make corenlp, or go run github.com/brewput/brewput/tools/corenlp@latest, or give " +
				"their directory: {jars} DIR")
	}

	if _, err := exec.LookPath(in.java); err != nil {
		return in, plan.Refuse("java", nil, "%w", err).Suggest("install Java 8 or later, for example Debian's " +
			"package default-jre-headless, or give the path of the program java")
	}
	return in, nil
}

// lacks says which file is missing or incomplete, or "".
func (in install) lacks() string {
	for _, j := range Jars() {
		file := filepath.Join(in.dir, j.Name())
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return file + " is missing"
		case err != nil:
			return err.Error()
		case info.Size() != j.Bytes:
			return fmt.Sprintf("%s has %d bytes, not %d", file, info.Size(), j.Bytes)
		}
	}
	return ""
}

// size returns the size of all files in bytes.
func size() (total int64) {
	for _, j := range Jars() {
		total += j.Bytes
	}
	return total
}

// classPath returns the class path of the server: all jars of the directory.
func (in install) classPath() string { return filepath.Join(in.dir, "*") }
