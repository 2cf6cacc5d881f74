package explain

// Explain says what holds a program back, by rank.
func Explain(e *Evidence) Report {
	r := Report{Notes: e.Notes}
	r.Findings = []Finding{{Kind: "finding", Rank: 1, Name: TooLittle, Tier: TierA, Claim: "There is too little evidence to say anything.", Confidence: Low}}
	return r
}
