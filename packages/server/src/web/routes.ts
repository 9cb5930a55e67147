/** The requests of a page that are not about an open session: lists, and what is done to sessions as a whole. */
import { GoneError } from "@tau/wire/remote";
import { dirs, log, once, UsageError } from "@tau/utils";
import { empty, failure, HttpError, json, readBytes, readJson, textIn } from "@tau/web/server";
import type { Pusher } from "@tau/web/push";

import { fleetRoutes, type WebFleet } from "./fleet-routes.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { limits } from "./limits.ts";
import type { WebSessions } from "./sessions.ts";
import type { Uploads } from "./uploads.ts";

export interface RouteParts {
	readonly sessions: WebSessions;
	readonly uploads: Uploads;
	readonly pusher: Pusher;
	readonly fleet: WebFleet;
}

export interface RouteRequest {
	readonly request: Request;
	readonly url: URL;
	/** The words of the path that the pattern leaves open, by their names. */
	readonly words: Readonly<Record<string, string>>;
}

export interface Route {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** `/api/sessions/:id/fork` */
	readonly path: string;
	handle(call: RouteRequest): Promise<Response>;
}

/** A path of a directory. */
const pathChars = 4096;
const promptChars = 500_000;

const id = ({ words }: RouteRequest): string => words.id ?? "";

export function allRoutes({ sessions, uploads, pusher, fleet }: RouteParts): Route[] {
	return [
		...sessionRoutes(sessions),
		...uploadRoutes(uploads),
		...pushRoutes(pusher),
		...usageRoutes,
		...gatewayRoutes,
		...fleetRoutes(fleet),
	];
}

function pushRoutes(pusher: Pusher): Route[] {
	const path = "/api/push";
	return [
		{ method: "GET", path, handle: async () => json({ publicKey: await pusher.publicKey() }) },
		{
			method: "POST",
			path,
			handle: async ({ request }) => {
				const { subscription } = await readJson(request);
				await pusher.add(subscription).catch((error: Error) => {
					throw new HttpError(400, error.message);
				});
				return empty();
			},
		},
		{
			method: "DELETE",
			path,
			handle: async ({ request }) => {
				await pusher.remove(textIn(await readJson(request), "endpoint", pathChars));
				return empty();
			},
		},
	];
}

function uploadRoutes(uploads: Uploads): Route[] {
	const uploadId = ({ words }: RouteRequest): string => words.upload ?? "";
	return [
		{
			method: "POST",
			path: "/api/sessions/:id/uploads",
			handle: async (call) => {
				const body = await readJson(call.request);
				const name = textIn(body, "name", pathChars);
				const mimeType = textIn(body, "mimeType", limits.titleChars);
				const begun = await uploads.begin(id(call), name, mimeType, Number(body.size));
				return json({ uploadId: begun, chunkBytes: limits.chunkBytes }, 201);
			},
		},
		{
			method: "PUT",
			path: "/api/sessions/:id/uploads/:upload",
			handle: async (call) => {
				const offset = countIn(call.url.searchParams.get("offset"));
				if (offset === undefined) throw new HttpError(400, "The offset of the part is missing.");
				const read = (): Promise<Uint8Array> => readBytes(call.request, limits.chunkBytes);
				return json({ received: await uploads.write(id(call), uploadId(call), offset, read) });
			},
		},
		{
			method: "POST",
			path: "/api/sessions/:id/uploads/:upload/done",
			handle: async (call) => json(await uploads.finish(id(call), uploadId(call))),
		},
		{
			method: "DELETE",
			path: "/api/sessions/:id/uploads/:upload",
			handle: async (call) => {
				await uploads.remove(id(call), uploadId(call));
				return empty();
			},
		},
	];
}

function sessionRoutes(sessions: WebSessions): Route[] {
	return [
		{
			method: "GET",
			path: "/api/sessions",
			handle: async ({ url: { searchParams } }) =>
				json(
					await sessions.list({
						search: searchParams.get("search") ?? "",
						...named("project", searchParams.get("project")),
						...named("limit", countIn(searchParams.get("limit"))),
						isArchived: searchParams.get("archived") === "1",
					}),
				),
		},
		{
			method: "POST",
			path: "/api/sessions",
			handle: async ({ request }) => {
				const body = await readJson(request);
				const prompt = body.prompt === undefined ? undefined : textIn(body, "prompt", promptChars);
				return json({ id: await sessions.create(textIn(body, "cwd", pathChars), prompt) }, 201);
			},
		},
		{
			method: "PATCH",
			path: "/api/sessions/:id",
			handle: async (call) => {
				const body = await readJson(call.request);
				if (body.name !== undefined)
					await sessions.rename(id(call), textIn(body, "name", limits.titleChars).trim());
				for (const mark of ["archived", "pinned"] as const)
					if (body[mark] !== undefined) await sessions.setMark(mark, id(call), body[mark] === true);
				return empty();
			},
		},
		{
			method: "POST",
			path: "/api/sessions/:id/fork",
			handle: async (call) => json({ id: await sessions.fork(id(call)) }, 201),
		},
		{
			method: "POST",
			path: "/api/sessions/:id/close",
			handle: async (call) => {
				await sessions.close(id(call));
				return empty();
			},
		},
		{
			method: "DELETE",
			path: "/api/sessions/:id",
			handle: async (call) => {
				await sessions.remove(id(call));
				return empty();
			},
		},
	];
}

/** Loaded, and the index opened, with the first request. */
const usageAnswer = once(async () => {
	const { scanInWorker, Stats, statsRoutes } = await import("@tau/stats");
	return statsRoutes({
		open: () => Stats.ofUser(),
		sync: async () => {
			const { data, home } = dirs();
			const { processed, files } = await scanInWorker({ data, home, env: process.env });
			return { processed, files };
		},
		windows: async () => (await import("./windows-left.ts")).windowsLeft(),
	});
});

/** What all sessions cost: the routes of `@tau/stats`. */
const usageRoutes: readonly Route[] = ["/api/stats", "/api/stats/:view", "/api/stats/:view/:part"].map(
	(path) => ({ method: "GET", path, handle: async ({ request }) => (await usageAnswer())(request) }),
);

/** The first route that fits; a path that is known under another method only is answered so. */
export async function dispatch(routes: readonly Route[], request: Request, url: URL): Promise<Response> {
	const matches = routes.flatMap((route) => {
		const words = wordsIn(route.path, url.pathname);
		return words ? [{ route, words }] : [];
	});
	const match = matches.find(({ route }) => route.method === request.method);
	if (!match)
		return matches.length > 0
			? failure(405, `${request.method} is not possible here.`)
			: failure(404, "There is no such address.");
	try {
		return await match.route.handle({ request, url, words: match.words });
	} catch (error) {
		return failureOf(error, match.route);
	}
}

function failureOf(error: unknown, { method, path }: Route): Response {
	const reason = error instanceof Error ? error.message : String(error);
	if (error instanceof HttpError) return failure(error.status, reason);
	if (error instanceof GoneError) return failure(404, reason);
	if (error instanceof UsageError) return failure(409, reason);
	log.warn("a request of a page failed", { method, path, reason });
	return failure(500, reason);
}

/** Undefined where the path does not fit the pattern. */
function wordsIn(pattern: string, path: string): Record<string, string> | undefined {
	const [expected, given] = [pattern.split("/"), path.split("/")];
	if (expected.length !== given.length) return undefined;
	const words: Record<string, string> = {};
	for (const [at, part] of expected.entries()) {
		const word = given[at] ?? "";
		if (!part.startsWith(":")) {
			if (part !== word) return undefined;
			continue;
		}
		const text = decoded(word);
		if (text === undefined || text === "") return undefined;
		words[part.slice(1)] = text;
	}
	return words;
}

function decoded(word: string): string | undefined {
	try {
		return decodeURIComponent(word);
	} catch {
		// It is not UTF-8, so nothing has this name.
		return undefined;
	}
}

function countIn(text: string | null): number | undefined {
	return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function named<K extends string, V>(name: K, value: V | null | undefined): { [N in K]?: V } {
	return (value === null || value === undefined ? {} : { [name]: value }) as { [N in K]?: V };
}
