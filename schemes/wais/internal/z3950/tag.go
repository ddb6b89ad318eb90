package z3950

// Types of APDUs.
const (
	PDUInit           = 20
	PDUInitResponse   = 21
	PDUSearch         = 22
	PDUSearchResponse = 23
	PDUPresent        = 24
)

// Tags of elements. 117 to 132 describe documents, and the groups hold them.
const (
	tagReferenceID     = 2
	tagProtocolVersion = 3
	tagOptions         = 4
	tagPreferredSize   = 5
	tagMaximumSize     = 6
	tagAuthentication  = 7
	tagImplementation  = 8
	tagName            = 9
	tagVersion         = 10

	tagResultSetName   = 17
	tagDatabaseNames   = 18
	tagElementSetNames = 19
	tagQueryType       = 20
	tagQuery           = 21
	tagResultSetStatus = 26
	tagPresentStatus   = 27
	tagDiagnostics     = 28

	tagAttributeList = 44
	tagTerm          = 45
	tagOperator      = 46

	tagUserInformation = 99
	tagChunkCode       = 100
	tagChunkIDLength   = 101
	tagSeedWords       = 106
	tagDocumentIDChunk = 107
	tagChunkStart      = 108
	tagChunkEnd        = 109
	tagDateFactor      = 111
	tagBeginDate       = 112
	tagEndDate         = 113
	tagMaxDocuments    = 114
	tagSeedWordsUsed   = 115

	tagDocumentID     = 116
	tagDocVersion     = 117
	tagScore          = 118
	tagBestMatch      = 119
	tagDocumentLength = 120
	tagSource         = 121
	tagDate           = 122
	tagHeadline       = 123
	tagOriginCity     = 124
	tagDocumentText   = 127
	tagStockCodes     = 128
	tagCompanyCodes   = 129
	tagIndustryCodes  = 130
	tagLines          = 131
	tagTypeBlock      = 132
	tagType           = 133

	groupHeader      = 150
	groupShortHeader = 151
	groupLongHeader  = 152
	groupText        = 153
	groupHeadline    = 154
	groupCode        = 155
)
