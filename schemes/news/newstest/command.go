package newstest

import (
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/news/internal/wildmat"
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
	case "MODE", "LIST", "AUTHINFO", "COMPRESS":
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
	case "IHAVE":
		if x.reader {
			return nil
		}
		return (*session).cmdIHAVE
	case "DATE":
		return (*session).cmdDATE
	case "HELP":
		return (*session).cmdHELP
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

// reading returns the verbs for readers.
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
	case "NEXT":
		return (*session).cmdNEXT
	case "LAST":
		return (*session).cmdLAST
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
	case "LIST HEADERS":
		return (*session).cmdHEADERS
	case "NEWGROUPS":
		return (*session).cmdNEWGROUPS
	case "NEWNEWS":
		return (*session).cmdNEWNEWS
	case "POST":
		return (*session).cmdPOST
	}
	return nil
}

// leftOut reports whether the Options remove the verb.
func (x *session) leftOut(name string) bool {
	switch name {
	case "CAPABILITIES":
		return x.o.NoCapabilities || x.o.OldTransit
	case "COMPRESS DEFLATE":
		return !x.o.Compress
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
	return x.user != "" || x.o.Private == "" || !wildmat.Match(x.o.Private, name)
}
