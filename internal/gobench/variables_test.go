package gobench

import (
	"strings"
	"testing"
)

// TestVariables checks that invalid levels of GOGC and GOMEMLIMIT, and names that are taken, are refused.
func TestVariables(t *testing.T) {
	for text, want := range map[string]string{
		"GOGC=50,0,off":               "",
		"GOGC=-5":                     "a whole number of percent",
		"GOGC=100,abc":                `"abc" is no level of GOGC; give`,
		"GOGC=,100":                   "is no level of",
		"GOGC=1e2":                    "is no level of",
		"GOGC=3000000000":             "is no level of",
		"GOMEMLIMIT=off,1,2B,3KiB":    "",
		"GOMEMLIMIT=1MiB,2GiB,3TiB":   "",
		"GOMEMLIMIT=1GB":              "such as 512MiB, or off",
		"GOMEMLIMIT=0.5GiB":           "is no level of",
		"GOMEMLIMIT=-1":               "is no level of",
		"GOMEMLIMIT=GiB":              "is no level of",
		"GOMEMLIMIT=9000000TiB":       "is no level of",
		"GODEBUG=madvdontneed=1,none": "",
		"BEANS=-5,abc":                "",
		"CPU=1,2":                     "already has a key of that name",
		"Rev=a,b":                     "already has a key of that name",
		"GOFIPS140=off,latest":        "is read when the binary is built",
	} {
		_, err := ParseVariables([]string{text})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := ParseVariables([]string{"BEANS=1,2", "beans=3,4"}); err == nil {
		t.Error("two variables have one key in files")
	}
	for text, want := range map[string]string{"off": "off", "7": "7", "7B": "7", "1KiB": "1024", "512MiB": "536870912",
		"8388607TiB": "9223370937343148032"} {
		if got, ok := MemoryLimit(text); got != want || !ok {
			t.Errorf("%s is %s bytes, %v", text, got, ok)
		}
	}
}
