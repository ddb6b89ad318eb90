package uri

// An enum is a type of numbered values, from 0 on, whose names are unique.
type enum interface {
	~uint8
	String() string
}

// nameIn returns the name of v. It returns "unknown" if v is not a value of its type.
func nameIn[T ~uint8](names []string, v T) string {
	if int(v) >= len(names) {
		return "unknown"
	}
	return names[v]
}

// allOf returns all n values of a type.
func allOf[T enum](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	return list
}

// parseName returns that of the n values of a type which has the name. It returns 0, false if there is none.
func parseName[T enum](name string, n int) (T, bool) {
	for v := range T(n) {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}
