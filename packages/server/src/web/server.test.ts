/** Where the server of the page listens: never beside another one at the same port. */
import type { Logins, PageFiles } from "@tau/web/server";
import { expect, test } from "bun:test";

import { WebServer } from "./server.ts";
import type { WebSessions } from "./sessions.ts";

function serve(port: number, isFlexible: boolean): WebServer {
	return new WebServer({
		port,
		isFlexible,
		origins: [],
		routes: [],
		// None of these is asked before a request.
		logins: {} as Logins,
		sessions: {} as WebSessions,
		files: {} as PageFiles,
	});
}

test("a port that is in use is not shared: another is taken where that is allowed, and named where it is not", () => {
	using first = serve(0, false);
	const port = Number(new URL(first.origin).port);
	expect(() => serve(port, false)).toThrow(
		`Port ${port} is in use. Choose another one: tau web --port <port>`,
	);
	using second = serve(port, true);
	expect(second.origin).not.toBe(first.origin);
});
