/** A server of the page with played sessions: for development and for tests that need no model. */
import { isRecord } from "@tau/utils/portable";
import { readJoin, readObject, type Right } from "@tau/wire/remote";

import { pageAssets } from "../assets/index.ts";
import { demoFleet } from "./demo-fleet.ts";
import type { MockSession } from "./mock-session.ts";

export interface MockHost extends AsyncDisposable {
	readonly url: string;
	readonly sessions: Map<string, MockSession>;
	/** The ids of pinned sessions. */
	readonly pinned: Set<string>;
	/** What the routes of the server answer, by `METHOD /path`; a test may replace a row. */
	readonly routes: Record<string, (request: Request, url: URL) => unknown>;
	/** Ends every connection, as a lost network does. While `isCut`, none is accepted. */
	cut(isCut: boolean): void;
	/** What clients may do. */
	rights: Right;
	/** No session is joined before: it has to be started first. */
	opened: Promise<void>;
}

interface SocketData {
	readonly session: MockSession;
	client?: ReturnType<MockSession["join"]>;
}

export async function startMockHost(played: readonly MockSession[], port = 0): Promise<MockHost> {
	const assets = await pageAssets();
	const sessions = new Map(played.map((session) => [session.id, session]));
	const sockets = new Set<Bun.ServerWebSocket<SocketData>>();
	const pinned = new Set<string>();
	let isDown = false;
	const host = { rights: "control" as Right, opened: Promise.resolve() };
	const routes: MockHost["routes"] = {
		"GET /api/sessions": (_, { searchParams }) =>
			listOf([...sessions.values()], searchParams.get("search") ?? "", pinned),
		"POST /api/login": () => Response.json({ error: "The link was used already." }, { status: 401 }),
		"GET /api/fleet": () => demoFleet(Date.now()),
	};
	const server = Bun.serve<SocketData>({
		hostname: "127.0.0.1",
		port,
		async fetch(request, self) {
			const url = new URL(request.url);
			if (isDown) return new Response("cut", { status: 503 });
			if (url.pathname === "/ws") {
				const session = sessions.get(url.searchParams.get("session") ?? "");
				if (!session) return new Response("There is no such session.", { status: 404 });
				return self.upgrade(request, { data: { session } }) ? undefined : new Response("", { status: 400 });
			}
			const asset = assets.get(url.pathname);
			if (asset) {
				const headers = { ...asset.headers, "content-type": asset.type, "content-encoding": "br" };
				return new Response(await asset.brotli(), { headers });
			}
			const route = routes[`${request.method} ${url.pathname}`] ?? markRoute(request, url, pinned);
			if (!route) return Response.json({ error: `There is no ${url.pathname}.` }, { status: 404 });
			const answer = await route(request, url);
			if (answer instanceof Response) return answer;
			return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
		},
		websocket: {
			open: (socket) => void sockets.add(socket),
			message(socket, text) {
				const line = readObject(String(text)) ?? {};
				const { data } = socket;
				if (data.client) return data.client.take(line);
				const join = readJoin(line);
				if (!join) return socket.close();
				void host.opened.then(() => {
					const info = { ...join.client, kinds: [...join.client.kinds], rights: host.rights };
					socket.send(JSON.stringify({ type: "hello_ok", version: 1, program: "mock", data: info }));
					data.client = data.session.join(info, join.from, (each) => void socket.send(each));
				});
			},
			close(socket) {
				sockets.delete(socket);
				socket.data.client?.leave();
			},
		},
	});
	return Object.assign(host, {
		url: server.url.href,
		sessions,
		pinned,
		routes,
		cut(isCut: boolean) {
			isDown = isCut;
			if (isCut) for (const socket of sockets) socket.terminate();
		},
		[Symbol.asyncDispose]: () => server.stop(true),
	});
}

/** A session that is pinned, or is not any more. */
function markRoute(
	{ method }: Request,
	{ pathname }: URL,
	pinned: Set<string>,
): MockHost["routes"][string] | undefined {
	const [, id] = /^\/api\/sessions\/([\w-]+)$/.exec(pathname) ?? [];
	if (method !== "PATCH" || id === undefined) return undefined;
	return async (request) => {
		const body: unknown = await request.json();
		if (isRecord(body) && body.pinned === true) pinned.add(id);
		else pinned.delete(id);
	};
}

function listOf(sessions: readonly MockSession[], search: string, pinned: ReadonlySet<string>): object {
	const found = sessions.filter(({ facts }) =>
		(facts.session.name ?? "").toLowerCase().includes(search.toLowerCase()),
	);
	const projects = Map.groupBy(sessions, ({ facts }) => facts.session.cwd);
	return {
		sessions: found.map(({ id, facts, live }, at) => ({
			id,
			title: facts.session.name ?? "",
			cwd: facts.session.cwd,
			modifiedAt: Date.now() - at * 3_700_000,
			phase: facts.phase,
			waiting: live.requests.length,
			cost: facts.usage?.cost ?? 0,
			isOpen: at < 3,
			isPinned: pinned.has(id),
		})),
		projects: [...projects].map(([cwd, of]) => ({ cwd, sessions: of.length })),
	};
}
