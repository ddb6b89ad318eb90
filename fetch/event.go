package fetch

import "time"

// Directions of an Event.
const (
	FromClient = 'C'
	FromServer = 'S'
	InWords    = '*'
)

// An Event is one piece of the conversation: octets in one direction (inside TLS), or something in words. A step in words comes before the
// octets that say it. The secrets of the request are blanked in what carries credentials: all that the client says, the server's replies and
// the fields of its headers. A document is never changed.
type Event struct {
	Time time.Time
	Conn int    // numbers the connections of a Client from 1, also those refused; a connection that is kept keeps its number; 0 for datagrams and what belongs to none
	Dir  byte   // FromClient, FromServer, InWords
	Data []byte // the octets; valid only during the call
	Text bool   // Data is one line of a line protocol, worth showing to a person
	Body bool   // Data is the server's, verbatim: of a document, or a frame that may hold some of one
	Step *Step  // InWords: the step about to be said; Secret steps come without Args and Data
	Note string // InWords without Step: the engine's own remark ("connected to 127.0.0.1:21")
	Mark Mark   // with Note: what has become of the connection, for programs
}

// A Mark is a turn in the life of a connection.
type Mark string

const (
	MarkListen  Mark = "listen"  // waiting for the peer's own connection
	MarkOpen    Mark = "open"    // connected
	MarkRefused Mark = "refused" // could not be connected
	MarkTLS     Mark = "tls"     // from here on inside TLS
	MarkEnd     Mark = "end"     // the peer closed it in order
	MarkBroken  Mark = "broken"  // it broke, or went on after its end
	MarkRandom  Mark = "random"  // octets were drawn that the peer will see: "random 1a2b"; a replay draws them again
)

// RecordMode says how a connection's octets become Events.
type RecordMode int

const (
	RecordOctets RecordMode = iota // as they come: protocols of frames, document bodies
	RecordLines                    // whole lines, marked Text: protocols of lines; replies after BeginReply, documents after BeginBody
	RecordHead                     // lines up to the first empty one, octets from there on: one message with a header (HTTP)
	RecordTexts                    // whole lines; those of the server may be of documents whatever the Conn's mode (a library reads ahead of replies)
	RecordFrames                   // RecordOctets, and what is blanked keeps its length, which the head of its frame has
)
