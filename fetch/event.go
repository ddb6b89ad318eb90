package fetch

import (
	"net/netip"
	"time"
)

// Directions of an Event.
const (
	FromClient = 'C'
	FromServer = 'S'
	InWords    = '*'
)

// An Event is one piece of the conversation: bytes in one direction (inside TLS), or words. A step in words precedes its bytes. The secrets of
// the request are masked in everything that carries credentials: what the client sends, the server's replies and its header fields. Documents
// are never changed.
type Event struct {
	Time   time.Time
	Conn   int      // the number of the connection, from 1 for each Client, including refused ones; a reused connection keeps its number; 0 for datagrams and notes without one
	Dir    byte     // FromClient, FromServer, InWords
	Data   []byte   // the bytes; valid only during the call
	Text   bool     // Data is a line of a line protocol, worth displaying
	Body   bool     // Data is from the server, verbatim: part of a document, or a frame that may contain some of one
	Frames []string // the frames of a binary protocol that end in Data, in words (Scheme.Decode)
	Step   *Step    // InWords: the step about to be sent; Secret steps have no Args and Data
	Note   string   // InWords without Step: a remark of the Client ("connected to 127.0.0.1:21")
	Mark   Mark     // with Note: the event on the connection, for programs

	// Server is set with MarkOpen: the address of the server. It is the zero Addr if a proxy looks the name up or fetches the documents itself.
	Server netip.Addr

	// Depth is 0 for the request itself, 1 for those that its handler makes (Env.Get), 2 for those that their handlers make, and so on.
	Depth int

	Deviation *Deviation // with Note: what the server does against its specification (Options.Strict)
}

// A Mark is an event in the life of a connection.
type Mark string

const (
	MarkListen  Mark = "listen"  // waiting for a connection from the peer
	MarkOpen    Mark = "open"    // connected
	MarkRefused Mark = "refused" // could not be connected
	MarkTLS     Mark = "tls"     // from here on inside TLS
	MarkEnd     Mark = "end"     // the peer closed it
	MarkBroken  Mark = "broken"  // it broke, or continued after its end

	// MarkCertificate describes a certificate of the server, and MarkProxy a line of the conversation with a proxy. A replay needs neither.
	MarkCertificate Mark = "certificate"
	MarkProxy       Mark = "proxy"

	MarkRandom Mark = "random" // random bytes that the peer will see: "random 1a2b"; a replay uses them again
)

// RecordMode is how a connection's bytes become Events.
type RecordMode int

const (
	RecordOctets RecordMode = iota // as they arrive: protocols of frames, document bodies
	RecordLines                    // whole lines, marked Text: line protocols; replies after BeginReply, documents after BeginBody
	RecordHead                     // lines up to the first empty one, then bytes: one message with a header (HTTP)
	RecordTexts                    // whole lines; the server's may be of documents in any mode of the Conn (a library reads ahead)
	RecordFrames                   // RecordOctets; masked bytes keep their length, because the frame's header contains it
)
