package cli

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/help"
)

// flagRow is a flag of one or more verbs, with one meaning.
type flagRow struct{ name, alias, meaning, value, verbs string }

// TestFlagTable checks that the tables of flags in the manual are those of the command. With -update it writes them.
func TestFlagTable(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "manual", "18-flags.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := flagRows()
	ambiguous := map[string]bool{}
	for _, r := range rows {
		ambiguous[r.name] = ambiguous[r.name] || r.alias != ""
	}
	want := text
	for heading, several := range map[string]bool{"## Names with several meanings": true,
		"## Names with one meaning": false} {
		want = replaceTable(t, want, heading, func(r flagRow) bool { return ambiguous[r.name] == several }, rows)
	}
	switch {
	case bytes.Equal(want, text):
	case flag.Lookup("update").Value.String() == "true":
		err = os.WriteFile(page, want, 0o644)
	default:
		err = fmt.Errorf("%s is out of date: go test ./internal/cli -run TestFlagTable -update", page)
	}
	if err != nil {
		t.Error(err)
	}
}

// flagRows returns the flags of all verbs, those with the same meaning once, by name.
func flagRows() []flagRow {
	at := map[flagRow]int{}
	var rows []flagRow
	for _, verb := range testRoot().Commands() {
		for _, set := range []*pflag.FlagSet{verb.LocalFlags(), verb.InheritedFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				_, meaning := pflag.UnquoteUsage(f)
				r := flagRow{f.Name, help.Alias(verb.Name(), f.Name), meaning, help.Default(f), ""}
				i, ok := at[r]
				switch {
				case f.Name == "help" || f.Hidden:
					return
				case !ok:
					i = len(rows)
					at[r], rows = i, append(rows, r)
					rows[i].verbs = verb.Name()
				default:
					rows[i].verbs += ", " + verb.Name()
				}
				if verb.HasParent() && verb.Root().PersistentFlags().Lookup(f.Name) != nil {
					rows[i].verbs = "all"
				}
			})
		}
	}
	slices.SortStableFunc(rows, func(a, b flagRow) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.verbs, b.verbs))
	})
	return rows
}

// replaceTable replaces the first table below a heading by one of the chosen rows.
func replaceTable(t *testing.T, page []byte, heading string, chosen func(flagRow) bool, rows []flagRow) []byte {
	before, rest, ok := strings.Cut(string(page), heading+"\n")
	head, rest, found := strings.Cut(rest, "\n|")
	if !ok || !found {
		t.Fatalf("no table below %q", heading)
	}
	_, after, found := strings.Cut(rest, "|\n\n")
	if !found {
		t.Fatalf("the table below %q has no end", heading)
	}
	var b strings.Builder
	several := slices.ContainsFunc(rows, func(r flagRow) bool { return chosen(r) && r.alias != "" })
	if several {
		b.WriteString("| flag | verbs | clearer name | meaning | default |\n|---|---|---|---|---|\n")
	} else {
		b.WriteString("| flag | verbs | default |\n|---|---|---|\n")
	}
	for _, r := range rows {
		if !chosen(r) {
			continue
		}
		fmt.Fprintf(&b, "| `--%s` | %s | ", r.name, r.verbs)
		if several {
			if r.alias != "" {
				fmt.Fprintf(&b, "`--%s` ", r.alias)
			}
			fmt.Fprintf(&b, "| %s | ", strings.ReplaceAll(r.meaning, "|", `\|`))
		}
		fmt.Fprintf(&b, "%s |\n", r.value)
	}
	return []byte(before + heading + "\n" + head + "\n" + b.String() + "\n" + after)
}
