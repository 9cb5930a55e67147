/** The official MCP client uses Tau as a server, in both generations of the protocol. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { eras, newClient, noBoundary, read, serve } from "./served.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

async function until(what: string, condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
		await Bun.sleep(10);
	}
}

function isRunning(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] !== "Z";
	} catch {
		return false;
	}
}

const pidIn = (file: string): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);

describe.each(eras)("%s protocol", (era) => {
	test("the tools of Tau work on the directory of the server", async () => {
		await using tau = await launch({ steps: [] });
		writeFileSync(join(tau.project, "a.txt"), "hello\n");
		await using served = await serve(tau, era);
		const { tools } = await served.client.listTools();
		const names = tools.map(({ name }) => name);
		for (const name of ["read", "edit", "grep", "find", "bash", "tau"]) expect(names).toContain(name);
		expect(names).not.toContain("ask");
		expect(tools.find(({ name }) => name === "read")).toMatchObject({ annotations: { readOnlyHint: true } });
		expect((await served.call("read", { path: "a.txt" })).text).toContain("hello");
		expect((await served.call("bash", { command: "echo $((6 * 7)); pwd" })).text).toContain("42");
		expect(await served.call("write", { path: "b.txt", content: "new" })).toMatchObject({ isError: false });
		expect(readFileSync(join(tau.project, "b.txt"), "utf8")).toBe("new");
		expect(await served.call("read", {})).toMatchObject({ isError: true });
	});

	test("--tools selects what is offered", async () => {
		await using tau = await launch({ steps: [] });
		await using served = await serve(tau, era, { args: ["--tools", "read,grep"] });
		expect((await served.client.listTools()).tools.map(({ name }) => name)).toEqual(["read", "grep"]);
	});

	test("a command that needs an approval is asked about at the client, and runs after a yes", async () => {
		await using tau = await launch({ steps: [] });
		const asked: string[] = [];
		const answers: (string | undefined)[] = ["Yes, once", "No", undefined];
		const onForm = (message: string, choices: readonly string[]): string | undefined => {
			asked.push(message);
			const answer = answers.shift();
			if (answer !== undefined) expect(choices).toContain(answer);
			return answer;
		};
		await using served = await serve(tau, era, { env: noBoundary, onForm });
		const command = "node -e 'console.log(6 * 7)'";
		expect((await served.call("bash", { command })).text).toContain("42");
		expect(asked).toEqual([expect.stringContaining(command)]);
		for (const _ of [1, 2]) {
			const refused = await served.call("bash", { command });
			expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("declined") });
		}
		expect(asked).toHaveLength(3);
	});

	test("where the client can ask nobody, the rules of print mode apply", async () => {
		await using tau = await launch({ steps: [] });
		await using served = await serve(tau, era, { env: noBoundary });
		const refused = await served.call("bash", { command: "node -e 'console.log(6 * 7)'" });
		expect(refused.isError).toBe(true);
		expect(refused.text).toContain("nobody can answer here");
		// Who started the server reads what would allow it.
		await until("the notice", () => served.errors().includes("add Bash(node"));
		expect((await served.call("bash", { command: "ls" })).isError).toBe(false);
		expect((await served.call("write", { path: "in.txt", content: "x" })).isError).toBe(false);
		expect((await served.call("write", { path: "/usr/out.txt", content: "x" })).isError).toBe(true);
	});

	test("tau runs a session, reports progress, asks at the client, and continues by id", async () => {
		// The official client drops progress that arrives together with the answer: the command waits until it was seen.
		const command = "until [ -e seen ]; do sleep 0.02; done; node -e 'console.log(6 * 7)'";
		const scenario = { steps: [bash(command), "It is 42.", "Still 42."] };
		await using tau = await launch(scenario);
		const asked: string[] = [];
		const onForm = (message: string): string => {
			asked.push(message);
			return "Yes, once";
		};
		await using served = await serve(tau, era, { env: noBoundary, onForm });
		const progress: string[] = [];
		const { client } = served;
		const first = read(
			await client.callTool(
				{ name: "tau", arguments: { prompt: "compute" } },
				{
					onprogress({ message = "" }) {
						progress.push(message);
						if (message.includes("node -e")) writeFileSync(join(tau.project, "seen"), "");
					},
				},
			),
		);
		expect(first.text).toContain("It is 42.");
		expect(first.isError).toBe(false);
		expect(asked).toEqual([expect.stringContaining("node -e")]);
		expect(progress).toContainEqual(expect.stringContaining("node -e"));
		const [, session = ""] = /\(session ([\w-]+)\)/.exec(first.text) ?? [];
		const second = await served.call("tau", { prompt: "and now?", session });
		expect(second.text).toContain("Still 42.");
		expect(second.text).toContain(session);
		expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("It is 42.");
		const missing = await served.call("tau", { prompt: "x", session: "0123abcd" });
		expect(missing).toMatchObject({ isError: true, text: expect.stringContaining("not found") });
	});

	test("a cancelled call ends its command", async () => {
		await using tau = await launch({ steps: [bash("echo $$ > pid; exec sleep 1000")] });
		await using served = await serve(tau, era);
		const file = join(tau.project, "pid");
		const cancel = new AbortController();
		const calling = served.client.callTool(
			{ name: "tau", arguments: { prompt: "wait" } },
			{ signal: cancel.signal },
		);
		await until("the command runs", () => pidIn(file) > 0);
		cancel.abort("enough");
		await expect(calling).rejects.toThrow();
		await until("the command ends", () => !isRunning(pidIn(file)));
		expect((await served.call("bash", { command: "echo alive" })).text).toContain("alive");
	});
});

needs("bwrap", "nsenter", "curl")(
	"in the sandbox a command writes to the project only, and a host is asked about at the client",
	async () => {
		await using tau = await launch({ steps: [] });
		const asked: string[] = [];
		const onForm = (message: string): string => {
			asked.push(message);
			return "No";
		};
		const env = { TAU_CONTAINER: "none", TAU_SANDBOX: "required" };
		await using served = await serve(tau, "modern", { env, onForm });
		const written = await served.call("bash", { command: "touch /etc/tau-test in-project; ls" });
		expect(written.text).toContain("in-project");
		expect(written.text).toContain("/etc/tau-test is read-only");
		await served.call("bash", { command: "curl -s -m 10 http://example.org; true" });
		expect(asked).toEqual([expect.stringContaining("connect to example.org:80")]);
	},
	180_000,
);

test("sessions of the tool tau run side by side", async () => {
	const steps = ["a", "b", "c"].map((name) => ({
		when: { bodyContains: `task ${name}` },
		answer: `It was ${name}.`,
	}));
	await using tau = await launch({ steps });
	await using served = await serve(tau, "modern");
	const answers = await Promise.all(
		["a", "b", "c"].map((name) => served.call("tau", { prompt: `task ${name}` })),
	);
	expect(answers.map(({ text }) => text.split("\n")[0])).toEqual(["It was a.", "It was b.", "It was c."]);
});

const ends = [
	["the client closes the input", undefined, 0],
	["it is asked to end", "SIGTERM", 143],
	["it is killed", "SIGKILL", 137],
] as const;

test.each(ends)(
	"when %s, the server ends with everything that it started",
	async (_, signal, expected) => {
		await using tau = await launch({ steps: [] });
		const running = tau.start(["mcp", "serve"], { stdin: "pipe" });
		const input = running.process.stdin;
		if (typeof input !== "object") throw new Error("There is no pipe.");
		const send = (message: object): void => {
			input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
			input.flush();
		};
		const clientInfo = { name: "test", version: "1" };
		send({
			id: 1,
			method: "initialize",
			params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
		});
		send({ method: "notifications/initialized" });
		const command = "echo $$ > pid; exec sleep 1000";
		send({ id: 2, method: "tools/call", params: { name: "bash", arguments: { command } } });
		const file = join(tau.project, "pid");
		await until("the command runs", () => pidIn(file) > 0);
		if (signal === undefined) input.end();
		else running.process.kill(signal);
		expect((await running.finished).code).toBe(expected);
		await until("the command ends", () => !isRunning(pidIn(file)));
	},
	180_000,
);

test("standard output belongs to the protocol, whatever extensions print and clients send", async () => {
	await using tau = await launch({ steps: [] });
	mkdirSync(join(tau.agentDir, "extensions"));
	writeFileSync(
		join(tau.agentDir, "extensions/loud.ts"),
		`export default (pi) => { console.log("loud"); process.stdout.write("louder\\n");
		pi.on("mcp_serve", () => { console.log("loudest"); throw new Error("broken"); }); };`,
	);
	const lines = [
		"this is no JSON",
		'{"jsonrpc":"2.0","id":7}',
		'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
		'{"jsonrpc":"2.0","id":2,"method":"no/such/method"}',
		'{"jsonrpc":"2.0","id":3,"method":"tools/list"}',
	];
	const running = tau.start(["mcp", "serve"], { stdin: "pipe" });
	const input = running.process.stdin;
	if (typeof input !== "object") throw new Error("There is no pipe.");
	input.write(`${lines.join("\n")}\n`);
	input.flush();
	await running.until(({ out }) => out.includes('"id":3'));
	input.end();
	const { out, err, code } = await running.finished;
	expect(code).toBe(0);
	for (const line of out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
	expect(err).toContain("loudest");
});

interface HttpServed {
	url: string;
	running: ReturnType<Launched["start"]>;
}

async function serveHttp(tau: Launched, env: Record<string, string> = {}): Promise<HttpServed> {
	const running = tau.start(["mcp", "serve", "--http", "0"], { env });
	await running.until(({ out }) => out.includes("\n"));
	return { url: running.output().out.trim(), running };
}

test("over HTTP every request needs the token and a local host", async () => {
	await using tau = await launch({ steps: [] });
	const { url, running } = await serveHttp(tau);
	const address = url.slice(0, url.lastIndexOf("/"));
	const post = async (to: string, headers: Record<string, string> = {}): Promise<number> =>
		(await fetch(to, { method: "POST", body: "{}", headers })).status;
	expect(await post(address)).toBe(401);
	expect(await post(`${address}/wrong`)).toBe(401);
	expect(await post(address, { authorization: "Bearer wrong" })).toBe(401);
	expect(await post(url.replace("/mcp/", "/other/"))).toBe(404);
	expect(await post(url, { origin: "https://example.org" })).toBe(403);
	expect(await post(url, { host: "example.org" })).toBe(403);
	running.process.kill("SIGTERM");
	expect((await running.finished).code).toBe(143);
});

test("clients of both generations share one HTTP server; its commands do not see a chosen token", async () => {
	await using tau = await launch({ steps: [] });
	const { url, running } = await serveHttp(tau, { TAU_MCP_TOKEN: "sesame" });
	expect(url).toEndWith("/mcp");
	for (const era of eras) {
		const client = newClient(era);
		const requestInit = { headers: { authorization: "Bearer sesame" } };
		await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
		const command = "echo token=$TAU_MCP_TOKEN.";
		expect(read(await client.callTool({ name: "bash", arguments: { command } })).text).toContain("token=.");
		await client.close();
	}
	running.process.kill("SIGTERM");
	await running.finished;
});
