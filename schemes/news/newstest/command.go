package newstest

import (
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// A verb carries out a command with its arguments.
type verb func(args []string)

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
	do := x.verbs()[name]
	switch {
	case do != nil && !x.reader && !x.always(name):
		x.reply(x.notReader(), "MODE-READER")
	case do != nil && !x.leftOut(name):
		do(args)
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

func (x *session) verbs() map[string]verb {
	return map[string]verb{
		"DATE": x.cmdDATE, "HELP": x.cmdHELP, "CAPABILITIES": x.cmdCAPABILITIES, "MODE READER": x.cmdMODE,
		"STARTTLS": x.cmdSTARTTLS, "AUTHINFO USER": x.cmdUSER, "AUTHINFO PASS": x.cmdPASS,
		"AUTHINFO SASL": x.cmdSASL, "QUIT": x.cmdQUIT,
		"GROUP": x.cmdGROUP, "LISTGROUP": x.cmdLISTGROUP, "ARTICLE": x.cmdARTICLE, "HEAD": x.cmdHEAD,
		"BODY": x.cmdBODY, "STAT": x.cmdSTAT, "NEXT": x.cmdNEXT, "LAST": x.cmdLAST,
		"OVER": x.cmdOVER, "XOVER": x.cmdOVER, "HDR": x.cmdHDR, "XHDR": x.cmdXHDR,
		"LIST": x.cmdACTIVE, "LIST ACTIVE": x.cmdACTIVE, "LIST COUNTS": x.cmdCOUNTS,
		"LIST NEWSGROUPS": x.cmdNEWSGROUPS, "LIST OVERVIEW.FMT": x.cmdFMT, "LIST HEADERS": x.cmdHEADERS,
		"NEWGROUPS": x.cmdNEWGROUPS, "NEWNEWS": x.cmdNEWNEWS, "POST": x.cmdPOST,
	}
}

// always reports whether a verb is one of both modes. HEAD and STAT are mandatory in both (RFC 3977 section 5), but older servers refuse them.
func (x *session) always(name string) bool {
	switch name {
	case "HEAD", "STAT":
		return !x.o.OldTransit
	case "CAPABILITIES", "DATE", "HELP", "MODE READER", "QUIT", "STARTTLS":
		return true
	}
	return strings.HasPrefix(name, "AUTHINFO")
}

// leftOut reports whether the Options remove the verb.
func (x *session) leftOut(name string) bool {
	switch name {
	case "CAPABILITIES":
		return x.o.NoCapabilities || x.o.OldTransit
	case "LIST HEADERS": // of the capability HDR
		return x.leftOut("HDR")
	case "STARTTLS":
		return x.tls == nil
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
