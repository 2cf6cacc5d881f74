package main

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

func TestFuture(t *testing.T) {
	now := time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC)
	for phrase, want := range map[string]string{
		"six weeks from today": "2026-03-14", "Six  Weeks from TODAY": "2026-03-14",
		"6 weeks after today": "2026-03-14", "in six weeks": "2026-03-14",
		"a day from tomorrow": "2026-02-02", "twenty-one days ago": "2026-01-10",
		"ninety nine days from 2026-01-01": "2026-04-10", "today": "2026-01-31", "yesterday": "2026-01-30",
		"one month from today": "2026-02-28", "thirteen months from today": "2027-02-28",
		"a year before 29 February 2028": "2027-02-28", "0 days from today": "2026-01-31",
		"two years from March 1, 2026": "2028-03-01", "1 month before 31.03.2028": "2028-02-29",
		"an year from today": "2027-01-31",
	} {
		got, err := future(phrase, now)
		if err != nil || got.Format("2006-01-02") != want {
			t.Errorf("%s: %v, %v; want %s", phrase, got, err, want)
		}
	}
	for phrase, says := range map[string]string{
		"": "is no day", "weeks from today": "how far", "six from today": "how far",
		"six parsecs from today": "no unit", "sixty-ten days ago": "no number", "six weeks from": "is no day",
		"six weeks ago today": "nothing can follow", "-1 days from today": "not between",
		"99999999 days ago": "not between", "soon": "six weeks from today",
		"six weeks from 2026-02-30": "is no day",
	} {
		if got, err := future(phrase, now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v", phrase, got, err)
		}
	}
}

// TestThereAndBack checks that adding and then subtracting days returns to the same day.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "now"), 0).UTC()
		n := rapid.StringMatching(`[0-9]{1,4}`).Draw(t, "n")
		there, err := future(n+" days from today", now)
		if err != nil {
			t.Fatal(err)
		}
		back, err := future(n+" days before "+there.Format("2006-01-02"), now)
		if err != nil || back.Format(time.DateOnly) != now.Format(time.DateOnly) {
			t.Fatalf("%v, %v", back, err)
		}
	})
}
