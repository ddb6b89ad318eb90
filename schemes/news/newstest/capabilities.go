package newstest

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// cmdCAPABILITIES lists the commands that command knows (RFC 3977 section 3.3).
func (x *session) cmdCAPABILITIES([]string) {
	lines := []string{"VERSION 2", "IMPLEMENTATION newstest"}
	if !x.reader {
		lines = append(lines, "MODE-READER")
	} else {
		lines = append(lines, "READER", x.lists())
		for _, line := range []string{"OVER MSGID", "HDR", "NEWNEWS"} {
			if verb, _, _ := strings.Cut(line, " "); !x.leftOut(verb) {
				lines = append(lines, line)
			}
		}
		if x.o.Posting {
			lines = append(lines, "POST")
		}
		lines = append(lines, x.loginLines()...)
	}
	x.reply(101, "Capability list:")
	x.text([]byte(strings.Join(lines, "\r\n") + "\r\n"))
}

// lists returns the capability LIST with the known keywords.
func (x *session) lists() string {
	line := "LIST"
	for _, word := range []string{"ACTIVE", "COUNTS", "HEADERS", "NEWSGROUPS", "OVERVIEW.FMT"} {
		if !x.leftOut("LIST " + word) {
			line += " " + word
		}
	}
	return line
}

// stamp is the form of a date and time in commands and in DATE (RFC 3977 sections 7.1 and 7.3).
const stamp = "20060102150405"

func (x *session) cmdDATE([]string) { x.reply(111, "%s", time.Now().UTC().Format(stamp)) }

// cmdHELP lists the commands of the session's mode.
func (x *session) cmdHELP([]string) {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(x.verbs())) {
		if (x.reader || x.always(name)) && !x.leftOut(name) && (name != "POST" || x.o.Posting) {
			text += name + "\r\n"
		}
	}
	x.reply(100, "Help text follows")
	x.text([]byte(text))
}
