/** What every search service takes and gives. */

export interface SearchQuery {
	query: string;
	recency?: "day" | "week" | "month" | "year" | undefined;
	/** How many results are returned. */
	limit?: number | undefined;
	/** How many results a service looks at; for most it is the same number. */
	numSearchResults?: number | undefined;
	maxTokens?: number | undefined;
	temperature?: number | undefined;
}

export interface SearchSource {
	title: string;
	url: string;
	snippet?: string;
	/** As the service writes it. */
	publishedDate?: string;
	ageSeconds?: number;
	author?: string;
}

export interface SearchCitation {
	url: string;
	title: string;
	citedText?: string;
}

export interface SearchUsage {
	inputTokens?: number;
	outputTokens?: number;
	totalTokens?: number;
	/** Searches that a model made. */
	searchRequests?: number;
	/** What the service says that the answer has cost. */
	dollars?: number;
}

export interface SearchResponse {
	provider: string;
	answer?: string;
	sources: readonly SearchSource[];
	citations?: readonly SearchCitation[];
	relatedQuestions?: readonly string[];
	/** The queries that a model sent. */
	searchQueries?: readonly string[];
	usage?: SearchUsage;
	model?: string;
	requestId?: string;
	authMode?: "api_key" | "oauth" | "anonymous";
}

/** Why a service gave no results. */
export class SearchProviderError extends Error {
	override name = "SearchProviderError";
	readonly provider: string;
	readonly status: number | undefined;
	/** How long the service wants to be left alone. */
	readonly retryAfterMs: number | undefined;

	constructor(provider: string, message: string, status?: number, retryAfterMs?: number) {
		super(message);
		this.provider = provider;
		this.status = status;
		this.retryAfterMs = retryAfterMs;
	}
}
