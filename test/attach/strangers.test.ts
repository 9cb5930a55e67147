/** Who is not let in, what dead processes leave behind, and what a process that hangs costs. */
import { expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { become, user } from "../support/as-user.ts";
import { untilAnswer } from "../support/asked.ts";
import type { Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { untilEnded } from "../support/processes.ts";
import { attach, detach, launchLocal, model, ps, runtimeFiles, untilRow } from "./local.ts";

function registrationOf(tau: Launched): { socket: string; token: string; pid: number; file: string } {
	const name = runtimeFiles(tau).find((each) => /^\d.*\.json$/.test(each)) ?? "";
	const file = join(tau.home, ".tau/state/run", name);
	return { ...JSON.parse(readFileSync(file, "utf8")), file };
}

/** Sends text to a socket; gives everything that comes until the other end hangs up. */
function talk(socket: string, text: string): Promise<string> {
	const { promise, resolve } = Promise.withResolvers<string>();
	let received = "";
	const connection = createConnection(socket, () => connection.write(text));
	connection.on("data", (chunk) => (received += chunk.toString()));
	connection.on("error", () => resolve(received));
	connection.on("close", () => resolve(received));
	return promise;
}

const hello = (token: string, more: object = {}): string =>
	`${JSON.stringify({ type: "hello", version: 1, token, purpose: "status", ...more })}\n`;

test("the directory, the socket and the token are the user's alone", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	await detach(tau, "hello");
	const { socket, file } = registrationOf(tau);
	const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
	expect([mode(join(tau.home, ".tau/state/run")), mode(socket), mode(file)]).toEqual(["700", "600", "600"]);
});

test("without the token, with another version or with garbage, nothing is told and nothing is done", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	await detach(tau, "hello");
	const { socket, token } = registrationOf(tau);
	const refused = "The greeting or its token is wrong.";
	expect(await talk(socket, hello("guess"))).toContain(refused);
	expect(await talk(socket, hello(`${token}x`))).toContain(refused);
	expect(await talk(socket, `${JSON.stringify({ id: "1", type: "prompt", message: "hi" })}\n`)).toContain(
		refused,
	);
	expect(await talk(socket, "GET / HTTP/1.1\r\n\r\n")).toContain(refused);
	expect(
		await talk(socket, hello(token, { purpose: "join", client: { id: "", name: "x", kinds: [] } })),
	).toContain(refused);
	expect(await talk(socket, hello(token, { version: 2 }))).toContain("of the same version");
	// More than a greeting has, without an end.
	expect(await talk(socket, "x".repeat(200_000))).toBe("");
	// Who says nothing is dropped after a while.
	expect(await talk(socket, "")).toBe("");
	expect(await talk(socket, hello(token))).toContain('"title":"hello"');
	expect(tau.played.requests).toHaveLength(1);
});

needs("root", "setpriv")(
	"another user cannot join, even with the token",
	async () => {
		await using tau = await launchLocal({ steps: ["Hello."] });
		await detach(tau, "hello");
		const { socket, token } = registrationOf(tau);
		// As if the directory had been opened by mistake.
		for (const path of ["", ".tau", ".tau/state", ".tau/state/run"]) chmodSync(join(tau.home, path), 0o755);
		chmodSync(join(tau.home, ".."), 0o755);
		chmodSync(socket, 0o666);
		const script = `const { createConnection } = require("node:net");
		const c = createConnection(${JSON.stringify(socket)}, () => c.write(${JSON.stringify(hello(token))}));
		c.on("data", (d) => process.stdout.write(d)); c.on("error", (e) => console.log(e.code));`;
		const copies = mkdtempSync(join(tmpdir(), "tau-other-"));
		const runtime = join(copies, "bun");
		writeFileSync(runtime, readFileSync(process.execPath), { mode: 0o755 });
		chmodSync(copies, 0o755);
		try {
			const child = Bun.spawn([...become, runtime, "-e", script], {
				cwd: "/",
				stdout: "pipe",
				stderr: "pipe",
			});
			expect(await child.stdout.text()).toContain("Only the user who runs the session may join it.");
			expect(user).not.toBe(0);
		} finally {
			// What others could have written there is not believed, and so nothing could be stopped.
			chmodSync(join(tau.home, ".tau/state/run"), 0o700);
			rmSync(copies, { recursive: true, force: true });
		}
	},
	180_000,
);

test("what a killed session left is removed, also if its pid belongs to another process now", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	await detach(tau, "hello");
	const { file, socket, pid } = registrationOf(tau);
	const registered = JSON.parse(readFileSync(file, "utf8"));
	process.kill(pid, "SIGKILL");
	await untilEnded(pid);
	expect(existsSync(file)).toBe(true);
	expect(await ps(tau)).toEqual([]);
	expect([existsSync(file), existsSync(socket)]).toEqual([false, false]);
	const reused = { ...registered, pid: process.pid, owner: { ...registered.owner, pid: process.pid } };
	writeFileSync(file, JSON.stringify(reused), { mode: 0o600 });
	writeFileSync(join(file, "../9-1.json"), "{ torn", { mode: 0o600 });
	expect(await ps(tau)).toEqual([]);
	expect(runtimeFiles(tau).filter((name) => /^\d/.test(name))).toEqual([]);
});

test("a session that hangs is listed as such, and the others with it", async () => {
	await using tau = await launchLocal({ steps: ["One.", "Two."] });
	await detach(tau, "first");
	const { pid } = await untilRow(tau, ({ phase }) => phase === "idle");
	await detach(tau, "second");
	process.kill(pid, "SIGSTOP");
	try {
		const other = await untilRow(tau, ({ answers, title }) => answers && title === "second");
		const hanging = (await ps(tau)).find((row) => row.pid === pid);
		expect(hanging).toMatchObject({ answers: false, title: null, phase: null });
		expect(other.pid).not.toBe(pid);
		expect((await tau.run(["ps"])).out).toContain("no answer");
	} finally {
		process.kill(pid, "SIGCONT");
	}
});

test("two daemons at once: one runs, and both prompts are answered", async () => {
	await using tau = await launchLocal({ steps: [], fallback: "Hello." } as never);
	const [one, two] = await Promise.all([detach(tau, "first"), detach(tau, "second")]);
	expect(one).not.toBe(two);
	expect(await ps(tau)).toHaveLength(2);
	const second = await tau.run(["daemon", "run"]);
	expect(second).toMatchObject({ code: 2 });
	expect(second.err).toContain("is running already");
});

test("a home whose path is too long for a socket", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	const home = join(tau.home, "a".repeat(60), "b".repeat(60));
	mkdirSync(join(home, ".tau/agent"), { recursive: true });
	writeFileSync(join(home, ".tau/agent/models.yml"), readFileSync(join(tau.agentDir, "models.yml")));
	const env = { HOME: home };
	try {
		const started = await tau.run([...model, "--detach", "hello"], { env });
		expect(started).toMatchObject({ code: 0 });
		// The prompt becomes the title when the model is asked.
		await untilAnswer(
			() => tau.run(["ps"], { env }),
			({ out }) => out.includes("hello"),
		);
	} finally {
		await tau.run(["daemon", "stop"], { env });
	}
});

test("a runtime directory of the system is used, unless it belongs to somebody else", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	const runtime = mkdtempSync(join(tmpdir(), "tau-run-"));
	const env = { XDG_RUNTIME_DIR: runtime };
	try {
		await tau.run([...model, "--detach", "hello"], { env });
		expect((statSync(join(runtime, "tau")).mode & 0o777).toString(8)).toBe("700");
		expect((await tau.run(["ps"], { env })).out).toContain("hello");
		expect(await ps(tau)).toEqual([]);
	} finally {
		await tau.run(["daemon", "stop"], { env });
		rmSync(runtime, { recursive: true, force: true });
	}
});

test("clients that come and go leave nothing behind", async () => {
	await using tau = await launchLocal({ steps: ["Hello."] });
	const id = await detach(tau, "hello");
	for (let at = 0; at < 3; at++) {
		await using client = attach(tau, id);
		await client.until("Hello.");
		expect(await client.leave()).toBe(0);
	}
	await untilRow(tau, ({ clients }) => clients === 0);
	await tau.run(["daemon", "stop"]);
	expect(runtimeFiles(tau)).toEqual([]);
});
