package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// future returns the day that a phrase such as "six weeks from today" describes, at midnight in the location of now.
// One month after 31 January is the last day of February, as in contracts. With package time it would be a day in
// March.
func future(phrase string, now time.Time) (time.Time, error) {
	words := strings.Fields(strings.ToLower(phrase))
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	if i := slices.IndexFunc(words, func(w string) bool {
		return w == "from" || w == "after" || w == "before" ||
			w == "ago"
	}); i >= 0 {
		direction, start := 1, words[i+1:]
		if words[i] == "before" || words[i] == "ago" {
			direction = -1
		}
		if words[i] == "ago" {
			if len(start) > 0 {
				return time.Time{}, fmt.Errorf("%q: nothing can follow ago", phrase)
			}
			start = []string{"today"}
		}
		day, err := anchor(start, today)
		if err != nil {
			return time.Time{}, fmt.Errorf("%q: %w", phrase, err)
		}
		return step(phrase, words[:i], day, direction)
	}
	if len(words) > 1 && words[0] == "in" {
		return step(phrase, words[1:], today, 1)
	}
	day, err := anchor(words, today)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: %w; write a phrase such as six weeks from today", phrase, err)
	}
	return day, nil
}

// anchor returns the day from which the phrase counts.
func anchor(words []string, today time.Time) (time.Time, error) {
	text := strings.Join(words, " ")
	switch text {
	case "today", "now":
		return today, nil
	case "tomorrow":
		return today.AddDate(0, 0, 1), nil
	case "yesterday":
		return today.AddDate(0, 0, -1), nil
	}
	for _, format := range []string{"2006-01-02", "2006/01/02", "02.01.2006", "2 January 2006", "January 2, 2006",
		"2 Jan 2006"} {
		if d, err := time.ParseInLocation(format, text, today.Location()); err == nil {
			return d, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no day; use today, tomorrow, yesterday or a date such as 2026-03-01", text)
}

// step adds a number and a unit to a day, or subtracts them if direction is -1.
func step(phrase string, words []string, day time.Time, direction int) (time.Time, error) {
	if len(words) < 2 {
		return time.Time{}, fmt.Errorf("%q: how far? write a number and days, weeks, months or years", phrase)
	}
	n, err := number(words[:len(words)-1])
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: %w", phrase, err)
	}
	n *= direction
	switch unit := words[len(words)-1]; strings.TrimSuffix(unit, "s") {
	case "day":
		return day.AddDate(0, 0, n), nil
	case "week":
		return day.AddDate(0, 0, 7*n), nil
	case "month":
		return months(day, n), nil
	case "year":
		return months(day, 12*n), nil
	default:
		return time.Time{}, fmt.Errorf("%q: %s is no unit; use days, weeks, months or years", phrase, unit)
	}
}

// months adds n months. If that month has fewer days, it returns its last day.
func months(day time.Time, n int) time.Time {
	first := day.AddDate(0, 0, 1-day.Day()).AddDate(0, n, 0)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}

// maxNumber is the largest number in a phrase.
const maxNumber = 1_000_000

// number parses a number such as "6", "six", "a", "twenty-one" or "twenty one".
func number(words []string) (int, error) {
	text := strings.Join(words, " ")
	if n, err := strconv.Atoi(text); err == nil {
		if n < 0 || n > maxNumber {
			return 0, fmt.Errorf("%d is not between 0 and %d", n, maxNumber)
		}
		return n, nil
	}
	small := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
		"twelve", "thirteen", "fourteen", "fifteen",
		"sixteen", "seventeen", "eighteen", "nineteen"}
	tens := []string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
	if text == "a" || text == "an" {
		return 1, nil
	}
	if n := slices.Index(small, text); n >= 0 {
		return n, nil
	}
	ten, one, has := strings.Cut(strings.ReplaceAll(text, "-", " "), " ")
	t, o := slices.Index(tens, ten), slices.Index(small, one)
	if t < 0 || has && (o < 1 || o > 9) {
		return 0, fmt.Errorf("%q is no number; write digits, or words up to ninety-nine", text)
	}
	return 20 + 10*t + max(0, o), nil
}
