package newstest

import (
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// A verb carries out a command with its arguments.
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
	case "MODE", "LIST", "AUTHINFO":
		if len(args) > 0 {
			name, args = name+" "+strings.ToUpper(args[0]), args[1:]
		}
	}
	if x.faulty(name) {
		return
	}
	do := x.always(name)
	if do == nil {
		do = reading(name)
		if do != nil && !x.reader {
			x.reply(x.notReader(), "MODE-READER")
			return
		}
	}
	switch {
	case do != nil && !x.leftOut(name):
		do(x, args)
	case strings.Contains(name, " "): // RFC 3977 section 3.2.1: an unknown variant of a known command
		x.reply(501, "Unknown variant of the command")
	default:
		x.reply(500, "Unknown command")
	}
}

func (x *session) notReader() int {
	if x.o.OldTransit {
		return 480
	}
	return 401
}

// always returns the verbs of both modes. HEAD and STAT are mandatory in both (RFC 3977 section 5), but older servers refuse them.
func (x *session) always(name string) verb {
	switch name {
	case "HEAD", "STAT":
		if x.o.OldTransit {
			return nil
		}
		return reading(name)
	}
	return map[string]verb{
		"DATE": (*session).cmdDATE, "HELP": (*session).cmdHELP, "CAPABILITIES": (*session).cmdCAPABILITIES, "MODE READER": (*session).cmdMODE,
		"STARTTLS": (*session).cmdSTARTTLS, "AUTHINFO USER": (*session).cmdUSER, "AUTHINFO PASS": (*session).cmdPASS,
		"AUTHINFO SASL": (*session).cmdSASL, "QUIT": (*session).cmdQUIT,
	}[name]
}

// reading returns the verbs for readers.
func reading(name string) verb {
	return map[string]verb{
		"GROUP": (*session).cmdGROUP, "LISTGROUP": (*session).cmdLISTGROUP, "ARTICLE": (*session).cmdARTICLE, "HEAD": (*session).cmdHEAD,
		"BODY": (*session).cmdBODY, "STAT": (*session).cmdSTAT, "NEXT": (*session).cmdNEXT, "LAST": (*session).cmdLAST,
		"OVER": (*session).cmdOVER, "XOVER": (*session).cmdOVER, "HDR": (*session).cmdHDR, "XHDR": (*session).cmdXHDR,
		"LIST": (*session).cmdACTIVE, "LIST ACTIVE": (*session).cmdACTIVE, "LIST COUNTS": (*session).cmdCOUNTS,
		"LIST NEWSGROUPS": (*session).cmdNEWSGROUPS, "LIST OVERVIEW.FMT": (*session).cmdFMT, "LIST HEADERS": (*session).cmdHEADERS,
		"NEWGROUPS": (*session).cmdNEWGROUPS, "NEWNEWS": (*session).cmdNEWNEWS, "POST": (*session).cmdPOST,
	}[name]
}

// leftOut reports whether the Options remove the verb.
func (x *session) leftOut(name string) bool {
	switch name {
	case "CAPABILITIES":
		return x.o.NoCapabilities || x.o.OldTransit
	case "LIST HEADERS": // of the capability HDR
		return x.leftOut("HDR")
	}
	return slices.Contains(x.o.Lacks, name)
}

// cmdMODE sends the greeting of another server, which never sees the commands before it.
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
	return x.user != "" || x.o.Private == "" || !lineproto.MatchWildmat(x.o.Private, name)
}
