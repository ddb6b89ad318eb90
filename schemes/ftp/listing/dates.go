package listing

import (
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// months has the names of the months in English and other languages of servers, each month on a line. A name that two languages use for
// different months is not in the list ("jui" is short for both juin and juillet).
const months = `jan january januar janv ene gen jän sau sty tammi янв
feb february februar fév févr fev fevr fbro vas lut helmi фев
mar march mär märz mrz mars maa mrt mrs mzo kov maalis мар
apr april avr avril abr ab bal kwi huhti апр
may mai mei maj mag maí geg touko май мая
jun june juni juin giu jún bir cze kesä июн
jul july juli juil lug júl lie lip heinä июл
aug august août aoû aou aout ago agto avg ág rgp sie elo авг
sep sept september set szept sbre rgs wrz syys сен
oct october oktober okt ott out obre spa paz paź loka окт
nov november nóv nbre lap lis marras ноя
dec december dezember dez déc dic des dbre grd gru joulu дек`

// monthNames returns the months by their names in UTF-8, ISO 8859-1 and Windows-1251.
func monthNames() map[string]time.Month {
	names := map[string]time.Month{}
	for _, set := range []encoding.Encoding{encoding.Nop, charmap.ISO8859_1, charmap.Windows1251} {
		for i, line := range strings.Split(months, "\n") {
			for name := range strings.FieldsSeq(line) {
				if name, err := set.NewEncoder().String(name); err == nil {
					names[name] = time.Month(i + 1)
				}
			}
		}
	}
	return names
}

// monthOf returns the month that a name means, and 0 if it means none.
func (p *parser) monthOf(s string) time.Month {
	s = strings.TrimRight(s, ".,")
	if utf8.ValidString(s) {
		return p.months[strings.ToLower(s)]
	}
	return p.months[lower(s)]
}

// lower turns A to Z into lower case. The other bytes need not be UTF-8 and are unchanged.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// clock parses HH:MM or HH:MM:SS, which may be followed by fractions and by AM or PM. It records how exact that is.
func (p *parser) clock(s string) (h, m, sec int, ok bool) {
	upper := strings.ToUpper(s)
	pm := strings.HasSuffix(upper, "PM") || strings.HasSuffix(upper, "P")
	am := strings.HasSuffix(upper, "AM") || strings.HasSuffix(upper, "A")
	s = strings.TrimRight(upper, "APM ")
	hh, rest, _ := strings.Cut(s, ":")
	mm, ss, hasSec := strings.Cut(rest, ":")
	if h, ok = small(hh, 0, 24); !ok {
		return
	}
	if m, ok = small(mm, 0, 59); !ok || h == 24 && m > 0 { // 24:00 is the end of the day (ISO 8601)
		return 0, 0, 0, false
	}
	if hasSec {
		ss, _, _ = strings.Cut(ss, ".")
		if sec, ok = small(ss, 0, 60); !ok {
			return
		}
	}
	switch {
	case (am || pm) && h > 12: // QUIRK: some servers write "00:15AM"
		return 0, 0, 0, false
	case am && h == 12:
		h = 0
	case pm && h < 12:
		h += 12
	}
	if p.exact = time.Minute; hasSec {
		p.exact = time.Second
	}
	return h, m, sec, true
}

// dateOf returns a time, in UTC. It returns the zero time if the day does not exist.
func dateOf(y int, mo time.Month, d, h, m, s int) time.Time {
	if t := time.Date(y, mo, d, 0, 0, 0, 0, time.UTC); t.Day() != d || t.Month() != mo {
		return time.Time{}
	}
	return time.Date(y, mo, d, h, m, s, 0, time.UTC)
}

// recent returns the time for a date without a year: the latest that is not in the future. One day in the future is allowed, since
// the server's clock may be in another zone.
func (p *parser) recent(mo time.Month, d, h, m int) time.Time {
	if p.o.Now.IsZero() {
		return time.Time{}
	}
	p.exact = time.Minute
	limit := p.o.Now.Add(24 * time.Hour)
	for y := limit.UTC().Year(); y > limit.Year()-9; y-- { // 29 February may be eight years ago
		if t := dateOf(y, mo, d, h, m, 0); !t.IsZero() && !t.After(limit) {
			return t
		}
	}
	return time.Time{}
}

// year parses four digits, two as Windows servers print them, or three, which count from 1900, as OS/2's do since 2000.
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

// anyOrder parses a date and a time between which the day of the week may be, if the order of the date's numbers depends on the server's settings:
// "02/23/00 12:00:00", "23/02/00 Wed. 12:00:00", "00/02/23 12:00:00". Of the possible days, those in the future and those that are not day do not
// count. If more than one is left, it returns the zero time: no date is better than a wrong one. ok reports whether there are any.
//
// QUIRK: with full stops it is DD.MM.YY (OS/400 listings in the tests of FileZilla and Commons Net).
func (p *parser) anyOrder(date, day string) (t time.Time, ok bool) {
	words := strings.Fields(date)
	if len(words) == 0 {
		return t, false
	}
	text := strings.ReplaceAll(words[0], "-", "/") + " " + words[len(words)-1]
	found := map[time.Time]bool{}
	for _, layout := range [...]string{"1/2/06", "2/1/06", "06/1/2", "1/2/2006", "2/1/2006", "2006/1/2", "2.1.06", "2.1.2006", "2006.1.2"} {
		at, err := time.Parse(layout+" 15:04:05", text)
		if err != nil {
			continue
		}
		ok = true
		if (p.o.Now.IsZero() || !at.After(p.o.Now.Add(24*time.Hour))) && (day == "" || strings.EqualFold(at.Weekday().String()[:3], day)) {
			t, found[at] = at, true
		}
	}
	if len(found) > 1 {
		t = time.Time{}
	}
	return t, ok
}
