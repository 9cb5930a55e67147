/** Servers inside a sandbox reach the user, and services of the user reach commands, where the user has agreed. */
import { createServer, type AddressInfo, type Server } from "node:net";
import { expect, test } from "bun:test";

import { needs } from "../../../../../test/support/needs.ts";
import { isAdministrator, runAsUser } from "../testing/as-user.ts";
import { neededPrograms, sandboxFixture, type SandboxFixture } from "../testing/sandbox-fixture.ts";
import { limits } from "../limits.ts";
import { isOpenHere, type SandboxLoopback } from "./loopback.ts";

const sandboxed = needs(...neededPrograms, "curl", "python3");
const network = { allow: () => false };

/** A server inside, which ends with the sandbox. */
async function started(box: SandboxFixture, bind = ""): Promise<{ port: number; loopback: SandboxLoopback }> {
	await box.run(`echo from inside > index.html; python3 -m http.server ${bind} 0 > log 2>&1 &`);
	const { loopback } = box.sandbox;
	if (!loopback) throw new Error("no network");
	const deadline = performance.now() + 60_000;
	while (loopback.listening().length === 0 && performance.now() < deadline) await Bun.sleep(20);
	const [port = 0] = loopback.listening();
	return { port, loopback };
}

async function listening(server: Server, port = 0): Promise<number> {
	const ready = Promise.withResolvers<void>();
	server.once("error", ready.reject);
	server.listen(port, "127.0.0.1", ready.resolve);
	await ready.promise;
	return (server.address() as AddressInfo).port;
}

for (const bind of ["", "--bind 127.0.0.1", "--bind ::1", "--bind ::"])
	sandboxed(
		`a server inside (${bind}) is noticed, and the user reaches it at the same port until the sandbox ends`,
		async () => {
			let hostPort = 0;
			{
				await using box = await sandboxFixture({ network });
				const { port, loopback } = await started(box, bind);
				expect(port).toBeGreaterThan(0);
				expect(await isOpenHere(port)).toBe(false);
				const published = await loopback.publish(port);
				expect(published).toEqual({ port, hostPort: port });
				({ hostPort } = published);
				for (let turn = 0; turn < 3; turn++)
					expect(await (await fetch(`http://127.0.0.1:${hostPort}/index.html`)).text()).toBe("from inside\n");
				expect(await isOpenHere(hostPort)).toBe(true);
			}
			expect(await isOpenHere(hostPort)).toBe(false);
		},
	);

sandboxed("a port that is taken here is published at another one", async () => {
	await using box = await sandboxFixture({ network });
	const { port, loopback } = await started(box);
	const taken = createServer((socket) => socket.end());
	await listening(taken, port);
	const { hostPort } = await loopback.publish(port);
	taken.close();
	expect(hostPort).not.toBe(port);
	expect(await (await fetch(`http://127.0.0.1:${hostPort}/index.html`)).text()).toBe("from inside\n");
	loopback.unpublish(port);
	expect(await isOpenHere(hostPort)).toBe(false);
});

sandboxed("more connections than a limit are closed, and others go on", async () => {
	await using box = await sandboxFixture({ network });
	const { port, loopback } = await started(box);
	const { hostPort } = await loopback.publish(port);
	const closed: true[] = [];
	const open = Array.from({ length: limits.publishedConnections + 20 }, () =>
		Bun.connect({
			hostname: "127.0.0.1",
			port: hostPort,
			socket: { data() {}, close: () => void closed.push(true), error() {} },
		}),
	);
	const sockets = await Promise.all(open);
	const deadline = performance.now() + 60_000;
	while (closed.length < 20 && performance.now() < deadline) await Bun.sleep(20);
	expect(closed.length).toBeGreaterThanOrEqual(20);
	for (const socket of sockets) socket.end();
	// The server inside closes its ends a moment later.
	const page = (): Promise<string> =>
		fetch(`http://127.0.0.1:${hostPort}/index.html`).then(
			(response) => response.text(),
			() => "closed",
		);
	let text = await page();
	for (; text === "closed" && performance.now() < deadline; text = await page()) await Bun.sleep(20);
	expect(text).toBe("from inside\n");
});

sandboxed("a service of this machine is reached from inside after a yes, and no other one", async () => {
	using service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("the user's data") });
	using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("private") });
	await using box = await sandboxFixture({ network });
	const ask = `curl -sS --max-time 10 http://127.0.0.1:${service.port}/`;
	expect((await box.run(ask)).text).toMatch(/refused|Failed|Could/i);
	await box.sandbox.loopback?.reach(service.port ?? 0);
	expect((await box.run(`${ask}; curl -sS --max-time 10 http://localhost:${service.port}/`)).text).toBe(
		"the user's datathe user's data",
	);
	expect(box.sandbox.loopback?.listening()).toEqual([]);
	const { text } = await box.run(`curl -sS --max-time 10 http://127.0.0.1:${other.port}/`);
	expect(text).not.toContain("private");
});

sandboxed("a port that a program inside uses stays its own", async () => {
	await using box = await sandboxFixture({ network });
	const { port, loopback } = await started(box);
	expect(loopback.reach(port)).rejects.toThrow(`A program in the sandbox listens on port ${port} itself.`);
	expect(loopback.reached).toEqual([]);
});

test("a port without a service is closed", async () => {
	const server = createServer();
	const port = await listening(server);
	expect(await isOpenHere(port)).toBe(true);
	const closed = Promise.withResolvers<void>();
	server.close(() => closed.resolve());
	await closed.promise;
	expect(await isOpenHere(port)).toBe(false);
});

const asUser = isAdministrator
	? needs(...neededPrograms, "curl", "python3", "setpriv")
	: needs("the rights of root");

asUser(
	"all of this holds for a user without rights, too",
	async () => {
		const { code, report } = await runAsUser(import.meta.path);
		expect(report).not.toContain("(fail)");
		expect(report).toContain("9 pass");
		expect(code).toBe(0);
	},
	180_000,
);
