/** A web site of hard cases for the tests of the browser, on this machine. */
import { join } from "node:path";

/** A title that would clear the screen, ring the bell and change the title of a terminal. */
export const hostileTitle = "\u001b[2J\u001b]0;owned\u0007Nice\u202Epage\nApproved by the user";

export interface Site extends Disposable {
	readonly port: number;
	/** The address of a page. */
	url(path: string, host?: string): string;
	/** Waits until a page says that it computes without an end from now on. */
	untilBusy(): Promise<void>;
}

/** Listens on all addresses of the loopback, so that some can be allowed and others not. */
export function startSite(): Site {
	let busy = Promise.withResolvers<void>();
	const server = Bun.serve({
		port: 0,
		hostname: "0.0.0.0",
		idleTimeout: 30,
		async fetch(request) {
			const { pathname, searchParams } = new URL(request.url);
			if (pathname === "/is-busy") busy.resolve();
			const page = pages[pathname];
			if (page) return await page(searchParams, request);
			const file = Bun.file(join(import.meta.dir, "pages", pathname));
			const isThere = /^\/\w+\.html$/.test(pathname) && (await file.exists());
			return isThere ? new Response(file) : new Response("Nothing is here.", { status: 404 });
		},
	});
	const port = server.port ?? 0;
	return {
		port,
		url: (path, host = "localhost") => `http://${host}:${port}${path}`,
		untilBusy() {
			busy = Promise.withResolvers<void>();
			return busy.promise;
		},
		[Symbol.dispose]: () => void server.stop(true),
	};
}

const html = (text: string, headers: Record<string, string> = {}): Response =>
	new Response(`<!doctype html>${text}`, {
		headers: { "content-type": "text/html; charset=utf-8", ...headers },
	});

const spin = 'navigator.sendBeacon("/is-busy"); while (true);';

const pages: Readonly<
	Record<string, (query: URLSearchParams, request: Request) => Response | Promise<Response>>
> = {
	"/slow": async () => {
		await Bun.sleep(30);
		return new Response("It has arrived.");
	},
	"/redirect": (query) => Response.redirect(query.get("to") ?? "/", 302),
	"/leave": (query) =>
		html(`<title>Leave</title><script>location = ${JSON.stringify(query.get("to"))}</script>`),
	"/load": (query) =>
		html(
			`<title>Load</title><img src="${query.get("from")}"><script>fetch("${query.get("from")}").catch(() => {})</script><p>Text</p>`,
		),
	"/hostile": () =>
		html(
			`<title>${hostileTitle}</title><button>A\u001b[31m\u0007B</button><p>\u001b]52;c;eA==\u0007text</p>`,
		),
	"/drag": () =>
		html(
			`<title>Drag</title><p draggable=true id=line>Drag this line</p><div id=zone style="height:60px">Drop it here</div>
			<div id=column style="height:60px"></div><div draggable=true>A card <a href="/card">Details</a></div><script>
			line.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", line.textContent));
			for (const type of ["dragover", "drop"]) document.body.addEventListener(type, (event) => event.preventDefault());
			zone.addEventListener("drop", (event) => { zone.textContent = "Dropped: " + event.dataTransfer.getData("text/plain"); });
			column.ondragover = () => {};</script>`,
		),
	// Compute without an end, once or again and again, soon after they have loaded.
	"/busy": () => html(`<title>Busy</title><script>setTimeout(() => { ${spin} }, 500)</script>`),
	"/busy-again": () => html(`<title>Busy</title><script>setInterval(() => { ${spin} }, 500)</script>`),
	"/secret": () => html("<title>Secret</title><p>the secret of this machine</p>"),
	"/cookie": (_, request) => {
		const known = request.headers.get("cookie") ?? "none";
		return html(`<title>Cookie</title><p>Cookie: ${known}</p>`, { "set-cookie": "visit=1; Max-Age=9999" });
	},
	"/stored": () =>
		html(
			`<title>Stored</title><p id=shown></p><button onclick="localStorage.removeItem('visits')">Leave</button><script>
			shown.textContent = "Visits before: " + (localStorage.visits ?? "none");
			localStorage.visits = Number(localStorage.visits ?? 0) + 1;</script>`,
		),
	"/report.csv": () =>
		new Response("a,b\n1,2\n", { headers: { "content-disposition": 'attachment; filename="report.csv"' } }),
	// Announces more than may be downloaded; sends little of it.
	"/huge.bin": () =>
		new Response(stream(4000, 1_000_000), {
			headers: { "content-disposition": "attachment", "content-type": "application/octet-stream" },
		}),
	// 100 MB of HTML. Most of it is a comment: to draw 5 MB of words takes seconds of CPU.
	"/huge": () =>
		new Response(
			stream(
				1600,
				64_000,
				`<p><a href="/x">link</a>${" and some words".repeat(20)}</p><!--${"and some words".repeat(180)}-->`,
			),
			{ headers: { "content-type": "text/html" } },
		),
	"/many": () =>
		html(
			`<title>Many</title>${Array.from({ length: 1200 }, (_, at) => `<a href="/n/${at}">Number ${at}</a> `).join("")}<button>The only button</button>`,
		),
	"/wide": () => html(`<title>Wide</title>${"<i></i>".repeat(16_000)}<button>Far away</button>`),
	"/tall": () =>
		html(
			`<title>Tall</title><button>The only button</button>${"<p style='height:100px'>line</p>".repeat(30)}`,
		),
};

/** As many pieces of a text as fit into so many chunks of a size, only as fast as they are read. */
function stream(chunks: number, bytes: number, text = "x"): ReadableStream<Uint8Array> {
	const chunk = Buffer.from(text.repeat(Math.ceil(bytes / text.length)));
	let left = chunks;
	return new ReadableStream({
		pull(controller) {
			if (left-- > 0) controller.enqueue(chunk);
			else controller.close();
		},
	});
}
