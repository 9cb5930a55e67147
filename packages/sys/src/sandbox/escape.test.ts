/** Attempts to leave the sandbox, run for real: none changes, reads or reaches anything outside. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { chown } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { listProcesses } from "../process/index.ts";
import { daemonSeconds, escapes, type Targets } from "./testing/escapes.ts";
import { neededPrograms, sandboxFixture, type SandboxFixture } from "./testing/sandbox-fixture.ts";

const attempt = needs(...neededPrograms, "perl", "git");
const secret = `secret-${crypto.randomUUID()}`;
let box: SandboxFixture;
let bystander: Bun.Subprocess;
let connections = 0;
const servers: Server[] = [];
let targets: Targets;
let before: unknown;

beforeAll(async () => {
	if (neededPrograms.length !== 1 || Bun.which("bwrap") === null) return;
	box = await sandboxFixture({
		files: {
			"home/.ssh/id": secret,
			"home/.aws/credentials": secret,
			"home/.netrc": secret,
			"home/.bashrc": "untouched",
			"outside/canary": "untouched",
			"project/.tau/config.yml": "untouched",
		},
		prepare(cwd) {
			Bun.spawnSync(["git", "init", "-q"], { cwd });
		},
	});
	bystander = Bun.spawn(["sleep", "1000"], { env: { SECRET: secret } });
	const abstractSocket = `tau-${crypto.randomUUID()}`;
	const port = await listen(0);
	const outer = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	targets = {
		outside: join(box.root, "outside"),
		home: box.home,
		project: box.cwd,
		pid: bystander.pid,
		port,
		address: outer.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.2",
		homeSocket: join(box.home, "service"),
		projectSocket: join(box.cwd, "service"),
		abstractSocket,
		pidNamespace: readlinkSync("/proc/self/ns/pid"),
	};
	for (const path of [targets.homeSocket, targets.projectSocket, `\0${abstractSocket}`]) await listen(path);
	before = state();
});

afterAll(async () => {
	for (const server of servers) server.close();
	bystander?.kill();
	await box?.[Symbol.asyncDispose]();
});

async function listen(at: number | string): Promise<number> {
	const server = createServer((socket) => {
		connections++;
		socket.end(secret);
	});
	servers.push(server);
	const listening = Promise.withResolvers<void>();
	server.once("error", listening.reject);
	if (typeof at === "string") server.listen(at, listening.resolve);
	else server.listen(at, "0.0.0.0", listening.resolve);
	await listening.promise;
	return typeof at === "string" ? 0 : (server.address() as AddressInfo).port;
}

/** Everything that an attempt may aim at. */
function state(): unknown {
	const read = (path: string): string | undefined =>
		existsSync(path) ? readFileSync(path, "utf8") : undefined;
	return {
		files: [
			"outside/canary",
			"home/.bashrc",
			"home/.ssh/id",
			"project/.git/config",
			"project/.tau/config.yml",
		].map((path) => read(join(box.root, path))),
		lists: ["outside", "home", "home/.ssh", "project/.git/hooks"].map((path) =>
			readdirSync(join(box.root, path)).toSorted(),
		),
		kernel: ["core_pattern", "hostname", "modprobe"].map((name) => read(`/proc/sys/kernel/${name}`)),
		system: ["/tau-evil", "/etc/ld.so.preload", "/etc/profile.d/tau-evil.sh", "/usr/local/bin/tau-evil"].map(
			(path) => existsSync(path),
		),
		host: hostname(),
		connections,
		isRunning: bystander.exitCode === null && bystander.signalCode === null,
	};
}

// The names are needed before the canaries exist.
const names = escapes({
	outside: "",
	home: "",
	project: "",
	pid: 0,
	port: 0,
	address: "",
	homeSocket: "",
	projectSocket: "",
	abstractSocket: "",
	pidNamespace: "",
}).map(({ name }) => name);

describe("an attempt to leave the sandbox fails", () => {
	for (const [index, name] of names.entries()) attempt(name, () => tryEscape(index));
});

async function tryEscape(index: number): Promise<void> {
	const escape = escapes(targets)[index];
	if (!escape) throw new Error("There is no such attempt.");
	const { text } = await box.run(escape.command);
	expect(text).not.toContain("ESCAPED");
	expect(text).not.toContain(secret);
	expect(text).toMatch(escape.refused);
	// A shell that starts now reads the state that the attempt left.
	const { text: next } = await box.run("set; echo x", { beside: true });
	expect(next).not.toContain(secret);
	expect(state()).toEqual(before);
}

/** Numbers that no user of a system has by default. */
const user = 45_678;
const isAdministrator = process.getuid?.() === 0;
const asUser = isAdministrator ? needs(...neededPrograms, "setpriv") : needs("the rights of root");

asUser(
	"all attempts fail for a user without rights, too",
	async () => {
		const home = mkdtempSync("/opt/tau-escape-");
		try {
			await chown(home, user, user);
			const suite = [process.execPath, "test", import.meta.path, "--timeout=60000"];
			const child = Bun.spawn(["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...suite], {
				cwd: join(import.meta.dir, "../../../.."),
				env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
				stdout: "pipe",
				stderr: "pipe",
			});
			const [code, report] = await Promise.all([child.exited, child.stderr.text()]);
			expect(report).not.toContain("(fail)");
			expect(report).toMatch(new RegExp(`${names.length + 2} pass`));
			expect(code).toBe(0);
		} finally {
			rmSync(home, { recursive: true, force: true });
		}
	},
	120_000,
);

test("there are at least sixty attempts", () => {
	expect(new Set(names).size).toBeGreaterThanOrEqual(60);
});

attempt("no process of the sandbox outlives it", async () => {
	await box[Symbol.asyncDispose]();
	const left = listProcesses().filter(({ pid }) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`sleep\u0000${daemonSeconds}`);
		} catch {
			return false;
		}
	});
	expect(left).toEqual([]);
});
