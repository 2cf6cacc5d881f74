package compare

// matchDesigns calls match design by design, because files may have 100,000 designs.
func (c Criteria) matchDesigns(a, b []Row) (matches []Match, onlyA, onlyB []Row) {
	of, used := map[string][]Row{}, map[key]bool{}
	for i := range b {
		of[b[i].Design] = append(of[b[i].Design], b[i])
	}

	for i := range a {
		found, alone, _ := c.match(a[i:i+1], of[a[i].Design])
		matches, onlyA = append(matches, found...), append(onlyA, alone...)
		for k := range found {
			used[rowKey(&found[k].B)] = true
		}
	}

	for i := range b {
		if !used[rowKey(&b[i])] {
			onlyB = append(onlyB, b[i])
		}
	}
	return matches, onlyA, onlyB
}
