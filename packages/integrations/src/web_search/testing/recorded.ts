/** A server that plays search services: it records every request and answers with what was recorded of the real ones. */
import { expect } from "bun:test";

import { schema, type SettingPath, type SettingValue } from "@tau/config/settings";

import { keysOfServices, type ServiceAccess, type ServiceKeys, SessionServices } from "@tau/tools/tool";
import { runSearch, type SearchMeans, type SearchOutcome } from "../run-search.ts";
import type { SearchQuery, SearchResponse } from "../types.ts";

export interface RecordedRequest {
	/** With the host of the service. */
	url: string;
	method: string;
	/** Those that the client sets, in lower case. */
	headers: Record<string, string>;
	body?: unknown;
}

export interface RecordedAnswer {
	status?: number;
	headers?: Record<string, string>;
	/** Sent as JSON unless it is a text. */
	body: unknown;
}

export interface Played {
	outcome: SearchOutcome;
	requests: RecordedRequest[];
	/** The waits between requests, in milliseconds. */
	waits: number[];
}

export interface PlayedOptions {
	answers: readonly RecordedAnswer[];
	keys?: Readonly<Record<string, Partial<ServiceAccess>>>;
	variables?: Readonly<Record<string, string>>;
	settings?: Readonly<Partial<Record<SettingPath, unknown>>>;
	signal?: AbortSignal;
}

export const now = Date.parse("2026-06-10T12:00:00Z");

const addresses: Readonly<Record<string, string>> = {
	anthropic: "https://api.anthropic.com",
	"google-gemini-cli": "https://cloudcode-pa.googleapis.com",
	google: "https://generativelanguage.googleapis.com/v1beta",
	"openai-codex": "https://chatgpt.com/backend-api",
	openai: "https://api.openai.com/v1",
};

export function playedKeys({
	keys = {},
	variables = {},
}: Pick<PlayedOptions, "keys" | "variables">): ServiceKeys {
	return {
		has: (provider) => Object.hasOwn(keys, provider),
		async resolve(provider) {
			const access = keys[provider];
			const baseUrl = addresses[provider];
			return access && { key: "", headers: {}, ...(baseUrl === undefined ? {} : { baseUrl }), ...access };
		},
		address: (provider) => addresses[provider],
		variable: (name) => variables[name],
	};
}

/** Requests to any host go to a local server, which knows the host by the path. */
export async function play(query: SearchQuery, options: PlayedOptions): Promise<Played> {
	const requests: RecordedRequest[] = [];
	const waits: number[] = [];
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const text = await request.text();
			const path = request.url.slice(request.url.indexOf("/", "http://".length) + 1);
			requests.push({
				url: `https://${path}`,
				method: request.method,
				headers: ownHeaders(request.headers),
				...(text === "" ? {} : { body: JSON.parse(text) }),
			});
			return answer(options.answers[requests.length - 1] ?? { status: 500, body: "no more answers" });
		},
	});
	const base = `http://127.0.0.1:${server.port}`;
	let ids = 0;
	const means: SearchMeans = {
		fetch: Object.assign(
			async (url: string | URL | Request, init?: RequestInit) =>
				await fetch(`${base}/${String(url).replace(/^https?:\/\//, "")}`, init),
			{ preconnect: fetch.preconnect },
		),
		wait: async (ms) => void waits.push(ms),
		newId: () => `id-${++ids}`,
		now: () => now,
	};
	const { settings = {} } = options;
	await using services = new SessionServices();
	const get = <P extends SettingPath>(path: P): SettingValue<P> =>
		// The defaults have the types of the settings, and so do the values of the tests.
		(Object.hasOwn(settings, path) ? settings[path] : schema[path].default) as SettingValue<P>;
	const signal = options.signal ?? new AbortController().signal;
	services.provide(keysOfServices, playedKeys(options));
	const context = { settings: { get }, services, signal };
	return { outcome: await runSearch(query, context, means), requests, waits };
}

const transport = new Set(["host", "connection", "content-length", "user-agent", "accept-encoding"]);

function ownHeaders(headers: Headers): Record<string, string> {
	return Object.fromEntries(
		[...headers].filter(([name, value]) => !transport.has(name) || isOwn(name, value)),
	);
}

/** A service may want a client of its own. */
function isOwn(name: string, value: string): boolean {
	return name === "user-agent" && !value.startsWith("Bun/");
}

function answer({ status = 200, headers = {}, body }: RecordedAnswer): Response {
	const isText = typeof body === "string";
	return new Response(isText ? body : JSON.stringify(body), {
		status,
		headers: { "content-type": isText ? "text/event-stream" : "application/json", ...headers },
	});
}

/** A stream of server-sent events. */
export function events(...all: readonly unknown[]): string {
	return all.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
}

export interface Contract extends PlayedOptions {
	query?: Partial<SearchQuery>;
	requests: readonly RecordedRequest[];
	response: SearchResponse;
}

/** What the recorded answers are about. */
export const question = "how do bun workers end";
export const page = { title: "Workers", url: "https://bun.sh/docs/api/workers" };
export const dayOld = { publishedDate: "2026-06-09T12:00:00Z", ageSeconds: 86_400 };

export const jsonHeaders = { accept: "application/json", "content-type": "application/json" };
export const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });

export async function expectContract({ query, requests, response, ...options }: Contract): Promise<void> {
	const played = await play({ query: question, ...query }, options);
	expect(played.requests).toEqual([...requests]);
	expect(played.outcome).toEqual({ ok: true, response });
}
