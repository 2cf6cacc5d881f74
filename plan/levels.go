package plan

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxLevels is the largest number of levels of a factor, and of steps of a range.
const MaxLevels = 10_000

// Choice is the selection of levels for a factor. Exactly one field is set.
type Choice struct {
	Levels []Level // distinct levels, in the order of the sweep
	Follow string  // name of an earlier factor whose level this factor has at each point
}

// Parse reads an expression such as "1,2,4", "1..6" or "cpus". Levels keep their order, and duplicates are dropped.
//
//	expr   = name | item { "," item }
//	item   = level | level ".." level [ step ]
//	step   = ":+" level | ":x" number
//
// A name is one of others, the factors before this one. The default step of whole numbers is 1. A range of durations or
// other numbers needs a step, and words have no ranges. A range includes its end if a step reaches it. Decimals are
// exact, so 0.4..1.1:+0.1 ends with 1.1. A multiplied range of whole numbers or durations rounds its levels to the
// nearest whole number or nanosecond.
//
// The error is a [Refusal] with the quoted expression as its level.
func (f Factor) Parse(expr string, others []string) (Choice, error) {
	c, err := f.parse(expr, others)
	if err != nil {
		return Choice{}, &Refusal{Field: f.Name, Value: strconv.Quote(expr), Reason: err.Error(), Err: err}
	}
	return c, nil
}

// parse is Parse without the name of the factor in errors.
func (f Factor) parse(expr string, others []string) (Choice, error) {
	expr = strings.TrimSpace(expr)
	// One of the factor's own words takes precedence over a factor of that name.
	if slices.Contains(others, expr) && !slices.Contains(f.Words, expr) && !f.Path {
		return Choice{Follow: expr}, nil
	}
	if f.Kind != Text && isName(expr) {
		return Choice{}, fmt.Errorf("it is neither a %v nor an earlier factor%s; give %s",
			f.Kind, didYouMean(expr, others), f.example())
	}

	var levels []Level
	seen := map[Level]bool{}
	for item := range strings.SplitSeq(expr, ",") {
		got, err := f.item(strings.TrimSpace(item), others)
		if err != nil {
			return Choice{}, err
		}
		for _, l := range got {
			if err := f.check(l); err != nil {
				return Choice{}, err
			}
			if !seen[l] {
				seen[l] = true
				levels = append(levels, l)
			}
		}
		if len(levels) > MaxLevels {
			return Choice{}, tooMany()
		}
	}
	return Choice{Levels: levels}, nil
}

// tooMany returns the error of more than MaxLevels levels.
func tooMany() error {
	return fmt.Errorf("more than %d levels; give fewer, or a larger step such as :x2", MaxLevels)
}

// item reads a level or a range. It does not check the factor's range.
func (f Factor) item(text string, others []string) ([]Level, error) {
	if text == "" {
		return nil, fmt.Errorf("a level is missing; give %s", f.example())
	}
	if f.Kind == Text {
		return []Level{TextLevel(text)}, nil
	}
	if slices.Contains(others, text) {
		return nil, fmt.Errorf("a factor to follow must be the only entry; give %s, or levels", text)
	}

	first, rest, isRange := strings.Cut(text, "..")
	if !isRange {
		l, err := f.number(text)
		return []Level{l}, err
	}

	last, step, hasStep := strings.Cut(rest, ":")
	if first == "" || last == "" {
		return nil, fmt.Errorf("the range %s needs both ends; give %s", text, f.example())
	}
	from, err := f.number(first)
	if err != nil {
		return nil, err
	}
	to, err := f.number(last)
	if err != nil {
		return nil, err
	}
	if from.rat().Cmp(to.rat()) > 0 {
		return nil, fmt.Errorf("the range %s is empty; give the smaller end first, as %s..%s", text, last, first)
	}

	if !hasStep {
		if f.Kind != Int {
			return nil, fmt.Errorf("a range of %vs needs a step; give %s:+STEP to add or %s:xFACTOR to "+
				"multiply, as in %s",
				f.Kind, text, text, f.example())
		}
		step = "+1"
	}
	return f.steps(from, to, step)
}

// number reads one level of a numeric kind. It does not check the factor's range.
func (f Factor) number(text string) (Level, error) {
	switch f.Kind {
	case Int:
		if leadingZero(text) || text == "-0" {
			return Level{}, fmt.Errorf("%q has leading zeros or a sign; write it in decimal digits alone; give %s",
				text, f.example())
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return Level{}, fmt.Errorf("%s is too large; give at most %d", text, math.MaxInt64)
		}
		return Level{kind: Int, n: n}, f.not(text, err)
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return Level{}, f.notDuration(text, err)
		}
		if d == 0 && strings.HasPrefix(text, "-") {
			return Level{}, fmt.Errorf("%q has a sign; write 0s; give %s", text, f.example())
		}
		return DurationLevel(d), nil
	default:
		// ParseFloat also reads hexadecimal numbers, Inf and NaN, which are refused below.
		x, err := strconv.ParseFloat(text, 64)
		if errors.Is(err, strconv.ErrRange) || err == nil && (math.IsInf(x, 0) || math.IsNaN(x)) {
			return Level{}, fmt.Errorf("%s is not finite; give %s", text, f.example())
		}
		if err == nil && strings.Trim(text, "0123456789+-.eE") != "" {
			err = strconv.ErrSyntax
		}
		if err == nil && (leadingZero(text) || x == 0 && strings.HasPrefix(text, "-")) {
			return Level{}, fmt.Errorf("%q has leading zeros or a sign; write it in decimal digits; give %s", text,
				f.example())
		}
		return FloatLevel(x), f.not(text, err)
	}
}

// leadingZero reports whether a number starts with a plus sign, or with a zero that other programs read as base 8.
// A minus sign is not reported: the range of the factor decides.
func leadingZero(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return strings.HasPrefix(text, "+") || len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9'
}

// not returns the error of text that is not of the factor's kind, or nil if err is nil.
func (f Factor) not(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q is not a %v; give %s", text, f.Kind, f.example())
}

// notDuration returns the error of text that is not a duration. Unlike package time, it distinguishes a missing unit
// and an overflow from other mistakes.
func (f Factor) notDuration(text string, err error) error {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Errorf("%s has no unit; give %sms or %ss", text, text, text)
	}

	// The duration overflows if the same text with all digits 0 parses.
	zeros := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, text)
	if _, err := time.ParseDuration(zeros); err == nil {
		return fmt.Errorf("%s is too long; give at most %v", text, time.Duration(math.MaxInt64).Truncate(time.Hour))
	}
	return f.not(text, err)
}

// steps returns the levels from..to by a step such as "+1" or "x2".
func (f Factor) steps(from, to Level, step string) ([]Level, error) {
	switch {
	case strings.HasPrefix(step, "+"):
		by, err := f.number(step[1:])
		if err != nil {
			return nil, fmt.Errorf("the step :%s: %w", step, err)
		}
		if by.rat().Sign() <= 0 {
			return nil, fmt.Errorf("the step :%s must be above 0", step)
		}
		if span := new(big.Rat).Sub(to.rat(), from.rat()); span.Quo(span, by.rat()).Cmp(big.NewRat(MaxLevels, 1)) >= 0 {
			return nil, tooMany()
		}
		return f.walk(from, to, func(x *big.Rat) { x.Add(x, by.rat()) })
	case strings.HasPrefix(step, "x"):
		by, err := Factor{Kind: Float}.number(step[1:])
		if err != nil {
			return nil, fmt.Errorf("the factor :%s: %w", step, err)
		}
		if by.f <= 1 {
			return nil, fmt.Errorf("the factor :%s must be above 1, such as :x2", step)
		}
		if from.rat().Sign() <= 0 {
			return nil, fmt.Errorf("a range that is multiplied must start above 0, not at %v; give 0 apart, "+
				"as in 0,1..1024:x2", from)
		}
		low, _ := from.rat().Float64()
		high, _ := to.rat().Float64()
		if (math.Log(high)-math.Log(low))/math.Log(by.f) > 1.1*MaxLevels { // walk decides near the limit
			return nil, tooMany()
		}
		return f.walk(from, to, func(x *big.Rat) { x.Mul(x, by.rat()) })
	default:
		return nil, fmt.Errorf("the step :%s is neither :+STEP to add nor :xFACTOR to multiply; give %s", step,
			f.example())
	}
}

// walk collects the levels from..to. It computes with rational numbers, because typed decimals are not exact in binary
// floating point.
func (f Factor) walk(from, to Level, next func(*big.Rat)) ([]Level, error) {
	var levels []Level
	end := to.rat()
	for x := from.rat(); x.Cmp(end) <= 0; next(x) {
		if len(levels) == MaxLevels {
			return nil, tooMany()
		}
		levels = append(levels, f.nearest(x))
		bound(x)
	}
	return levels, nil
}

// bound rounds a fraction that repeated multiplication made long, so that a walk takes bounded time. A typed end has at
// most 17 digits and an exponent within 330, which is under 1200 bits. A fraction of more than 2048 bits is therefore
// not an end, and rounding cannot miss one.
func bound(x *big.Rat) {
	if x.Num().BitLen() > 2048 || x.Denom().BitLen() > 2048 {
		new(big.Float).SetPrec(1024).SetRat(x).Rat(x)
	}
}

// rat returns a numeric level as an exact fraction, a duration in nanoseconds. A Float level becomes the decimal that
// was typed, not its binary approximation.
func (l Level) rat() *big.Rat {
	if l.kind != Float {
		return new(big.Rat).SetInt64(l.n)
	}
	x, _ := new(big.Rat).SetString(strconv.FormatFloat(l.f, 'e', -1, 64))
	return x
}

// nearest returns the level of the factor's kind that is nearest to x. Halves are rounded up.
func (f Factor) nearest(x *big.Rat) Level {
	if f.Kind == Float {
		v, _ := x.Float64()
		return FloatLevel(v)
	}
	// floor(x + 1/2) = floor((2 num + denom) / (2 denom)), and Div rounds down because denom > 0.
	num := new(big.Int).Lsh(x.Num(), 1)
	num.Add(num, x.Denom())
	return Level{kind: f.Kind, n: num.Div(num, new(big.Int).Lsh(x.Denom(), 1)).Int64()}
}
