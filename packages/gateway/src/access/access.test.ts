/** Who reaches a server: only holders of its token, under its own names. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { bearerOf, ensureToken, isOwnHost, isToken, parseBind, readToken, tokenPath } from "./index.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-access-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("the token is made once, private, and replaced on request", () => {
	const path = tokenPath("auth-broker", { TAU_CONFIG_DIR: join(directory, "config") });
	expect(path).toBe(join(directory, "config", "auth-broker.token"));
	expect(readToken(path)).toBeUndefined();
	const first = ensureToken(path);
	expect(first).toMatch(/^[\w-]{43}$/);
	expect([ensureToken(path), readToken(path)]).toEqual([first, first]);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(statSync(join(directory, "config")).mode & 0o777).toBe(0o700);
	expect(ensureToken(path, { regenerate: true })).not.toBe(first);
});

test.each([
	["Bearer abc", true],
	["bearer  abc", true],
	["Bearer abcd", false],
	["Bearer ab", false],
	["Basic abc", false],
	["Bearer", false],
	["", false],
])("the header %p opens: %p", (authorization, opens) => {
	const request = new Request("http://x/", { headers: { authorization } });
	expect(isToken(bearerOf(request), "abc")).toBe(opens);
});

describe("an address to listen on", () => {
	test.each([
		["127.0.0.1:8765", "127.0.0.1", 8765, true],
		["8765", "127.0.0.1", 8765, true],
		["localhost:0", "localhost", 0, true],
		["[::1]:80", "::1", 80, true],
		["0.0.0.0:80", "0.0.0.0", 80, false],
		["broker.tailnet:8765", "broker.tailnet", 8765, false],
	])("%s is understood", (text, hostname, port, isLoopback) => {
		expect(parseBind(text)).toEqual({ hostname, port, isLoopback });
	});

	test.each(["", "x", "127.0.0.1", "127.0.0.1:99999", "a b:1", "http://x:1", ":1"])(
		"%p is refused",
		(text) => {
			expect(() => parseBind(text)).toThrow("not an address");
		},
	);
});

test.each([
	["127.0.0.1:8765", "127.0.0.1:8765", true],
	["127.0.0.1:8765", "localhost:8765", true],
	["127.0.0.1:8765", "[::1]:8765", true],
	["127.0.0.1:8765", "localhost:9999", false],
	["127.0.0.1:8765", "evil.example:8765", false],
	["127.0.0.1:8765", "127.0.0.1.evil.example:8765", false],
	["0.0.0.0:8765", "192.168.0.7:8765", true],
	["0.0.0.0:8765", "evil.example:8765", false],
	["10.0.0.1:8765", "10.0.0.1:8765", true],
	["10.0.0.1:8765", "localhost:8765", false],
	["0.0.0.0:8765", "broker.tailnet", true],
	["0.0.0.0:8765", "broker.tailnet:443", true],
	["127.0.0.1:8765", "", false],
])("bound to %s, a request for %p is its own: %p", (bind, host, isOwn) => {
	expect(isOwnHost(host, parseBind(bind), ["broker.tailnet"])).toBe(isOwn);
});
