package decimal

import (
	"math"
	"testing"
	"time"
)

// TestFormats checks rounding, zeros and numbers that are not finite.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Digits(1.995, 3), "2.00"}, {Digits(99.99, 3), "100"}, {Digits(1234, 3), "1234"},
		{Digits(-0.0123, 2), "-0.012"}, {Digits(0, 3), "0"}, {Digits(2.5e6, 2), "2.5e+06"}, {Digits(1e-7, 3), "1e-07"},
		{Ratio(1.0123), "1.012"}, {Ratio(0.9006), "0.901"}, {Ratio(0.9004), "0.90"}, {Ratio(0.5), "0.50"},
		{Ratio(0.0994), "0.0994"}, {Ratio(1.0996), "1.10"}, {Ratio(1.994), "1.99"}, {Ratio(9.996), "10.0"},
		{Ratio(43.04), "43.0"}, {Ratio(512.3), "512"}, {Ratio(5e6), "5e+06"}, {Ratio(0), "0"},
		{Ratio(math.Inf(1)), "∞"}, {Ratio(math.NaN()), "?"},
		{Percent(0, 2), "0%"}, {Percent(0.00012, 2), "0.012%"}, {Percent(0.001, 2), "0.1%"},
		{Percent(0.0123, 2), "1.2%"}, {Percent(0.02, 3), "2%"},
		{Percent(0.0994, 2), "9.9%"}, {Percent(0.0995, 2), "10%"}, {Percent(1.5, 2), "150%"},
		{Percent(1, 3), "100%"}, {Percent(math.NaN(), 3), "unavailable"},
		{WholePercent(0.0049), "0.5%"}, {WholePercent(0), "0%"}, {WholePercent(0.015), "2%"},
		{WholePercent(1.5), "150%"}, {WholePercent(math.NaN()), "unavailable"},
		{Change(-0.1234), "-12.3%"}, {Change(0.9949), "+99.5%"}, {Change(0.00001), "0%"}, {Change(-0.00001), "0%"},
		{Change(0.0123), "+1.23%"},
		{RoundedUp(100 * time.Millisecond), "1s"}, {RoundedUp(119 * time.Second), "119s"},
		{RoundedUp(2 * time.Minute), "2m"}, {RoundedUp(121 * time.Second), "3m"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
