package flags

// Suggestion returns a hint at the known word with the smallest edit distance to word. It returns "" if too many letters differ.
func Suggestion(word string, known []string) (hint string) {
	least := 2 + len(word)/4
	for _, k := range known {
		if d := distance(word, k); d < least {
			hint, least = k+" is the most similar one", d
		}
	}
	return hint
}

// distance returns the Levenshtein distance: the number of bytes to change, insert or delete.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := left
			if a[i] != b[j] {
				change++
			}
			left = row[j+1]
			row[j+1] = min(change, row[j]+1, left+1)
		}
	}
	return row[len(b)]
}
