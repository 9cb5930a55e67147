/** Commands of a sandbox reach the hosts that are allowed, and nothing else. */
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "bun:test";

import { needs } from "../../../../../test/support/needs.ts";
import { neededPrograms, sandboxFixture } from "../testing/sandbox-fixture.ts";
import { addressKind } from "./addresses.ts";
import { parseRequest } from "./request.ts";

const sandboxed = needs(...neededPrograms, "curl");

sandboxed(
	"a host that is not allowed is refused by name, and the question waits for its answer",
	async () => {
		const asked: string[] = [];
		const allow = async (host: string, port: number): Promise<boolean> => {
			asked.push(`${host}:${port}`);
			await Bun.sleep(0);
			return false;
		};
		await using box = await sandboxFixture({ network: { allow } });
		const since = performance.now();
		const { text } = await box.run(
			"curl -sS --max-time 10 http://unlisted.example/path; curl -sS --max-time 10 https://unlisted.example; curl -sS --max-time 10 --socks5-hostname 127.0.0.1:47128 http://other.example",
		);
		expect(text).toContain("Tau's sandbox refused the connection to unlisted.example:80");
		expect(text).toContain("CONNECT tunnel failed, response 403");
		expect(asked).toEqual(["unlisted.example:80", "unlisted.example:443", "other.example:80"]);
		expect(box.sandbox.refusedSince(since).map(({ host }) => host)).toHaveLength(3);
	},
);

sandboxed("a host that is allowed is reached, by HTTP, through a tunnel and by SOCKS", async () => {
	// An address of this machine that is not its loopback stands for another machine.
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	const outside = addresses.find(({ internal, family }) => !internal && family === "IPv4");
	if (!outside) return;
	using server = Bun.serve({
		hostname: outside.address,
		port: 0,
		fetch: (request) => new Response(request.url),
	});
	const url = `http://${outside.address}:${server.port}`;
	await using box = await sandboxFixture({ network: { allow: () => true, allowsLocal: () => true } });
	const { text } = await box.run(
		`curl -sS --max-time 10 ${url}/plain; echo; curl -sS --max-time 10 -p ${url}/tunnel; echo; curl -sS --max-time 10 --socks5-hostname 127.0.0.1:47128 ${url}/socks`,
	);
	expect(text).toBe(`${url}/plain\n${url}/tunnel\n${url}/socks`);
});

sandboxed("this machine is refused at its own address as well, unless a rule names it", async () => {
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	const own = addresses.find(({ internal, family }) => !internal && family === "IPv4");
	if (!own) return;
	using server = Bun.serve({ hostname: own.address, port: 0, fetch: () => new Response("secret") });
	await using box = await sandboxFixture({ network: { allow: () => true } });
	const { text } = await box.run(`curl -sS --max-time 10 http://${own.address}:${server.port}/`);
	expect(text).toContain(`it is an address of this machine or its network (${own.address})`);
});

sandboxed("an allowed host without an address is said to be unknown, and not blocked", async () => {
	await using box = await sandboxFixture({ network: { allow: () => true } });
	const since = performance.now();
	const { text } = await box.run("curl -sS --max-time 30 http://packages.invalid/");
	expect(text).toBe("packages.invalid:80: DNS lookup failed (not blocked by the sandbox)\n");
	expect(box.sandbox.refusedSince(since)).toMatchObject([{ host: "packages.invalid", isUnresolved: true }]);
});

sandboxed("this machine is refused even where every host is allowed", async () => {
	const server = createTcpServer((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nsecret"));
	const listening = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", listening.resolve);
	await listening.promise;
	const { port } = server.address() as AddressInfo;
	await using box = await sandboxFixture({ network: { allow: () => true, allowsLocal: () => true } });
	const hosts = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "[::ffff:127.0.0.1]", "127.1"];
	const { text } = await box.run(
		`for h in ${hosts.join(" ")} 169.254.169.254 [fd00:ec2::254]; do curl -sS --noproxy '' --max-time 5 -g "http://$h:${port}/"; done 2>&1`,
	);
	server.close();
	expect(text).not.toContain("secret");
	expect(text.match(/refused the connection/g)?.length).toBeGreaterThanOrEqual(hosts.length);
});

sandboxed("without rules there is no network but the sandbox's own", async () => {
	await using box = await sandboxFixture();
	const { text } = await box.run(
		"curl -sS --max-time 5 http://1.1.1.1/ ; (exec 3<>/dev/tcp/1.1.1.1/53); env | grep -ic proxy; true",
	);
	expect(text).toMatch(/Failed to connect|Could not connect|Couldn't connect/);
	expect(text).toContain("Network is unreachable");
	expect(text).toEndWith("0\n");
});

sandboxed("git over ssh is refused, with the way out", async () => {
	await using box = await sandboxFixture();
	const { text } = await box.run("git clone git@example.org:a/b.git");
	expect(text).toContain("Use an https:// remote");
});

describe("an address", () => {
	const kinds: Record<string, string> = {
		"8.8.8.8": "public",
		"2606:4700::1": "public",
		"10.1.2.3": "local",
		"192.168.1.1": "local",
		"172.31.0.1": "local",
		"fd12::1": "local",
		"127.0.0.1": "refused",
		"127.9.9.9": "refused",
		"0.0.0.0": "refused",
		"169.254.169.254": "refused",
		"fe80::1": "refused",
		"::1": "refused",
		"::": "refused",
		"::ffff:127.0.0.1": "refused",
		"::ffff:7f00:1": "refused",
		"::ffff:8.8.8.8": "public",
		"64:ff9b::a9fe:a9fe": "refused",
		"2002:7f00:1::": "refused",
		"fd00:ec2::254": "refused",
		"224.0.0.1": "refused",
		"not an address": "refused",
	};
	test.each(Object.entries(kinds))("%s is %s", (address, kind) => {
		expect<string>(addressKind(address, [])).toBe(kind);
	});

	test("of this machine's own is local, and so is its network in IPv6", () => {
		const own = ["8.8.4.4/32", "2a01:4f8:1:2::5/64"];
		for (const address of ["8.8.4.4", "::ffff:8.8.4.4", "2a01:4f8:1:2::5", "2a01:4f8:1:2::77"])
			expect([address, addressKind(address, own)]).toEqual([address, "local"]);
		for (const address of ["8.8.4.5", "2a01:4f8:1:3::5"])
			expect([address, addressKind(address, own)]).toEqual([address, "public"]);
	});
});

test("requests are read in each of the three forms, and in pieces", () => {
	const http = (text: string): Buffer => Buffer.from(text);
	expect(parseRequest(http("CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\nrest"), false)).toMatchObject({
		type: "tunnel",
		host: "a.example",
		port: 443,
	});
	expect(parseRequest(http("CONNECT [::1]:443 HTTP/1.1\r\n\r\n"), false)).toMatchObject({ host: "::1" });
	const plain = parseRequest(
		http(
			"GET http://a.example:8080/x?y HTTP/1.1\r\nHost: evil\r\nProxy-Authorization: z\r\nAccept: *\r\n\r\n",
		),
		false,
	);
	expect(plain).toMatchObject({ type: "forward", host: "a.example", port: 8080 });
	expect(plain.type === "forward" && plain.head.toString()).toBe(
		"GET /x?y HTTP/1.1\r\nHost: a.example:8080\r\nAccept: *\r\nConnection: close\r\n\r\n",
	);
	expect(parseRequest(http("GET http://a"), false)).toEqual({ type: "incomplete" });
	for (const text of [
		"GET /path HTTP/1.1\r\n\r\n",
		"CONNECT nowhere HTTP/1.1\r\n\r\n",
		"GET ftp://a/ HTTP/1.1\r\n\r\n",
		"CONNECT evil.example\0.example.org:443 HTTP/1.1\r\n\r\n",
	])
		expect(parseRequest(http(text), false)).toEqual({ type: "invalid" });
	expect(parseRequest(Buffer.from([5, 1, 0]), false)).toEqual({ type: "greeting", length: 3 });
	const evil = Buffer.from("evil.example\0.example.org");
	const hidden = Buffer.concat([Buffer.from([5, 1, 0, 3, evil.length]), evil, Buffer.from([1, 187])]);
	expect(parseRequest(hidden, true)).toEqual({ type: "invalid" });
	const name = Buffer.from("a.example");
	const socks = Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, Buffer.from([1, 187])]);
	expect(parseRequest(socks, true)).toMatchObject({ type: "tunnel", host: "a.example", port: 443 });
	expect(parseRequest(socks.subarray(0, 8), true)).toEqual({ type: "incomplete" });
});
