/** The bounds of web search, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** A query is a question, not a document; services cut or refuse longer ones. */
	queryChars: 2000,
	/** A service that lists results answers within seconds; Kimi may take the 30 that it is given. */
	listMs: 40_000,
	/** A model searches several times and writes an answer. */
	answerMs: 180_000,
	/** Real answers have up to some hundred KB. */
	bodyBytes: 8 * MB,
	/** The part of an error that is shown. */
	errorChars: 500,
	/** As the specification has it: of a result, of a citation, and of a query that a model sent. */
	snippetChars: 240,
	/** Of an excerpt, for clients that show more than the model gets. */
	keptChars: 2000,
	queryShownChars: 120,
	queriesShown: 3,
	titleChars: 200,
	/** A longer text is no date. */
	dateChars: 64,
	urlChars: 2048,
	/** An answer of a model; longer ones are documents. */
	answerChars: 20_000,
	/** The most that any service is asked for. */
	sources: 40,
	citations: 40,
	related: 10,
	/** The same question within this time gets the same answer. */
	cacheMs: 10 * 60 * 1000,
	cacheEntries: 50,
	/** Retries of a grounded model after the first request, their first wait, and all waits together. */
	retries: 3,
	retryMs: 1000,
	retryBudgetMs: 5 * 60 * 1000,
} as const;
