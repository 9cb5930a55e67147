/** The bounds of fetching pages, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** Redirects in a row; browsers give up at 20, real sites need 3. */
	redirects: 10,
	/** Addresses of one name that are tried: the first may be one that this machine cannot reach. */
	addresses: 4,
	/** A longer URL carries data. */
	urlChars: 8192,
	/** The part of a page that is searched for its own metadata, such as its encoding; the number is the standard's. */
	probeBytes: 1024,
	/** The part of the server's response that an error shows. */
	errorChars: 500,
	/** Requests that the reader of one site may make for a page, and how long they may take together. */
	siteRequests: 10,
	siteMs: 15_000,
	/** Of an answer of an API: JSON takes several times its size in memory. */
	siteBytes: 8 * MB,
	/** Comments of a discussion, and how deep replies to replies are followed. */
	siteComments: 100,
	siteDepth: 8,
	siteAnswers: 10,
	/** Rows of a list of issues. */
	siteIssues: 50,
	/** The description of a paper, by far. */
	siteEntryChars: 32 * 1024,
	/** How much later than the page its Markdown form may come. */
	markdownMs: 2500,
	/** A shorter text is an error message. */
	markdownBytes: 200,
	/** How long `gh` may take to show its token. */
	ghMs: 10_000,
	/** How long a page is good for, so that paging through it shows one state of it. */
	cacheMs: 10 * 60 * 1000,
	/** The number of cached pages, and their total characters. */
	cachePages: 50,
	cacheChars: 16 * MB,
} as const;
