package listing

import "strconv"

// field is a word of a line and its position.
type field struct {
	text       string
	start, end int
}

// maxFields is enough for every dialect. Names, which come last, may have any number of words.
const maxFields = 24

// fields appends the first words of a line to to.
func fields(line string, to []field) []field {
	for i := 0; i < len(line) && len(to) < maxFields; {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		to = append(to, field{line[start:i], start, i})
	}
	return to
}

// after returns what follows a field and exactly one blank: a name may begin with blanks of its own.
func after(line string, f field) string {
	if f.end+1 >= len(line) {
		return ""
	}
	return line[f.end+1:]
}

// number parses decimal digits. It returns -1 for anything else.
func number(s string) int64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// small parses one or two digits within bounds.
func small(s string, low, high int) (int, bool) {
	if len(s) == 0 || len(s) > 2 {
		return 0, false
	}
	n := int(number(s))
	return n, n >= low && n <= high
}

func attr(m map[string][]string, name, value string) map[string][]string {
	if value == "" {
		return m
	}
	if m == nil {
		m = map[string][]string{}
	}
	m[name] = append(m[name], value)
	return m
}
