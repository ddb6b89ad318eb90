package dicttest

import (
	"crypto/md5"
	"fmt"
	"io"
	"strings"

	"example.org/deref/schemes/internal/lineproto"
)

// msgID ends the greeting (RFC 2229 §3.1).
const msgID = "<1.2@dict.test>"

// A session serves one client.
type session struct {
	site
	o    *Options
	w    io.Writer
	in   bool // may look up words
	over bool
}

func (k *session) say(format string, args ...any) { fmt.Fprintf(k.w, format+"\r\n", args...) }

// command handles one line.
func (k *session) command(line string) {
	f := fields(line)
	if len(f) == 0 {
		k.say("500 syntax error")
		return
	}
	switch verb := strings.ToUpper(f[0]); {
	case verb == "QUIT":
		k.over = true
		k.say("221 bye")
	case verb == "CLIENT" && k.o.Strict:
		k.say("500 what is that?")
	case verb == "CLIENT":
		k.say("250 ok")
	case verb == "AUTH" && len(f) == 3:
		k.auth(f[1], f[2])
	case verb == "STATUS":
		k.say("210 all is well")
	case verb == "HELP":
		k.text("113 help follows", "DEFINE database word\nMATCH database strategy word\nSHOW DB\nQUIT\n")
	case !k.in:
		k.say("530 access denied")
	case verb == "DEFINE" && len(f) == 3:
		k.define(f[1], f[2])
	case verb == "MATCH" && len(f) == 4:
		k.match(f[1], f[2], f[3])
	case verb == "SHOW" && len(f) > 1:
		k.show(strings.ToUpper(f[1]), f[2:])
	default:
		k.say("501 syntax error, or no such command")
	}
}

func (k *session) auth(user, digest string) {
	secret, known := k.o.Users[user]
	if !known || digest != fmt.Sprintf("%x", md5.Sum([]byte(msgID+secret))) {
		k.say("531 access denied")
		return
	}
	k.in = true
	k.say("230 welcome, %s", user)
}

func (k *session) show(what string, f []string) {
	switch {
	case what == "DB" || what == "DATABASES":
		list := k.databases()
		k.say("110 %d databases present", len(list))
		for _, name := range list {
			k.say("%s %s", lineproto.QuoteString(name), lineproto.QuoteString("the folder "+name))
		}
		k.end()
	case what == "STRAT" || what == "STRATEGIES":
		k.text("111 3 strategies available", "exact \"the word itself\"\nprefix \"how it begins\"\nsubstring \"anywhere in it\"\n")
	case what == "SERVER":
		k.text("114 server information", "dicttest\n")
	case what == "INFO" && len(f) == 1 && k.has(f[0]):
		k.text("112 information", "The files of the folder "+f[0]+".\n")
	case what == "INFO" && len(f) == 1:
		k.say("550 no such database")
	default:
		k.say("501 that cannot be shown")
	}
}

func (k *session) define(database, word string) {
	found, ok := k.find(database, "exact", word)
	if !k.check(found, ok) {
		return
	}
	k.say("150 %d definitions retrieved", len(found))
	for _, e := range found {
		k.text(fmt.Sprintf("151 %s %s %s", lineproto.QuoteString(e.word), lineproto.QuoteString(e.database), lineproto.QuoteString("the folder "+e.database)), k.read(e))
	}
	k.say("250 ok")
}

func (k *session) match(database, strategy, word string) {
	if !strings.Contains(" . exact prefix substring ", " "+strategy+" ") {
		k.say("551 no such strategy")
		return
	}
	found, ok := k.find(database, strategy, word)
	if !k.check(found, ok) {
		return
	}
	k.say("152 %d matches found", len(found))
	for _, e := range found {
		k.say("%s %s", lineproto.QuoteString(e.database), lineproto.QuoteString(e.word))
	}
	k.end()
}

// check rejects databases that do not exist.
func (k *session) check(found []entry, ok bool) bool {
	switch {
	case !ok:
		k.say("550 no such database")
	case len(found) == 0:
		k.say("552 no match")
	}
	return ok && len(found) > 0
}

// text sends a reply with a text after it. After 151 the final 250 follows later.
func (k *session) text(reply, text string) {
	k.say("%s", reply)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, ".") {
			line = "." + line
		}
		k.say("%s", line)
	}
	if strings.HasPrefix(reply, "151") {
		k.say(".")
		return
	}
	k.end()
}

func (k *session) end() { k.say(".\r\n250 ok") }

// fields parses the strings of a command.
func fields(line string) (list []string) {
	for line != "" {
		var s string
		s, line = lineproto.CutString(line)
		list = append(list, s)
	}
	return list
}
