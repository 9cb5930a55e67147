/** A search service: one row that says when it can be used and where it is, and a function that asks it. */
import type { SettingValue, Settings } from "@tau/config/settings";

import type { ServiceAccess, ServiceKeys } from "@tau/tools/tool";
import type { SearchAnswer, SearchRequest } from "./http.ts";
import type { SearchQuery, SearchResponse } from "./types.ts";

export type ServiceId = Exclude<SettingValue<"providers.webSearch">, "auto">;

/** What decides which services can be used. */
export interface SearchAccess {
	readonly keys: ServiceKeys;
	readonly settings: Pick<Settings, "get">;
}

export interface SearchService {
	readonly id: ServiceId;
	readonly label: string;
	/** The addresses that a search may send requests to. */
	addresses(access: SearchAccess): readonly string[];
	isAvailable(access: SearchAccess): boolean;
	/** For a user who has chosen the service; by default the same. */
	isExplicitlyAvailable?(access: SearchAccess): boolean;
	/** True if `limit` and `num_search_results` are two things to it. */
	readonly keepsBothCounts?: boolean;
	load(): Promise<Search>;
}

export type Search = (query: SearchQuery, io: SearchIo) => Promise<Found>;

/** Sources as a service sends them: what is missing is empty. */
export interface FoundSource {
	title: string;
	url: string;
	snippet?: string;
	date?: string;
	author?: string;
}

export interface Found extends Partial<Omit<SearchResponse, "provider" | "sources">> {
	sources: readonly FoundSource[];
}

/** What a service asks with. */
export interface SearchIo extends SearchAccess {
	readonly id: ServiceId;
	readonly label: string;
	readonly signal: AbortSignal;
	send(request: SearchRequest): Promise<SearchAnswer>;
	/** The key of the first of these providers that has one; throws if none has. */
	access(...providers: readonly string[]): Promise<ServiceAccess>;
	wait(ms: number): Promise<void>;
	newId(): string;
	now(): number;
}

/** The number of results to ask for. */
export function countOf(
	{ numSearchResults, limit }: SearchQuery,
	{ least = 1, most, usual }: { least?: number; most: number; usual: number },
): number {
	return Math.min(most, Math.max(least, Math.floor(numSearchResults ?? limit ?? usual)));
}

/** Over a login of the Gemini CLI or of Antigravity, or with a key of the Gemini API. */
export function geminiAddresses({ has, address }: SearchAccess["keys"]): readonly string[] {
	const codeAssist = "https://cloudcode-pa.googleapis.com";
	if (has("google-gemini-cli")) return [address("google-gemini-cli") ?? codeAssist];
	if (has("google-antigravity")) return ["https://daily-cloudcode-pa.sandbox.googleapis.com", codeAssist];
	return [address("google") ?? ""];
}
