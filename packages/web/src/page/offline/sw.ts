/** The worker of the page: keeps its files for a start without a network, and shows that something waits. */

/** What the page needs of the worker's global object; its types come with no library that pages use too. */
interface WorkerScope extends EventTarget {
	readonly caches: CacheStorage;
	readonly registration: { showNotification(title: string, options: NotificationOptions): Promise<void> };
	readonly clients: {
		claim(): Promise<void>;
		matchAll(
			options: object,
		): Promise<
			{ focused: boolean; url: string; focus(): Promise<void>; navigate(url: string): Promise<void> }[]
		>;
		openWindow(url: string): Promise<unknown>;
	};
	skipWaiting(): Promise<void>;
}
interface Lasting extends Event {
	waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
	readonly request: Request;
	respondWith(response: Promise<Response>): void;
}
interface Pushed extends Lasting {
	readonly data: { json(): unknown } | null;
}
interface Clicked extends Lasting {
	readonly notification: { data: unknown; close(): void };
}

const worker = globalThis as unknown as WorkerScope;
const cacheName = "tau-page-1";
const fixedParts = ["/icon.svg", "/icon.png", "/manifest.webmanifest"];

function on<E extends Event>(type: string, listener: (event: E) => void): void {
	worker.addEventListener(type, listener as EventListener);
}

on<Lasting>("install", (event) => event.waitUntil(Promise.all([worker.skipWaiting(), keepPage()])));
on<Lasting>("activate", (event) => event.waitUntil(worker.clients.claim()));

on<Fetching>("fetch", (event) => {
	const { pathname, origin } = new URL(event.request.url);
	const isOfPage = pathname === "/" || fixedParts.includes(pathname) || pathname.startsWith("/assets/");
	if (event.request.method !== "GET" || origin !== location.origin || !isOfPage) return;
	event.respondWith(pathname.startsWith("/assets/") ? keptFirst(event.request) : freshFirst(event));
});

/** A file that is named by its content never changes. */
async function keptFirst(request: Request): Promise<Response> {
	const cache = await worker.caches.open(cacheName);
	const kept = await cache.match(request);
	if (kept) return kept;
	const response = await fetch(request);
	if (response.ok) await cache.put(request, response.clone());
	return response;
}

async function freshFirst(event: Fetching): Promise<Response> {
	const { request } = event;
	try {
		const response = await fetch(request);
		// A proxy answers for a server that is gone.
		if (response.status >= 500) throw new Error(response.statusText);
		// The page does not wait until it is kept.
		if (response.ok) event.waitUntil(keepFresh(request, response.clone()));
		return response;
	} catch (error) {
		const cache = await worker.caches.open(cacheName);
		const kept = await cache.match(request);
		if (kept) return kept;
		throw error;
	}
}

async function keepFresh(request: Request, response: Response): Promise<void> {
	try {
		const cache = await worker.caches.open(cacheName);
		if (new URL(request.url).pathname !== "/") return await cache.put(request, response);
		const page = await response.clone().text();
		await dropOld(cache, page);
		await keepParts(cache, page);
		// Last: what is kept as the page starts with parts that are kept.
		await cache.put(request, response);
	} catch {
		// The network went away, or there is no room: the next visit keeps it.
	}
}

/** The page was loaded before there was a worker: it is kept now, not at the next visit. */
async function keepPage(): Promise<void> {
	const cache = await worker.caches.open(cacheName);
	try {
		const response = await fetch("/");
		if (!response.ok) return;
		await cache.put("/", response.clone());
		await keepParts(cache, await response.text());
		await cache.addAll(fixedParts);
	} catch {
		// The network went away: the next visit keeps it.
	}
}

/** What the document names: it starts with these alone. */
async function keepParts(cache: Cache, page: string): Promise<void> {
	const paths = [...page.matchAll(/"(\/assets\/[\w.-]+)"/g)].map(([, path = ""]) => path);
	const missing = [];
	for (const path of paths) if (!(await cache.match(path))) missing.push(path);
	await cache.addAll(missing);
}

/** Files of a page that is no more: the new document names what it starts from. */
async function dropOld(cache: Cache, page: string): Promise<void> {
	const keys = await cache.keys();
	const isStart = (path: string): boolean => path.startsWith("/assets/main-");
	const starts = keys.filter(({ url }) => isStart(new URL(url).pathname));
	if (starts.every(({ url }) => page.includes(new URL(url).pathname))) return;
	await Promise.all(
		keys.filter(({ url }) => new URL(url).pathname.startsWith("/assets/")).map((key) => cache.delete(key)),
	);
}

/** The message says only that something waits, and where. */
on<Pushed>("push", (event) => event.waitUntil(notify(event.data?.json())));

async function notify(data: unknown): Promise<void> {
	const { session, kind, task } = (typeof data === "object" && data !== null ? data : {}) as {
		session?: unknown;
		kind?: unknown;
		task?: unknown;
	};
	const isTask = typeof task === "string";
	const url = isTask
		? "/#/fleet"
		: typeof session === "string"
			? `/#/s/${encodeURIComponent(session)}`
			: "/#/";
	const open = await worker.clients.matchAll({ type: "window" });
	// Who looks at the session already knows.
	if (open.some((client) => client.focused && client.url.endsWith(url))) return;
	await worker.registration.showNotification(kind === "ended" ? "Tau has finished" : "Tau has a question", {
		body:
			kind === "ended"
				? "A run has ended."
				: isTask
					? "A task of the fleet waits for your answer."
					: "A session waits for your answer.",
		tag: url,
		icon: "/icon.png",
		data: url,
	});
}

on<Clicked>("notificationclick", (event) => {
	event.notification.close();
	const { data } = event.notification;
	event.waitUntil(show(typeof data === "string" && data.startsWith("/#/") ? data : "/#/"));
});

async function show(url: string): Promise<void> {
	const [client] = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
	if (!client) return void (await worker.clients.openWindow(url));
	await client.navigate(url).catch(() => {});
	await client.focus();
}
