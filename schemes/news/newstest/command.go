package newstest

import (
	"slices"
	"strings"

	"example.org/deref/schemes/internal/loopback"
	"example.org/deref/schemes/internal/wildmat"
)

// verb is what a command does with its arguments.
type verb func(x *session, args []string)

// command answers one line.
func (x *session) command(line string) {
	args := strings.Fields(line)
	if len(args) == 0 {
		x.reply(501, "Say something")
		return
	}
	name := strings.ToUpper(args[0])
	args = args[1:]
	switch name {
	case "MODE", "LIST", "AUTHINFO", "COMPRESS":
		if len(args) > 0 && (name != "LIST" || known(strings.ToUpper(args[0]))) {
			name, args = name+" "+strings.ToUpper(args[0]), args[1:]
		}
	}
	if x.faulty(name) {
		return
	}
	do := always(name)
	if do == nil {
		do = reading(name)
		if do != nil && !x.reader {
			x.reply(x.notReader(), "MODE-READER")
			return
		}
	}
	if do == nil || x.leftOut(name) {
		x.reply(500, "Unknown command")
		return
	}
	do(x, args)
}

func known(list string) bool {
	return list == "ACTIVE" || list == "COUNTS" || list == "NEWSGROUPS" || list == "OVERVIEW.FMT"
}

func (x *session) notReader() int {
	if x.o.OldTransit {
		return 480
	}
	return 401
}

// always lists the verbs of either mode.
func always(name string) verb {
	switch name {
	case "CAPABILITIES":
		return (*session).cmdCAPABILITIES
	case "MODE READER":
		return (*session).cmdMODE
	case "STARTTLS":
		return (*session).cmdSTARTTLS
	case "AUTHINFO USER":
		return (*session).cmdUSER
	case "AUTHINFO PASS":
		return (*session).cmdPASS
	case "AUTHINFO SASL":
		return (*session).cmdSASL
	case "COMPRESS DEFLATE":
		return (*session).cmdCOMPRESS
	case "QUIT":
		return (*session).cmdQUIT
	}
	return nil
}

// reading lists the verbs of readers.
func reading(name string) verb {
	switch name {
	case "GROUP":
		return (*session).cmdGROUP
	case "LISTGROUP":
		return (*session).cmdLISTGROUP
	case "ARTICLE":
		return (*session).cmdARTICLE
	case "HEAD":
		return (*session).cmdHEAD
	case "BODY":
		return (*session).cmdBODY
	case "STAT":
		return (*session).cmdSTAT
	case "OVER":
		return (*session).cmdOVER
	case "XOVER":
		return (*session).cmdOVER
	case "HDR":
		return (*session).cmdHDR
	case "XHDR":
		return (*session).cmdXHDR
	case "LIST", "LIST ACTIVE":
		return (*session).cmdACTIVE
	case "LIST COUNTS":
		return (*session).cmdCOUNTS
	case "LIST NEWSGROUPS":
		return (*session).cmdNEWSGROUPS
	case "LIST OVERVIEW.FMT":
		return (*session).cmdFMT
	case "NEWNEWS":
		return (*session).cmdNEWNEWS
	case "POST":
		return (*session).cmdPOST
	}
	return nil
}

// leftOut reports whether the Options take the verb away.
func (x *session) leftOut(name string) bool {
	switch name {
	case "CAPABILITIES":
		return x.o.NoCapabilities || x.o.OldTransit
	case "COMPRESS DEFLATE":
		return !x.o.Compress
	}
	return slices.Contains(x.o.Lacks, name)
}

func (x *session) cmdCAPABILITIES([]string) {
	lines := []string{"VERSION 2", "IMPLEMENTATION newstest"}
	if !x.reader {
		lines = append(lines, "IHAVE", "MODE-READER")
	} else {
		lines = append(lines, "READER", "LIST ACTIVE COUNTS NEWSGROUPS OVERVIEW.FMT")
		for _, c := range []struct {
			on   bool
			line string
		}{{!x.leftOut("OVER"), "OVER"}, {!x.leftOut("HDR"), "HDR"}, {!x.leftOut("NEWNEWS"), "NEWNEWS"}, {x.o.Posting, "POST"}, {x.o.Compress && x.flat == nil, "COMPRESS DEFLATE"}} {
			if c.on {
				lines = append(lines, c.line)
			}
		}
		lines = append(lines, x.loginLines()...)
	}
	x.reply(101, "Capability list:")
	x.text([]byte(strings.Join(lines, "\r\n") + "\r\n"))
}

// cmdMODE is answered by the greeting of another server, who never sees what came before.
func (x *session) cmdMODE([]string) {
	if !x.reader {
		loopback.DropInput(x.c, x.r)
	}
	x.reader = true
	code := 201
	if x.o.Posting {
		code = 200
	}
	x.reply(code, "newstest ready for readers")
}

func (x *session) cmdQUIT([]string) {
	x.reply(205, "Goodbye")
	x.done = true
}

// mayRead reports whether the user may see a group.
func (x *session) mayRead(name string) bool {
	return x.user != "" || x.o.Private == "" || !wildmat.Match(x.o.Private, name)
}
