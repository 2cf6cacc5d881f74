package help

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// program is a command with verbs that have help texts, and with texts that roff could take for requests.
func program() *cobra.Command {
	root := &cobra.Command{Use: "brewput", Short: "Measures"}
	for _, use := range []string{"explain [TARGET]", "gate [PACKAGE]", "run WORKLOAD", "version"} {
		c := &cobra.Command{Use: use, Short: "It's .a \\ of " + use, Run: func(*cobra.Command, []string) {}}
		c.Flags().StringP("output", "o", "", ".so `DIR` or 'DIR'")
		root.AddCommand(c)
	}
	run, _, _ := root.Find([]string{"run"})
	run.AddCommand(&cobra.Command{Use: "coffee", Run: func(*cobra.Command, []string) {}})
	root.InitDefaultCompletionCmd()
	Install(root, func(name string) bool { return name == "coffee" }, 80)
	return root
}

// TestMan checks which manual pages are written, and that they are without errors, by groff.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	root := program()
	man, _, _ := root.Find([]string{"man"})
	if want := "brewput man pages && man pages/brewput-gate.1\n"; !strings.Contains(man.Long, want) {
		t.Errorf("no %q in %s", want, man.Long)
	}
	root.SetArgs([]string{"man", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	requests := strings.Fields(".TH .SH .SS .PP .TP .B .BR .nf .fi")
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".1"))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(word, "'") || strings.HasPrefix(word, ".") && !slices.Contains(requests, word) {
				t.Errorf("%s: %q is a request", file, line)
			}
		}
	}
	slices.Sort(names)
	want := "brewput brewput-completion brewput-completion-bash brewput-completion-fish " +
		"brewput-completion-powershell brewput-completion-zsh brewput-explain brewput-gate brewput-run brewput-version"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the pages are %s; want %s", got, want)
	}

	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff: manual pages are not checked by it")
	}
	for _, file := range files {
		out, err := exec.Command(groff, "-man", "-Tascii", "-ww", "-rLL=80n", "-P-cbou", file).CombinedOutput()
		page := string(out)
		if err != nil || strings.Contains(page, "groff:") || strings.Contains(page, "warning") {
			t.Errorf("%s: %v\n%s", file, err, page)
		}
		if filepath.Base(file) == "brewput-gate.1" {
			for _, part := range []string{"0  pass: every", "--output DIR", ".so DIR or 'DIR'", "It's .a \\ of gate"} {
				if !strings.Contains(page, part) {
					t.Errorf("%s has no %q:\n%s", file, part, page)
				}
			}
		}
	}
}
