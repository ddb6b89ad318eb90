package listing

import (
	"strings"
	"time"
)

// monthOf reads the name of a month in English, or in the languages that servers have been seen to speak.
func monthOf(s string) time.Month {
	switch lower(strings.TrimSuffix(s, ".")) {
	case "jan", "janv", "ene", "gen":
		return time.January
	case "feb", "fév", "févr", "f\xe9v", "f\xe9vr":
		return time.February
	case "mar", "mär", "m\xe4r", "mrz", "mars", "maa", "mrt":
		return time.March
	case "apr", "avr", "avril", "abr":
		return time.April
	case "may", "mai", "mei", "maj", "mag":
		return time.May
	case "jun", "juin", "giu":
		return time.June
	case "jul", "juil", "lug":
		return time.July
	case "aug", "août", "ao\xfbt", "aou", "ago":
		return time.August
	case "sep", "sept", "set":
		return time.September
	case "oct", "okt", "ott":
		return time.October
	case "nov":
		return time.November
	case "dec", "dez", "déc", "d\xe9c", "dic":
		return time.December
	}
	return 0
}

// lower turns A to Z into small letters and leaves all other octets alone, which need not be UTF-8.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// clock reads HH:MM, HH:MM:SS or with fractions, and with AM or PM behind.
func clock(s string) (h, m, sec int, ok bool) {
	upper := strings.ToUpper(s)
	pm := strings.HasSuffix(upper, "PM") || strings.HasSuffix(upper, "P")
	am := strings.HasSuffix(upper, "AM") || strings.HasSuffix(upper, "A")
	s = strings.TrimRight(upper, "APM ")
	hh, rest, _ := strings.Cut(s, ":")
	mm, ss, hasSec := strings.Cut(rest, ":")
	if h, ok = small(hh, 0, 23); !ok {
		return
	}
	if m, ok = small(mm, 0, 59); !ok || len(mm) != 2 {
		return 0, 0, 0, false
	}
	if hasSec {
		ss, _, _ = strings.Cut(ss, ".")
		if sec, ok = small(ss, 0, 60); !ok {
			return
		}
	}
	switch {
	case (am || pm) && (h == 0 || h > 12):
		return 0, 0, 0, h == 0 // QUIRK: "00:15AM" is seen
	case am && h == 12:
		h = 0
	case pm && h < 12:
		h += 12
	}
	return h, m, sec, true
}

// date makes a time, or none where the day does not exist.
func (p *parser) date(y int, mo time.Month, d, h, m, s int) time.Time {
	t := time.Date(y, mo, d, h, m, s, 0, p.o.Zone)
	if t.Day() != d || t.Month() != mo {
		return time.Time{}
	}
	return t
}

// recent makes a time of a date without a year: the latest that is not in the future. A day is granted for servers whose clock
// is in another zone.
func (p *parser) recent(mo time.Month, d, h, m int) time.Time {
	if p.o.Now.IsZero() {
		return time.Time{}
	}
	limit := p.o.Now.Add(24 * time.Hour)
	for y := limit.In(p.o.Zone).Year(); y > limit.Year()-9; y-- { // 29 February may be eight years ago
		if t := p.date(y, mo, d, h, m, 0); !t.IsZero() && !t.After(limit) {
			return t
		}
	}
	return time.Time{}
}

// year reads four digits, two as Windows servers print them, or three, which count from 1900, as OS/2's do since 2000.
func year(s string) (int, bool) {
	n := int(number(s))
	switch {
	case n < 0:
		return 0, false
	case len(s) == 4:
		return n, n >= 1900
	case len(s) == 3:
		return 1900 + n, n < 300
	case len(s) == 2 && n < 70:
		return 2000 + n, true
	case len(s) == 2:
		return 1900 + n, true
	}
	return 0, false
}
